/* Twin of assembly/lib/xor.ts. */
import { heapBytes, heapView, heapWords } from './mem'

export function xorCopy(from: number, end: number, to: number, key: number, phase: number): void {
  const heap = heapBytes()
  let turn = phase << 3
  while (from < end && (from & 3) !== 0) {
    heap[to++] = heap[from++]! ^ (key >>> turn)
    turn = (turn + 8) & 31
  }
  const k = turn === 0 ? key | 0 : (key >>> turn) | (key << (32 - turn))
  if (((from ^ to) & 3) === 0) {
    const words = heapWords()
    let i = from >>> 2
    let o = to >>> 2
    for (const stop = end >>> 2; i < stop; i++, o++) words[o] = words[i]! ^ k
    if (i << 2 > from) {
      to += (i << 2) - from
      from = i << 2
    }
  } else {
    const view = heapView()
    for (; end - from >= 4; from += 4, to += 4) view.setUint32(to, view.getUint32(from, true) ^ k, true)
  }
  for (turn = 0; from < end; turn += 8) heap[to++] = heap[from++]! ^ (k >>> turn)
}

export function xorText(from: number, end: number, to: number, key: number, phase: number): boolean {
  const heap = heapBytes()
  let seen = 0
  let turn = phase << 3
  while (from < end && (from & 3) !== 0) {
    const a = (heap[from++]! ^ (key >>> turn)) & 255
    heap[to++] = a
    seen |= a
    turn = (turn + 8) & 31
  }
  const k = turn === 0 ? key | 0 : (key >>> turn) | (key << (32 - turn))
  if (((from ^ to) & 3) === 0) {
    const words = heapWords()
    let i = from >>> 2
    let o = to >>> 2
    for (const stop = end >>> 2; i < stop; i++, o++) {
      const a = words[i]! ^ k
      words[o] = a
      seen |= a
    }
    if (i << 2 > from) {
      to += (i << 2) - from
      from = i << 2
    }
  } else {
    const view = heapView()
    for (; end - from >= 4; from += 4, to += 4) {
      const a = view.getUint32(from, true) ^ k
      view.setUint32(to, a, true)
      seen |= a
    }
  }
  for (turn = 0; from < end; turn += 8) {
    const a = (heap[from++]! ^ (k >>> turn)) & 255
    heap[to++] = a
    seen |= a
  }
  return (seen & 0x80808080) === 0
}

export function xorMask(p: number, end: number, key: number, phase: number): void {
  if (key !== 0) xorCopy(p, end, p, key, phase)
}
