import {
  I_BYTES,
  I_COUNT,
  I_END,
  I_ENTRIES,
  I_FREE,
  I_MAX_BYTES,
  I_MAX_NAMES,
  I_SLOT_COUNT,
  I_SLOTS,
} from '../../assembly/abi/intern'
import { heapBytes, heapView, setWord, word } from './mem'

function hashOf(p: number, length: number): number {
  const heap = heapBytes()
  const view = heapView()
  let hash = 0x811c9dc5 ^ length
  while (length >= 4) {
    hash = Math.imul(hash ^ view.getInt32(p, true), 0x9e3779b1)
    hash ^= hash >>> 15
    p += 4
    length -= 4
  }
  while (length > 0) {
    hash = Math.imul(hash ^ heap[p++]!, 0x01000193)
    length--
  }
  return hash ^ (hash >>> 15)
}

/** Twin of assembly/lib/intern.ts. */
export function intern(p: number, length: number): number {
  if (length === 0 || length > I_MAX_BYTES) return 0
  const heap = heapBytes()
  let slot = hashOf(p, length) & (I_SLOT_COUNT - 1)
  for (;;) {
    const id = word(I_SLOTS + (slot << 2))
    if (id === 0) break
    const entry = I_ENTRIES + ((id - 1) << 3)
    if (word(entry + 4) === length) {
      const name = word(entry)
      let i = 0
      while (i < length && heap[name + i] === heap[p + i]) i++
      if (i === length) return id
    }
    slot = (slot + 1) & (I_SLOT_COUNT - 1)
  }
  const count = word(I_COUNT)
  const free = count === 0 ? I_BYTES : word(I_FREE)
  if (count === I_MAX_NAMES || I_END - free < length) return 0
  heap.copyWithin(free, p, p + length)
  const entry = I_ENTRIES + (count << 3)
  setWord(entry, free)
  setWord(entry + 4, length)
  setWord(I_SLOTS + (slot << 2), count + 1)
  setWord(I_FREE, free + length)
  setWord(I_COUNT, count + 1)
  return count + 1
}
