// What is measured for WebSocket. See ../registry.mjs for the shape of a workload. An input is a list of chunks, which contenders unmask in
// place: a frame is then read again with its payload masked once more. So results are compared by number and length of the messages.
import { constants, deflateRawSync } from 'node:zlib'
import { ascii, binary, chunkOf, fragments, frame, KEY, pieces, prices, TEXT_KEY } from '../payloads/websocket.mjs'

const own = (bytes) => Buffer.from(new Uint8Array(bytes))

/** Variants of chunks whose messages have the given lengths. */
const chunks = (make, lengths) => () =>
  [1, 2, 3, 4].map((seed) => {
    const input = make(seed).map(own)
    return { input, bytes: input.reduce((sum, chunk) => sum + chunk.length, 0), expected: lengths }
  })
const repeated = (length, frameBytes) => new Array(Math.floor(65_536 / frameBytes)).fill(length)

const sizes = [
  [8, 14],
  [125, 131],
  [1024, 1032],
]
const sizeName = (size) => (size === 1024 ? '1 KiB' : `${size} B`)

/** Compressed with one context, as a peer sends them; unmasked, so that a chunk can be read again. */
function deflated(size) {
  return [1, 2].map((seed) => {
    const messages = prices(size, 32, seed)
    let before = Buffer.alloc(0)
    const frames = messages.map((message) => {
      const packed = deflateRawSync(message, {
        finishFlush: constants.Z_SYNC_FLUSH,
        ...(before.length ? { dictionary: before.subarray(-32_768) } : {}),
      })
      before = Buffer.concat([before, message])
      return frame(packed.subarray(0, -4), { opcode: 1, rsv1: true })
    })
    return { input: frames.map(own), bytes: size * 32, expected: messages.map((message) => message.length) }
  })
}

function outgoing() {
  return [1, 2].map((seed) => {
    const messages = Array.from({ length: 1000 }, (_, i) => binary(125, seed * 1000 + i))
    return { input: messages, bytes: 125_000, expected: { length: 131_000, lengths: new Array(1000).fill(125) } }
  })
}

export const workloads = [
  ...sizes.map(([size, whole]) => ({
    id: `chunk-masked-${size}`,
    about: `a chunk of 64 KiB full of masked binary frames of ${sizeName(size)}`,
    operation: 'server',
    variants: chunks((seed) => [chunkOf(frame(binary(size, seed), { key: KEY }))], repeated(size, whole)),
  })),
  ...sizes.map(([size, whole]) => ({
    id: `chunk-text-${size}`,
    about: `a chunk of 64 KiB full of masked text frames of ${sizeName(size)}, each to a string`,
    operation: 'serverText',
    variants: chunks(() => [chunkOf(frame(ascii(size), { opcode: 1, key: TEXT_KEY }))], repeated(size, whole)),
  })),
  ...sizes.map(([size]) => ({
    id: `push-masked-${size}`,
    about: `one masked binary frame of ${sizeName(size)} at a time`,
    operation: 'server',
    variants: chunks((seed) => [frame(binary(size, seed), { key: KEY })], [size]),
  })),
  {
    id: 'seed-5120-unmasked',
    about: 'one binary frame of 5,120 bytes, read by a client',
    operation: 'client',
    variants: chunks((seed) => [frame(binary(5120, seed))], [5120]),
  },
  {
    id: 'seed-5120-masked',
    about: 'one masked binary frame of 5,120 bytes',
    operation: 'server',
    variants: chunks((seed) => [frame(binary(5120, seed), { key: KEY })], [5120]),
  },
  {
    id: 'frame-masked-64k',
    about: 'one masked binary frame of 64 KiB',
    operation: 'server',
    variants: chunks((seed) => [frame(binary(65_536, seed), { key: KEY })], [65_536]),
  },
  {
    id: 'frame-masked-1m',
    about: 'one masked binary frame of 1 MiB',
    operation: 'server',
    variants: chunks((seed) => [frame(binary(1_048_576, seed), { key: KEY })], [1_048_576]),
  },
  {
    id: 'fragments-64x1k',
    about: 'a message of 64 KiB in 64 masked fragments, in one chunk (which each contender copies first)',
    operation: 'serverCopied',
    variants: chunks((seed) => [fragments(binary(65_536, seed), 64, KEY)], [65_536]),
  },
  {
    id: 'frame-64k-in-1k-chunks',
    about: 'a masked binary frame of 64 KiB in chunks of 1 KiB',
    operation: 'server',
    variants: chunks((seed) => pieces(frame(binary(65_536, seed), { key: KEY }), 1024), [65_536]),
  },
  {
    id: 'bytewise-5120',
    about: 'a masked binary frame of 5,120 bytes, one byte at a time',
    operation: 'server',
    variants: chunks((seed) => pieces(frame(binary(5120, seed), { key: KEY }), 1), [5120]),
  },
  {
    id: 'inflate-64',
    about: '32 compressed text messages of 64 B of one connection, with context takeover',
    operation: 'inflate',
    variants: () => deflated(64),
  },
  {
    id: 'inflate-1k',
    about: '32 compressed text messages of 1 KiB of one connection, with context takeover',
    operation: 'inflate',
    variants: () => deflated(1024),
  },
  {
    id: 'encode-batch-125',
    about: '1,000 client messages of 125 B into one buffer',
    operation: 'encodeBatch',
    variants: outgoing,
  },
  ...sizes.map(([size, whole]) => ({
    id: `flood-${size}`,
    about: `a server flooded with masked binary messages of ${sizeName(size)}: its processor time per message, reading included`,
    operation: 'flood',
    variants: () => {
      const chunk = chunkOf(frame(binary(size), { key: KEY }))
      const messages = chunk.length / whole
      return [{ input: { chunk, messages }, bytes: size, expected: Math.ceil(1000 / messages) * messages * size }]
    },
  })),
]
