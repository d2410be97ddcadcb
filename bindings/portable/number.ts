/* Twin of assembly/lib/number.ts. */
import { NUMBER_DIGITS, NUMBER_INEXACT, NUMBER_MALFORMED, NUMBER_STORED } from '../../assembly/abi/number'
import { heapBytes } from './mem'

const POWERS = Float64Array.from({ length: 23 }, (_, e) => Number(`1e${e}`))
const MAX_POWER = 22
const HALF = NUMBER_DIGITS >>> 1
/** The first number with more than NUMBER_DIGITS digits. */
const LARGE = 1e18
const CUT = 134217729
const DOUBT = 7.888609052210118e-31

/** The heap as aligned float64; renewed with it. */
let floats = new Float64Array(0)
let floatsOf: Uint8Array | undefined

function heapFloats(heap: Uint8Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  if (floatsOf !== heap) {
    floats = new Float64Array(heap.buffer)
    floatsOf = heap
  }
  return floats
}

function lost(a: number, b: number, p: number): number {
  const x = CUT * a
  const y = CUT * b
  const a1 = x - (x - a)
  const b1 = y - (y - b)
  const a2 = a - a1
  const b2 = b - b1
  return a2 * b2 - (p - a1 * b1 - a2 * b1 - a1 * b2)
}

/** Stores ±(high + rest) × 10^e; `high` is the float64 nearest to that sum. */
function scaled(high: number, rest: number, e: number, negative: boolean, out: number): number {
  let value = high
  if (high !== 0) {
    if (e < -MAX_POWER || e > MAX_POWER) return NUMBER_INEXACT
    const power = POWERS[e < 0 ? -e : e]!
    value = e < 0 ? high / power : high * power
    if (rest !== 0) {
      let second: number
      if (e < 0) {
        const back = value * power
        second = (high - back - lost(value, power, back) + rest) / power
      } else second = lost(high, power, value) + rest * power
      const doubt = value * DOUBT
      const below = value + (second - doubt)
      value += second + doubt
      if (value !== below) return NUMBER_INEXACT
    }
  }
  heapFloats(heapBytes())[out >>> 3] = negative ? -value : value
  return NUMBER_STORED
}

function special(p: number, end: number): number {
  const word = String.fromCharCode(...heapBytes().subarray(p, Math.min(end, p + 9))).toLowerCase()
  return word === 'inf' || word === 'nan' || word === 'infinity' ? NUMBER_INEXACT : NUMBER_MALFORMED
}

/** parseDecimal for any word, without its sign. */
function parseLong(p: number, end: number, negative: boolean, out: number): number {
  const heap = heapBytes()
  const start = p
  let point = 0
  let many = false
  // Nine significant digits, the nine after them, and how many there are.
  let first = 0
  let next = 0
  let count = 0
  for (; p < end; p++) {
    const d = heap[p]! - 0x30
    if (d >>> 0 <= 9) {
      if (count < HALF) {
        first = (Math.imul(first, 10) + d) | 0
        if (first !== 0) count++
      } else {
        if (count < NUMBER_DIGITS) next = (Math.imul(next, 10) + d) | 0
        else if (d !== 0) many = true
        count++
      }
    } else if (d === 0x2e - 0x30 && point === 0) point = p + 1
    else break
  }
  if (p - start === (point === 0 ? 0 : 1)) return point === 0 ? special(p, end) : NUMBER_MALFORMED
  let e = point === 0 ? 0 : point - p
  if (p < end) {
    if ((heap[p]! | 0x20) !== 0x65) return NUMBER_MALFORMED
    p++
    const mark = p < end ? heap[p]! : 0
    if (mark === 0x2d || mark === 0x2b) p++
    if (p === end) return NUMBER_MALFORMED
    let x = 0
    for (; p < end; p++) {
      const d = heap[p]! - 0x30
      if (d >>> 0 > 9) return NUMBER_MALFORMED
      if (x < 100000000) x = x * 10 + d
    }
    e += mark === 0x2d ? -x : x
  }
  if (count <= HALF) return scaled(first, 0, e, negative, out)
  if (many) return NUMBER_INEXACT
  if (count > NUMBER_DIGITS) {
    e += count - NUMBER_DIGITS
    count = NUMBER_DIGITS
  }
  const power = POWERS[count - HALF]!
  const product = first * power
  if (count <= 15) return scaled(product + next, 0, e, negative, out)
  // What rounding took is an integer of a few bits, so both sums are exact.
  const small = lost(first, power, product) + next
  const high = product + small
  return scaled(high, small - (high - product), e, negative, out)
}

/** So many digits are a float64, whatever they are. */
const SAFE_DIGITS = 15

export function parseDecimal(p: number, end: number, out: number): number {
  if (p === end) return NUMBER_MALFORMED
  const heap = heapBytes()
  const sign = heap[p]!
  const negative = sign === 0x2d
  if (negative || sign === 0x2b) p++
  // A first turn reads SAFE_DIGITS and a point; in most words there is no more.
  const stop = end - p > SAFE_DIGITS + 1 ? p + SAFE_DIGITS + 1 : end
  let m = 0
  let point = 0
  let q = p
  for (; q < stop; q++) {
    const d = heap[q]! - 0x30
    if (d >>> 0 <= 9) m = m * 10 + d
    else if (d === 0x2e - 0x30 && point === 0) point = q + 1
    else break
  }
  const digits = q - p - (point === 0 ? 0 : 1)
  if (digits === 0 || digits > SAFE_DIGITS) return parseLong(p, end, negative, out)
  if (q === end) {
    const value = point === 0 ? m : m / POWERS[end - point]!
    heapFloats(heap)[out >>> 3] = negative ? -value : value
    return NUMBER_STORED
  }
  if (q < stop || end - q > HALF) return parseLong(p, end, negative, out)
  let next = 0
  for (; q < end; q++) {
    const d = heap[q]! - 0x30
    if (d >>> 0 > 9) return parseLong(p, end, negative, out)
    next = next * 10 + d
  }
  const power = POWERS[end - stop]!
  const product = m * power
  // What rounding took is an integer of a few bits, so both sums are exact.
  const small = lost(m, power, product) + next
  const high = product + small
  if (high >= LARGE) return parseLong(p, end, negative, out)
  return scaled(high, small - (high - product), point - end, negative, out)
}

function lastSign(p: number, end: number): number {
  const heap = heapBytes()
  for (let q = end - 1; q > p; q--) {
    const b = heap[q]!
    if ((b === 0x2b || b === 0x2d) && (heap[q - 1]! | 0x20) !== 0x65) return q
  }
  return p
}

export function parseComplex(p: number, end: number, out: number): number {
  if (p === end) return NUMBER_MALFORMED
  const heap = heapBytes()
  if ((heap[end - 1]! | 0x20) !== 0x6a) {
    heapFloats(heap)[(out >>> 3) + 1] = 0
    return parseDecimal(p, end, out)
  }
  end--
  const q = lastSign(p, end)
  let status: number = NUMBER_STORED
  if (q === p) heapFloats(heap)[out >>> 3] = 0
  else status = parseDecimal(p, q, out)
  if (status === NUMBER_MALFORMED) return status
  return Math.max(status, parseDecimal(q, end, out + 8))
}
