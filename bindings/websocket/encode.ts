import { OP_BINARY, WE_BYTES, WE_HEADER_ONLY, WE_MASKED, WH_FIN } from '../../assembly/abi/websocket'
import { headerLength } from '../../assembly/websocket/header'
import { arrayLength } from '../core/brands'
import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument, choice, iterableArgument } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import { Deflater, deflateOption } from './deflate'
import { websocketError } from './errors'
import { ARENA_BYTES, copyBytes, copyOut, IN, LOOP_BYTES, RECORDS, selectCore, unmask } from './kernels'
import { keySource } from './masks'
import { type Outgoing, outgoing, plainBytes } from './outgoing'
import type { EncodeOptions, FrameInput, MessageInput } from './types'

/** Where a payload is staged, with room for the longest header before it. */
const MAX_HEADER = 14
const DATA = IN + MAX_HEADER
/** Payloads up to this long are staged; longer ones go straight to where they belong, in pieces. */
const STAGED = 0x8000
/** A string of so many units is staged: a unit is at most three bytes. */
const STAGED_UNITS = 10_000
/** Staged, masked and copied out by so many bytes, they stay in the first-level cache. */
const BATCH_END = IN + 0x4000
const ORDERS = RECORDS >>> 2
const ORDER_WORDS = WE_BYTES >>> 2
const ORDERS_END = ORDERS + 4096 * ORDER_WORDS

/** The first byte of a whole binary message. */
const BINARY = WH_FIN | OP_BINARY
const utf8 = new TextEncoder()

/** How one end writes. */
class Sender {
  readonly masked: boolean
  readonly key: () => number
  /** Whether `key` runs a function of the caller. */
  readonly asksForKeys: boolean
  readonly fragmentBytes: number
  readonly deflater: Deflater | undefined

  constructor(options: EncodeOptions) {
    if (typeof options !== 'object' || options === null || options.role === undefined) {
      throw usageError('websocket', "the role, 'server' or 'client', must be said")
    }
    const role = choice('websocket', 'role', options.role, ['server', 'client'], 'server')
    const { fragmentBytes = Number.POSITIVE_INFINITY } = options
    const deflate = deflateOption(options.deflate)
    if (typeof fragmentBytes !== 'number' || !(fragmentBytes >= 1))
      throw usageError('websocket', 'fragmentBytes must be at least 1')
    this.masked = role === 'client'
    this.key = keySource(options.maskKey)
    this.asksForKeys = typeof options.maskKey === 'function'
    this.fragmentBytes = Math.floor(fragmentBytes)
    this.deflater = deflate && new Deflater(deflate, role)
  }

  committed({ plain }: Outgoing): void {
    if (plain) this.deflater!.commit(plain)
  }
}

const plainServer = new Sender({ role: 'server' })
const plainClient = new Sender({ role: 'client' })

/** What a call with options writes with: the same object where it has no settings of its own. */
function senderOf(options: EncodeOptions): Sender {
  if (options?.deflate || options?.maskKey !== undefined || options?.fragmentBytes !== undefined) {
    return new Sender(options)
  }
  if (options?.role === 'server') return plainServer
  return options?.role === 'client' ? plainClient : new Sender(options)
}

/** Control frames are never cut (RFC 6455, section 5.5). */
const isWhole = (first: number, length: number, { fragmentBytes }: Sender): boolean =>
  length <= fragmentBytes || (first & 15) >= 8

/** Bytes of the frames of a payload, headers and all. */
function framedLength(first: number, length: number, sender: Sender): number {
  const { fragmentBytes, masked } = sender
  if (isWhole(first, length, sender)) return length + headerLength(length, masked)
  const frames = Math.ceil(length / fragmentBytes)
  const whole = (frames - 1) * (fragmentBytes + headerLength(fragmentBytes, masked))
  const last = length - (frames - 1) * fragmentBytes
  return whole + last + headerLength(last, masked)
}

/** A payload whose memory was taken away by code of the caller that ran meanwhile: its length is on the wire already. */
const changed = (): Error =>
  websocketError('value', { path: 'data', detail: 'a payload that changes while it is encoded' })

function order(u32: Uint32Array, at: number, first: number, data: number, length: number, key: number): void {
  u32[at] = first
  u32[at + 1] = data
  u32[at + 2] = length
  u32[at + 3] = key
}

/** Writes one frame; returns its end. The payload may be long: it does not pass through the memory of the kernels as a whole. */
function writeFrame(target: Uint8Array, at: number, first: number, data: Uint8Array, sender: Sender): number {
  const { masked } = sender
  const { length } = data
  const key = masked ? sender.key() : 0
  if (data.length !== length) throw changed()
  const head = headerLength(length, masked)
  const { kernels, memory } = selectCore(0, THRESHOLDS.wsEncode)
  memory.reserve(ARENA_BYTES)
  order(memory.u32, ORDERS, first | WE_HEADER_ONLY | (masked ? WE_MASKED : 0), DATA, length, key)
  kernels.wsEncode(RECORDS, RECORDS + WE_BYTES)
  copyOut(target, at, memory.u8, DATA - head, head)
  unmask(target, at + head, data, 0, length, key, 0)
  return at + head + length
}

/** Writes the frames of a payload, more than one where it must be cut. */
function writeFrames(target: Uint8Array, at: number, first: number, data: Uint8Array, sender: Sender): number {
  const { fragmentBytes } = sender
  const { length } = data
  if (isWhole(first, length, sender)) return writeFrame(target, at, first, data, sender)
  let end = at
  for (let from = 0; from < length; from += fragmentBytes) {
    const to = Math.min(length, from + fragmentBytes)
    if (data.length !== length) throw changed()
    // RSV1 and the opcode are said once, FIN last (RFC 6455, section 5.4; RFC 7692, section 6.1).
    const fin = to === length ? first & 0x80 : 0
    end = writeFrame(target, end, fin | (from === 0 ? first & 0x7f : 0), data.subarray(from, to), sender)
  }
  return end
}

/** A short unfragmented frame, staged in memory: from the returned place to `stagedEnd`. */
let stagedEnd = 0
let stagedBytes = new Uint8Array(0)
function stage({ first, data }: Outgoing, sender: Sender): number {
  const { masked } = sender
  // First of all: it may be a function of the caller, who may encode in it.
  const key = masked ? sender.key() : 0
  const { kernels, memory } = selectCore(data.length, THRESHOLDS.wsEncode)
  memory.reserve(ARENA_BYTES)
  const { u8, u32 } = memory
  let { length } = data
  if (typeof data === 'string') length = utf8.encodeInto(data, u8.subarray(DATA, DATA + STAGED)).written
  else copyBytes(u8, DATA, data, 0, length)
  order(u32, ORDERS, first | (masked ? WE_MASKED : 0), DATA, length, key)
  kernels.wsEncode(RECORDS, RECORDS + WE_BYTES)
  stagedEnd = DATA + length
  stagedBytes = u8
  return DATA - headerLength(length, masked)
}

/** Whether the frame may be staged whole. */
const isShort = ({ data }: Outgoing, { fragmentBytes }: Sender): boolean =>
  typeof data === 'string'
    ? data.length <= STAGED_UNITS && data.length * 3 <= fragmentBytes
    : data.length <= STAGED && data.length <= fragmentBytes

const bytesOf = ({ data }: Outgoing): Uint8Array => (typeof data === 'string' ? utf8.encode(data) : data)

function encodeOne(value: MessageInput | FrameInput, sender: Sender): Bytes {
  const frame = outgoing(value, sender.deflater)
  let bytes: Bytes
  if (isShort(frame, sender)) {
    const start = stage(frame, sender)
    bytes = stagedBytes.slice(start, stagedEnd) as Bytes
  } else {
    const data = bytesOf(frame)
    bytes = new Uint8Array(framedLength(frame.first, data.length, sender)) as Bytes
    writeFrames(bytes, 0, frame.first, data, sender)
  }
  sender.committed(frame)
  return bytes
}

function encodeOneInto(value: MessageInput | FrameInput, target: Uint8Array, offset: number, sender: Sender): number {
  bytesArgument('websocket', 'target', target)
  if (!Number.isInteger(offset) || offset < 0) throw usageError('websocket', 'offset must be a place in the target')
  const frame = outgoing(value, sender.deflater)
  const free = Math.max(0, target.length - offset)
  const check = (length: number): void => {
    if (length > free) throw commonError('websocket', 'target', { detail: `${length} bytes, ${free} free` })
  }
  let end: number
  if (isShort(frame, sender)) {
    const start = stage(frame, sender)
    const length = stagedEnd - start
    check(length)
    copyOut(target, offset, stagedBytes, start, length)
    end = offset + length
  } else {
    let data = bytesOf(frame)
    check(framedLength(frame.first, data.length, sender))
    // What is written must not overwrite what is still to be written.
    if (data.buffer === target.buffer) data = new Uint8Array(data)
    if (sender.asksForKeys) {
      // The function that gives the keys may throw between two frames.
      const whole = new Uint8Array(framedLength(frame.first, data.length, sender))
      end = offset + writeFrames(whole, 0, frame.first, data, sender)
      target.set(whole, offset)
    } else end = writeFrames(target, offset, frame.first, data, sender)
  }
  sender.committed(frame)
  return end
}

function encodePieces(value: MessageInput | FrameInput, sender: Sender): Uint8Array[] {
  const frame = outgoing(value, sender.deflater)
  const { data, first } = frame
  if (sender.masked || typeof data === 'string' || data.length === 0 || !isWhole(first, data.length, sender)) {
    const bytes = bytesOf(frame)
    const whole = new Uint8Array(framedLength(first, bytes.length, sender))
    writeFrames(whole, 0, first, bytes, sender)
    sender.committed(frame)
    return [whole]
  }
  const head = new Uint8Array(headerLength(data.length, false))
  const { kernels, memory } = selectCore(0, THRESHOLDS.wsEncode)
  memory.reserve(ARENA_BYTES)
  order(memory.u32, ORDERS, first | WE_HEADER_ONLY, DATA, data.length, 0)
  kernels.wsEncode(RECORDS, RECORDS + WE_BYTES)
  copyOut(head, 0, memory.u8, DATA - head.length, head.length)
  sender.committed(frame)
  return [head, data]
}

/** Messages that room is made for before they are looked at. */
const MOST_AT_ONCE = 0x10000

function encodeMany(values: Iterable<MessageInput | FrameInput>, sender: Sender): Bytes {
  iterableArgument('websocket', 'values', values)
  const { masked, fragmentBytes, deflater } = sender
  // Each with the first byte of its header, and its key where the caller is asked for that: he may encode something himself.
  // A proxy may say that it has more than there can be.
  const known = Math.min(MOST_AT_ONCE, Array.isArray(values) ? (arrayLength(values) ?? 0) : 0)
  const payloads = new Array<Uint8Array>(known)
  const firsts = new Array<number>(known)
  const keys: number[] | undefined = masked && sender.asksForKeys ? [] : undefined
  const longest = Math.min(STAGED, fragmentBytes)
  let total = 0
  let messages = 0
  // Where one of them must not be sent none is, and none may be referred to.
  const back = deflater?.mark()
  try {
    for (const value of values) {
      let first = BINARY
      let data = deflater === undefined ? plainBytes(value) : undefined
      if (data === undefined) {
        const frame = outgoing(value, deflater)
        first = frame.first
        data = bytesOf(frame)
        // Later messages may refer to this one.
        if (deflater) sender.committed(frame)
      }
      total += framedLength(first, data.length, sender)
      firsts[messages] = first
      payloads[messages++] = data
      keys?.push(data.length > longest ? 0 : sender.key())
    }
  } catch (error) {
    back?.()
    throw error
  }
  const result = new Uint8Array(total)
  const { kernels, memory } = selectCore(total, THRESHOLDS.wsEncode)
  memory.reserve(ARENA_BYTES)
  let { u8, u32 } = memory
  const mask = masked ? WE_MASKED : 0
  let written = 0
  let at = IN
  let order = ORDERS
  for (let index = 0; index < messages; index++) {
    const data = payloads[index]!
    const { length } = data
    const start = at + headerLength(length, masked)
    if (length > longest || (start + length > BATCH_END && at > IN) || order === ORDERS_END) {
      if (order > ORDERS) {
        kernels.wsEncode(RECORDS, order << 2)
        result.set(u8.subarray(IN, at), written)
        written += at - IN
        at = IN
        order = ORDERS
      }
      if (length > longest) {
        written = writeFrames(result, written, firsts[index]!, data, sender)
        // The caller may have been asked for keys, and what he did may have made the memory grow.
        ;({ u8, u32 } = memory)
      } else index--
      continue
    }
    if (length > LOOP_BYTES) u8.set(data, start)
    else for (let i = 0; i < length; i++) u8[start + i] = data[i]!
    u32[order] = firsts[index]! | mask
    u32[order + 1] = start
    u32[order + 2] = length
    u32[order + 3] = masked ? (keys === undefined ? sender.key() : keys[index]!) : 0
    order += ORDER_WORDS
    at = start + length
  }
  if (order > ORDERS) {
    kernels.wsEncode(RECORDS, order << 2)
    result.set(u8.subarray(IN, at), written)
    written += at - IN
  }
  if (written !== total) throw changed()
  return result as Bytes
}

/**
 * One message (or one frame) as the bytes that go on the wire, in memory of its own. With `deflate` it is compressed with a
 * fresh context: fit for a broadcast, but never to be mixed into a stream whose context goes on from message to message.
 * Throws a WireError of kind 'value' or 'malformed' where the message must not be sent: a bad close code, a control payload
 * above 125 bytes.
 */
export const encode = (value: MessageInput | FrameInput, options: EncodeOptions): Bytes =>
  encodeOne(value, senderOf(options))

/** Messages one after the other in one array. Throws like `encode`, where one of them must not be sent. */
export const encodeAll = (values: Iterable<MessageInput | FrameInput>, options: EncodeOptions): Bytes =>
  encodeMany(values, senderOf(options))

/** Bytes that `encode` gives for this message. Throws like it. */
export function encodedLength(value: MessageInput | FrameInput, options: EncodeOptions): number {
  const sender = senderOf(options)
  const frame = outgoing(value, sender.deflater)
  return framedLength(frame.first, bytesOf(frame).length, sender)
}

/**
 * Encodes into `target` from `offset` on (undefined: 0) and returns the end offset. Throws WT_TARGET_TOO_SMALL where it does not
 * fit; the target is then unchanged.
 */
export const encodeInto = (
  value: MessageInput | FrameInput,
  target: Uint8Array,
  offset: number | undefined,
  options: EncodeOptions,
): number => encodeOneInto(value, target, offset ?? 0, senderOf(options))

/**
 * The message in pieces to be written one after the other: on a server the header, then the caller's own payload, not copied.
 * Throws like `encode`.
 */
export const encodeChunks = (value: MessageInput | FrameInput, options: EncodeOptions): Uint8Array[] =>
  encodePieces(value, senderOf(options))

/** The messages that one end of a connection sends. It has a state only where they are compressed with one context. */
export class Encoder {
  readonly #sender: Sender

  constructor(options: EncodeOptions) {
    this.#sender = new Sender(options)
  }

  /** One message (or one frame) as the bytes that go on the wire, in memory of its own. Throws like the free `encode`. */
  encode(value: MessageInput | FrameInput): Bytes {
    return encodeOne(value, this.#sender)
  }

  /**
   * Messages one after the other in one array. Where one must not be sent none is, and the context of compression is as before.
   */
  encodeAll(values: Iterable<MessageInput | FrameInput>): Bytes {
    return encodeMany(values, this.#sender)
  }

  /** As the free function: what does not fit changes nothing, nor the context of compression. */
  encodeInto(value: MessageInput | FrameInput, target: Uint8Array, offset = 0): number {
    return encodeOneInto(value, target, offset, this.#sender)
  }

  /**
   * The message in pieces to be written one after the other: on a server the header, then the caller's own payload, not copied.
   * Throws like the free `encode`.
   */
  encodeChunks(value: MessageInput | FrameInput): Uint8Array[] {
    return encodePieces(value, this.#sender)
  }

  /** Forgets what was compressed, for a new connection. */
  reset(): void {
    this.#sender.deflater?.clear()
  }

  /** Frees the context of compression. */
  close(): void {
    this.reset()
  }
}
