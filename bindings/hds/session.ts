import { Accumulator } from '../core/accumulator'
import { UnitDecoder } from '../core/decoder'
import { WireError } from '../core/error'
import { commonError, usageError } from '../core/errors'
import { type Bytes, choice } from '../core/options'
import { type Cipher, cipherOf } from './cipher'
import { borrow, CUT_BYTES, giveBack, targetArguments } from './encode'
import { hdsError } from './errors'
import {
  counterArgument,
  HEAD_BYTES,
  LAST_COUNTER,
  MOST_BYTES,
  opened,
  payloadLength,
  sealInto,
  TAG_BYTES,
} from './frames'
import { type Keys, keysArgument, type Role, readKey, writeKey } from './keys'
import { type Message, type MessageInput, messageDialect, readMessage, writeMessage } from './messages'
import { type Dialect, resolve, type Settings } from './settings'
import type { DecodeOptions, EncodeOptions } from './types'

/** What a Decoder gives, by its option `emit`. */
export interface Units {
  /** Messages. */
  messages: Message
  /** Payloads of frames, verified but not looked into. */
  payloads: Bytes
}

interface SessionOptions {
  /** This end of the connection. */
  readonly role: Role
  /** Default: the cipher of the runtime, where it has one. */
  readonly cipher?: Cipher | undefined
  /** Frames of this direction that were sealed with the keys before. Default 0. */
  readonly counter?: bigint | number | undefined
}

/** How one direction of a connection is read. `role` and `keys` are required. */
export interface DecoderOptions<M extends keyof Units = 'messages'>
  extends SessionOptions,
    Omit<DecodeOptions, 'keys'> {
  /** The keys of the connection; or those of all that may be meant: the first frame tells which. */
  readonly keys: Keys | readonly Keys[]
  /** `messages` (default), or `payloads`: verified payloads, not looked into, for `decodeMessage`. */
  readonly emit?: M | undefined
}

/** How one direction of a connection is written. `role` and `keys` are required. */
export interface EncoderOptions extends SessionOptions, EncodeOptions {
  /** The keys of the connection. */
  readonly keys: Keys
}

const EMIT = ['messages', 'payloads'] as const
const ROLES = ['accessory', 'controller'] as const

function roleOf(role: Role): Role {
  if (role === undefined) throw usageError('hds', 'role must be accessory or controller')
  return choice('hds', 'role', role, ROLES, 'accessory')
}

/** Bytes, or frames, that are parsed before their units are read. */
const BATCH_BYTES = 0x10000
const BATCH_FRAMES = 64

/**
 * Messages, or payloads, from the frames of one direction of a connection, in any chunking. A frame is looked into only once its
 * tag is verified, and none before it is known to be within the limits. Bytes of messages are views of the payload of their
 * frame, which belongs to the message alone. A fault is final: what cannot be verified ends a connection, and with `emit:
 * 'payloads'` a message that is bad need not.
 */
export class Decoder<M extends keyof Units = 'messages'> extends UnitDecoder<Units[M]> {
  readonly #settings: Settings
  readonly #cipher: Cipher
  readonly #role: Role
  readonly #candidates: readonly Keys[]
  readonly #first: bigint
  readonly #messages: boolean
  readonly #partial = new Accumulator()
  /** Bytes of the unfinished frame; 0: its head is not all there. */
  #need = 0
  #keys: Keys | undefined
  #counter: bigint

  constructor(options: DecoderOptions<M>) {
    if (typeof options !== 'object' || options === null) throw usageError('hds', 'a Decoder needs role and keys')
    const { role, keys, cipher, counter = 0, emit } = options
    const settings = resolve({ ...options, keys: undefined })
    super('hds', settings.limits.maxBufferedBytes, settings.view)
    this.#role = roleOf(role)
    this.#candidates = Array.isArray(keys) ? [...(keys as readonly Keys[])] : [keys as Keys]
    if (this.#candidates.length === 0) throw usageError('hds', 'keys must not be empty')
    for (const candidate of this.#candidates) keysArgument(candidate)
    this.#cipher = cipherOf(cipher)
    this.#messages = choice('hds', 'emit', emit as keyof Units | undefined, EMIT, 'messages') === 'messages'
    this.#settings = { ...settings, view: true }
    this.#first = counterArgument(counter)
    this.#counter = this.#first
  }

  /** The keys that opened the first frame; undefined before it. */
  get keys(): Keys | undefined {
    return this.#keys
  }

  /** Frames that were opened with the keys. */
  get counter(): bigint {
    return this.#counter
  }

  protected override consume(bytes: Uint8Array, from: number): number {
    const partial = this.#partial
    const start = this.parsedBytes
    if (partial.length > 0) {
      const offset = start - partial.length
      const wanted = this.#need > 0 ? this.#need : HEAD_BYTES
      const to = Math.min(bytes.length, from + wanted - partial.length)
      partial.append(bytes, from, to, this.#need)
      if (this.#need === 0) this.#need = this.#needed(partial.view(), 0, offset) ?? 0
      if (partial.length === this.#need) {
        const frame = partial.take()
        this.#need = 0
        this.#frame(frame, offset)
      }
      return to
    }
    let at = from
    for (let frames = 0; frames < BATCH_FRAMES && at - from < BATCH_BYTES && at < bytes.length; frames++) {
      const offset = start + at - from
      const need = this.#needed(bytes, at, offset)
      if (this.failed) return bytes.length
      if (need === undefined || bytes.length - at < need) {
        this.#need = need ?? 0
        partial.append(bytes, at, bytes.length, this.#need)
        return bytes.length
      }
      this.#frame(bytes.subarray(at, at + need), offset)
      at += need
      if (this.failed) return at
    }
    return at
  }

  /** Bytes of the frame that begins at `at`; undefined: its head is not all there, or is wrong. */
  #needed(bytes: Uint8Array, at: number, offset: number): number | undefined {
    const { maxPayloadBytes, maxUnauthenticatedBytes } = this.#settings.limits
    try {
      const length = payloadLength(bytes, at, offset, Math.min(maxPayloadBytes, MOST_BYTES))
      if (length === undefined) return undefined
      if (this.#keys === undefined && length > maxUnauthenticatedBytes) {
        const limit = { name: 'maxUnauthenticatedBytes', max: maxUnauthenticatedBytes, actual: length }
        throw hdsError('unauthenticated', { offset: offset + 1, limit })
      }
      return HEAD_BYTES + length + TAG_BYTES
    } catch (error) {
      this.#fault(error)
      return undefined
    }
  }

  #fault(error: unknown): void {
    if (!(error instanceof WireError)) throw error
    this.fail(error)
  }

  #frame(frame: Uint8Array, offset: number): void {
    try {
      const payload = this.#open(frame)
      if (payload === undefined) throw hdsError('authentication', { offset })
      // Only a frame that was verified moves the counter.
      this.#counter++
      this.emit(
        (this.#messages
          ? readMessage(payload, 0, payload.length, offset + HEAD_BYTES, this.#settings)
          : payload) as Units[M],
      )
    } catch (error) {
      this.#fault(error)
    }
  }

  #open(frame: Uint8Array): Uint8Array | undefined {
    if (this.#keys) return opened(frame, readKey(this.#role, this.#keys), this.#counter, this.#cipher)
    for (const candidate of this.#candidates) {
      const payload = opened(frame, readKey(this.#role, candidate), this.#counter, this.#cipher)
      if (payload) {
        this.#keys = candidate
        return payload
      }
    }
    return undefined
  }

  protected override partialBytes(): number {
    return this.#partial.length
  }

  protected override clear(): void {
    this.#partial.clear()
    this.#need = 0
  }

  /** Forgets everything, also which keys were meant: the next byte is the first of a new connection, at the first counter. */
  override reset(): void {
    super.reset()
    this.#keys = undefined
    this.#counter = this.#first
  }

  /** Units were opened with counters that are used up: no other decoder could make them again, so only what is partial is left. */
  protected override rest(): Uint8Array[] {
    return [this.#partial.take()]
  }
}

const NO_BYTES: Bytes = new Uint8Array(0)

/** Seals the messages of one direction of a connection, and counts its frames. */
export class Encoder {
  readonly #role: Role
  readonly #cipher: Cipher
  readonly #dialect: Dialect
  #key: Uint8Array | undefined
  #counter: bigint

  constructor(options: EncoderOptions) {
    if (typeof options !== 'object' || options === null) throw usageError('hds', 'an Encoder needs role and keys')
    const { role, keys, cipher, counter = 0 } = options
    this.#role = roleOf(role)
    keysArgument(keys)
    this.#key = writeKey(this.#role, keys)
    this.#cipher = cipherOf(cipher)
    this.#dialect = messageDialect(options)
    this.#counter = counterArgument(counter)
  }

  /** Frames that were sealed with the keys. */
  get counter(): bigint {
    return this.#counter
  }

  #ready(): Uint8Array {
    if (!this.#key) throw usageError('hds', 'the Encoder is closed')
    if (this.#counter > LAST_COUNTER) throw hdsError('counter')
    return this.#key
  }

  /** Writes a message and puts its frame where `place` says, by the bytes that it has. */
  #seal(message: MessageInput, place: (length: number) => Uint8Array): void {
    this.#ready()
    const writer = borrow(this.#dialect, CUT_BYTES)
    try {
      writeMessage(writer, message)
      const { buffer } = writer
      const { length } = buffer
      // A getter of the message may have reset, closed or used this Encoder: key and counter belong together.
      const key = this.#ready()
      const frame = place(HEAD_BYTES + length + TAG_BYTES)
      buffer.copyTo(frame, HEAD_BYTES)
      // The plaintext becomes the ciphertext where it stands.
      sealInto(frame, frame.subarray(HEAD_BYTES, HEAD_BYTES + length), key, this.#counter, this.#cipher)
      this.#counter++
    } finally {
      giveBack(writer)
    }
  }

  /**
   * The frame with that message, in memory of its own. Where it throws, no counter is used up. Throws a WireError with the
   * `path` of what cannot be written, WT_HDS_HEADER_TOO_LONG, WT_HDS_PAYLOAD_TOO_LARGE, WT_HDS_COUNTER.
   */
  encode(message: MessageInput): Bytes {
    let frame = NO_BYTES
    this.#seal(message, (length) => {
      frame = new Uint8Array(length)
      return frame
    })
    return frame
  }

  /**
   * Frames one after the other in one array. Throws like `encode`; frames before the bad message have used up their counters.
   */
  encodeAll(messages: Iterable<MessageInput>): Bytes {
    const frames: Bytes[] = []
    let total = 0
    for (const message of messages) {
      const frame = this.encode(message)
      frames.push(frame)
      total += frame.length
    }
    const all = new Uint8Array(total)
    let at = 0
    for (const frame of frames) {
      all.set(frame, at)
      at += frame.length
    }
    return all
  }

  /**
   * Seals into `target` from `offset` on (default 0) and returns the end offset. Throws WT_TARGET_TOO_SMALL where the frame does
   * not fit; the target is then unchanged, and no counter is used up.
   */
  encodeInto(message: MessageInput, target: Uint8Array, offset = 0): number {
    targetArguments(target, offset)
    let end = offset
    this.#seal(message, (length) => {
      end = offset + length
      if (end <= target.length) return target.subarray(offset, end)
      const free = Math.max(0, target.length - offset)
      throw commonError('hds', 'target', { detail: `${length} bytes, ${free} free` })
    })
    return end
  }

  /** The frame as the only piece: sealed bytes are never the caller's own. Throws like `encode`. */
  encodeChunks(message: MessageInput): Uint8Array[] {
    return [this.encode(message)]
  }

  /**
   * Begins another connection, whose keys must be new: a counter never comes twice with one key. Throws WT_USAGE where they are
   * those of before.
   */
  reset(keys: Keys): void {
    keysArgument(keys)
    const key = writeKey(this.#role, keys)
    if (this.#key && key.length === this.#key.length && key.every((byte, i) => byte === this.#key![i])) {
      throw usageError('hds', 'another connection needs other keys')
    }
    this.#key = key
    this.#counter = 0n
  }

  /** Forgets the keys; nothing can be sealed any more. */
  close(): void {
    this.#key = undefined
  }
}
