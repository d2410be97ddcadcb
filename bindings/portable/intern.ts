import {
  I_BYTES,
  I_COUNT,
  I_END,
  I_ENTRIES,
  I_ENTRY,
  I_FREE,
  I_LAST,
  I_LENGTH,
  I_MAX_BYTES,
  I_MAX_NAMES,
  I_MAX_PROBES,
  I_NEXT,
  I_SLOT_BITS,
  I_SLOT_COUNT,
  I_SLOTS,
} from '../../assembly/abi/intern'
import { equalBytes } from './bytes'
import { copy, get16, heapBytes, heapView, put16, setWord, word } from './mem'

function firstSlot(p: number, length: number): number {
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
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> (32 - I_SLOT_BITS)
}

const entryOf = (id: number): number => I_ENTRIES + (id - 1) * I_ENTRY

function isName(id: number, p: number, length: number): boolean {
  const entry = entryOf(id)
  return get16(entry + I_LENGTH) === length && equalBytes(word(entry), p, length)
}

/** Twin of assembly/lib/intern.ts. */
export function intern(p: number, length: number): number {
  if (length === 0 || length > I_MAX_BYTES) return 0
  const last = word(I_LAST)
  if (last !== 0) {
    const next = get16(entryOf(last) + I_NEXT)
    if (next !== 0 && isName(next, p, length)) {
      setWord(I_LAST, next)
      return next
    }
  }
  const id = find(p, length)
  if (id !== 0) {
    if (last !== 0) put16(entryOf(last) + I_NEXT, id)
    setWord(I_LAST, id)
  }
  return id
}

function find(p: number, length: number): number {
  let slot = firstSlot(p, length)
  let probes = 0
  for (;;) {
    const id = word(I_SLOTS + (slot << 2))
    if (id === 0) break
    if (isName(id, p, length)) return id
    if (++probes === I_MAX_PROBES) return 0
    slot = (slot + 1) & (I_SLOT_COUNT - 1)
  }
  const count = word(I_COUNT)
  const free = count === 0 ? I_BYTES : word(I_FREE)
  if (count === I_MAX_NAMES || I_END - free < length) return 0
  copy(free, p, length)
  const entry = entryOf(count + 1)
  setWord(entry, free)
  setWord(entry + I_LENGTH, length)
  setWord(I_SLOTS + (slot << 2), count + 1)
  setWord(I_FREE, free + length)
  setWord(I_COUNT, count + 1)
  return count + 1
}
