import { hdsError } from './errors'
import { type Body, type EventMessage, event, type Message, Reason, type RequestMessage, request } from './messages'
import { Int, Pairs } from './wrappers'

/** Most bytes of a packet that peers send: 256 KiB. */
const CHUNK = 0x40000
/** More would not leave room for the rest of the message in a frame. */
const CHUNK_MOST = 0xf0000

/** What a stream is opened for. */
export interface OpenBody {
  readonly streamId: number
  /** `ipcamera.recording`, `audio.siri`. */
  readonly type: string
  /** Who sends the data to whom: `controller` is where it goes. */
  readonly target: string
  readonly reason?: string | undefined
}

/** What a packet of media says of itself. */
export interface PacketMetadata {
  readonly dataType: 'mediaInitialization' | 'mediaFragment'
  /** From 1 on, by one a fragment. */
  readonly dataSequenceNumber: number
  /** From 1 on, by one a chunk of the fragment. */
  readonly dataChunkSequenceNumber: number
  readonly isLastDataChunk: boolean
  /** Bytes of the fragment; on its first chunk alone. */
  readonly dataTotalSize?: number
}

export interface Packet {
  readonly data: Uint8Array
  readonly metadata: PacketMetadata
}

export interface DataBody {
  readonly streamId: number
  readonly packets: readonly Packet[]
  readonly endOfStream?: boolean
}

/** A packet that was read; whose metadata depend on the type of the stream. */
export interface ReadPacket {
  readonly data: Uint8Array
  /** Fields by name, as they came. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Media that becomes data events: the bytes of an initialization segment or of a fragment. */
export type Fragment = Uint8Array | { readonly data: Uint8Array; readonly isLast?: boolean | undefined }

export interface EventsOptions {
  /** Bytes of a packet at most; default 262,144. */
  readonly chunkBytes?: number | undefined
}

/** A field of a dictionary in any of its forms; an integer that kept its width as a number. */
function field(body: unknown, name: string): unknown {
  let value: unknown
  if (body instanceof Map) value = body.get(name)
  else if (body instanceof Pairs) {
    // Of equal keys the last counts.
    for (const [key, item] of body as Pairs) if (key === name) value = item
  } else if (typeof body === 'object' && body !== null && Object.hasOwn(body, name)) {
    value = (body as Readonly<Record<string, unknown>>)[name]
  }
  return value instanceof Int ? value.value : value
}

function fieldsOf(body: unknown): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>
  // One pass: to look each name of many pairs up would take the square of their number.
  const entries: Iterable<readonly [unknown, unknown]> =
    body instanceof Map || body instanceof Pairs ? body : Object.entries(Object(body) as object)
  for (const [name, value] of entries) {
    if (typeof name === 'string') fields[name] = value instanceof Int ? value.value : value
  }
  return fields
}

const wrong = (path: string, wanted: string) => hdsError('shape', { path, detail: `${wanted} expected` })

/** The body of the message, if it is one of that topic. */
function bodyOf(message: Message<Body>, topic: string, types: readonly string[]): Body {
  if (message?.protocol !== 'dataSend' || message.topic !== topic || !types.includes(message.type)) {
    throw wrong('topic', `dataSend/${topic}`)
  }
  return message.body
}

function streamIdOf(body: Body): number {
  const streamId = field(body, 'streamId')
  const numeric = typeof streamId === 'number' || typeof streamId === 'bigint'
  if (!numeric || !Number.isSafeInteger(Number(streamId))) throw wrong('body.streamId', 'an integer')
  return Number(streamId)
}

function text(body: Body, name: string): string {
  const value = field(body, name)
  if (typeof value !== 'string') throw wrong(`body.${name}`, 'a string')
  return value
}

/** The request that opens a stream: `open(2n, { streamId: 1, type: 'ipcamera.recording', target: 'controller' })`. */
function open(id: bigint | number, body: OpenBody): RequestMessage<OpenBody> {
  if (typeof body !== 'object' || body === null) throw hdsError('value', { path: 'body', detail: 'an object expected' })
  const { target, type, streamId, reason } = body
  return request('dataSend', 'open', id, { target, type, streamId, ...(reason === undefined ? {} : { reason }) })
}

/** What a request to open a stream asks for. Throws WT_HDS_SHAPE where the message is none. */
function readOpen(message: Message<Body>): OpenBody {
  const body = bodyOf(message, 'open', ['request'])
  const reason = field(body, 'reason')
  return {
    streamId: streamIdOf(body),
    type: text(body, 'type'),
    target: text(body, 'target'),
    ...(typeof reason === 'string' ? { reason } : {}),
  }
}

/** Numbers fragments and cuts them into chunks. */
class Cutter {
  readonly #streamId: number
  readonly #chunkBytes: number
  #sequence = 0

  constructor(streamId: number, { chunkBytes = CHUNK }: EventsOptions) {
    if (!Number.isInteger(chunkBytes) || chunkBytes < 1 || chunkBytes > CHUNK_MOST) {
      throw hdsError('value', { path: 'chunkBytes', detail: `a whole number from 1 to ${CHUNK_MOST} expected` })
    }
    this.#streamId = streamId
    this.#chunkBytes = chunkBytes
  }

  /** The events of one fragment; `last`: the stream ends with it. */
  *cut(fragment: Fragment, last: boolean): Generator<EventMessage<DataBody>, void, undefined> {
    const data = fragment instanceof Uint8Array ? fragment : fragment?.data
    const number = ++this.#sequence
    if (!(data instanceof Uint8Array)) {
      throw hdsError('value', { path: `fragments[${number - 1}]`, detail: 'a Uint8Array expected' })
    }
    const chunks = Math.max(1, Math.ceil(data.length / this.#chunkBytes))
    for (let chunk = 1; chunk <= chunks; chunk++) {
      const end = chunk === chunks
      const metadata: PacketMetadata = {
        dataType: number === 1 ? 'mediaInitialization' : 'mediaFragment',
        dataSequenceNumber: number,
        dataChunkSequenceNumber: chunk,
        isLastDataChunk: end,
        ...(chunk === 1 ? { dataTotalSize: data.length } : {}),
      }
      const piece = data.subarray((chunk - 1) * this.#chunkBytes, chunk * this.#chunkBytes)
      const body = { streamId: this.#streamId, packets: [{ data: piece, metadata }] }
      yield event('dataSend', 'data', end ? { ...body, endOfStream: last } : body)
    }
  }
}

const isMarkedLast = (fragment: Fragment): boolean => !(fragment instanceof Uint8Array) && fragment?.isLast === true

function* eventsOf(cutter: Cutter, fragments: Iterable<Fragment>): Generator<EventMessage<DataBody>, void, undefined> {
  let before: Fragment | undefined
  let some = false
  for (const fragment of fragments) {
    if (some) yield* cutter.cut(before as Fragment, false)
    before = fragment
    some = true
    if (isMarkedLast(fragment)) break
  }
  yield* cutter.cut(some ? (before as Fragment) : new Uint8Array(0), true)
}

async function* eventsLater(
  cutter: Cutter,
  fragments: AsyncIterable<Fragment>,
): AsyncGenerator<EventMessage<DataBody>, void, undefined> {
  for await (const fragment of fragments) {
    const last = isMarkedLast(fragment)
    yield* cutter.cut(fragment, last)
    if (last) return
  }
  // Waiting for the next fragment, to know which is the last, would delay each of them: the end has a packet of its own.
  yield* cutter.cut(new Uint8Array(0), true)
}

/**
 * Data events of a recording: the first fragment is the initialization segment. Every fragment is cut into packets of at most
 * `chunkBytes`, which are views of it. The last event says `endOfStream: true`, whatever the fragments are: that of the last
 * fragment where it is known to be the last (fragments that are there, or `isLast`), else one with an empty packet.
 */
function events(
  streamId: number,
  fragments: Iterable<Fragment>,
  options?: EventsOptions,
): Generator<EventMessage<DataBody>, void, undefined>
function events(
  streamId: number,
  fragments: AsyncIterable<Fragment>,
  options?: EventsOptions,
): AsyncGenerator<EventMessage<DataBody>, void, undefined>
function events(streamId: number, fragments: Iterable<Fragment> | AsyncIterable<Fragment>, options?: EventsOptions) {
  const cutter = new Cutter(streamId, options ?? {})
  const list: object | undefined = typeof fragments === 'object' && fragments !== null ? fragments : undefined
  if (!list || !(Symbol.asyncIterator in list || Symbol.iterator in list)) {
    throw hdsError('value', { path: 'fragments', detail: 'an iterable of fragments expected' })
  }
  return Symbol.asyncIterator in fragments ? eventsLater(cutter, fragments) : eventsOf(cutter, fragments)
}

/** The packets of a data event. Throws WT_HDS_SHAPE where the message is none. */
function readData(message: Message<Body>): {
  readonly streamId: number
  readonly packets: readonly ReadPacket[]
  readonly endOfStream: boolean
} {
  const body = bodyOf(message, 'data', ['event'])
  const packets = field(body, 'packets')
  if (!Array.isArray(packets)) throw wrong('body.packets', 'an array')
  return {
    streamId: streamIdOf(body),
    packets: packets.map((packet: unknown, i) => {
      const data = field(packet, 'data')
      if (!(data instanceof Uint8Array)) throw wrong(`body.packets[${i}].data`, 'data')
      return { data, metadata: fieldsOf(field(packet, 'metadata')) }
    }),
    endOfStream: field(body, 'endOfStream') === true,
  }
}

/** The event that closes a stream; `reason` as in `Reason`. */
const close = (streamId: number, reason: number = Reason.normal): EventMessage<{ streamId: number; reason: number }> =>
  event('dataSend', 'close', { streamId, reason })

/** Which stream is closed, and why; peers send it as an event or as a request. Throws WT_HDS_SHAPE where the message is none. */
function readClose(message: Message<Body>): { readonly streamId: number; readonly reason: number } {
  const body = bodyOf(message, 'close', ['event', 'request'])
  const reason = field(body, 'reason')
  if (typeof reason !== 'number' && typeof reason !== 'bigint') throw wrong('body.reason', 'an integer')
  return { streamId: streamIdOf(body), reason: Number(reason) }
}

/** The event by which a controller says that it has everything. */
const ack = (streamId: number, endOfStream = true): EventMessage<{ streamId: number; endOfStream: boolean }> =>
  event('dataSend', 'ack', { streamId, endOfStream })

/** Which stream was received; peers send it as an event or as a request. Throws WT_HDS_SHAPE where the message is none. */
function readAck(message: Message<Body>): { readonly streamId: number; readonly endOfStream: boolean } {
  const body = bodyOf(message, 'ack', ['event', 'request'])
  return { streamId: streamIdOf(body), endOfStream: field(body, 'endOfStream') === true }
}

/** The messages of the protocol `dataSend`, by which cameras send recordings and remotes send audio. */
export const dataSend = Object.freeze({ open, readOpen, events, readData, close, readClose, ack, readAck })

/** The request that must be the first message of a connection. */
const hello = (id: bigint | number): RequestMessage<Record<string, never>> => request('control', 'hello', id)

/** Whether a message is that request. */
const isHello = (message: Message<Body>): boolean =>
  message?.type === 'request' && message.protocol === 'control' && message.topic === 'hello'

/** The messages of the protocol `control`. A hello is answered by `response(message)`. */
export const control = Object.freeze({ hello, isHello })
