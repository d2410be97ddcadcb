import { UnitDecoder } from '../core/decoder'
import { type ErrorPlace, WireError } from '../core/error'
import { commonError, ERRORS, usageError } from '../core/errors'
import { resolveLimits } from '../core/limits'
import { bytesArgument, choice, type Decoded } from '../core/options'
import { ChunkReader } from './chunks'
import { deflateOption } from './deflate'
import { websocketError } from './errors'
import { FrameUnitReader } from './frames'
import { DEFAULT_LIMITS } from './limits'
import { MessageReader } from './messages'
import type { FrameReader, Settings } from './reader'
import { unitBytes } from './rest'
import type { DecodeOptions, Units } from './types'

const POLICY_VIOLATION = 1008

/** Names what only bindings/node may ask of a Decoder. */
export const readsWindow: unique symbol = Symbol('readsWindow')

function settingsOf(options: DecodeOptions<keyof Units>): Settings {
  if (typeof options !== 'object' || options === null || options.role === undefined) {
    throw usageError('websocket', "the role, 'server' or 'client', must be said")
  }
  return {
    limits: resolveLimits('websocket', DEFAULT_LIMITS, options.limits),
    server: choice('websocket', 'role', options.role, ['server', 'client'], 'server') === 'server',
    view: choice('websocket', 'bytes', options.bytes, ['copy', 'view'], 'copy') === 'view',
    deflate: deflateOption(options.deflate),
  }
}

function readerOf<M extends keyof Units>(settings: Settings, options: DecodeOptions<M>): FrameReader<Units[M]> {
  const emit = choice<keyof Units>('websocket', 'emit', options.emit, ['messages', 'frames', 'chunks'], 'messages')
  const reader: FrameReader<Units[keyof Units]> =
    emit === 'messages'
      ? new MessageReader(settings)
      : emit === 'frames'
        ? new FrameUnitReader(settings)
        : new ChunkReader(settings)
  return reader as FrameReader<Units[M]>
}

/**
 * Decodes the one message in `bytes`, or the one frame with `emit: 'frames'`. A compressed message is read with a fresh context.
 * Throws the WireError of the bytes; WT_TRUNCATED where they end too early, WT_TRAILING_BYTES where more follows.
 */
export function decode<M extends keyof Units = 'messages'>(bytes: Uint8Array, options: DecodeOptions<M>): Units[M] {
  const found = decodeAt(bytes, 0, options)
  if (!found) throw commonError('websocket', 'truncated', { offset: bytes.length })
  if (found.end < bytes.length) throw commonError('websocket', 'trailing', { offset: found.end })
  return found.value
}

/**
 * Decodes the message (or frame) at `offset` of a buffer; `end` is the offset after it. undefined: more bytes are needed. Throws the
 * WireError of the bytes, its `offset` counted from the start of the buffer; WT_WEBSOCKET_INTERLEAVED where a control frame
 * stands inside the message.
 */
export function decodeAt<M extends keyof Units = 'messages'>(
  bytes: Uint8Array,
  offset: number,
  options: DecodeOptions<M>,
): Decoded<Units[M]> | undefined {
  bytesArgument('websocket', 'bytes', bytes)
  if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
    throw usageError('websocket', 'offset must be a place in the bytes')
  }
  const reader = readerOf(settingsOf(options), options)
  for (let at = offset, before = -1; at > before && at < bytes.length; ) {
    before = at
    at = reader.read(bytes, at, at, 1)
    const value = reader.units?.[0]
    if (value !== undefined) {
      if (options.emit !== 'frames' && reader.insideMessage && 'type' in value && value.type !== 'chunk') {
        throw websocketError('interleaved', { offset: at })
      }
      return { value, end: at }
    }
    if (reader.fault) throw reader.fault
  }
  return undefined
}

/**
 * Decodes a complete buffer, of any length. Throws the first fault of the bytes, whatever stands before it; bytes that end inside a
 * message are WT_TRUNCATED. What follows a close frame is not looked at.
 */
export function decodeAll<M extends keyof Units = 'messages'>(
  bytes: Uint8Array,
  options: DecodeOptions<M>,
): Units[M][] {
  bytesArgument('websocket', 'bytes', bytes)
  const reader = readerOf(settingsOf(options), options)
  const all: Units[M][] = []
  // Not by a Decoder: nothing of the caller's buffer waits to be read, so that no limit holds for that.
  for (let at = 0, before = -1; at > before && at < bytes.length; ) {
    before = at
    at = reader.read(bytes, at, at)
    if (reader.units) for (const unit of reader.units) all.push(unit)
    reader.units = undefined
    if (reader.fault) throw reader.fault
  }
  if (isOpen(reader, options.emit === 'frames')) throw commonError('websocket', 'truncated', { offset: bytes.length })
  return all
}

/** Whether the end of the bytes would cut a unit off. */
const isOpen = (reader: FrameReader<unknown>, frames: boolean): boolean =>
  frames ? reader.insideFrame : reader.insideMessage

/**
 * The messages, frames or chunks of one direction of a connection, in any chunking. After a close message nothing more comes; reading
 * throws the fault of the bytes, whose `status` is the close code to answer with, and again until `reset`.
 */
export class Decoder<M extends keyof Units = 'messages'> extends UnitDecoder<Units[M]> {
  readonly #reader: FrameReader<Units[M]>
  readonly #frames: boolean
  readonly #server: boolean

  constructor(options: DecodeOptions<M>) {
    const settings = settingsOf(options)
    super('websocket', settings.limits.maxBufferedBytes, settings.view)
    this.#reader = readerOf(settings, options)
    this.#frames = options.emit === 'frames'
    this.#server = settings.server
  }

  protected override consume(bytes: Uint8Array, from: number): number {
    const reader = this.#reader
    const single = reader.single(bytes, from)
    if (single !== undefined) {
      this.emit(single)
      return bytes.length
    }
    const at = reader.read(bytes, from, this.parsedBytes)
    if (reader.units) {
      this.emitAll(reader.units)
      reader.units = undefined
    }
    if (reader.fault) this.fail(reader.fault)
    return at
  }

  protected override absorb(chunk: Uint8Array, most: number): boolean {
    return this.#reader.absorb(chunk, most)
  }

  /** @internal For bindings/node: chunks may stand in the window of `takeReadWindow`; they are read where they stand. */
  [readsWindow](): void {
    this.#reader.direct = true
  }

  protected override partialBytes(): number {
    return this.#reader.heldBytes
  }

  protected override isPartial(): boolean {
    return isOpen(this.#reader, this.#frames)
  }

  /** The peer is told as for too many fragments: its messages broke no rule but ours. */
  protected override tooMuch(place: ErrorPlace): WireError {
    return new WireError('websocket', { ...ERRORS.buffered, status: POLICY_VIOLATION }, place)
  }

  protected override clear(): void {
    this.#reader.clear()
  }

  protected override rest(units: readonly Units[M][]): Uint8Array[] {
    const pieces = units.map((unit) => unitBytes(unit, this.#server))
    pieces.push(...this.#reader.takePartial())
    return pieces
  }
}
