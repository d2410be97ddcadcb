// How the cost of HomeKit Data Stream grows. See ../scaling.mjs for the shape.
import { Decoder, decode, Encoder, encode, encodeInto, event } from 'wiretape/hds'
import { KEYS, pattern } from '../payloads/hds.mjs'

const options = { limits: { maxPayloadBytes: 1 << 24, maxItems: 1 << 24 } }
const strings = (count) => Array.from({ length: count }, (_, i) => `value number ${i % 100}`)
const dictionary = (count, seed) => new Map(strings(count).map((value, i) => [`key-${i}-${seed}`, value]))
/** So many that the names of all are more than what is remembered: every name is new, at every size. */
const variants = (size) => Math.ceil(4096 / size)
const target = new Uint8Array(2_000_000)
const integers = (count) => Array.from({ length: count }, (_, i) => Math.imul(i, 0x9e3779b1) | 0)

/** A frame with data of that many bytes, byte by byte. */
function frame(size) {
  const bytes = new Encoder({ role: 'controller', keys: KEYS }).encode(
    event('dataSend', 'data', { data: pattern(1, size) }),
  )
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}

export const scales = [
  {
    id: 'string-bytes',
    about: 'a string of that many bytes',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => encode('abcdefghij'.repeat(size / 10), options),
    run: (bytes) => decode(bytes, options).length,
  },
  {
    id: 'encode-data-bytes',
    about: 'data of that many bytes, encoded into a buffer',
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    make: (size) => pattern(1, size),
    run: (data) => encodeInto(data, target, 0, options),
  },
  {
    id: 'integers',
    about: 'an array of that many integers',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => encode(integers(size), options),
    run: (bytes) => decode(bytes, options).length,
  },
  {
    id: 'dictionary',
    about: 'a dictionary of that many strings whose keys are new',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    variants,
    make: (size, seed) => encode(dictionary(size, seed), options),
    run: (bytes) => decode(bytes, { ...options, dict: 'map' }).size,
  },
  {
    id: 'one-byte-chunks',
    about: 'a sealed frame with data of that many bytes, pushed byte by byte',
    sizes: [100, 1_000, 10_000, 100_000],
    make: frame,
    run: (chunks) => {
      const decoder = new Decoder({ role: 'accessory', keys: KEYS, limits: { maxUnauthenticatedBytes: 1 << 20 } })
      for (const chunk of chunks) decoder.push(chunk)
      return decoder.read().body.data.length
    },
  },
  {
    id: 'encode-integers',
    about: 'the encoding of an array of that many integers',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: integers,
    run: (list) => encode(list, options).length,
  },
  {
    id: 'encode-dictionary',
    about: 'the encoding of a dictionary of that many strings',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    variants,
    make: dictionary,
    run: (map) => encode(map, options).length,
  },
]

/** One sealed message each time it is called, through one session. */
export function flow() {
  const encoder = new Encoder({ role: 'controller', keys: KEYS })
  const decoder = new Decoder({ role: 'accessory', keys: KEYS })
  let next = 0
  return () => {
    const streamId = next++ % 1000
    const sealed = encoder.encode(
      event('dataSend', 'data', { streamId, name: `stream ${streamId}`, data: pattern(1, streamId & 63) }),
    )
    return decoder.push(sealed).read().body.streamId
  }
}
