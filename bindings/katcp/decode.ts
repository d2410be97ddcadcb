import { UnitDecoder } from '../core/decoder'
import type { WireError } from '../core/error'
import { commonError, usageError } from '../core/errors'
import { resolveLimits } from '../core/limits'
import { bytesArgument, choice, type Decoded, objectArgument } from '../core/options'
import { encode } from './encode'
import { katcpError } from './errors'
import { DEFAULT_LIMITS, type Limits } from './limits'
import { PIECE } from './lines'
import { LineReader, MAX_LINES, type Sink } from './reader'
import type { DecodeOptions, Message, Units } from './types'

const LF = 10
const CR = 13

interface Settings {
  readonly limits: Readonly<Limits>
  readonly view: boolean
  readonly pythonOrder: boolean
  readonly report: boolean
}

const DEFAULTS: Settings = { limits: DEFAULT_LIMITS, view: false, pythonOrder: false, report: true }

function resolve(options: DecodeOptions<keyof Units> | undefined): Settings {
  if (options === undefined) return DEFAULTS
  objectArgument('katcp', 'options', options)
  return {
    limits: resolveLimits('katcp', DEFAULT_LIMITS, options.limits),
    view: choice('katcp', 'bytes', options.bytes, ['copy', 'view'], 'copy') === 'view',
    pythonOrder:
      choice('katcp', 'errorOrder', options.errorOrder, ['left-to-right', 'katcp-python'], 'left-to-right') ===
      'katcp-python',
    report: choice('katcp', 'errors', options.errors, ['report', 'throw'], 'report') === 'report',
  }
}

/** The reader of calls with default options; no code of a caller runs while it is in use. */
const sharedReader = new LineReader(DEFAULT_LIMITS, false, false)
const readerOf = ({ limits, view, pythonOrder }: Settings): LineReader =>
  limits === DEFAULT_LIMITS && !view && !pythonOrder ? sharedReader : new LineReader(limits, view, pythonOrder)

/** Bytes that decodeAt looks at first. */
const FIRST_WINDOW = 1024

let foundUnit: Message | WireError | undefined
let foundEnd = 0
const keepOne: Sink = (unit, end) => {
  foundUnit = unit
  foundEnd = end
}

/** Reads at most one line from `at` on into `foundUnit`. A fault or a missing line end leaves the reader clean. */
function readOne(bytes: Uint8Array, at: number, settings: Settings, closed: boolean): Message | WireError | undefined {
  const reader = readerOf(settings)
  foundUnit = undefined
  let from = at
  // The line may be a short one of a long buffer: what is looked at grows with what has been read.
  let window = closed ? PIECE : FIRST_WINDOW
  let before: number
  // Each turn must get on: of memory that was taken away, optimised code may go on to see the old length, and nothing can be read.
  do {
    before = from
    from = reader.read(bytes, from, from, window, 1, closed, keepOne)
    window = Math.min(PIECE, window * 4)
  } while (foundUnit === undefined && from > before && from < bytes.length)
  reader.clear()
  const unit = foundUnit as Message | WireError | undefined
  foundUnit = undefined
  return unit
}

/**
 * Decodes one message: a line, with or without its line end.
 * Throws a WireError: the fault of the line, WT_KATCP_EMPTY_LINE for a blank one, WT_TRAILING_BYTES where more follows.
 */
export function decode(bytes: Uint8Array, options?: DecodeOptions<'throw' | 'report'>): Message {
  bytesArgument('katcp', 'bytes', bytes)
  const unit = readOne(bytes, 0, resolve(options), true)
  if (unit === undefined) throw katcpError('emptyLine', { offset: 0 })
  if (unit instanceof Error) throw unit
  for (let at = foundEnd; at < bytes.length; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) throw commonError('katcp', 'trailing', { offset: at })
  }
  return unit
}

/**
 * Decodes the message at `offset` of a buffer; `end` is the offset after its line end. undefined: its line end is not there yet.
 * Throws the WireError of a bad line, its `offset` counted from the start of the buffer.
 */
export function decodeAt(
  bytes: Uint8Array,
  offset: number,
  options?: DecodeOptions<'throw' | 'report'>,
): Decoded<Message> | undefined {
  bytesArgument('katcp', 'bytes', bytes)
  if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
    throw usageError('katcp', 'offset must be a place in the bytes')
  }
  const unit = readOne(bytes, offset, resolve(options), false)
  if (unit === undefined) return undefined
  if (unit instanceof Error) throw unit
  return { value: unit, end: foundEnd }
}

/**
 * Decodes a complete buffer of lines. With `errors: 'report'` (default) bad lines stand as WireErrors in their places;
 * with 'throw' the first one is thrown. A last line without its line end is WT_TRUNCATED.
 */
export function decodeAll<M extends keyof Units = 'report'>(bytes: Uint8Array, options?: DecodeOptions<M>): Units[M][] {
  bytesArgument('katcp', 'bytes', bytes)
  const { limits, view, pythonOrder, report } = resolve(options)
  const reader = new LineReader(limits, view, pythonOrder)
  const units: Units[M][] = []
  const faults: WireError[] = []
  const sink = (unit: Message | WireError) => {
    if (unit instanceof Error && !report) faults.push(unit)
    else units.push(unit as Units[M])
  }
  for (let at = 0, before = -1; at > before && at < bytes.length && faults.length === 0; ) {
    before = at
    at = reader.read(bytes, at, at, PIECE, MAX_LINES, false, sink)
  }
  if (reader.partialBytes > 0) sink(commonError('katcp', 'truncated', { offset: bytes.length }))
  if (faults.length > 0) throw faults[0]
  return units
}

/**
 * Messages from a stream of bytes, in any chunking. `Units['report']` (default): a bad line is a WireError unit and costs
 * only itself. `Units['throw']`: reading throws it, and again until `reset`.
 */
export class Decoder<M extends keyof Units = 'report'> extends UnitDecoder<Units[M]> {
  readonly #reader: LineReader
  readonly #sink: Sink
  readonly #report: boolean

  constructor(options?: DecodeOptions<M>) {
    const { limits, view, pythonOrder, report } = resolve(options)
    super('katcp', limits.maxBufferedBytes, view)
    this.#reader = new LineReader(limits, view, pythonOrder)
    this.#report = report
    this.#sink = report
      ? (unit) => this.emit(unit as Units[M])
      : (unit) => {
          if (this.failed) return
          if (unit instanceof Error) this.fail(unit)
          else this.emit(unit as Units[M])
        }
  }

  protected override consume(bytes: Uint8Array, from: number): number {
    return this.#reader.read(bytes, from, this.parsedBytes, PIECE, MAX_LINES, false, this.#sink)
  }

  protected override partialBytes(): number {
    return this.#reader.partialBytes
  }

  protected override clear(): void {
    this.#reader.clear()
  }

  /** A bad line that was reported is not put together again. */
  protected override rest(units: readonly Units[M][]): Uint8Array[] {
    const pieces: Uint8Array[] = []
    for (const unit of units) if (!(unit instanceof Error)) pieces.push(encode(unit))
    pieces.push(this.#reader.takePartial())
    return pieces
  }

  protected override truncated(): void {
    const error = commonError('katcp', 'truncated', { offset: this.parsedBytes })
    if (!this.#report) this.fail(error)
    else {
      this.emit(error as Units[M])
      this.clear()
    }
  }
}
