/*
 * Twin of assembly/lib/mem.ts: the same names and contracts on the heap that the engine attaches.
 * Every result is an unsigned number.
 */
let heap: Uint8Array<ArrayBuffer> = new Uint8Array(0)
let words = new Uint32Array(heap.buffer)
let view = new DataView(heap.buffer)

/** For the engine alone: the bytes that stand for linear memory from now on. */
export function attachHeap(bytes: Uint8Array<ArrayBuffer>): void {
  heap = bytes
  words = new Uint32Array(bytes.buffer)
  view = new DataView(bytes.buffer)
}

/** For the other twins: the bytes themselves, to be fetched once per call. */
export const heapBytes = (): Uint8Array<ArrayBuffer> => heap

/** For the other twins: the heap as aligned words. */
export const heapWords = (): Uint32Array<ArrayBuffer> => words

/** For the other twins: the heap as numbers of any size at any address. */
export const heapView = (): DataView<ArrayBuffer> => view

export function get8(p: number): number {
  return heap[p]!
}

export function put8(p: number, v: number): void {
  heap[p] = v
}

export function get16(p: number): number {
  return heap[p]! | (heap[p + 1]! << 8)
}

export function put16(p: number, v: number): void {
  heap[p] = v
  heap[p + 1] = v >>> 8
}

export function get16be(p: number): number {
  return (heap[p]! << 8) | heap[p + 1]!
}

export function put16be(p: number, v: number): void {
  heap[p] = v >>> 8
  heap[p + 1] = v
}

export function get32(p: number): number {
  return view.getUint32(p, true)
}

export function put32(p: number, v: number): void {
  view.setUint32(p, v, true)
}

export function word(p: number): number {
  return words[p >>> 2]!
}

export function setWord(p: number, v: number): void {
  words[p >>> 2] = v
}

export function get32be(p: number): number {
  return view.getUint32(p, false)
}

export function put32be(p: number, v: number): void {
  view.setUint32(p, v, false)
}

export function mul(a: number, b: number): number {
  return Math.imul(a, b) >>> 0
}

export function copy(to: number, from: number, length: number): void {
  heap.copyWithin(to, from, from + length)
}

export function fill(p: number, value: number, length: number): void {
  heap.fill(value, p, p + length)
}

export function copyBlocks(to: number, from: number, length: number): void {
  if (length > 32) heap.copyWithin(to, from, from + length)
  else for (let i = 0; i < length; i++) heap[to + i] = heap[from + i]!
}
