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

export function asciiPrefix(p: number, end: number): number {
  const heap = heapBytes()
  while (p < end && (p & 3) !== 0) {
    if (heap[p]! >= 0x80) return p
    p++
  }
  const words = heapWords()
  while (end - p >= 4 && (words[p >>> 2]! & HIGH_BITS) === 0) p += 4
  while (p < end && heap[p]! < 0x80) p++
  return p
}

export function plainPrefix(p: number, end: number): number {
  const heap = heapBytes()
  while (p < end && (p & 3) !== 0) {
    if ((heap[p]! - 1) >>> 0 >= 0x7f) return p
    p++
  }
  const words = heapWords()
  while (end - p >= 4) {
    const w = words[p >>> 2]!
    if ((((w - ONES) | w) & HIGH_BITS) !== 0) break
    p += 4
  }
  while (p < end && (heap[p]! - 1) >>> 0 < 0x7f) p++
  return p
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
  const words = heapWords()
  while (p < end) {
    const b = heap[p]!
    if (b < 0x80) {
      if (b < least) return p
      p++
      if ((p & 3) === 0) {
        const ones = least === 0 ? 0 : ONES
        while (end - p >= 4) {
          const w = words[p >>> 2]!
          if ((((w - ones) | w) & HIGH_BITS) !== 0) break
          p += 4
        }
      }
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
  const heap = heapBytes()
  p = goodCharacters(p, end, least)
  let s: number = UTF8_BETWEEN
  while (p < end) {
    const b = heap[p]!
    if (b < least) return p
    s = step(s, b)
    if (s === UTF8_FAULT) return p
    p++
  }
  return s === UTF8_BETWEEN ? 0 : end
}
