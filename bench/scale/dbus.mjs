// How the cost of D-Bus grows. See ../scaling.mjs for the shape.
import { Decoder, decode, encode, signal, variant } from 'wiretape/dbus'

const message = (signature, body) =>
  signal({ serial: 1, path: '/org/example/Lamp', interface: 'org.example.Lamp', member: 'Changed' }, signature, body)
const properties = (count, seed = 0) =>
  new Map(Array.from({ length: count }, (_, i) => [`Property${seed}-${i}`, variant('u', i)]))
/** So many that the names of all are more than what is remembered: every name is new, at every size. */
const variants = (size) => Math.ceil(4096 / size)
const strings = (count) => Array.from({ length: count }, (_, i) => `value number ${i % 100}`)
const inPieces = (bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte))

export const scales = [
  {
    id: 'string-bytes',
    about: 'a signal with a string of that many bytes',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => encode(message('s', ['x'.repeat(size)])),
    run: (bytes) => decode(bytes).body[0].length,
  },
  {
    id: 'strings',
    about: 'a signal with an array of that many strings',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => encode(message('as', [strings(size)])),
    run: (bytes) => decode(bytes).body[0].length,
  },
  {
    id: 'properties',
    about: 'a signal with a dictionary of that many properties whose names are new',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    variants,
    make: (size, seed) => encode(message('a{sv}', [properties(size, seed)])),
    run: (bytes) => decode(bytes).body[0].size,
  },
  {
    id: 'messages',
    about: 'that many signals in one chunk, the bodies read',
    sizes: [10, 100, 1_000, 10_000],
    make: (size) => Buffer.concat(new Array(size).fill(encode(message('su', ['state', 7])))),
    run: (bytes) => {
      let sum = 0
      for (const { body } of new Decoder().push(bytes)) sum += body[1]
      return sum
    },
  },
  {
    id: 'one-byte-chunks',
    about: 'a signal with a string of that many bytes, pushed byte by byte',
    sizes: [100, 1_000, 10_000, 100_000],
    make: (size) => inPieces(encode(message('s', ['x'.repeat(size)]))),
    run: (chunks) => {
      const decoder = new Decoder()
      for (const chunk of chunks) decoder.push(chunk)
      return decoder.read().body[0].length
    },
  },
  {
    id: 'encode-properties',
    about: 'the encoding of a signal with that many properties',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    variants,
    make: (size, seed) => message('a{sv}', [properties(size, seed)]),
    run: (given) => encode(given).length,
  },
]

/** One message each time it is called, through one decoder. */
export function flow() {
  const decoder = new Decoder()
  const messages = Array.from({ length: 500 }, (_, i) => encode(message('sa{sv}', [`name ${i}`, properties(i % 20)])))
  let next = 0
  return () => {
    if (++next === messages.length) next = 0
    const one = decoder.push(messages[next]).read()
    return one.body[1].size + encode({ ...one, serial: 9 }).length
  }
}
