/*
 * ASCII and UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
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

const HIGH_BITS: u64 = 0x8080808080808080
const ONES: u64 = 0x0101010101010101

/**
 * Address of the first byte in [p, end) that is ≥ 0x80 or < `least` (0 or 1); `end` if none.
 *
 *   bytes as i8      'g' 'a' 'i' 'n' NUL C3 A9 …     16 at a time
 *   > least - 1       1   1   1   1   0   0  0       least 1: signed, so ≥ 0x80 is below 0
 */
function prefix(p: u32, end: u32, least: u32): u32 {
  const floor = i8x16.splat(<i8>(least - 1))
  while (end - p >= 32) {
    if (!i8x16.all_true(i8x16.gt_s(i8x16.min_s(v128.load(p), v128.load(p, 16)), floor))) break
    p += 32
  }
  while (end - p >= 8) {
    const x = load<u64>(p)
    // The subtraction raises a high bit only in a 0, and in bytes above one: the lowest high bit is never false.
    const m = ((x - (least ? ONES : 0)) | x) & HIGH_BITS
    if (m) return p + <u32>(ctz(m) >> 3)
    p += 8
  }
  while (p < end) {
    if (<u32>load<u8>(p) - least >= 0x80 - least) return p
    p++
  }
  return end
}

/** Address of the first byte ≥ 0x80 in [p, end); `end` if none. */
export function asciiPrefix(p: u32, end: u32): u32 {
  return prefix(p, end, 0)
}

/** Address of the first byte in [p, end) that is NUL or ≥ 0x80; `end` if none. */
export function plainPrefix(p: u32, end: u32): u32 {
  return prefix(p, end, 1)
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

/** The faults that each byte of `v` allows when it stands first of two. */
// @ts-ignore: decorator
@inline
function first(v: v128, upper: v128): v128 {
  return v128.and(
    i8x16.swizzle(
      i8x16(
        LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TAILS, TAILS, TAILS, TAILS,
        SHORT | OVERLONG_2, SHORT, SHORT | OVERLONG_3 | SURROGATE, SHORT | LARGE | OVERLONG_4,
      ),
      upper,
    ),
    i8x16.swizzle(
      i8x16(
        ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY | OVERLONG_2, ANY, ANY, ANY | LARGE,
        BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG | SURROGATE, BIG, BIG,
      ),
      v128.and(v, i8x16.splat(15)),
    ),
  )
}

/** The faults that each byte, by its upper half, allows when it stands second of two. */
// @ts-ignore: decorator
@inline
function second(upper: v128): v128 {
  return i8x16.swizzle(
    i8x16(
      SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
      LONG | TAILS | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, LONG | TAILS | OVERLONG_2 | OVERLONG_3 | LARGE,
      LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE, LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE,
      SHORT, SHORT, SHORT, SHORT,
    ),
    upper,
  )
}

/**
 * From `p`, between characters, to the start of the first character that is not known to be good: less than 19 bytes
 * before `end`, or before a fault. Everything before it is good.
 */
const TABLES = memory.data<i8>([
 LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TAILS, TAILS, TAILS, TAILS,SHORT | OVERLONG_2, SHORT, SHORT | OVERLONG_3 | SURROGATE, SHORT | LARGE | OVERLONG_4,
 ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY | OVERLONG_2, ANY, ANY, ANY | LARGE,BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG | SURROGATE, BIG, BIG,
SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,LONG | TAILS | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, LONG | TAILS | OVERLONG_2 | OVERLONG_3 | LARGE,LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE, LONG | TAILS | OVERLONG_2 | SURROGATE | LARGE,SHORT, SHORT, SHORT, SHORT, 15,15,15,15,15,15,15,15,15,15,15,15,15,15,15,15, 0x60,0x70,-128,0])
function goodCharacters(p: u32, end: u32, least: u32): u32 {
  const start = p
  const floor = i8x16.splat(<i8>(least - 1))
  // The last three lanes keep what is left of a byte that begins a character longer than the block has room for.
  const most = i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -17, -33, -65)
  const nul = i8x16.splat(<i8>(0 - least))
  let before = i8x16.splat(0)
  const t1 = v128.load(TABLES), t2 = v128.load(TABLES,16), t3=v128.load(TABLES,32), low=v128.load(TABLES,48), c60 = i8x16.splat(load<i8>(TABLES,64)), c70 = i8x16.splat(load<i8>(TABLES,65)), c80 = i8x16.splat(load<i8>(TABLES,66)), c0 = i8x16.splat(load<i8>(TABLES,67))
  let allowed = i8x16.splat(LONG)
  while (end - p >= 16) {
    const v = v128.load(p)
    if (i8x16.all_true(i8x16.gt_s(v, floor))) {
      if (v128.any_true(i8x16.sub_sat_u(before, most))) break
      p += 16
      while (end - p >= 32 && i8x16.all_true(i8x16.gt_s(i8x16.min_s(v128.load(p), v128.load(p, 16)), floor))) p += 32
      before = i8x16.splat(0)
      allowed = i8x16.splat(LONG)
      continue
    }
    const upper = v128.and(i16x8.shr_u(v, 4), low)
    const mine = v128.and(i8x16.swizzle(t1, upper), i8x16.swizzle(t2, v128.and(v, low)))
    const pair = v128.and(
      i8x16.shuffle(allowed, mine, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
      i8x16.swizzle(t3, upper),
    )
    const third = i8x16.shuffle(before, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
    const fourth = i8x16.shuffle(before, v, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
    const tails = v128.or(i8x16.sub_sat_u(third, c60), i8x16.sub_sat_u(fourth, c70))
    const zero = v128.and(i8x16.eq(v, c0), nul)
    if (v128.any_true(v128.or(v128.xor(pair, v128.and(tails, c80)), zero))) break
    allowed = mine
    before = v
    p += 16
  }
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
    if (s == UTF8_BETWEEN && end - p >= 16) {
      p = goodCharacters(p, end, 0)
      // What is left is cut off or holds a fault: no more than a few bytes are walked.
      while (p < end) {
        s = step(s, load<u8>(p))
        if (s == UTF8_FAULT) return p
        p++
      }
      break
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
  if (end - p >= 16) p = goodCharacters(p, end, least)
  let s = UTF8_BETWEEN
  while (p < end) {
    const b: u32 = load<u8>(p)
    if (b < least) return p
    s = step(s, b)
    if (s == UTF8_FAULT) return p
    p++
  }
  return s == UTF8_BETWEEN ? 0 : end
}
