/* Twin of assembly/lib/bytes.ts. */
import { heapBytes, heapView } from './mem'

export function equalBytes(a: number, b: number, length: number): boolean {
  const heap = heapBytes()
  let i = 0
  if (length >= 8) {
    const view = heapView()
    for (; length - i >= 4; i += 4) if (view.getInt32(a + i) !== view.getInt32(b + i)) return false
  }
  for (; i < length; i++) if (heap[a + i] !== heap[b + i]) return false
  return true
}

export function swap16(p: number, end: number): void {
  const view = heapView()
  for (; p < end; p += 2) view.setUint16(p, view.getUint16(p, true), false)
}

export function swap32(p: number, end: number): void {
  const view = heapView()
  for (; p < end; p += 4) view.setInt32(p, view.getInt32(p, true), false)
}

export function swap64(p: number, end: number): void {
  const view = heapView()
  for (; p < end; p += 8) {
    const low = view.getInt32(p, true)
    view.setInt32(p, view.getInt32(p + 4, true), false)
    view.setInt32(p + 4, low, false)
  }
}
