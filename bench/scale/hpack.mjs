// How the cost of HPACK grows. See ../scaling.mjs for the shape.
import { Decoder, decode, Encoder, encode } from 'wiretape/hpack'

const LARGE = { maxListSize: 1 << 28, maxFields: 1 << 20, maxStringBytes: 1 << 24 }
const options = { limits: LARGE }
const fields = (count) => Array.from({ length: count }, (_, i) => [`x-field-${i % 40}`, `value ${i}`])
const request = [
  [':method', 'GET'],
  [':path', '/index.html'],
  ['user-agent', 'wiretape/1.0 (benchmark)'],
  ['accept', '*/*'],
]

function blocks(count) {
  const encoder = new Encoder()
  return Array.from({ length: count }, (_, i) => encoder.encode([...request, ['x-request', String(i)]]))
}

export const scales = [
  {
    id: 'value-octets',
    about: 'a field with a value of that many octets in Huffman code',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    make: (size) => encode([['x-value', 'abcdefghij'.repeat(size / 10)]], { huffman: 'always' }),
    run: (block) => decode(block, options)[0].value.length,
  },
  {
    id: 'fields',
    about: 'a block of that many fields',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: (size) => encode(fields(size), options),
    run: (block) => decode(block, options).length,
  },
  {
    id: 'blocks',
    about: 'that many blocks of one connection',
    sizes: [10, 100, 1_000, 10_000],
    make: blocks,
    run: (list) => {
      const decoder = new Decoder()
      let sum = 0
      for (const block of list) sum += decoder.decode(block).length
      return sum
    },
  },
  {
    id: 'one-octet-fragments',
    about: 'a value of that many octets, pushed octet by octet',
    sizes: [100, 1_000, 10_000, 100_000],
    make: (size) => Array.from(encode([['x-value', 'abcdefghij'.repeat(size / 10)]]), (octet) => Uint8Array.of(octet)),
    run: (fragments) => {
      const decoder = new Decoder(options)
      for (const fragment of fragments) decoder.push(fragment)
      return decoder.end().readAll()[0].value.length
    },
  },
  {
    id: 'encode-fields',
    about: 'the encoding of a list of that many fields',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    make: fields,
    run: (list) => encode(list, options).length,
  },
]

/** One block each time it is called, through one connection whose table is always in motion. */
export function flow() {
  const encoder = new Encoder()
  const decoder = new Decoder()
  let next = 0
  return () => {
    const block = encoder.encode([...request, ['x-request', String(next++ % 100_000)]])
    return decoder.decode(block).length
  }
}
