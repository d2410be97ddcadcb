import {
  I_BYTES,
  I_COUNT,
  I_END,
  I_ENTRIES,
  I_ENTRY,
  I_FREE,
  I_LAST,
  I_LENGTH,
  I_MAX_NAMES,
  I_SLOT_COUNT,
  I_SLOTS,
} from '../../assembly/abi/intern'
import type { Memory } from './memory'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Free places that must be left when a call starts; with fewer the table is emptied. */
const SPARE_NAMES = 128
const SPARE_BYTES = 4096

/**
 * The one copy of a text that V8 keeps for the names of properties, which are compared by address and found without hashing anew.
 * An object without prototype takes it without a hidden class for each name.
 */
function unique(text: string): string {
  const names: Record<string, true> = Object.create(null)
  names[text] = true
  return Object.keys(names)[0]!
}

/**
 * The strings of the names that one backend has interned. An id holds until the next `tidy`, so it is turned into its
 * string before anything else is called; nothing else may keep it.
 */
export class Names {
  readonly #memory: Memory
  #strings: (string | undefined)[] = []
  /** Those that were asked for once: whether they come again is not known yet, and to make them unique costs more than to decode them. */
  #met: (string | undefined)[] = []
  #generation = 0

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /** Counts how often the table was emptied: ids of another generation mean nothing. */
  get generation(): number {
    return this.#generation
  }

  /** The string of an id that the call just made has written on its tape. */
  get(id: number): string {
    return this.#strings[id] ?? this.#meet(id)
  }

  /** To be called before a kernel that interns: makes room, so that a peer that invents names cannot fill the table for good. */
  tidy(): void {
    const { u32 } = this.#memory
    const count = u32[I_COUNT >>> 2]!
    if (count <= I_MAX_NAMES - SPARE_NAMES && (count === 0 || u32[I_FREE >>> 2]! <= I_END - SPARE_BYTES)) return
    u32.fill(0, I_SLOTS >>> 2, (I_SLOTS >>> 2) + I_SLOT_COUNT)
    u32[I_COUNT >>> 2] = 0
    u32[I_LAST >>> 2] = 0
    u32[I_FREE >>> 2] = I_BYTES
    this.#strings = []
    this.#met = []
    this.#generation++
  }

  #meet(id: number): string {
    const met = this.#met[id]
    const text = met === undefined ? this.#decode(id) : unique(met)
    if (met === undefined) this.#met[id] = text
    else this.#strings[id] = text
    return text
  }

  #decode(id: number): string {
    const { u8, u32 } = this.#memory
    const entry = I_ENTRIES + (id - 1) * I_ENTRY
    const start = u32[entry >>> 2]!
    const length = u32[(entry + I_LENGTH) >>> 2]! & 0xffff
    return utf8.decode(u8.subarray(start, start + length))
  }
}
