import {
  PH_ALWAYS,
  PH_NEVER,
  PH_SHORTER,
  PK_INCREMENTAL,
  PK_INDEXED,
  PK_NEVER,
  PK_UPDATE,
  PK_WITHOUT,
} from '../../assembly/abi/hpack'
import { commonError, usageError } from '../core/errors'
import { resolveLimits } from '../core/limits'
import { type Bytes, bytesArgument, choice, objectArgument } from '../core/options'
import { EncoderTable } from './encoder_table'
import { hpackError } from './errors'
import { MAX_TABLE_SIZE, PROTOCOL_TABLE_SIZE, tableSizeArgument } from './kernels'
import { DEFAULT_LIMITS, type Limits } from './limits'
import { NEVER, NEVER_SHORT, NO_INDEX, Policy, SHORT_VALUE } from './policy'
import { ENTRY_OVERHEAD, STATIC_FIELDS } from './static'
import type { EncoderStatistics } from './statistics'
import { characterDetail, loneSurrogate, octetText } from './text'
import type { EncodeOptions, HeaderField, HeaderInput } from './types'
import { Writer } from './writer'

const MODES = { shorter: PH_SHORTER, always: PH_ALWAYS, never: PH_NEVER } as const

/** Octets of a field's integers at most: its index and two lengths, 6 each. */
const FIELD_INTEGERS = 18
/** Two size updates. */
const UPDATE_BYTES = 12
/** The longest code has 30 bits. */
const LONGEST_CODE = 30 / 8

/** Fields that fill more of the table than this push out too much for what they save. */
const LARGE_PART = 3 / 4

/**
 * Header lists of one connection and direction → blocks, in the order in which they are sent: each may refer to those before.
 * A list that cannot be encoded throws and leaves the table as it was.
 */
export class Encoder {
  readonly #limits: Readonly<Limits>
  readonly #utf8: boolean
  readonly #mode: number
  readonly #splitCookies: boolean
  readonly #policy: Policy
  readonly #writer = new Writer()
  #table!: EncoderTable
  /** The smallest size since the last block, where the next must announce a change; undefined: it need not. */
  #announce: number | undefined
  #busy = false
  #blocks = 0
  #fields = 0
  #indexed = 0
  #octetsMade = 0
  #listOctets = 0

  constructor(options: EncodeOptions = {}) {
    objectArgument('hpack', 'options', options)
    this.#limits = resolveLimits('hpack', DEFAULT_LIMITS, options.limits)
    this.#utf8 = choice('hpack', 'charset', options.charset, ['latin1', 'utf8'], 'latin1') === 'utf8'
    this.#mode = MODES[choice('hpack', 'huffman', options.huffman, ['shorter', 'always', 'never'], 'shorter')]
    this.#splitCookies = options.splitCookies === true
    this.#policy = new Policy(options.neverIndex, options.noIndex, this.#utf8)
    this.reset()
  }

  /** The block of a list, in memory of its own. Throws WT_HPACK_TEXT or WT_HPACK_FIELD, with the `path` of the field. */
  encode(list: Iterable<HeaderInput>): Bytes {
    return this.#make(list, (writer) => writer.take())
  }

  /**
   * Writes the block of a list into `target` from `offset` on (default 0; 9 leaves room for a frame header) and returns its end.
   * Throws WT_TARGET_TOO_SMALL where it does not fit: the target and the table are then as before.
   */
  encodeInto(list: Iterable<HeaderInput>, target: Uint8Array, offset = 0): number {
    bytesArgument('hpack', 'target', target)
    if (!Number.isInteger(offset) || offset < 0) throw usageError('hpack', 'offset must be a place in the target')
    return this.#make(list, (writer) => {
      if (offset + writer.length > target.length) throw commonError('hpack', 'target')
      return writer.copyTo(target, offset)
    })
  }

  /**
   * Octets that the block of this list has at most; what it has depends on the table. Throws WT_HPACK_FIELD where one is no
   * field.
   */
  encodedLengthBound(list: Iterable<HeaderInput>): number {
    const perCharacter = (this.#utf8 ? 3 : 1) * (this.#mode === PH_ALWAYS ? LONGEST_CODE : 1)
    iterableArgument(list)
    let bound = UPDATE_BYTES
    let position = 0
    for (const input of list) {
      const isPair = Array.isArray(input)
      const name: unknown = isPair ? input[0] : objectOf(input).name
      const value: unknown = isPair ? input[1] : objectOf(input).value
      if (typeof name !== 'string' || typeof value !== 'string') throw fieldError(position)
      position++
      // A cookie's crumbs are one octet shorter each than the text between them.
      const parts = this.#splitCookies && name === 'cookie' ? value.split('; ').length : 1
      bound += parts * (FIELD_INTEGERS + Math.ceil(name.length * perCharacter)) + Math.ceil(value.length * perCharacter)
    }
    return bound
  }

  /** Forgets everything: the table, the peer's limit, counts. The next block is the first of a connection. */
  reset(): void {
    if (this.#busy) throw usageError('hpack', 'not while a list is encoded')
    this.#table = new EncoderTable(PROTOCOL_TABLE_SIZE, this.#policy)
    this.#announce = undefined
    this.#use(PROTOCOL_TABLE_SIZE)
    this.#blocks = 0
    this.#fields = 0
    this.#indexed = 0
    this.#octetsMade = 0
    this.#listOctets = 0
  }

  /** Gives up the table. The encoder starts afresh where it is used again. */
  close(): void {
    this.reset()
  }

  /**
   * What the peer allows our table to hold: its SETTINGS_HEADER_TABLE_SIZE, when it arrives. We use that, but no more than
   * `limits.maxTableSize`; the next block announces the change, and the smallest size in between (RFC 7541, 4.2). Throws
   * WT_USAGE where it is no whole number below 2^32.
   */
  setPeerMaxTableSize(size: number): void {
    tableSizeArgument(size)
    if (this.#busy) throw usageError('hpack', 'not while a list is encoded')
    this.#use(size)
  }

  /** Octets of the dynamic table (RFC 7541, 4.1). */
  get tableSize(): number {
    return this.#table.size
  }

  /** Octets that the table may have. */
  get tableMaximum(): number {
    return this.#table.maximum
  }

  /** The dynamic table, newest entry (index 62) first; with `charset: 'utf8'`, one character for each octet. */
  entries(): Pick<HeaderField, 'name' | 'value'>[] {
    return this.#table.entries().map(({ name, value }) => ({ name: name.name, value }))
  }

  /** What was encoded since construction or `reset`. */
  get statistics(): EncoderStatistics {
    const { inserted, evicted } = this.#table
    return {
      blocks: this.#blocks,
      fields: this.#fields,
      indexed: this.#indexed,
      octets: this.#octetsMade,
      listOctets: this.#listOctets,
      inserted,
      evicted,
    }
  }

  #use(allowed: number): void {
    const size = Math.min(allowed, this.#limits.maxTableSize, MAX_TABLE_SIZE)
    if (size === this.#table.maximum && this.#announce === undefined) return
    this.#announce = Math.min(this.#announce ?? size, size)
    this.#table.resize(size)
  }

  /** Encodes a list and hands the result to `finish`. Whatever throws, nothing has happened then. */
  #make<R>(list: Iterable<HeaderInput>, finish: (writer: Writer) => R): R {
    if (this.#busy) throw usageError('hpack', 'encode inside encode')
    iterableArgument(list)
    this.#busy = true
    const writer = this.#writer
    const table = this.#table
    const { inserted, evicted } = table
    const indexed = this.#indexed
    const listOctets = this.#listOctets
    table.begin()
    writer.begin(this.#mode)
    let done = false
    try {
      const announce = this.#announce
      if (announce !== undefined) {
        if (announce < table.maximum) writer.add(PK_UPDATE, announce)
        writer.add(PK_UPDATE, table.maximum)
      }
      let fields = 0
      for (const input of list) {
        this.#field(input, fields)
        fields++
      }
      writer.finish()
      const result = finish(writer)
      this.#announce = undefined
      this.#blocks++
      this.#fields += fields
      this.#octetsMade += writer.length
      done = true
      return result
    } finally {
      if (!done) {
        if (table.inserted !== inserted || table.evicted !== evicted) table.undo()
        this.#indexed = indexed
        this.#listOctets = listOctets
      }
      writer.end()
      this.#busy = false
    }
  }

  #field(input: HeaderInput, position: number): void {
    this.#writer.position = position
    let name: string
    let value: string
    let sensitive = false
    let index: boolean | undefined
    if (Array.isArray(input)) {
      name = input[0]
      value = input[1]
    } else {
      const field = objectOf(input)
      name = field.name
      value = field.value
      // Whatever a caller without types says instead of true: a secret is not to be given away by it.
      sensitive = Boolean(field.sensitive)
      index = field.index
    }
    if (typeof name !== 'string' || typeof value !== 'string') throw fieldError(position)
    if (this.#utf8) {
      name = octetText(name) ?? loneSurrogateIn(name, `[${position}].name`)
      value = octetText(value) ?? loneSurrogateIn(value, `[${position}].value`)
    }
    if (this.#splitCookies && name === 'cookie' && value.includes('; ')) {
      for (const crumb of value.split('; ')) this.#literalOrIndex(name, crumb, sensitive, index)
    } else this.#literalOrIndex(name, value, sensitive, index)
  }

  #literalOrIndex(name: string, value: string, sensitive: boolean, index: boolean | undefined): void {
    const table = this.#table
    const rules = this.#policy
    let place = table.findField(name, value)
    const { known } = table
    const policy = known === undefined ? rules.of(name) : known.policy
    const size = name.length + value.length + ENTRY_OVERHEAD
    this.#listOctets += size
    const never =
      sensitive ||
      (policy & NEVER) !== 0 ||
      ((policy & NEVER_SHORT) !== 0 && value.length < SHORT_VALUE) ||
      rules.neverIndex?.(name, value) === true
    let nameIndex = 0
    if (known !== undefined) {
      nameIndex = known.staticIndex
      if (!never) {
        // A static name without a value is the field with an empty one.
        if (place === 0 && value === '' && nameIndex > 0 && STATIC_FIELDS[nameIndex]!.value === '') place = nameIndex
        if (place > 0) {
          this.#writer.add(PK_INDEXED, place)
          this.#indexed++
          return
        }
      }
      if (nameIndex === 0 && known.newest > 0) nameIndex = table.indexOf(known.newest)
    }
    let kind: number = PK_NEVER
    if (!never) {
      const wanted =
        index ??
        ((policy & NO_INDEX) === 0 && size <= table.maximum * LARGE_PART && rules.noIndex?.(name, value) !== true)
      kind = wanted && size <= table.maximum ? PK_INCREMENTAL : PK_WITHOUT
      if (kind === PK_INCREMENTAL) table.add(name, value, size)
    }
    this.#writer.literal(kind, nameIndex, name, value)
  }
}

type HeaderObject = Exclude<HeaderInput, readonly [string, string]>

/** What is no pair, with whatever properties it has. */
const objectOf = (input: HeaderInput): HeaderObject => (input ?? {}) as HeaderObject

function iterableArgument(list: Iterable<HeaderInput>): void {
  if (typeof list !== 'object' || typeof list?.[Symbol.iterator] !== 'function') {
    throw usageError('hpack', 'list must be an iterable of fields')
  }
}

const fieldError = (position: number): Error =>
  hpackError('field', { path: `[${position}]`, detail: 'name and value must be strings' })

/** Fails for half of a surrogate pair, which UTF-8 cannot say. */
function loneSurrogateIn(text: string, path: string): never {
  throw hpackError('text', { path, detail: characterDetail(text, loneSurrogate(text)) })
}

/** The block of a list with a fresh table: the first block of a connection. Throws like `Encoder.encode`. */
export function encode(list: Iterable<HeaderInput>, options?: EncodeOptions): Bytes {
  return new Encoder(options).encode(list)
}
