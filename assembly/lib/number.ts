/*
 * Decimal numbers, as C's strtod takes them but for hexadecimal ones, and complex numbers as Python writes them.
 * A word is read whole; the 16 bytes before its end are looked at together even where it is shorter, the others never
 * matter. Twin: bindings/portable/number.ts.
 */
import { NUMBER_INEXACT, NUMBER_MALFORMED, NUMBER_STORED } from '../abi/number'

/** The powers of ten that a float64 holds exactly. */
const POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
])
const MAX_POWER: i32 = 22

/** Up to here another digit, or another eight, keep within NUMBER_DIGITS. */
const ROOM_FOR_1: u64 = 100000000000000000
const ROOM_FOR_8: u64 = 10000000000

/** 2^27 + 1 cuts a float64 into two halves of 26 bits (Veltkamp). */
const CUT: f64 = 134217729
/** 2^-100: more than all roundings of the second part of a sum together, relative to the first. */
const DOUBT: f64 = 7.888609052210118e-31

/** What rounding took from the product p = a × b (Dekker): a × b = p + this, exactly. */
function lost(a: f64, b: f64, p: f64): f64 {
  const x = CUT * a
  const y = CUT * b
  const a1 = x - (x - a)
  const b1 = y - (y - b)
  const a2 = a - a1
  const b2 = b - b1
  return a2 * b2 - (p - a1 * b1 - a2 * b1 - a1 * b2)
}

function put(out: u32, value: f64, negative: u32): u32 {
  store<u64>(out, reinterpret<u64>(value) | ((<u64>negative) << 63))
  return NUMBER_STORED
}

/**
 * Stores ±m × 10^e. Where m is a float64, one division or multiplication by an exact power of ten rounds once and so
 * rightly. Else m is the sum of two float64, and so is the result; it is rightly rounded if all that its second part could
 * be lead to the same float64, which fails for texts halfway between two, and hardly ever for others.
 */
function scaled(m: u64, e: i32, negative: u32, out: u32): u32 {
  if (m == 0) return put(out, 0, negative)
  if (e < -MAX_POWER || e > MAX_POWER) return NUMBER_INEXACT
  const high = <f64>(<i64>m)
  const rest = <f64>(<i64>m - <i64>high)
  const power = load<f64>(POWERS + ((e < 0 ? -e : e) << 3))
  let value = e < 0 ? high / power : high * power
  if (rest != 0) {
    let second: f64
    if (e < 0) {
      const back = value * power
      second = (high - back - lost(value, power, back) + rest) / power
    } else second = lost(high, power, value) + rest * power
    const doubt = value * DOUBT
    const below = value + (second - doubt)
    value += second + doubt
    if (value != below) return NUMBER_INEXACT
  }
  return put(out, value, negative)
}

/** Whether all eight bytes of `x` are digits: their upper halves are 3, and still are when 6 is added. */
function eightDigits(x: u64): bool {
  return (x & (x + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030
}

/**
 * The number that eight digits write.
 *
 *   bytes     1  2  3  4  5  6  7  8     the first digit in the lowest byte
 *   × 10 + 1  12    34    56    78       in every other byte
 *   × 100     1234        5678           then × 10000
 */
function eight(x: u64): u64 {
  x = ((x & 0x0f0f0f0f0f0f0f0f) * 2561) >> 8
  x = ((x & 0x00ff00ff00ff00ff) * 6553601) >> 16
  return ((x & 0x0000ffff0000ffff) * 42949672960001) >> 32
}

/** inf, infinity, nan without their sign, in any case. */
function special(p: u32, end: u32): u32 {
  if (end - p == 3) {
    const x = <u32>load<u16>(p) | ((<u32>load<u8>(p, 2)) << 16) | 0x202020
    if (x == 0x666e69 || x == 0x6e616e) return NUMBER_INEXACT
  } else if (end - p == 8 && (load<u64>(p) | 0x2020202020202020) == 0x7974696e69666e69) return NUMBER_INEXACT
  return NUMBER_MALFORMED
}

/** parseDecimal for words of any length and with exponents. */
function parseLong(p: u32, end: u32, out: u32): u32 {
  if (p == end) return NUMBER_MALFORMED
  const sign: u32 = load<u8>(p)
  const negative: u32 = sign == 0x2d ? 1 : 0
  if (negative || sign == 0x2b) p++
  const start = p
  let m: u64 = 0
  // Digits that m has no room for: zeros are left to the exponent.
  let dropped: i32 = 0
  let many = false
  let point: u32 = 0
  let eights = true
  while (p < end) {
    if (eights && m < ROOM_FOR_8 && end - p >= 8) {
      const x = load<u64>(p)
      if (eightDigits(x)) {
        m = m * 100000000 + eight(x)
        p += 8
        continue
      }
      eights = false
    }
    const d: u32 = <u32>load<u8>(p) - 0x30
    if (d <= 9) {
      if (m < ROOM_FOR_1) m = m * 10 + d
      else {
        dropped++
        if (d) many = true
      }
    } else if (d == 0x2e - 0x30 && point == 0) {
      point = p + 1
      eights = true
    } else break
    p++
  }
  if (p - start == (point ? 1 : 0)) return point ? NUMBER_MALFORMED : special(p, end)
  let e: i32 = dropped - (point ? <i32>(p - point) : 0)
  if (p < end) {
    if ((load<u8>(p) | 0x20) != 0x65) return NUMBER_MALFORMED
    p++
    const mark: u32 = p < end ? load<u8>(p) : 0
    if (mark == 0x2d || mark == 0x2b) p++
    if (p == end) return NUMBER_MALFORMED
    let x: i32 = 0
    while (p < end) {
      const d: u32 = <u32>load<u8>(p) - 0x30
      if (d > 9) return NUMBER_MALFORMED
      // Beyond what the digits of any word in memory could bring back.
      if (x < 100000000) x = x * 10 + d
      p++
    }
    e += mark == 0x2d ? -x : x
  }
  return many ? NUMBER_INEXACT : scaled(m, e, negative, out)
}

/** In memory, since V8 makes a vector constant anew at every use: 16 bytes each, the place of each byte first. */
// biome-ignore format: a vector a line
const LANES = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
  9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
  10, 0, 10, 0, 10, 0, 10, 0, 10, 0, 10, 0, 10, 0, 10, 0,
  100, 0, 1, 0, 100, 0, 1, 0, 100, 0, 1, 0, 100, 0, 1, 0,
  16, 39, 1, 0, 16, 39, 1, 0, 16, 39, 1, 0, 16, 39, 1, 0,
  255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0,
])

/**
 * Reads [p, end) as [+-]?(digits[.digits?]|.digits)([eE][+-]?digits)?, or inf, infinity, nan in any case with a sign or
 * not, and stores the float64 at `out`, a multiple of 8. Returns NUMBER_STORED, where the value is that of JavaScript's
 * Number() bit by bit; NUMBER_INEXACT; or NUMBER_MALFORMED.
 *
 *   word      _ _ _ _ _ _ _ _ _ - 1 2 . 3 4 5     the last 16 bytes; those before are few, and walked
 *   digits    0 0 0 0 0 0 0 0 0 0 1 2 * 3 4 5     other bytes are 0, the point's lane known
 *   closed    0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 5     lanes up to the point moved up by one
 *   × 10 + 1    0   0   0   0   0   1  23  45     then × 100 + 1, × 10000 + 1, × 10^8 + 1
 */
export function parseDecimal(p: u32, end: u32, out: u32): u32 {
  // 19 digits and a sign before the last 16: `head` cannot overflow.
  if (end - p - 1 > 34) return parseLong(p, end, out)
  const sign: u32 = load<u8>(p)
  const negative: u32 = sign == 0x2d ? 1 : 0
  let q = p + (sign == 0x2b ? 1 : negative)
  let head: u64 = 0
  let point: u32 = 0
  while (end - q > 16) {
    const d: u32 = <u32>load<u8>(q) - 0x30
    q++
    if (d <= 9) head = head * 10 + d
    else if (d == 0x2e - 0x30 && point == 0) point = q
    else return parseLong(p, end, out)
  }
  const digits = end - q
  const lane = v128.load(LANES)
  const inside = i8x16.ge_u(lane, i8x16.splat(<i8>(16 - digits)))
  const values = v128.and(i8x16.sub(v128.load(end - 16), v128.load(LANES, 16)), inside)
  const others = <u32>i8x16.bitmask(i8x16.gt_u(values, v128.load(LANES, 32)))
  let closed = values
  if (others) {
    if (others & (others - 1) || point || digits == 1 || head > 99) return parseLong(p, end, out)
    const place = <u32>ctz(others)
    point = end - 15 + place
    if (load<u8>(point - 1) != 0x2e) return parseLong(p, end, out)
    closed = i8x16.swizzle(values, i8x16.add(lane, i8x16.le_u(lane, i8x16.splat(<i8>place))))
    head *= 1000000000000000
  } else {
    if (digits == 0 || head > 99) return parseLong(p, end, out)
    head *= 10000000000000000
  }
  const tens = i16x8.mul(v128.and(closed, v128.load(LANES, 96)), v128.load(LANES, 48))
  const twos = i16x8.add(tens, i16x8.shr_u(closed, 8))
  const fours = i32x4.dot_i16x8_s(twos, v128.load(LANES, 64))
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), v128.load(LANES, 80))
  const m = head + <u64>i32x4.extract_lane(eights, 0) * 100000000 + <u64>i32x4.extract_lane(eights, 1)
  const after = point ? end - point : 0
  if (m >> 53 || after > <u32>MAX_POWER) return scaled(m, -(<i32>after), negative, out)
  return put(out, <f64>(<i64>m) / load<f64>(POWERS + (after << 3)), negative)
}

/** Address of the last sign in [p, end) behind its first byte that belongs to no exponent; `p` if there is none. */
function lastSign(p: u32, end: u32): u32 {
  while (end - p > 1) {
    const v = v128.load(end - 16)
    const signs = <u32>i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(0x2b)), i8x16.eq(v, i8x16.splat(0x2d))))
    let m = signs << 16
    while (m) {
      const k = clz(m)
      const q = end - 1 - k
      if (q <= p) return p
      if ((load<u8>(q - 1) | 0x20) != 0x65) return q
      m &= ~(<u32>0x80000000 >> k)
    }
    if (end - p <= 16) return p
    end -= 16
  }
  return p
}

/**
 * Reads [p, end) as a+bj, a-bj, bj (real part 0) or a (imaginary part 0), a and b as parseDecimal takes them, j or J,
 * and stores the real part at `out`, the imaginary part behind it. Returns as parseDecimal does; unless that is
 * NUMBER_STORED, what stands at `out` means nothing.
 */
export function parseComplex(p: u32, end: u32, out: u32): u32 {
  if (p == end) return NUMBER_MALFORMED
  if ((load<u8>(end - 1) | 0x20) != 0x6a) {
    store<u64>(out, 0, 8)
    return parseDecimal(p, end, out)
  }
  end--
  const q = lastSign(p, end)
  let status = NUMBER_STORED
  if (q == p) store<u64>(out, 0)
  else status = parseDecimal(p, q, out)
  if (status == NUMBER_MALFORMED) return status
  return max<u32>(status, parseDecimal(q, end, out + 8))
}
