import { hdsError } from './errors'
import { type Body, type EventMessage, event, type Message, Reason, type RequestMessage, request } from './messages'
import { Int, Pairs } from './wrappers'

/** Most bytes of a packet that peers send: 256 KiB. */
const CHUNK = 0x40000
/** More would not leave room for the rest of the message in a frame. */
const CHUNK_MOST = 0xf0000

/** What a stream is opened for. */
export interface OpenBody {
  /** Number of the stream, chosen by who opens it. */
  readonly streamId: number
  /** `ipcamera.recording`, `audio.siri`. */
  readonly type: string
  /** Who sends the data to whom: `controller` is where it goes. */
  readonly target: string
  /** Why, as a text; where the peer says so. */
  readonly reason?: string | undefined
}

/** What a packet of media says of itself. */
export interface PacketMetadata {
  /** What the fragment is: the first of a recording initializes, all others are media. */
  readonly dataType: 'mediaInitialization' | 'mediaFragment'
  /** From 1 on, by one a fragment. */
  readonly dataSequenceNumber: number
  /** From 1 on, by one a chunk of the fragment. */
  readonly dataChunkSequenceNumber: number
  /** Whether the fragment ends with it. */
  readonly isLastDataChunk: boolean
  /** Bytes of the fragment; on its first chunk alone. */
  readonly dataTotalSize?: number
}

/** A piece of a recording. */
export interface Packet {
  /** Its bytes: part of the fragment, not a copy. */
  readonly data: Uint8Array
  /** Where they belong. */
  readonly metadata: PacketMetadata
}

/** The body of an event `dataSend/data`. */
export interface DataBody {
  /** As in the request that opened the stream. */
  readonly streamId: number
  /** One in each event that `events` makes. */
  readonly packets: readonly Packet[]
  /** Whether the stream ends with it; on the last packet of a fragment alone. */
  readonly endOfStream?: boolean
}

/** A packet that was read, whose metadata depend on the type of the stream. */
export interface ReadPacket {
  /** Its bytes. */
  readonly data: Uint8Array
  /** Fields by name, as they came. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What a data event says, whatever the form of its body. */
export interface ReadDataBody {
  /** As in the request that opened the stream. */
  readonly streamId: number
  /** In order. */
  readonly packets: readonly ReadPacket[]
  /** Whether the stream ends with them. */
  readonly endOfStream: boolean
}

/** The body of a message `dataSend/close`. */
export interface CloseBody {
  /** As in the request that opened the stream. */
  readonly streamId: number
  /** See `Reason`. */
  readonly reason: number
}

/** The body of a message `dataSend/ack`. */
export interface AckBody {
  /** As in the request that opened the stream. */
  readonly streamId: number
  /** Whether everything has come. */
  readonly endOfStream: boolean
}

/** Media that becomes data events: the bytes of an initialization segment or of a fragment. */
export type Fragment =
  | Uint8Array
  | {
      /** Its bytes. */
      readonly data: Uint8Array
      /** Whether the recording ends with it. Default: not known. */
      readonly isLast?: boolean | undefined
    }

/** How `dataSend.events` cuts. */
export interface EventsOptions {
  /** Bytes of a packet at most, 1 to 983,040; default 262,144, the most that peers send. */
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

function open(id: bigint | number, body: OpenBody): RequestMessage<OpenBody> {
  if (typeof body !== 'object' || body === null) throw hdsError('value', { path: 'body', detail: 'an object expected' })
  const { target, type, streamId, reason } = body
  return request('dataSend', 'open', id, { target, type, streamId, ...(reason === undefined ? {} : { reason }) })
}

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

function readData(message: Message<Body>): ReadDataBody {
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

const close = (streamId: number, reason: number = Reason.normal): EventMessage<CloseBody> =>
  event('dataSend', 'close', { streamId, reason })

function readClose(message: Message<Body>): CloseBody {
  const body = bodyOf(message, 'close', ['event', 'request'])
  const reason = field(body, 'reason')
  if (typeof reason !== 'number' && typeof reason !== 'bigint') throw wrong('body.reason', 'an integer')
  return { streamId: streamIdOf(body), reason: Number(reason) }
}

const ack = (streamId: number, endOfStream = true): EventMessage<AckBody> =>
  event('dataSend', 'ack', { streamId, endOfStream })

function readAck(message: Message<Body>): AckBody {
  const body = bodyOf(message, 'ack', ['event', 'request'])
  return { streamId: streamIdOf(body), endOfStream: field(body, 'endOfStream') === true }
}

/** The messages of the protocol `dataSend`, by which cameras send recordings and remotes send audio. */
export const dataSend = Object.freeze({
  /** The request that opens a stream: `open(2n, { streamId: 1, type: 'ipcamera.recording', target: 'controller' })`. */
  open,
  /** What a request to open a stream asks for. Throws WT_HDS_SHAPE where the message is none. */
  readOpen,
  /**
   * Data events of a recording: the first fragment is the initialization segment. Every fragment is cut into packets of at
   * most `chunkBytes`, which are views of it. The last event says `endOfStream: true`, whatever the fragments are: that of the
   * last fragment where it is known to be the last (fragments that are there, or `isLast`), else one with an empty packet.
   */
  events,
  /** The packets of a data event. Throws WT_HDS_SHAPE where the message is none. */
  readData,
  /** The event that closes a stream; `reason` as in `Reason`. */
  close,
  /**
   * Which stream is closed, and why; peers send it as an event or as a request. Throws WT_HDS_SHAPE where the message is none.
   */
  readClose,
  /** The event by which a controller says that it has everything. */
  ack,
  /**
   * Which stream was received; peers send it as an event or as a request. Throws WT_HDS_SHAPE where the message is none.
   */
  readAck,
})

const hello = (id: bigint | number): RequestMessage<Record<string, never>> => request('control', 'hello', id)

const isHello = <B extends Body>(message: Message<B>): message is RequestMessage<B> =>
  message?.type === 'request' && message.protocol === 'control' && message.topic === 'hello'

/** The messages of the protocol `control`. A hello is answered by `response(message)`. */
export const control = Object.freeze({
  /** The request that must be the first message of a connection. */
  hello,
  /** Whether a message is that request. */
  isHello,
})
