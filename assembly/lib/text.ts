/*
 * ASCII and UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
 * The 16 bytes before `end` are looked at together even where fewer belong to the text; the others never matter.
 * Twin: bindings/portable/text.ts.
 */
import {
  UTF8_AFTER_E0,
  UTF8_AFTER_ED,
  UTF8_AFTER_F0,
  UTF8_AFTER_F4,
  UTF8_BETWEEN,
  UTF8_FAULT,
  UTF8_TAIL_1,
  UTF8_TAIL_2,
  UTF8_TAIL_3,
} from '../abi/text'

/** The places of 16 bytes. */
function lanes(): v128 {
  return i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/**
 * Address of the first byte in [p, end) that is ≥ 0x80 or < `least` (0 or 1); `end` if none.
 *
 *   bytes as i8      'g' 'a' 'i' 'n' NUL C3 A9 …     32, then 16 at a time
 *   > least - 1       1   1   1   1   0   0  0       signed, so ≥ 0x80 is below 0
 */
function prefix(p: u32, end: u32, least: u32): u32 {
  const floor = i8x16.splat(<i8>(least - 1))
  while (end - p >= 32) {
    if (!i8x16.all_true(i8x16.gt_s(i8x16.min_s(v128.load(p), v128.load(p, 16)), floor))) break
    p += 32
  }
  while (end - p >= 16) {
    const m = i8x16.bitmask(i8x16.le_s(v128.load(p), floor))
    if (m) return p + <u32>ctz(m)
    p += 16
  }
  const m = <u32>i8x16.bitmask(i8x16.le_s(v128.load(end - 16), floor)) >>> (16 + p - end)
  return m ? p + <u32>ctz(m) : end
}

/** Address of the first byte ≥ 0x80 in [p, end); `end` if none. */
export function asciiPrefix(p: u32, end: u32): u32 {
  return prefix(p, end, 0)
}

/** Address of the first byte in [p, end) that is NUL or ≥ 0x80; `end` if none. */
export function plainPrefix(p: u32, end: u32): u32 {
  return prefix(p, end, 1)
}

/**
 * Copies [p, end) to `to` as far as it holds neither NUL nor bytes ≥ 0x80, and returns the address of the first such byte;
 * `end` if none. Up to 16 bytes behind what `end - p` bytes at `to` need may be written, whatever the result.
 *
 *   ├── 16 ──┼── 16 ──┼── …      whole blocks
 *             ├── 16 ──┤         the last block ends with the region, over bytes that were copied before
 */
export function plainCopy(p: u32, end: u32, to: u32): u32 {
  const length = end - p
  if (length < 16) {
    const v = v128.load(end - 16)
    const m = <u32>i8x16.bitmask(i8x16.le_s(v, i8x16.splat(0))) >>> (16 - length)
    if (m) return p + <u32>ctz(m)
    v128.store(to, i8x16.swizzle(v, i8x16.add(lanes(), i8x16.splat(<i8>(16 - length)))))
    return end
  }
  const shift = to - p
  const last = end - 16
  while (p != end) {
    if (p > last) p = last
    const v = v128.load(p)
    const m = <u32>i8x16.bitmask(i8x16.le_s(v, i8x16.splat(0)))
    if (m) return p + <u32>ctz(m)
    v128.store(p + shift, v)
    p += 16
  }
  return end
}

/** As plainCopy between multiples of four, with zeros behind the copy up to the next multiple of four. */
export function plainWords(p: u32, end: u32, to: u32): u32 {
  const stop = plainCopy(p, end, to)
  if (stop == end) store<u32>(to + (end - p), 0)
  return stop
}

/** The state after byte `b`. */
function step(state: u32, b: u32): u32 {
  if (state == UTF8_BETWEEN) {
    if (b < 0x80) return UTF8_BETWEEN
    if (b < 0xc2 || b > 0xf4) return UTF8_FAULT
    if (b < 0xe0) return UTF8_TAIL_1
    if (b < 0xf0) return b == 0xe0 ? UTF8_AFTER_E0 : b == 0xed ? UTF8_AFTER_ED : UTF8_TAIL_2
    return b == 0xf0 ? UTF8_AFTER_F0 : b == 0xf4 ? UTF8_AFTER_F4 : UTF8_TAIL_3
  }
  const low: u32 = state == UTF8_AFTER_E0 ? 0xa0 : state == UTF8_AFTER_F0 ? 0x90 : 0x80
  const high: u32 = state == UTF8_AFTER_ED ? 0x9f : state == UTF8_AFTER_F4 ? 0x8f : 0xbf
  if (b < low || b > high) return UTF8_FAULT
  if (state <= UTF8_TAIL_3) return state - 1
  return state <= UTF8_AFTER_ED ? UTF8_TAIL_1 : UTF8_TAIL_2
}

/*
 * What can be wrong with two bytes in a row, a bit each. Three tables, by the halves of the first byte and by the upper
 * half of the second, say which faults the half allows; a fault that all three allow is there. The method is that of
 * J. Keiser and D. Lemire, "Validating UTF-8 in less than one instruction per byte" (2021).
 */
/** First byte of a character, then none that continues it. */
const SHORT: i8 = 1
/** ASCII, then a continuation. */
const LONG: i8 = 2
/** E0 80..9F. */
const OVERLONG_3: i8 = 4
/** F4 90..BF, F5..FF 90..BF. */
const LARGE: i8 = 8
/** ED A0..BF. */
const SURROGATE: i8 = 16
/** C0 or C1, then a continuation. */
const OVERLONG_2: i8 = 32
/** F0 80..8F is overlong, F5..FF 80..8F too large: they never meet, so they share a bit. */
const OVERLONG_4: i8 = 64
/** Two continuations: right if and only if a longer character began before them. */
const TAILS: i8 = -128
const ANY: i8 = SHORT | LONG | TAILS
const BIG: i8 = ANY | LARGE | OVERLONG_4

/*
 * In memory, since V8 makes a vector constant anew at every turn of a loop.
 *
 *   +0 by the upper half of the first byte   +16 by its lower half   +32 by the upper half of the second
 */
// biome-ignore format: the tables stand below each other
const FAULTS = memory.data<i8>([
  LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TAILS, TAILS, TAILS, TAILS,
  SHORT | OVERLONG_2, SHORT, SHORT | OVERLONG_3 | SURROGATE, SHORT | LARGE | OVERLONG_4,
  ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY | OVERLONG_2, ANY, ANY, ANY | LARGE, BIG, BIG, BIG,
  BIG, BIG, BIG, BIG, BIG, BIG | SURROGATE, BIG, BIG,
  SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
  LONG | TAILS | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, LONG | TAILS | OVERLONG_2 | OVERLONG_3 | LARGE,
  LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE, LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE,
  SHORT, SHORT, SHORT, SHORT,
])

/**
 * `end` if [p, end) is good and ends between characters; else the start of a character up to which it is good, at most 19
 * bytes before its end or its fault. `p` must be between characters.
 *
 *   before … E2 │ 82 AC 20 C3 A9 …   v, 16 at a time; after the last byte blanks
 *   first    E2   82 AC 20 C3        the byte before each: what pairs allow
 *   third    ≥ E0, fourth ≥ F0       two or three bytes before: here, and only here, a second continuation stands
 */
function goodCharacters(p: u32, end: u32, least: u32): u32 {
  const start = p
  const floor = i8x16.splat(<i8>(least - 1))
  const nul = i8x16.splat(<i8>(0 - least))
  // The last three lanes keep what is left of a byte that begins a character longer than the block has room for.
  const most = i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -17, -33, -65)
  const byUpper = v128.load(FAULTS)
  const byLower = v128.load(FAULTS, 16)
  const bySecond = v128.load(FAULTS, 32)
  let before = i8x16.splat(0)
  let allowed = i8x16.splat(LONG)
  for (; p < end; p += 16) {
    let v: v128
    if (end - p >= 16) v = v128.load(p)
    else {
      const places = lanes()
      v = i8x16.swizzle(v128.load(end - 16), i8x16.add(places, i8x16.splat(<i8>(16 + p - end))))
      v = v128.or(v, v128.and(i8x16.ge_u(places, i8x16.splat(<i8>(end - p))), i8x16.splat(0x20)))
    }
    if (i8x16.all_true(i8x16.gt_s(v, floor))) {
      if (v128.any_true(i8x16.sub_sat_u(before, most))) break
      while (end - p >= 48 && i8x16.all_true(i8x16.gt_s(i8x16.min_s(v128.load(p, 16), v128.load(p, 32)), floor)))
        p += 32
      before = i8x16.splat(0)
      allowed = i8x16.splat(LONG)
      continue
    }
    const upper = v128.and(i16x8.shr_u(v, 4), i8x16.splat(15))
    const first = v128.and(i8x16.swizzle(byUpper, upper), i8x16.swizzle(byLower, v128.and(v, i8x16.splat(15))))
    const pair = v128.and(
      i8x16.shuffle(allowed, first, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
      i8x16.swizzle(bySecond, upper),
    )
    const third = i8x16.shuffle(before, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
    const fourth = i8x16.shuffle(before, v, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
    const tails = v128.or(i8x16.sub_sat_u(third, i8x16.splat(0x60)), i8x16.sub_sat_u(fourth, i8x16.splat(0x70)))
    const zero = v128.and(i8x16.eq(v, i8x16.splat(0)), nul)
    if (v128.any_true(v128.or(v128.xor(pair, v128.and(tails, i8x16.splat(-128))), zero))) break
    allowed = first
    before = v
  }
  if (p >= end) {
    if (!v128.any_true(i8x16.sub_sat_u(before, most))) return end
    p = end
  }
  // The character that is open before p, if any, begins one to three bytes before.
  if (p != start) {
    if (load<u8>(p - 1) >= 0xc0) return p - 1
    if (load<u8>(p - 2) >= 0xe0) return p - 2
    if (load<u8>(p - 3) >= 0xf0) return p - 3
  }
  return p
}

/**
 * Goes on with text whose state is the word at `state`. Returns `end` and puts the new state there; or the address of
 * the first byte in [p, end) after which no bytes could make the text good, and leaves the word alone.
 */
export function utf8Scan(p: u32, end: u32, state: u32): u32 {
  let s = load<u32>(state)
  while (p < end) {
    if (s == UTF8_BETWEEN) {
      p = goodCharacters(p, end, 0)
      if (p == end) break
    }
    s = step(s, load<u8>(p))
    if (s == UTF8_FAULT) return p
    p++
  }
  store<u32>(state, s)
  return end
}

/**
 * The fault of the whole text [p, end): the address of its first byte after which no bytes could make it good, `end`
 * where it ends inside a character; 0 if the text is good. `least` is the smallest byte allowed: 0, or 1 to forbid NUL.
 */
export function utf8Fault(p: u32, end: u32, least: u32): u32 {
  p = goodCharacters(p, end, least)
  if (p == end) return 0
  let s = UTF8_BETWEEN
  while (p < end) {
    const b: u32 = load<u8>(p)
    if (b < least) return p
    s = step(s, b)
    if (s == UTF8_FAULT) return p
    p++
  }
  return end
}

/**
 * UTF-16 code units of the good UTF-8 text in [p, end): one for each byte that continues no character, and one more for those
 * that begin a character of four bytes.
 */
export function utf16Length(p: u32, end: u32): u32 {
  let units: u32 = 0
  while (end - p >= 16) {
    const v = v128.load(p)
    units += popcnt<u32>(<u32>i8x16.bitmask(i8x16.gt_s(v, i8x16.splat(-65))))
    units += popcnt<u32>(<u32>i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xf0))))
    p += 16
  }
  for (; p < end; p++) {
    const b: u32 = load<u8>(p)
    if ((b & 0xc0) != 0x80) units += b >= 0xf0 ? 2 : 1
  }
  return units
}
