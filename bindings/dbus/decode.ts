import { L_WINDOW } from '../../assembly/abi/layout'
import { Accumulator } from '../core/accumulator'
import { UnitDecoder } from '../core/decoder'
import { WireError } from '../core/error'
import { commonError, usageError } from '../core/errors'
import { bytesArgument, type Decoded } from '../core/options'
import { readBody, WireBody } from './body'
import { dbusError } from './errors'
import type { Body } from './infer'
import { WIRE } from './message'
import { FIRST_WINDOW, MAX_MESSAGES, type Rest, type Sink, scan } from './reader'
import { resolve, type Settings } from './settings'
import { checkedTypes } from './signature'
import type { ByteOrder, DecodeOptions, Message, Shape, Units } from './types'

const rest: Rest = { at: 0, need: 0 }
let found: Message | WireError | undefined
let foundEnd = -1
const keepOne: Sink = (unit, end) => {
  found = unit
  foundEnd = end
}

/**
 * Reads the message at `at`; undefined: it is not all there. Throws its fault, whose offset counts from where `at` is `offset`.
 */
export function readOne(
  bytes: Uint8Array,
  at: number,
  offset: number,
  settings: Settings,
): Decoded<Message> | undefined {
  foundEnd = -1
  if (at < bytes.length) {
    scan(bytes, at, bytes.length, offset, settings.view, FIRST_WINDOW, 1, settings, rest, keepOne)
  }
  const unit = found
  found = undefined
  if (unit instanceof WireError) throw unit
  if (foundEnd < 0) return undefined
  if (unit === undefined) throw dbusError('unknownType', { offset: offset + 1, detail: String(bytes[at + 1]) })
  return { value: unit, end: foundEnd }
}

/**
 * Decodes one message, header at once, body when it is asked for.
 * Throws a WireError: what is wrong with the message, WT_TRUNCATED where bytes are missing, WT_TRAILING_BYTES where more follow,
 * WT_DBUS_UNKNOWN_TYPE for a message of a type that there is not (a Decoder skips it).
 */
export function decode(bytes: Uint8Array, options?: DecodeOptions<keyof Units>): Message {
  bytesArgument('dbus', 'bytes', bytes)
  const one = readOne(bytes, 0, 0, resolve(options))
  if (one === undefined) throw commonError('dbus', 'truncated', { offset: bytes.length })
  if (one.end < bytes.length) throw commonError('dbus', 'trailing', { offset: one.end })
  return one.value
}

/**
 * Decodes the message at `offset` of a buffer; `end` is the offset after it. undefined: it is not all there yet.
 * Throws what is wrong with the message, `offset` counted from the start of the buffer.
 */
export function decodeAt(
  bytes: Uint8Array,
  offset: number,
  options?: DecodeOptions<keyof Units>,
): Decoded<Message> | undefined {
  bytesArgument('dbus', 'bytes', bytes)
  if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
    throw usageError('dbus', 'offset must be a place in the bytes')
  }
  return readOne(bytes, offset, offset, resolve(options))
}

/**
 * Decodes a complete buffer of messages. With `errors: 'report'` bad messages stand as WireErrors in their places; with 'throw'
 * (default) the first one is thrown. A last message that is not all there is WT_TRUNCATED.
 */
export function decodeAll<M extends keyof Units = 'throw'>(bytes: Uint8Array, options?: DecodeOptions<M>): Units[M][] {
  const decoder = new Decoder<M>(options).push(bytes).end()
  const all = decoder.readAll()
  // A fault behind the last message shows at the next read.
  decoder.readAll()
  return all
}

/**
 * Messages from a stream of bytes, in any chunking. `Units['throw']` (default): reading throws the fault of a bad message, and
 * again until `reset`. `Units['report']`: a bad message is a WireError unit and costs only itself, unless its length is what is
 * wrong. Messages of types that are not known are skipped.
 */
export class Decoder<M extends keyof Units = 'throw'> extends UnitDecoder<Units[M]> {
  readonly #settings: Settings
  readonly #partial = new Accumulator()
  /** Bytes of the unfinished message, as far as known. */
  #need = 0
  readonly #sink: Sink

  constructor(options?: DecodeOptions<M>) {
    const settings = resolve(options)
    super('dbus', settings.limits.maxBufferedBytes, settings.view)
    this.#settings = settings
    this.#sink = (unit, _, fatal) => {
      if (unit === undefined || this.failed) return
      if (unit instanceof WireError && (fatal || !settings.report)) this.fail(unit)
      else this.emit(unit as Units[M])
    }
  }

  protected override consume(bytes: Uint8Array, from: number): number {
    const partial = this.#partial
    const { parsedBytes } = this
    const settings = this.#settings
    if (partial.length === 0) {
      scan(bytes, from, bytes.length, parsedBytes, settings.view, L_WINDOW, MAX_MESSAGES, settings, rest, this.#sink)
      const { at, need } = rest
      if (need === 0 || this.failed) return Math.max(at, from + 1)
      this.#need = need
      this.#wait(bytes, at, bytes.length)
      return bytes.length
    }
    const offset = parsedBytes - partial.length
    const to = Math.min(bytes.length, from + this.#need - partial.length)
    this.#wait(bytes, from, to)
    if (partial.length < this.#need) return to
    // The length is known now, or the message is complete.
    const whole = partial.view()
    scan(whole, 0, whole.length, offset, true, L_WINDOW, 1, settings, rest, this.#sink)
    if (rest.need > 0) this.#need = rest.need
    else partial.clear()
    return to
  }

  #wait(bytes: Uint8Array, from: number, to: number): void {
    // Room for all of a message of moderate size at once; a long one is believed as far as it comes.
    this.#partial.append(bytes, from, to, this.#need)
  }

  protected override partialBytes(): number {
    return this.#partial.length
  }

  protected override clear(): void {
    this.#partial.clear()
  }

  /** Messages as they came, byte for byte. */
  protected override rest(units: readonly Units[M][]): Uint8Array[] {
    const pieces: Uint8Array[] = []
    for (const unit of units) {
      if (unit instanceof WireError) continue
      const { bytes, start, end, offset } = unit[WIRE]
      pieces.push(bytes.subarray(start - offset, end))
    }
    pieces.push(this.#partial.take())
    return pieces
  }
}

/**
 * The values of a body by its signature: `decodeBody('sa{sv}as', bytes)`. Bytes begin on a multiple of 8 of their message.
 * Throws what is wrong with the signature or the body.
 */
export function decodeBody<const S extends string>(
  signature: S,
  bytes: Uint8Array,
  options?: Shape & { readonly byteOrder?: ByteOrder | undefined; readonly limits?: DecodeOptions['limits'] },
): Body<S> {
  bytesArgument('dbus', 'bytes', bytes)
  checkedTypes(signature, 'signature')
  const settings = resolve(options)
  const big = options?.byteOrder === 'big'
  return readBody(new WireBody(bytes, 0, bytes.length, big, signature, 0, settings), settings) as Body<S>
}
