/*
 * Text that is split into words at SP and TAB and escaped with backslashes (KATCP). Twin: bindings/portable/words.ts.
 */
import {
  KF_BLANKS,
  KF_ESCAPED,
  KF_NON_ASCII,
  KF_WORD_ESCAPED,
  KS_COUNT,
  KS_FLAGS,
  KS_WORD,
  KS_WORDS_AT,
  KW_ESCAPED,
  KW_POSITION,
} from '../abi/katcp'

/** What `\x` stands for, by x < 128: the byte, NOTHING (`\@`), or INVALID. */
const NOTHING: u32 = 0xfe
const INVALID: u32 = 0xff
const MEANING = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 92, 255,
  255, 32, 255, 255, 255, 255, 255, 27, 255, 255, 255, 255, 255, 255, 255, 255, 10, 255, 255, 255, 13, 255, 9, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255,
])

function meaning(b: u32): u32 {
  return b < 128 ? <u32>load<u8>(MEANING + b) : INVALID
}

/** Whether `b` may follow a backslash. */
export function isEscape(b: u32): bool {
  return meaning(b) != INVALID
}

/**
 * Mask of the bytes that may follow a backslash: 0 @ \\ _ e n r t. One table gives, for a low half, the set of high halves
 * that make a letter; the other the place of a high half in the set.
 *
 *   low half    0: 3 4   2: 7   4: 7   5: 6   c: 5   e: 6   f: 5
 *   high half   3: 1     4: 2   5: 4   6: 8   7: 16
 */
function goodLetters(v: v128): u32 {
  const low = i8x16.swizzle(i8x16(3, 0, 16, 0, 16, 8, 0, 0, 0, 0, 0, 0, 4, 0, 8, 4), v128.and(v, i8x16.splat(15)))
  const high = i8x16.swizzle(i8x16(0, 0, 0, 1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(v, 4))
  return 0xffff ^ <u32>i8x16.bitmask(i8x16.eq(v128.and(low, high), i8x16.splat(0)))
}

/** Address of the first byte in [p, end) that is no ASCII letter, digit or dash; `end` if none. */
export function skipName(p: u32, end: u32): u32 {
  while (p < end) {
    const b: u32 = load<u8>(p)
    if ((b | 0x20) - 97 > 25 && b - 48 > 9 && b != 45) return p
    p++
  }
  return end
}

/** Address of the first CR or LF in [p, end); `end` if none. */
export function skipLine(p: u32, end: u32): u32 {
  while (end - p >= 16) {
    const v = v128.load(p)
    const m = <u32>i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(10)), i8x16.eq(v, i8x16.splat(13))))
    if (m) return p + <u32>ctz(m)
    p += 16
  }
  while (p < end) {
    const b: u32 = load<u8>(p)
    if (b == 10 || b == 13) return p
    p++
  }
  return end
}

/**
 * Splits [p, end) into words and writes each finished one at `out`: its position, with KW_ESCAPED where it has an escape.
 * Stops at `end`; at NUL, LF, CR, ESC; at a backslash whose escape is bad or cut off by `end`; or at the blank after a word
 * that has no room before `outEnd`. Returns where it stopped. A position is the distance from `input`, plus `base`.
 * The word in progress and the flags come from, and go back to, KS_WORD and KS_FLAGS; the end of `out` goes to KS_WORDS_AT.
 *
 *   16 bytes   g a i n SP 1 . 5 SP a \ _ b SP 2 LF
 *   SP         0 0 0 0 1  0 0 0 1  0 0 0 0 1  0 0      each ends a word, if no two are side by side
 *   ≤ 0x20     0 0 0 0 1  0 0 0 1  0 0 0 0 1  0 1      differs: look at the bytes one by one
 *   '\'        0 0 0 0 0  0 0 0 0  0 1 0 0 0  0 0      shifted by one, must lie within the mask of good letters
 */
export function scanWords(p: u32, end: u32, input: u32, base: u32, out: u32, outEnd: u32): u32 {
  const shift = base - input
  let word = load<u32>(KS_WORD)
  let flags = load<u32>(KS_FLAGS)
  let mark: u32 = flags & KF_WORD_ESCAPED ? KW_ESCAPED : 0
  let stop: u32 = 0
  while (p < end) {
    // Blocks with nothing but single SPs and good escapes: every SP ends a word, and the next begins behind it. The word in
    // progress always stands at `out`. Two SPs are written without a branch on their number, which no processor foresees.
    if (end - p >= 16 && outEnd - out >= 64) {
      let all = i8x16.splat(0)
      let blank: u32 = p + shift == word ? 1 : 0
      let pending: u32 = 0
      store<u32>(out, word | mark)
      do {
        const v = v128.load(p)
        const spaces = <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x20)))
        const slash = i8x16.eq(v, i8x16.splat(0x5c))
        const slashes = <u32>i8x16.bitmask(slash)
        const low = <u32>i8x16.bitmask(i8x16.le_u(v, i8x16.splat(0x20)))
        if ((low ^ spaces) | (spaces & ((spaces << 1) | blank))) break
        const at = p + shift + 1
        if (slashes | pending) {
          const letters = (slashes << 1) | pending
          if ((slashes | (letters & 0xffff & ~goodLetters(v))) & letters) break
          // A backslash counts when its letter is seen: of the last byte, with the next block.
          let rest = slashes & 0x7fff
          if (rest | pending) flags |= KF_ESCAPED
          if (pending) store<u32>(out, load<u32>(out) | KW_ESCAPED)
          for (let m = spaces; m; m &= m - 1) {
            const k = <u32>ctz(m)
            const inside = rest & ((1 << k) - 1)
            store<u32>(out, load<u32>(out) | select<u32>(KW_ESCAPED, 0, inside))
            rest ^= inside
            out += 4
            store<u32>(out, at + k)
          }
          if (rest) store<u32>(out, load<u32>(out) | KW_ESCAPED)
          pending = slashes >>> 15
        } else {
          let more = spaces & (spaces - 1)
          store<u32>(out, at + <u32>ctz(spaces), 4)
          store<u32>(out, at + <u32>ctz(more), 8)
          more &= more - 1
          for (let to = out + 12; more; to += 4, more &= more - 1) store<u32>(to, at + <u32>ctz(more))
          out += (<u32>popcnt(spaces)) << 2
        }
        all = v128.or(all, v)
        blank = spaces >>> 15
        p += 16
      } while (end - p >= 16 && outEnd - out >= 64)
      if (i8x16.bitmask(all)) flags |= KF_NON_ASCII
      // The letter of a last backslash is in the bytes to come: back to it.
      p -= pending
      mark = load<u32>(out) & KW_ESCAPED
      word = load<u32>(out) & KW_POSITION
    }
    let m: u32 = 0
    let high: u32 = 0
    let next = end
    if (end - p >= 16) {
      const v = v128.load(p)
      m = <u32>i8x16.bitmask(v128.or(i8x16.le_u(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x5c))))
      high = <u32>i8x16.bitmask(v)
      next = p + 16
    } else {
      for (let k: u32 = 0; k < end - p; k++) {
        const b: u32 = load<u8>(p + k)
        if (b <= 0x20 || b == 0x5c) m |= 1 << k
        else if (b >= 0x80) high |= 1 << k
      }
    }
    while (m) {
      const k: u32 = ctz(m)
      const q = p + k
      const b: u32 = load<u8>(q)
      m &= m - 1
      if (b == 0x20 || b == 9) {
        const at = q + shift
        if (at != word) {
          if (out == outEnd) {
            stop = q
            break
          }
          store<u32>(out, word | mark)
          out += 4
        } else flags |= KF_BLANKS
        word = at + 1
        mark = 0
      } else if (b == 0x5c) {
        if (q + 1 == end || !isEscape(load<u8>(q, 1))) {
          stop = q
          break
        }
        mark = KW_ESCAPED
        flags |= KF_ESCAPED
        if (q + 1 == next) next = q + 2
        else m &= ~(2 << k)
      } else if (b == 0 || b == 10 || b == 13 || b == 27) {
        stop = q
        break
      }
    }
    if (stop) {
      if (high & ((1 << (stop - p)) - 1)) flags |= KF_NON_ASCII
      break
    }
    if (high) flags |= KF_NON_ASCII
    p = next
  }
  store<u32>(KS_WORD, word)
  store<u32>(KS_FLAGS, mark ? flags | KF_WORD_ESCAPED : flags & ~KF_WORD_ESCAPED)
  store<u32>(KS_WORDS_AT, out)
  return stop ? stop : end
}

/**
 * Writes the bytes that [p, end) stands for at `out`, at most end - p of them, and returns their end. Every escape must be
 * good. Bytes up to `limit` may be read; 32 bytes past the end of the output may be written.
 *
 *   16 bytes   a b \ _ c d e f \ n g h i j k l
 *   '\'        0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0      what stands between two of them is stored as a block, each block over the
 *   out        a b SP c d e f LF g h i j k l        surplus of the one before
 */
export function unescapeWord(p: u32, end: u32, limit: u32, out: u32): u32 {
  while (p < end) {
    if (limit - p >= 32) {
      const v = v128.load(p)
      v128.store(out, v)
      let n = end - p
      let m = <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x5c)))
      if (n >= 16) n = 16
      else m &= (1 << n) - 1
      let from: u32 = 0
      while (m) {
        const k = <u32>ctz(m)
        v128.store(out, v128.load(p + from))
        out += k - from
        const b = meaning(load<u8>(p + k, 1))
        store<u8>(out, b)
        if (b != NOTHING) out++
        from = k + 2
        m &= (m - 1) & ~(2 << k)
      }
      if (from < n) {
        v128.store(out, v128.load(p + from))
        out += n - from
        p += n
      } else p += from
    } else {
      const b: u32 = load<u8>(p)
      if (b != 0x5c) {
        store<u8>(out++, b)
        p++
        continue
      }
      const meant = meaning(load<u8>(p, 1))
      p += 2
      if (meant != NOTHING) store<u8>(out++, meant)
    }
  }
  return out
}

/** The letter that stands for `b` after a backslash; 0: `b` stands for itself. */
function letter(b: u32): u32 {
  if (b == 0x20) return 95
  if (b == 0x5c) return 92
  if (b == 10) return 110
  if (b == 0) return 48
  if (b == 9) return 116
  if (b == 13) return 114
  return b == 27 ? 101 : 0
}

/**
 * Writes [p, end) escaped at `out`, at most twice as long, and returns the end. With `split`, NUL separates arguments: it
 * becomes SP, and `\@` is written for an argument without bytes. KS_COUNT counts the separators up; KS_WORD says, before
 * and after, whether the argument in progress has bytes.
 *
 *   16 bytes      a b NUL c d e f NUL g h …
 *   NUL           0 0 1   0 0 0 0 1   0 0       → no two side by side: the block is stored whole, NUL | 0x20 = SP,
 *   to be escaped 0 0 0   0 0 0 0 0   0 0         and the bits are counted
 */
export function escapeWords(p: u32, end: u32, out: u32, split: bool): u32 {
  const space = i8x16.splat(0x20)
  let count = load<u32>(KS_COUNT)
  /** 1: the argument in progress has no bytes yet. */
  let empty: u32 = load<u32>(KS_WORD) ? 0 : 1
  while (p < end) {
    if (end - p >= 16) {
      const v = v128.load(p)
      const nul = i8x16.eq(v, i8x16.splat(0))
      const special = <u32>i8x16.bitmask(v128.or(i8x16.le_u(v, space), i8x16.eq(v, i8x16.splat(0x5c))))
      const separators = split ? <u32>i8x16.bitmask(nul) : 0
      if (special == separators && (separators & ((separators << 1) | empty)) == 0) {
        v128.store(out, v128.or(v, v128.and(nul, space)))
        count += <u32>popcnt(separators)
        empty = separators >>> 15
        p += 16
        out += 16
        continue
      }
    }
    const b: u32 = load<u8>(p++)
    if (b == 0 && split) {
      if (empty) {
        store<u16>(out, 0x405c)
        out += 2
      }
      store<u8>(out++, 0x20)
      empty = 1
      count++
      continue
    }
    empty = 0
    const x = letter(b)
    if (x) {
      store<u8>(out, 0x5c)
      store<u8>(out, x, 1)
      out += 2
    } else store<u8>(out++, b)
  }
  store<u32>(KS_COUNT, count)
  store<u32>(KS_WORD, empty ? 0 : 1)
  return out
}
