// What cameras and accessories send over HomeKit Data Stream, as neutral values: header and message of a frame's payload, or a
// bare value; and an encoder of its own for the bytes that are decoded.
import { createCipheriv } from 'node:crypto'
import { random } from '../random.mjs'

/** An integer of 64 bits on the wire. */
export class Int64 {
  constructor(value) {
    this.value = value
  }
}

export function pattern(seed, length) {
  const bytes = Buffer.alloc(length)
  for (let j = 0; j < length; j++) bytes[j] = ((j * 131) ^ (j >>> 8) ^ (seed * 17)) & 255
  return bytes
}

/** Keys of a session. */
export const KEYS = { accessoryToController: pattern(1, 32), controllerToAccessory: pattern(2, 32) }

// Strings built with + are ropes: they would slow an encoder down for no fault of its own.
const flat = (text) => Buffer.from(text, 'latin1').toString('latin1')

const response = (protocol, topic, message, id, status) => ({
  header: { protocol, response: topic, id: new Int64(id), status: new Int64(status) },
  message,
})
const event = (protocol, topic, message) => ({ header: { protocol, event: topic }, message })

const packet = (data, i) => ({
  data,
  metadata: {
    dataType: 'mediaFragment',
    dataSequenceNumber: i + 2,
    dataChunkSequenceNumber: 1,
    isLastDataChunk: true,
    dataTotalSize: data.length,
  },
})

/** A dataSend/data event of some packets. */
const data = (seed, size, count = 1) =>
  event('dataSend', 'data', {
    streamId: 1,
    packets: Array.from({ length: count }, (_, i) => packet(pattern(seed + i, size), i)),
  })

const int32s = (seed) => {
  const next = random(seed)
  return Array.from({ length: 10_000 }, () => (next() * 2 ** 32) | 0)
}

const strings = (seed) =>
  Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      flat(`key-${String(i).padStart(3, '0')}-name`),
      flat(`value string number ${i + seed} of the dictionary`),
    ]),
  )

/** By name of the row: what is encoded and decoded there. */
export const PAYLOADS = {
  hello: (seed) => response('control', 'hello', {}, seed, 0),
  open: (seed) => response('dataSend', 'open', { status: 0 }, seed, 0),
  'data-4k': (seed) => data(seed, 0x1000),
  'data-256k': (seed) => data(seed, 0x40000),
  'data-20x1500': (seed) => data(seed, 1500, 20),
  'dict-200': (seed) => ({ value: strings(seed) }),
  'ints-10k': (seed) => ({ value: int32s(seed) }),
}

/** The bytes of a value in the shortest forms, without references. */
export function wire(value) {
  const out = []
  const sized = (tag, length, write) => {
    const bytes = Buffer.alloc(1 + length)
    bytes[0] = tag
    write(bytes)
    out.push(bytes)
  }
  const prefixed = (bytes, base) => {
    const { length } = bytes
    if (length <= 32) out.push(Buffer.of(base + length))
    else if (length <= 0xff) out.push(Buffer.of(base + 33, length))
    else if (length <= 0xffff) sized(base + 34, 2, (head) => head.writeUInt16LE(length, 1))
    else sized(base + 35, 4, (head) => head.writeUInt32LE(length, 1))
    out.push(bytes)
  }
  const integer = (number) => {
    if (number >= -1 && number <= 38) out.push(Buffer.of(8 + number))
    else if (number >= -128 && number <= 127) sized(0x30, 1, (bytes) => bytes.writeInt8(number, 1))
    else if (number >= -32768 && number <= 32767) sized(0x31, 2, (bytes) => bytes.writeInt16LE(number, 1))
    else sized(0x32, 4, (bytes) => bytes.writeInt32LE(number, 1))
  }
  const items = (list, base, write) => {
    out.push(Buffer.of(list.length <= 14 ? base + list.length : base + 15))
    for (const item of list) write(item)
    if (list.length > 14) out.push(Buffer.of(3))
  }
  const go = (item) => {
    if (item === null) out.push(Buffer.of(4))
    else if (typeof item === 'boolean') out.push(Buffer.of(item ? 1 : 2))
    else if (item instanceof Int64) sized(0x33, 8, (bytes) => bytes.writeBigInt64LE(BigInt(item.value), 1))
    else if (typeof item === 'number') integer(item)
    else if (typeof item === 'string') prefixed(Buffer.from(item), 0x40)
    else if (Buffer.isBuffer(item)) prefixed(item, 0x70)
    else if (Array.isArray(item)) items(item, 0xd0, go)
    else {
      items(Object.entries(item), 0xe0, ([key, inner]) => {
        go(key)
        go(inner)
      })
    }
  }
  go(value)
  return Buffer.concat(out)
}

/** The payload of a frame, or the bytes of a bare value. */
export function payloadOf(payload) {
  if ('value' in payload) return wire(payload.value)
  const header = wire(payload.header)
  return Buffer.concat([Buffer.of(header.length), header, wire(payload.message)])
}

/** The frame with a payload. */
export function sealFrame(key, counter, payload) {
  const head = Buffer.of(1, payload.length >>> 16, (payload.length >>> 8) & 255, payload.length & 255)
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64LE(BigInt(counter), 4)
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  cipher.setAAD(head, { plaintextLength: payload.length })
  return Buffer.concat([head, cipher.update(payload), cipher.final(), cipher.getAuthTag()])
}

/** A value that can be compared, whoever made it: bytes as a sum of theirs, integers of any form as numbers. */
export function plain(value) {
  if (value instanceof Int64) return value.value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) {
    let sum = 0
    for (const byte of value) sum = (Math.imul(sum, 31) + byte) | 0
    return { length: value.length, sum }
  }
  if (Array.isArray(value) || value instanceof Int32Array) return Array.from(value, plain)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}
