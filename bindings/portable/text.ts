/* Twin of assembly/lib/text.ts. */
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
} from '../../assembly/abi/text'
import { heapBytes, heapWords } from './mem'

const HIGH_BITS = 0x80808080
const ONES = 0x01010101

/**
 * Passes words that hold ASCII alone, from the aligned address `p` on; `ones` is ONES where they must not hold NUL, else 0.
 * The subtraction raises a high bit only in a 0, and in bytes above one.
 */
function asciiWords(p: number, end: number, ones: number): number {
  const words = heapWords()
  for (let i = p >>> 2; end - p >= 16; i += 4, p += 16) {
    const a = words[i]!
    const b = words[i + 1]!
    const c = words[i + 2]!
    const d = words[i + 3]!
    if (((a | b | c | d | (a - ones) | (b - ones) | (c - ones) | (d - ones)) & HIGH_BITS) !== 0) break
  }
  while (end - p >= 4) {
    const a = words[p >>> 2]!
    if (((a | (a - ones)) & HIGH_BITS) !== 0) break
    p += 4
  }
  return p
}

function prefix(p: number, end: number, least: number): number {
  const heap = heapBytes()
  const over = 0x80 - least
  while (p < end && (p & 3) !== 0) {
    if ((heap[p]! - least) >>> 0 >= over) return p
    p++
  }
  if (end - p >= 4) p = asciiWords(p, end, least === 0 ? 0 : ONES)
  while (p < end && (heap[p]! - least) >>> 0 < over) p++
  return p
}

export const asciiPrefix = (p: number, end: number): number => prefix(p, end, 0)

export const plainPrefix = (p: number, end: number): number => prefix(p, end, 1)

export function plainCopy(p: number, end: number, to: number): number {
  const heap = heapBytes()
  if (end - p > 64) {
    const stop = prefix(p, end, 1)
    if (stop === end) heap.copyWithin(to, p, end)
    return stop
  }
  while (p < end) {
    const b = heap[p]!
    if ((b - 1) >>> 0 >= 0x7f) return p
    heap[to++] = b
    p++
  }
  return end
}

export function plainWords(p: number, end: number, to: number): number {
  const words = heapWords()
  let from = p >>> 2
  let out = to >>> 2
  for (const whole = end >>> 2; from < whole; from++, out++) {
    const w = words[from]!
    if (((w | (w - ONES)) & HIGH_BITS) !== 0) return prefix(p, end, 1)
    words[out] = w
  }
  if ((end & 3) !== 0) {
    // Only the first bytes of the last word belong to the text.
    const mask = (1 << ((end & 3) << 3)) - 1
    const w = words[from]! & mask
    const checked = w | (ONES & ~mask)
    if (((checked | (checked - ONES)) & HIGH_BITS) !== 0) return prefix(p, end, 1)
    words[out] = w
  }
  return end
}

function step(state: number, b: number): number {
  if (state === UTF8_BETWEEN) {
    if (b < 0x80) return UTF8_BETWEEN
    if (b < 0xc2 || b > 0xf4) return UTF8_FAULT
    if (b < 0xe0) return UTF8_TAIL_1
    if (b < 0xf0) return b === 0xe0 ? UTF8_AFTER_E0 : b === 0xed ? UTF8_AFTER_ED : UTF8_TAIL_2
    return b === 0xf0 ? UTF8_AFTER_F0 : b === 0xf4 ? UTF8_AFTER_F4 : UTF8_TAIL_3
  }
  const low = state === UTF8_AFTER_E0 ? 0xa0 : state === UTF8_AFTER_F0 ? 0x90 : 0x80
  const high = state === UTF8_AFTER_ED ? 0x9f : state === UTF8_AFTER_F4 ? 0x8f : 0xbf
  if (b < low || b > high) return UTF8_FAULT
  if (state <= UTF8_TAIL_3) return state - 1
  return state <= UTF8_AFTER_ED ? UTF8_TAIL_1 : UTF8_TAIL_2
}

/** From `p`, between characters, to the start of the first one that is broken or cut off by `end`. */
function goodCharacters(p: number, end: number, least: number): number {
  const heap = heapBytes()
  while (p < end) {
    const b = heap[p]!
    if (b < 0x80) {
      if (b < least) return p
      p++
      if ((p & 3) === 0 && end - p >= 4 && heap[p]! < 0x80) p = asciiWords(p, end, least === 0 ? 0 : ONES)
    } else if (b < 0xe0) {
      if (b < 0xc2 || end - p < 2 || (heap[p + 1]! & 0xc0) !== 0x80) return p
      p += 2
    } else if (b < 0xf0) {
      if (end - p < 3 || (heap[p + 2]! & 0xc0) !== 0x80) return p
      const c = heap[p + 1]!
      if ((c & 0xc0) !== 0x80 || (b === 0xe0 && c < 0xa0) || (b === 0xed && c > 0x9f)) return p
      p += 3
    } else {
      if (b > 0xf4 || end - p < 4 || (heap[p + 2]! & 0xc0) !== 0x80 || (heap[p + 3]! & 0xc0) !== 0x80) return p
      const c = heap[p + 1]!
      if ((c & 0xc0) !== 0x80 || (b === 0xf0 && c < 0x90) || (b === 0xf4 && c > 0x8f)) return p
      p += 4
    }
  }
  return p
}

export function utf8Scan(p: number, end: number, state: number): number {
  const heap = heapBytes()
  const words = heapWords()
  let s = words[state >>> 2]!
  while (p < end) {
    if (s === UTF8_BETWEEN) {
      p = goodCharacters(p, end, 0)
      if (p === end) break
    }
    s = step(s, heap[p]!)
    if (s === UTF8_FAULT) return p
    p++
  }
  words[state >>> 2] = s
  return end
}

export function utf8Fault(p: number, end: number, least: number): number {
  p = goodCharacters(p, end, least)
  if (p === end) return 0
  const heap = heapBytes()
  let s: number = UTF8_BETWEEN
  while (p < end) {
    const b = heap[p]!
    if (b < least) return p
    s = step(s, b)
    if (s === UTF8_FAULT) return p
    p++
  }
  return end
}

export function utf16Length(p: number, end: number): number {
  const heap = heapBytes()
  let units = 0
  for (; p < end; p++) {
    const b = heap[p]!
    if ((b & 0xc0) !== 0x80) units += b >= 0xf0 ? 2 : 1
  }
  return units
}
