import { HT_BITS } from '../../assembly/abi/hds'
import { WireError } from '../core/error'
import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument, type Decoded } from '../core/options'
import { borrow, CHUNK_BYTES, CUT_BYTES, copyOf, giveBack, intoTarget, targetArguments } from './encode'
import { hdsError } from './errors'
import { type Head, headAt, headOf, idAt, type MessageType, makeHead, statusAt, wideAt, writeHead } from './heads'
import { LARGE } from './kernels'
import { release, type Scan, scanPayload, tooLarge } from './scan'
import { type Dialect, dialect, resolve, type Settings } from './settings'
import type { DecodeOptions, Dict, EncodeOptions, Input, Value } from './types'
import { endValues, isDictNext, keyOf, nextInteger, nextValue, nextWord, startValues } from './values'
import type { Pairs } from './wrappers'
import type { ValueWriter } from './write'

/** The body of a message: a Dict, or what the option `dict` makes of dictionaries. */
export type Body = Dict | Map<Value, Value> | Pairs<Value, Value>

/** Asks for an answer with the same id. */
export interface RequestMessage<B = Dict> {
  /** Always `'request'`. */
  readonly type: 'request'
  /** What the topic belongs to, `dataSend`. */
  readonly protocol: string
  /** What it is about, `open`. */
  readonly topic: string
  /** Chosen by who asks, 64 bits, signed. */
  readonly id: bigint
  /** A dictionary. */
  readonly body: B
}

/** Answers the request with that id. */
export interface ResponseMessage<B = Dict> {
  /** Always `'response'`. */
  readonly type: 'response'
  /** What the topic belongs to, `dataSend`. */
  readonly protocol: string
  /** What it is about, `open`. */
  readonly topic: string
  /** That of the request. */
  readonly id: bigint
  /** See `Status`. */
  readonly status: number
  /** A dictionary. */
  readonly body: B
}

/** Is not answered. */
export interface EventMessage<B = Dict> {
  /** Always `'event'`. */
  readonly type: 'event'
  /** What the topic belongs to, `dataSend`. */
  readonly protocol: string
  /** What it is about, `open`. */
  readonly topic: string
  /** A dictionary. */
  readonly body: B
}

/** A message, told apart by `type`. */
export type Message<B = Dict> = RequestMessage<B> | ResponseMessage<B> | EventMessage<B>

/** A message to be written. */
export interface MessageInput {
  /** Which of the three it is. */
  readonly type: 'request' | 'response' | 'event'
  /** What the topic belongs to, `dataSend`. With the topic at most about 200 bytes: a header has 255. */
  readonly protocol: string
  /** What it is about, `open`. */
  readonly topic: string
  /** 64 bits, signed; a request and its response need it. */
  readonly id?: bigint | number | undefined
  /** Of a response. Default 0, success. */
  readonly status?: number | undefined
  /** A dictionary. Default an empty one. */
  readonly body?: Input | undefined
}

/** Status of a response, and of what a bad request is owed (`error.status`). */
export const Status = Object.freeze({
  /** All went well. */
  success: 0,
  /** There is no memory for it. */
  outOfMemory: 1,
  /** It took too long. */
  timeout: 2,
  /** The header of the request cannot be read. */
  headerError: 3,
  /** The body of the request cannot be read. */
  payloadError: 4,
  /** There is no such protocol, or none was named. */
  missingProtocol: 5,
  /** The body says more by its `status`: see `Reason`. */
  protocolSpecificError: 6,
})

/** Why a stream is not opened, or closed. */
export const Reason = Object.freeze({
  /** It is over. */
  normal: 0,
  /** Whoever asks may not. */
  notAllowed: 1,
  /** Another stream is open. */
  busy: 2,
  /** It is not wanted any more. */
  cancelled: 3,
  /** Such a stream is not known. */
  unsupported: 4,
  /** Something else went wrong. */
  unexpectedFailure: 5,
  /** It took too long. */
  timeout: 6,
  /** The data cannot be used. */
  badData: 7,
  /** The peer broke the protocol. */
  protocolError: 8,
  /** What was configured does not fit. */
  invalidConfiguration: 9,
})

const nameIn = (names: Readonly<Record<string, number>>, value: number): string | undefined =>
  Object.keys(names).find((name) => names[name] === value)

/** `statusName(6)` is 'protocolSpecificError'; undefined for a number that has no name. */
export const statusName = (status: number): string | undefined => nameIn(Status, status)

/** `reasonName(6)` is 'timeout'; undefined for a number that has no name. */
export const reasonName = (reason: number): string | undefined => nameIn(Reason, reason)

/** A request: `request('dataSend', 'open', 2n, { … })`. `body` defaults to an empty dictionary. */
export const request = <B = Record<string, never>>(
  protocol: string,
  topic: string,
  id: bigint | number,
  body: B = {} as B,
): RequestMessage<B> => ({ type: 'request', protocol, topic, id: BigInt(id), body })

/** The response to a request. `body` defaults to an empty dictionary, `status` to 0, success. */
export const response = <B = Record<string, never>>(
  to: { readonly protocol: string; readonly topic: string; readonly id: bigint },
  body: B = {} as B,
  status: number = Status.success,
): ResponseMessage<B> => ({ type: 'response', protocol: to.protocol, topic: to.topic, id: to.id, status, body })

/** An event: `event('targetControl', 'whoami', { identifier })`. `body` defaults to an empty dictionary. */
export const event = <B = Record<string, never>>(
  protocol: string,
  topic: string,
  body: B = {} as B,
): EventMessage<B> => ({
  type: 'event',
  protocol,
  topic,
  body,
})

const SMALL = Array.from({ length: 256 }, (_, value) => BigInt(value))
const bigintOf = (value: number | bigint): bigint =>
  typeof value === 'bigint' ? value : (SMALL[value] ?? BigInt(value))

/** Header and body that were scanned, as a message. `offset` is the place of the payload in the stream. */
function messageOf(scan: Scan, length: number, offset: number, settings: Settings): Message {
  const headerBytes = scan.bytes[scan.from]!
  try {
    startValues(scan, settings)
    let protocol: unknown
    let topic: unknown
    let type: 'request' | 'response' | 'event' | undefined
    let id: number | bigint | undefined
    let status: number | bigint | undefined
    let several = false
    for (let left = nextWord() >>> HT_BITS; left > 0; left--) {
      const key = keyOf(nextWord())
      if (key === 'id') id = nextInteger()
      else if (key === 'status') status = nextInteger()
      else {
        const value = nextValue()
        if (key === 'protocol') protocol = value
        else if (key === 'event' || key === 'request' || key === 'response') {
          if (type !== undefined && type !== key) several = true
          type = key
          topic = value
        }
      }
    }
    const place = { offset: offset + 1 }
    if (type === undefined || several || typeof topic !== 'string') throw hdsError('messageType', place)
    if (typeof protocol !== 'string') throw hdsError('protocol', place)
    if (!isDictNext()) throw hdsError('body', { offset: offset + 1 + headerBytes })
    const body = nextValue() as Dict
    if (type === 'event') return { type, protocol, topic, body }
    if (id === undefined) throw hdsError('header', { ...place, detail: 'the id must be an integer' })
    if (type === 'request') return { type, protocol, topic, id: bigintOf(id), body }
    if (status === undefined) throw hdsError('header', { ...place, detail: 'the status must be an integer' })
    return { type, protocol, topic, id: bigintOf(id), status: Number(status), body }
  } finally {
    endValues(length > LARGE)
    release(scan, length)
  }
}

/** A message whose header is one that was seen before: its body alone is scanned. */
function knownMessage(
  head: Head,
  bytes: Uint8Array,
  from: number,
  to: number,
  offset: number,
  settings: Settings,
): Message {
  const { type, protocol, topic, end } = head
  const at = from + end
  const scan = scanPayload(bytes, at, to, offset + end, settings, false, false, head.items)!
  if (scan.end < to - at && !settings.trailing)
    throw commonError('hds', 'trailing', { offset: offset + end + scan.end })
  let body: Dict
  try {
    startValues(scan, settings)
    if (!isDictNext()) throw hdsError('body', { offset: offset + end })
    body = nextValue() as Dict
  } finally {
    endValues(to - at > LARGE)
    release(scan, to - at)
  }
  if (type === 'event') return { type, protocol, topic, body }
  const id = bigintOf(wideAt(bytes, from + idAt(head)))
  if (type === 'request') return { type, protocol, topic, id, body }
  return { type, protocol, topic, id, status: Number(wideAt(bytes, from + statusAt(head))), body }
}

/** Takes the header of a topic among those that are known by their bytes. */
function remember(type: MessageType, protocol: string, topic: string): void {
  const writer = borrow(dialect(undefined), CUT_BYTES)
  try {
    makeHead(writer, type, protocol, topic)
  } catch (error) {
    // Names that could not be written, as `utf8: 'replace'` does not give, are read as they come.
    if (!(error instanceof WireError)) throw error
  } finally {
    giveBack(writer)
  }
}

/** The message in bytes [from, to), which begins at `offset` of a stream: all of it. */
export function readMessage(bytes: Uint8Array, from: number, to: number, offset: number, settings: Settings): Message {
  const length = to - from
  const { maxPayloadBytes, maxItems, maxDepth } = settings.limits
  if (length > maxPayloadBytes) throw tooLarge(offset, maxPayloadBytes, length)
  const head = headAt(bytes, from, to)
  if (head !== undefined && maxItems >= head.items && maxDepth > 0) {
    return knownMessage(head, bytes, from, to, offset, settings)
  }
  const scan = scanPayload(bytes, from, to, offset, settings, true, false, 0)!
  if (scan.end < length && !settings.trailing) throw commonError('hds', 'trailing', { offset: offset + scan.end })
  const message = messageOf(scan, length, offset, settings)
  const { type, protocol, topic } = message
  if (headOf(type, protocol, topic) === undefined) remember(type, protocol, topic)
  return message
}

/**
 * Decodes a message: the payload of a frame. Throws a WireError whose `status` is what a request is owed for it: 3 for its header,
 * 4 for its body, 5 where the protocol is missing.
 */
export function decodeMessage(bytes: Uint8Array, options?: DecodeOptions): Message {
  bytesArgument('hds', 'bytes', bytes)
  return readMessage(bytes, 0, bytes.length, 0, resolve(options))
}

/**
 * Decodes the message at `offset` of a buffer; `end` is the offset after it. undefined: it is not all there yet. Throws like
 * `decodeMessage`, the place counted from the start of the buffer.
 */
export function decodeMessageAt(
  bytes: Uint8Array,
  offset: number,
  options?: DecodeOptions,
): Decoded<Message> | undefined {
  bytesArgument('hds', 'bytes', bytes)
  if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
    throw usageError('hds', 'offset must be a place in the bytes')
  }
  return readMessageAt(bytes, offset, offset, resolve(options))
}

/** Reads the message at `at`, which is `offset` for its faults; undefined: it is not all there. */
export function readMessageAt(
  bytes: Uint8Array,
  at: number,
  offset: number,
  settings: Settings,
): { value: Message; end: number } | undefined {
  const { maxPayloadBytes } = settings.limits
  const length = Math.min(bytes.length - at, maxPayloadBytes)
  const scan = scanPayload(bytes, at, at + length, offset, settings, true, true, 0)
  if (scan === undefined) {
    if (length < bytes.length - at) throw tooLarge(offset, maxPayloadBytes, maxPayloadBytes + 1)
    return undefined
  }
  const end = at + scan.end
  return { value: messageOf(scan, length, offset, settings), end }
}

const HEADER_MOST = 255

/** Writes header length, header and body. */
export function writeMessage(writer: ValueWriter, message: MessageInput): void {
  if (typeof message !== 'object' || message === null) throw usageError('hds', 'message must be an object')
  const { type, protocol, topic, id, status = Status.success, body } = message
  const { buffer } = writer
  const start = buffer.at
  let head = headOf(type, protocol, topic)
  if (head === undefined) {
    if (type !== 'event' && type !== 'request' && type !== 'response') {
      throw hdsError('value', { path: 'type', detail: 'event, request or response' })
    }
    if (typeof protocol !== 'string') throw hdsError('value', { path: 'protocol', detail: 'a string expected' })
    if (typeof topic !== 'string') throw hdsError('value', { path: 'topic', detail: 'a string expected' })
    head = makeHead(writer, type, protocol, topic)
    if (head.end > 1 + HEADER_MOST) throw hdsError('headerLength', { path: 'topic', detail: `${head.end - 1} bytes` })
  }
  writeHead(writer, head, id, status)
  if (body === undefined) {
    buffer.room(1)
    buffer.byte(0xe0)
  } else {
    const { at } = buffer
    writer.value(body, 'body')
    const tag = buffer.u8[at]!
    if (tag < 0xe0 || tag > 0xef) throw hdsError('value', { path: 'body', detail: 'a dictionary expected' })
  }
  const { maxPayloadBytes } = writer.dialect
  const actual = buffer.length - start
  if (actual > maxPayloadBytes) {
    throw hdsError('payload', { path: 'body', limit: { name: 'maxPayloadBytes', max: maxPayloadBytes, actual } })
  }
}

/** A dialect for messages: each of their two parts would number its references anew, so they have none. */
export function messageDialect(options: EncodeOptions | undefined): Dialect {
  if (options?.profile === 'opack') throw usageError('hds', 'messages are no OPACK')
  return dialect(options)
}

/**
 * The payload of a frame with this message, in memory of its own. Throws WT_HDS_VALUE with the `path` of what cannot be written,
 * WT_HDS_HEADER_TOO_LONG, WT_HDS_PAYLOAD_TOO_LARGE.
 */
export function encodeMessage(message: MessageInput, options?: EncodeOptions): Bytes {
  const writer = borrow(messageDialect(options), CUT_BYTES)
  try {
    writeMessage(writer, message)
    return copyOf(writer.buffer)
  } finally {
    giveBack(writer)
  }
}

/** Bytes that `encodeMessage` gives for this message. Throws like it. */
export function encodedMessageLength(message: MessageInput, options?: EncodeOptions): number {
  const writer = borrow(messageDialect(options), CUT_BYTES)
  try {
    writeMessage(writer, message)
    return writer.buffer.length
  } finally {
    giveBack(writer)
  }
}

/**
 * Encodes a message into `target` from `offset` on (default 0) and returns the end offset.
 * Throws WT_TARGET_TOO_SMALL where it does not fit; the target is then unchanged.
 */
export function encodeMessageInto(
  message: MessageInput,
  target: Uint8Array,
  offset = 0,
  options?: EncodeOptions,
): number {
  targetArguments(target, offset)
  const writer = borrow(messageDialect(options), CUT_BYTES)
  try {
    writeMessage(writer, message)
    return intoTarget(writer.buffer, target, offset)
  } finally {
    giveBack(writer)
  }
}

/**
 * The message in pieces: data of 16 KiB and more is the caller's own memory, which must not change until it is written. Throws
 * like `encodeMessage`.
 */
export function encodeMessageChunks(message: MessageInput, options?: EncodeOptions): Uint8Array[] {
  const writer = borrow(messageDialect(options), CHUNK_BYTES)
  try {
    writeMessage(writer, message)
    return writer.buffer.pieces()
  } finally {
    giveBack(writer)
  }
}
