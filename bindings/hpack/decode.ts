import {
  E_HPACK_STRING,
  E_HPACK_UPDATE_SIZE,
  PS_ACTUAL,
  PS_FAULT_AT,
  PS_INDEX,
  PS_INPUT_AT,
  PS_LOW_WATER,
  PS_MAX_STRING,
  PS_NEED,
  PS_NO_UPDATE,
  PS_PHASE,
  PS_TABLE_LIMIT,
} from '../../assembly/abi/hpack'
import { L_ARENA, L_SLACK, L_WINDOW } from '../../assembly/abi/layout'
import { ST_DONE, ST_FULL, ST_MORE } from '../../assembly/abi/status'
import type { WireError } from '../core/error'
import { usageError } from '../core/errors'
import { resolveLimits } from '../core/limits'
import { bytesArgument, choice, objectArgument } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import { kernelError, truncatedError } from './errors'
import {
  behind,
  copyIn,
  coreWith,
  decodedBound,
  IN,
  MAX_TABLE_SIZE,
  OUT,
  PROTOCOL_TABLE_SIZE,
  TAPE,
  TAPE_END,
  tableSizeArgument,
} from './kernels'
import { DEFAULT_LIMITS, type Limits } from './limits'
import { HeaderList } from './list'
import { STATIC_COUNT, STATIC_FIELDS } from './static'
import type { DecoderStatistics } from './statistics'
import { DynamicTable } from './table'
import type { DecodeOptions, HeaderField } from './types'

const ARENA_BYTES = OUT + decodedBound(L_WINDOW) + L_SLACK - L_ARENA
/** Far more than any memory: sums of addresses and lengths must stay below 2^32. */
const MAX_STRING = 0x3fffffff
/** Room for an unfinished field that is kept for the next one. */
const KEPT_PARTIAL = 1024

interface Settings {
  readonly limits: Readonly<Limits>
  readonly utf8: boolean
  readonly skip: boolean
}

const DEFAULTS: Settings = { limits: DEFAULT_LIMITS, utf8: false, skip: false }

function resolve(options: DecodeOptions | undefined): Settings {
  if (options === undefined) return DEFAULTS
  objectArgument('hpack', 'options', options)
  return {
    limits: resolveLimits('hpack', DEFAULT_LIMITS, options.limits),
    utf8: choice('hpack', 'charset', options.charset, ['latin1', 'utf8'], 'latin1') === 'utf8',
    skip: choice('hpack', 'onTooLarge', options.onTooLarge, ['throw', 'skip'], 'throw') === 'skip',
  }
}

/**
 * Header blocks of one connection and direction, whole or in fragments cut at any octet (HEADERS and CONTINUATION frames).
 *
 * Whole: `decode(block)`. In fragments: `push(fragment)` for each, `end()` at END_HEADERS, then `readAll()`; or `read()`
 * between the fragments. The table lives on from block to block. A fault is final, since the table is out of step with the
 * peer's: the connection is owed a GOAWAY with the error's `status`, and every later call throws the same until `reset`.
 *
 * HPACK says nothing about what a name or value may hold: see `validateField`.
 */
export class Decoder implements Iterable<HeaderField> {
  readonly #limits: Readonly<Limits>
  readonly #list: HeaderList
  #table: DynamicTable<HeaderField>
  /** What we allow: SETTINGS_HEADER_TABLE_SIZE as acknowledged. */
  #tableLimit: number
  /** The smallest limit since the last block, where the peer must answer it with a size update; else PS_NO_UPDATE. */
  #lowWater: number = PS_NO_UPDATE
  #phase = 0
  #inBlock = false
  /** Octets of the block that are read. */
  #blockOffset = 0
  #nextField = 0
  /** Octets of the unfinished field, and how many it has at least. */
  #partial = new Uint8Array(0)
  #partialLength = 0
  #need = 0
  #fault: WireError | undefined
  #octetsTaken = 0
  #blocks = 0
  #totalFields = 0
  #totalListSize = 0

  constructor(options?: DecodeOptions) {
    const { limits, utf8, skip } = resolve(options)
    this.#limits = limits
    this.#list = new HeaderList(limits, utf8, skip)
    this.#tableLimit = Math.min(limits.maxTableSize, MAX_TABLE_SIZE)
    this.#table = this.#freshTable()
  }

  /**
   * Decodes a whole block. Throws a WireError of kind 'malformed', 'truncated' or 'limit', its `offset` counted from the start
   * of the block; of kind 'usage' while fragments or fields of another block wait.
   */
  decode(block: Uint8Array): HeaderField[] {
    bytesArgument('hpack', 'block', block)
    if (this.#fault) throw this.#fault
    if (this.#inBlock || this.#list.fields.length > 0) {
      throw usageError('hpack', 'decode while another block waits: end() and readAll() come first')
    }
    this.#begin()
    this.#parse(block, 0, block.length)
    this.#finish()
    const { fields } = this.#list
    this.#list.fields = []
    if (this.#fault) throw this.#fault
    return fields
  }

  /**
   * Takes the next fragment of a block; the first one after `end` begins another. Throws only 'usage', also while fields of the
   * block before are unread, which would run into those of this one; faults surface when fields are read.
   */
  push(fragment: Uint8Array): this {
    bytesArgument('hpack', 'fragment', fragment)
    if (this.#fault) return this
    this.#open()
    let at = 0
    while (this.#partialLength > 0 && at < fragment.length && !this.#fault) at = this.#complete(fragment, at)
    if (at < fragment.length && !this.#fault) this.#parse(fragment, at, fragment.length)
    return this
  }

  /** Says that the block ends here (END_HEADERS). An unfinished field is then WT_TRUNCATED. The table lives on. */
  end(): this {
    if (this.#fault) return this
    this.#open()
    this.#finish()
    return this
  }

  /** The next field; undefined: there is none yet, or, after `end`, no more in this block. Throws the fault of the octets. */
  read(): HeaderField | undefined {
    const { fields } = this.#list
    if (this.#nextField === fields.length) {
      if (this.#fault) throw this.#fault
      return undefined
    }
    const field = fields[this.#nextField++]!
    if (this.#nextField === fields.length) this.#dropFields()
    return field
  }

  /** Every field that is there. A fault behind them is thrown by the next call. */
  readAll(): HeaderField[] {
    const { fields } = this.#list
    const rest = this.#nextField === 0 ? fields : fields.slice(this.#nextField)
    if (rest.length === 0 && this.#fault) throw this.#fault
    this.#dropFields()
    return rest
  }

  /** `read` until it gives undefined. Leaving the loop early keeps the rest for later. Throws the fault of the octets. */
  *[Symbol.iterator](): Generator<HeaderField, void, undefined> {
    for (let field = this.read(); field !== undefined; field = this.read()) yield field
  }

  /** Forgets everything: the table, sizes set since construction, a fault. */
  reset(): void {
    this.#fault = undefined
    this.#dropFields()
    this.#release()
    this.#tableLimit = Math.min(this.#limits.maxTableSize, MAX_TABLE_SIZE)
    this.#lowWater = PS_NO_UPDATE
    this.#list.maxSize = this.#limits.maxListSize
    this.#list.begin()
    this.#inBlock = false
    this.#octetsTaken = 0
    this.#blocks = 0
    this.#totalFields = 0
    this.#totalListSize = 0
  }

  /**
   * What we allow the peer's table to hold, in octets: to be called when our SETTINGS_HEADER_TABLE_SIZE is acknowledged,
   * between two blocks. After a reduction below what the peer uses, its next block must start with a size update (RFC 9113,
   * 4.3.1). Throws WT_USAGE inside a block, or where it is no whole number below 2^32.
   */
  setMaxTableSize(size: number): void {
    tableSizeArgument(size)
    if (this.#inBlock) throw usageError('hpack', 'SETTINGS cannot be acknowledged inside a block')
    this.#tableLimit = size
    if (size < this.#table.maximum) this.#lowWater = Math.min(this.#lowWater, size)
  }

  /**
   * The largest header list, from the next field on: names, values and 32 for each field (SETTINGS_MAX_HEADER_LIST_SIZE). A
   * number of at least 0; it takes the place of `limits.maxListSize` until `reset`.
   */
  setMaxListSize(size: number): void {
    if (typeof size !== 'number' || !(size >= 0)) throw usageError('hpack', 'a list size is a number of at least 0')
    this.#list.maxSize = size
  }

  /** Octets held of an unfinished field. */
  get buffered(): number {
    return this.#partialLength
  }

  /** Octets consumed since construction or `reset`, in all blocks. */
  get offset(): number {
    return this.#octetsTaken - this.#partialLength
  }

  /** Fields of this block, or else of the last one, that are left out because the list is too large: see `onTooLarge`. */
  get skipped(): number {
    return this.#list.skipped
  }

  /** Size of the list of this block, or else of the last one; what is skipped counts. */
  get listSize(): number {
    return this.#list.size
  }

  /** Octets of the dynamic table (RFC 7541, 4.1). */
  get tableSize(): number {
    return this.#table.size
  }

  /** What the peer's encoder uses at most: its last size update. */
  get tableMaximum(): number {
    return this.#table.maximum
  }

  /** What a size update may say at most: see `setMaxTableSize`. */
  get tableLimit(): number {
    return this.#tableLimit
  }

  /** The dynamic table, newest entry (index 62) first. */
  entries(): HeaderField[] {
    return this.#table.entries()
  }

  /** What was decoded since construction or `reset`. */
  get statistics(): DecoderStatistics {
    const { inserted, evicted } = this.#table
    const listOctets = this.#totalListSize
    return { blocks: this.#blocks, fields: this.#totalFields, octets: this.#octetsTaken, listOctets, inserted, evicted }
  }

  #open(): void {
    if (this.#inBlock) return
    if (this.#list.fields.length > 0) {
      throw usageError('hpack', 'another block begins while fields of the last one wait: readAll() comes first')
    }
    this.#begin()
  }

  #begin(): void {
    this.#inBlock = true
    this.#phase = 0
    this.#blockOffset = 0
    this.#list.begin()
  }

  #finish(): void {
    this.#inBlock = false
    if (this.#partialLength > 0 && !this.#fault) this.#truncated()
    this.#blocks++
    this.#totalFields += this.#list.count
    this.#totalListSize += this.#list.size
  }

  /** The block ends in a field. A bad string in what is there comes first. */
  #truncated(): void {
    const length = this.#partialLength
    const { kernels, memory } = coreWith(IN + length + L_SLACK - L_ARENA, length, THRESHOLDS.hpackDecode)
    copyIn(memory.u8, IN, this.#partial, 0, length)
    memory.u32[PS_MAX_STRING >>> 2] = MAX_STRING
    const status = kernels.hpackUnfinished(IN, IN + length)
    const offset = this.#blockOffset
    if (status === ST_DONE) this.#fail(truncatedError({ offset: offset + length }))
    else this.#fail(kernelError(status, { offset: offset + memory.u32[PS_FAULT_AT >>> 2]! - IN }))
  }

  #fail(error: WireError): void {
    this.#fault ??= error
    this.#release()
  }

  /** Gives up what was held for the peer. */
  #release(): void {
    this.#table = this.#freshTable()
    this.#partial = new Uint8Array(0)
    this.#partialLength = 0
    this.#need = 0
  }

  #freshTable(): DynamicTable<HeaderField> {
    return new DynamicTable(Math.min(this.#limits.maxTableSize, PROTOCOL_TABLE_SIZE), STATIC_FIELDS[0]!)
  }

  #dropFields(): void {
    this.#list.fields = []
    this.#nextField = 0
  }

  /** Adds octets to the unfinished field, as far as it is known to reach, and reads it when they are there. */
  #complete(bytes: Uint8Array, from: number): number {
    const length = Math.min(this.#need - this.#partialLength, bytes.length - from)
    const total = this.#partialLength + length
    if (total > this.#partial.length) {
      // How long a field is, is what the peer claims: memory grows with what has come.
      const grown = new Uint8Array(Math.max(64, total, Math.min(this.#need, this.#partial.length * 2)))
      grown.set(this.#partial.subarray(0, this.#partialLength))
      this.#partial = grown
    }
    copyIn(this.#partial, this.#partialLength, bytes, from, length)
    this.#partialLength = total
    this.#octetsTaken += length
    if (total === this.#need) {
      this.#octetsTaken -= total
      this.#partialLength = 0
      this.#parse(this.#partial, 0, total)
      // A connection that is open for hours must not hold the memory of its longest field.
      if (this.#partialLength === 0 && this.#partial.length > KEPT_PARTIAL) this.#partial = new Uint8Array(0)
    }
    return from + length
  }

  /** Reads the fields of [from, to), and keeps what is left as the unfinished field. */
  #parse(bytes: Uint8Array, from: number, to: number): void {
    let at = from
    let window: number = L_WINDOW
    this.#octetsTaken += to - from
    while (at < to) {
      const length = Math.min(to - at, window)
      const out = length <= L_WINDOW ? OUT : behind(length)
      const arena = length <= L_WINDOW ? ARENA_BYTES : out + decodedBound(length) + L_SLACK - L_ARENA
      const core = coreWith(arena, length, THRESHOLDS.hpackDecode)
      const { kernels, memory } = core
      core.names.tidy()
      const { u32 } = memory
      copyIn(memory.u8, IN, bytes, at, length)
      u32[PS_MAX_STRING >>> 2] = Math.min(this.#limits.maxStringBytes, MAX_STRING)
      u32[PS_TABLE_LIMIT >>> 2] = this.#tableLimit
      u32[PS_PHASE >>> 2] = this.#phase
      u32[PS_LOW_WATER >>> 2] = this.#lowWater
      const status = kernels.hpackDecode(IN, IN + length, TAPE, TAPE_END, out)
      this.#phase = u32[PS_PHASE >>> 2]!
      this.#lowWater = u32[PS_LOW_WATER >>> 2]!
      const read = u32[PS_INPUT_AT >>> 2]! - IN
      const fault = this.#list.take(core, out, this.#table, this.#blockOffset) ?? this.#kernelFault(status, u32, read)
      if (fault) {
        this.#fail(fault)
        return
      }
      this.#blockOffset += read
      at += read
      if (status !== ST_MORE) continue
      const need = u32[PS_NEED >>> 2]! - u32[PS_INPUT_AT >>> 2]!
      if (at + length - read === to) {
        this.#keep(bytes, at, to, need)
        return
      }
      // The window ends in this field, not the octets.
      window = Math.max(L_WINDOW, need)
    }
  }

  #keep(bytes: Uint8Array, from: number, to: number, need: number): void {
    const length = to - from
    if (bytes !== this.#partial) {
      if (length > this.#partial.length) this.#partial = new Uint8Array(Math.max(64, length))
      copyIn(this.#partial, 0, bytes, from, length)
    }
    this.#partialLength = length
    this.#need = need
  }

  /** The fault that ended a call of the kernel: an index that the table does not have comes before what is wrong behind it. */
  #kernelFault(status: number, u32: Uint32Array, read: number): WireError | undefined {
    if (status === ST_DONE || status === ST_FULL) return undefined
    const index = u32[PS_INDEX >>> 2]!
    if (index > STATIC_COUNT + this.#table.count) {
      return this.#list.indexError(index, this.#table, this.#blockOffset + read)
    }
    if (status === ST_MORE) return undefined
    const offset = this.#blockOffset + u32[PS_FAULT_AT >>> 2]! - IN
    const actual = u32[PS_ACTUAL >>> 2]!
    if (status === E_HPACK_STRING) {
      return kernelError(status, {
        offset,
        limit: { name: 'maxStringBytes', max: this.#limits.maxStringBytes, actual },
      })
    }
    return kernelError(status, {
      offset,
      detail: status === E_HPACK_UPDATE_SIZE ? `${actual} of ${this.#tableLimit}` : undefined,
    })
  }
}

/** Decodes one block with a fresh table: the first block of a connection. Throws like `Decoder.decode`. */
export function decode(block: Uint8Array, options?: DecodeOptions): HeaderField[] {
  return new Decoder(options).decode(block)
}
