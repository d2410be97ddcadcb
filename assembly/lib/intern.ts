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
} from '../abi/intern'
import { equalBytes } from './bytes'

/**
 * The slot where [p, p + length) is looked for first. Four bytes at a time, since each step waits for the multiplication before it;
 * the last one spreads what only the last bytes tell apart, as the numbers of numbered names, over the slots.
 */
function firstSlot(p: u32, length: u32): u32 {
  let hash: u32 = 0x811c9dc5 ^ length
  while (length >= 4) {
    hash = (hash ^ load<u32>(p)) * 0x9e3779b1
    hash ^= hash >>> 15
    p += 4
    length -= 4
  }
  while (length) {
    hash = (hash ^ <u32>load<u8>(p++)) * 0x01000193
    length--
  }
  return ((hash ^ (hash >>> 15)) * 0x9e3779b1) >>> (32 - I_SLOT_BITS)
}

/** Address of the entry of an id. */
function entryOf(id: u32): u32 {
  return I_ENTRIES + (id - 1) * I_ENTRY
}

/** Whether the name of the id is the one in [p, p + length). */
function isName(id: u32, p: u32, length: u32): bool {
  const entry = entryOf(id)
  return <u32>load<u16>(entry, I_LENGTH) == length && equalBytes(load<u32>(entry), p, length)
}

/**
 * The id (from 1) of the name in [p, p + length), taken into the table where it is new. 0: not interned, because it is
 * empty, longer than I_MAX_BYTES, the table is full (the engine empties a full table between calls), or I_MAX_PROBES others have
 * taken its places.
 * Two names have one id only if they are equal byte for byte: the slot merely is the place to look.
 */
export function intern(p: u32, length: u32): u32 {
  if (length == 0 || length > I_MAX_BYTES) return 0
  const last = load<u32>(I_LAST)
  if (last) {
    const next = <u32>load<u16>(entryOf(last), I_NEXT)
    if (next && isName(next, p, length)) {
      store<u32>(I_LAST, next)
      return next
    }
  }
  const id = find(p, length)
  if (id) {
    if (last) store<u16>(entryOf(last), id, I_NEXT)
    store<u32>(I_LAST, id)
  }
  return id
}

/** As `intern`, by the slots. */
function find(p: u32, length: u32): u32 {
  let slot = firstSlot(p, length)
  let probes: u32 = 0
  for (;;) {
    const id = load<u32>(I_SLOTS + (slot << 2))
    if (id == 0) break
    if (isName(id, p, length)) return id
    if (++probes == I_MAX_PROBES) return 0
    slot = (slot + 1) & (I_SLOT_COUNT - 1)
  }
  const count = load<u32>(I_COUNT)
  const free = count == 0 ? I_BYTES : load<u32>(I_FREE)
  if (count == I_MAX_NAMES || I_END - free < length) return 0
  memory.copy(free, p, length)
  const entry = entryOf(count + 1)
  store<u32>(entry, free)
  store<u32>(entry, length, I_LENGTH)
  store<u32>(I_SLOTS + (slot << 2), count + 1)
  store<u32>(I_FREE, free + length)
  store<u32>(I_COUNT, count + 1)
  return count + 1
}
