// How the cost of WebSocket grows. See ../scaling.mjs for the shape.
import { Decoder, decode, encodeAll } from 'wiretape/websocket'
import { ascii, binary, fragments, frame, KEY, pieces } from '../payloads/websocket.mjs'

const limits = { maxMessageBytes: 1 << 26, maxFrameBytes: 1 << 26, maxFragments: 1 << 20 }
const options = { role: 'server', limits }
const FRAGMENT = 10

export const scales = [
  {
    id: 'message-bytes',
    about: 'a masked binary message of that many bytes, unmasked in place',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => frame(binary(size), { key: KEY }),
    run: (bytes) => decode(bytes, { ...options, bytes: 'view' }).data.length,
  },
  {
    id: 'text-bytes',
    about: 'a masked text of that many bytes',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => frame(ascii(size), { opcode: 1, key: KEY }),
    run: (bytes) => decode(bytes, options).data.length,
  },
  {
    id: 'messages',
    about: 'that many masked messages of 40 bytes in one chunk',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => Buffer.concat(new Array(size).fill(frame(ascii(40), { opcode: 1, key: KEY }))),
    run: (bytes) => {
      let sum = 0
      for (const { data } of new Decoder(options).push(bytes)) sum += data.length
      return sum
    },
  },
  {
    id: 'fragments',
    about: `a message in that many frames of ${FRAGMENT} bytes`,
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => fragments(binary(size * FRAGMENT), size, KEY),
    run: (bytes) => decode(bytes, options).data.length,
  },
  {
    id: 'one-byte-chunks',
    about: 'a message of that many bytes, pushed byte by byte',
    sizes: [100, 1_000, 10_000, 100_000],
    make: (size) => pieces(frame(binary(size), { key: KEY }), 1),
    run: (chunks) => {
      const decoder = new Decoder(options)
      for (const chunk of chunks) decoder.push(chunk)
      return decoder.read().data.length
    },
  },
  {
    id: 'encode-messages',
    about: 'the encoding of that many masked messages of 40 bytes into one buffer',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => new Array(size).fill({ type: 'text', data: ascii(40).toString() }),
    run: (messages) => encodeAll(messages, { role: 'client' }).length,
  },
]

/** One message each time it is called, through one decoder. */
export function flow() {
  const decoder = new Decoder({ role: 'server' })
  const messages = Array.from({ length: 200 }, (_, i) =>
    i % 3 ? { type: 'text', data: `message ${i} ${'x'.repeat(i)}` } : { type: 'binary', data: binary(i * 7, i) },
  )
  let next = 0
  return () => {
    if (++next === messages.length) next = 0
    decoder.push(encodeAll([messages[next]], { role: 'client' }))
    return decoder.read().data.length
  }
}
