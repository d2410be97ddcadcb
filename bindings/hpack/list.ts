import {
  PK_INCREMENTAL,
  PK_INDEXED,
  PK_NEVER,
  PK_UPDATE,
  PN_INTERNED,
  PR_BYTES,
  PS_NON_ASCII,
  PS_TAPE_AT,
  PS_TEXT_AT,
} from '../../assembly/abi/hpack'
import type { WireError } from '../core/error'
import { asciiText, latin1Text, TEXT_PIECE, utf8Text } from '../core/text'
import type { Core } from '../engine/load'
import { hpackError } from './errors'
import { TAPE } from './kernels'
import type { Limits } from './limits'
import { ENTRY_OVERHEAD, STATIC_COUNT, STATIC_FIELDS, STATIC_SIZES } from './static'
import type { DynamicTable } from './table'
import type { HeaderField } from './types'

const RECORD_WORDS = PR_BYTES >>> 2
const RECORD_SHIFT = 2
const TAPE_WORDS = TAPE >>> 2
const KIND = 7
const POSITION = 3

/**
 * What lives for long must not keep the text of its whole block: where that has more octets than this, and so many times those
 * of the string, the string gets memory of its own. Entries of the table live longest; but any field may be stored by someone,
 * such as the encoder of a relay.
 */
const ENTRY_SHARES = 512
const FIELD_SHARES = 4096
const SHARED_TIMES = 4

/* The literal text of the tape at hand. */
let u8: Uint8Array = new Uint8Array(0)
let textAt = 0
let textLength = 0
let ascii = true
let utf8 = false
/** A string was not UTF-8. */
let malformed = false
/** All of it, once one string is needed. */
let text: string | undefined

/** The string of [start, end) of the text. `keep`: it is for the table. */
function stringOf(start: number, end: number, keep: boolean): string {
  if (start === end) return ''
  if (utf8 && !ascii) {
    const decoded = utf8Text(u8, textAt + start, textAt + end)
    if (decoded === undefined) malformed = true
    return decoded ?? ''
  }
  if (textLength > (keep ? ENTRY_SHARES : FIELD_SHARES)) {
    const alone = textLength > TEXT_PIECE || (keep && text === undefined)
    if (alone || textLength > (end - start) * SHARED_TIMES) return ownString(start, end)
  }
  text ??= ownString(0, textLength)
  return text.substring(start, end)
}

const ownString = (start: number, end: number): string =>
  ascii ? asciiText(u8, textAt + start, textAt + end) : latin1Text(u8, textAt + start, textAt + end)

/** The header list in the making: turns tapes into fields, in step with the table and within the limits. */
export class HeaderList {
  readonly #limits: Readonly<Limits>
  readonly #utf8: boolean
  readonly #skip: boolean
  maxSize: number
  /** Fields not read yet. */
  fields: HeaderField[] = []
  /** Of the block: size, number of fields, and how many of them are left out. */
  size = 0
  count = 0
  skipped = 0

  constructor(limits: Readonly<Limits>, utf8: boolean, skip: boolean) {
    this.#limits = limits
    this.#utf8 = utf8
    this.#skip = skip
    this.maxSize = limits.maxListSize
  }

  /** A new block begins. */
  begin(): void {
    this.size = 0
    this.count = 0
    this.skipped = 0
  }

  /** The fault of an index that is not in the table. */
  indexError(index: number, table: DynamicTable<HeaderField>, offset: number): WireError {
    return hpackError('indexRange', { offset, detail: `${index} of ${STATIC_COUNT + table.count}` })
  }

  /** Takes the records of a tape, whose literal text stands at `out`; positions count from `offset`. Returns the first fault. */
  take(
    { memory, names }: Core<unknown>,
    out: number,
    table: DynamicTable<HeaderField>,
    offset: number,
  ): WireError | undefined {
    const { u32 } = memory
    const tapeEnd = u32[PS_TAPE_AT >>> 2]! >>> 2
    const { maxSize } = this
    const { maxFields } = this.#limits
    u8 = memory.u8
    textAt = out
    textLength = u32[PS_TEXT_AT >>> 2]! - out
    ascii = u32[PS_NON_ASCII >>> 2] === 0
    utf8 = this.#utf8
    malformed = false
    text = undefined
    let { size, count } = this
    // An array that grows costs more than one of the right length, which most are: blocks have few size updates.
    const made = new Array<HeaderField>((tapeEnd - TAPE_WORDS) >>> RECORD_SHIFT)
    let length = 0
    let from = 0
    for (let at = TAPE_WORDS; at < tapeEnd; at += RECORD_WORDS) {
      const head = u32[at]! | 0
      const kind = head & KIND
      const index = u32[at + 1]!
      if (kind === PK_UPDATE) {
        table.resize(index)
        continue
      }
      const dynamic = index - STATIC_COUNT - 1
      if (dynamic >= table.count) {
        this.#add(made, length, size, count)
        return this.indexError(index, table, offset + (head >>> POSITION))
      }
      const place = (table.newest - dynamic) & table.mask
      count++
      if (kind === PK_INDEXED) {
        size += dynamic < 0 ? STATIC_SIZES[index]! : table.sizes[place]!
        if (size <= maxSize && count <= maxFields)
          made[length++] = dynamic < 0 ? STATIC_FIELDS[index]! : table.items[place]!
        else {
          if (!this.#skip) {
            this.#add(made, length, size, count)
            return this.#tooLarge(offset + (head >>> POSITION))
          }
          this.skipped++
        }
        continue
      }

      const nameWord = u32[at + 2]! | 0
      const valueEnd = u32[at + 3]! | 0
      let valueStart = from
      let nameSize: number
      let name = ''
      if (index > 0) {
        // The name is taken before anything is pushed out: this very field may push out its entry (section 4.4).
        name = dynamic < 0 ? STATIC_FIELDS[index]!.name : table.items[place]!.name
        nameSize = dynamic < 0 ? name.length : table.nameSizes[place]!
      } else if (nameWord < 0) {
        name = names.get(nameWord & ~PN_INTERNED)
        nameSize = name.length
      } else {
        valueStart = nameWord
        nameSize = nameWord - from
      }
      const entrySize = nameSize + valueEnd - valueStart + ENTRY_OVERHEAD
      size += entrySize
      const fits = size <= maxSize && count <= maxFields
      if (!fits) {
        if (!this.#skip) {
          this.#add(made, length, size, count)
          return this.#tooLarge(offset + (head >>> POSITION))
        }
        this.skipped++
      }
      const keep = kind === PK_INCREMENTAL
      if (fits || (keep && entrySize <= table.maximum)) {
        if (valueStart > from) name = stringOf(from, valueStart, keep)
        const field = { name, value: stringOf(valueStart, valueEnd, keep), sensitive: kind === PK_NEVER }
        if (malformed) {
          this.#add(made, length, size, count)
          return hpackError('utf8', { offset: offset + (head >>> POSITION) })
        }
        if (keep) table.insert(Object.freeze(field), nameSize, entrySize)
        if (fits) made[length++] = field
      } else if (keep) table.evict(0)
      from = valueEnd
    }
    this.#add(made, length, size, count)
    return undefined
  }

  /** Ends a tape: the fields made of it join those that wait. */
  #add(made: HeaderField[], length: number, size: number, count: number): void {
    text = undefined
    this.size = size
    this.count = count
    if (length < made.length) made.length = length
    if (this.fields.length === 0) this.fields = made
    else for (const field of made) this.fields.push(field)
  }

  #tooLarge(offset: number): WireError {
    if (this.size > this.maxSize) {
      const limit = { name: 'maxListSize', max: this.maxSize, actual: this.size }
      return hpackError('listTooLarge', { offset, limit })
    }
    const limit = { name: 'maxFields', max: this.#limits.maxFields, actual: this.count }
    return hpackError('tooManyFields', { offset, limit })
  }
}
