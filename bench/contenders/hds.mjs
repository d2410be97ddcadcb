// HAP-NodeJS, whose codec is part of its server; cbor-x, the fastest general binary codec, on the same values in its own format;
// and wiretape on each backend.
import { createRequire } from 'node:module'
import { useBackend } from 'wiretape'
import {
  Decoder,
  decode,
  decodeMessage,
  encodeInto,
  encodeMessage,
  encodeMessageChunks,
  encodeMessageInto,
  numbers,
} from 'wiretape/hds'
import { Int64, payloadOf, plain } from '../payloads/hds.mjs'

const require = createRequire(import.meta.url)

/** Room for every payload of the rows. */
const TARGET = new Uint8Array(0x110000)
const HEADER_KINDS = ['event', 'request', 'response']

/** Values of a payload, with integers of 64 bits made by `make`; kept, so that making them is not timed. */
function shaped(make) {
  const made = new Map()
  const shape = (value) => {
    if (value instanceof Int64) return make(value.value)
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
    if (Array.isArray(value)) return value.map(shape)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
  }
  return (payload) => {
    if (!made.has(payload)) made.set(payload, shape(payload))
    return made.get(payload)
  }
}

/** Whatever wrote it: the length of what was written, so that all that write the same bytes agree. */
const written = (run, read) => ({ run: (payload) => (run(payload) > 0 ? 1 : 0), neutral: (payload) => read(payload) })

const readBack = (bytes, payload) => {
  if (!Buffer.from(bytes).equals(payloadOf(payload))) throw new Error('other bytes than expected')
  return 'value' in payload ? plain(payload.value) : plain([payload.header, payload.message])
}

function hapNodeJs() {
  const parser = require('@homebridge/hap-nodejs/dist/lib/datastream/DataStreamParser.js')
  const { DataStreamConnection } = require('@homebridge/hap-nodejs/dist/lib/datastream/DataStreamServer.js')
  const { DataStreamParser, DataStreamReader, DataStreamWriter } = parser
  const { decodePayloads, decodeHDSFrames, decryptHDSFrame } = DataStreamConnection.prototype
  const value = shaped((number) => new parser.Int64(number))
  const one = (item) => {
    const writer = new DataStreamWriter()
    DataStreamParser.encode(item, writer)
    return writer
  }
  const encodeOne = (payload) => one(value(payload).value).getData()
  /** What its connection does before it seals a message. */
  const encodePair = (payload) => {
    const { header, message } = value(payload)
    const head = one(header)
    const body = one(message)
    const length = Buffer.alloc(1)
    length.writeUInt8(head.length(), 0)
    return Buffer.concat([length, head.getData(), body.getData()])
  }
  const connection = () => ({ remoteAddress: '', close: () => {} })
  const read = (bytes) => decodePayloads.call(connection(), [{ plaintextPayload: bytes }])[0]
  const pair = ({ type, protocol, topic, id, status, message }) => {
    const header = { protocol, [HEADER_KINDS[type - 1]]: topic }
    if (id !== undefined) header.id = id
    if (status !== undefined) header.status = status
    return plain([header, message])
  }
  // It writes references where values repeat, and reads its own as other values: what it wrote is compared by its length alone.
  const length = (encode) => () =>
    written(
      (payload) => encode(payload).length,
      (payload) => {
        if (encode(payload).length > payloadOf(payload).length + 64) throw new Error('longer than expected')
        return 'value' in payload ? plain(payload.value) : plain([payload.header, payload.message])
      },
    )
  return {
    name: '@homebridge/hap-nodejs',
    operations: {
      encodeValue: length(encodeOne),
      encodeMessage: length(encodePair),
      encodeFresh: length(encodePair),
      encodeChunks: length(encodePair),
      decodeMessage: () => ({
        run: ({ bytes }) => read(bytes).topic.length,
        neutral: ({ bytes }) => pair(read(bytes)),
      }),
      ...Object.fromEntries(
        ['decodeValue', 'decodeTyped'].map((name) => [
          name,
          () => ({
            run: ({ bytes }) => sizeOf(DataStreamParser.decode(new DataStreamReader(bytes))),
            neutral: ({ bytes }) => plain(DataStreamParser.decode(new DataStreamReader(bytes))),
          }),
        ]),
      ),
      reassemble: () => {
        const all = ({ chunks, key }) => {
          const self = {
            ...connection(),
            frameBuffer: undefined,
            controllerToAccessoryNonce: 0,
            controllerToAccessoryNonceBuffer: Buffer.alloc(8),
            controllerToAccessoryEncryptionKey: key,
          }
          const messages = []
          for (const chunk of chunks) {
            const frames = decodeHDSFrames.call(self, chunk)
            for (const frame of frames) if (!decryptHDSFrame.call(self, frame)) throw new Error('not authentic')
            messages.push(...decodePayloads.call(self, frames))
          }
          return messages
        }
        return { run: (input) => all(input).length, neutral: (input) => all(input).map(pair) }
      },
    },
  }
}

const sizeOf = (value) => (Array.isArray(value) || ArrayBuffer.isView(value) ? value.length : Object.keys(value).length)

async function cborX() {
  const { Encoder } = await import('cbor-x')
  const codec = new Encoder({ useRecords: false })
  const value = shaped((number) => number)
  const input = (payload) => ('value' in payload ? value(payload).value : listOf(payload))
  const lists = new Map()
  const listOf = (payload) => {
    if (!lists.has(payload)) {
      const { header, message } = value(payload)
      lists.set(payload, [header, message])
    }
    return lists.get(payload)
  }
  const encode = () =>
    written(
      (payload) => codec.encode(input(payload)).length,
      (payload) => plain(codec.decode(codec.encode(input(payload)))),
    )
  /** Its own bytes of the payload, made once. */
  const decoder = (result) => () => {
    const made = new Map()
    const bytesOf = (payload) => {
      // Its encoder gives views of a buffer that it goes on writing to.
      if (!made.has(payload)) made.set(payload, Buffer.from(codec.encode(input(payload))))
      return made.get(payload)
    }
    return {
      run: ({ payload }) => result(codec.decode(bytesOf(payload))),
      neutral: ({ payload }) => plain(codec.decode(bytesOf(payload))),
    }
  }
  const kind = ([header]) => (header.event ?? header.request ?? header.response).length
  return {
    name: 'cbor-x',
    operations: {
      encodeValue: encode,
      encodeTyped: encode,
      encodeMessage: encode,
      encodeFresh: encode,
      decodeMessage: decoder(kind),
      decodeValue: decoder(sizeOf),
      decodeTyped: decoder(sizeOf),
    },
  }
}

const VIEW = { bytes: 'view' }
const TYPED = { bytes: 'view', numbers: 'typed' }

/** A payload as a message to be written. */
function messageOf({ header, message }) {
  const type = HEADER_KINDS.find((name) => name in header)
  const { protocol, id, status } = header
  return { type, protocol, topic: header[type], id: id && BigInt(id.value), status: status?.value, body: message }
}
const pairOf = ({ type, protocol, topic, id, status, body }) => {
  const header = { protocol, [type]: topic }
  if (id !== undefined) header.id = id
  if (status !== undefined) header.status = status
  return plain([header, body])
}

function kept(make) {
  const made = new Map()
  return (payload) => {
    if (!made.has(payload)) made.set(payload, make(payload))
    return made.get(payload)
  }
}

const writes = (make, encode) => () => {
  const input = kept(make)
  return written(
    (payload) => encode(input(payload)),
    (payload) => {
      const bytes = encode(input(payload))
      return readBack(typeof bytes === 'number' ? TARGET.slice(0, bytes) : bytes, payload)
    },
  )
}
const pieces = () => {
  const input = kept(messageOf)
  return written(
    (payload) => encodeMessageChunks(input(payload)).length,
    (payload) => readBack(Buffer.concat(encodeMessageChunks(input(payload))), payload),
  )
}

const operations = {
  encodeValue: writes(
    ({ value }) => value,
    (value) => encodeInto(value, TARGET),
  ),
  encodeTyped: writes(
    ({ value }) => numbers(Int32Array.from(value)),
    (value) => encodeInto(value, TARGET),
  ),
  encodeMessage: writes(messageOf, (message) => encodeMessageInto(message, TARGET)),
  encodeFresh: () => {
    const input = kept(messageOf)
    return written(
      (payload) => encodeMessage(input(payload)).length,
      (payload) => readBack(encodeMessage(input(payload)), payload),
    )
  },
  encodeChunks: pieces,
  decodeMessage: () => ({
    run: ({ bytes }) => decodeMessage(bytes, VIEW).topic.length,
    neutral: ({ bytes }) => pairOf(decodeMessage(bytes, VIEW)),
  }),
  decodeValue: () => ({
    run: ({ bytes }) => sizeOf(decode(bytes, VIEW)),
    neutral: ({ bytes }) => plain(decode(bytes, VIEW)),
  }),
  decodeTyped: () => ({
    run: ({ bytes }) => sizeOf(decode(bytes, TYPED)),
    neutral: ({ bytes }) => plain(decode(bytes, TYPED)),
  }),
  reassemble: () => {
    const all = ({ chunks, key }) => {
      const decoder = new Decoder({
        role: 'accessory',
        keys: { accessoryToController: key, controllerToAccessory: key },
        limits: { maxUnauthenticatedBytes: 0xfffff },
      })
      const messages = []
      for (const chunk of chunks) for (const message of decoder.push(chunk)) messages.push(message)
      return messages
    }
    return { run: (input) => all(input).length, neutral: (input) => all(input).map(pairOf) }
  },
}

const wiretape = (name, choice) => ({ name, before: () => useBackend(choice), operations })

export const contenders = [
  hapNodeJs(),
  await cborX(),
  wiretape('wiretape-wasm', 'wasm'),
  wiretape('wiretape-js', 'js'),
  wiretape('wiretape', 'auto'),
]
