// How the cost of KATCP grows. See ../scaling.mjs for the shape.
import { Decoder, decode, encode, inform } from 'wiretape/katcp'
import { pieces } from '../payloads/katcp.mjs'

const limits = { maxLineBytes: 1 << 24, maxArguments: 1 << 20 }
const line = (args) => Buffer.from(`#status ${args}\n`)
const words = (count) => Array.from({ length: count }, (_, i) => `value-${i % 100}`)
const lines = (count) => Buffer.from('#sensor-status 1427043968.5 1 pump nominal 68.9\n'.repeat(count))

export const scales = [
  {
    id: 'argument-bytes',
    about: 'an inform with one argument of that many bytes, a tenth of them escapes',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => line('escaped\\_'.repeat(size / 10 + 1).slice(0, size - (size % 9 === 8 ? 1 : 0))),
    run: (bytes) => decode(bytes, { limits }).args.at(0).length,
  },
  {
    id: 'arguments',
    about: 'an inform with that many arguments, all read',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => line(words(size).join(' ')),
    run: (bytes) => decode(bytes, { limits }).args.toArray().length,
  },
  {
    id: 'messages',
    about: 'that many lines in one chunk, the heads read',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: lines,
    run: (bytes) => {
      let sum = 0
      for (const { name } of new Decoder().push(bytes)) sum += name.length
      return sum
    },
  },
  {
    id: 'one-byte-chunks',
    about: 'a line of that many bytes, pushed byte by byte',
    sizes: [100, 1_000, 10_000, 100_000],
    make: (size) => pieces(line('word '.repeat(size / 5)), 1),
    run: (chunks) => {
      const decoder = new Decoder({ limits })
      for (const chunk of chunks) decoder.push(chunk)
      return decoder.read().args.length
    },
  },
  {
    id: 'encode-arguments',
    about: 'the encoding of an inform with that many arguments',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => inform('status', words(size)),
    run: (message) => encode(message).length,
  },
]

/** One message each time it is called, through one decoder. */
export function flow() {
  const decoder = new Decoder()
  const chunks = Array.from({ length: 1000 }, (_, i) =>
    Buffer.from(`#status-${i % 50} ${i} pump\\_${i} nominal 68.9\n`),
  )
  let next = 0
  return () => {
    if (++next === chunks.length) next = 0
    const message = decoder.push(chunks[next]).read()
    return message.args.at(1).length + encode(message).length
  }
}
