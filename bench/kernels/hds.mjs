// Where the kernels of HDS cross over. See ../thresholds.mjs.
import { decode, encode, encodeInto } from 'wiretape/hds'
import { below, pick, random } from '../random.mjs'

const target = new Uint8Array(1 << 20)
const KEYS = ['streamId', 'packets', 'data', 'metadata', 'dataType', 'isLastDataChunk', 'status', 'reason']
const VIEW = { bytes: 'view' }

/** A dictionary as messages have them, of about so many bytes. */
function body(size, seed) {
  const next = random(seed)
  const value = {}
  for (let at = 1, i = 0; at < size; i++) {
    const key = `${pick(next, KEYS)}${i < KEYS.length ? '' : i}`
    const item = pick(next, [true, null, below(next, 1000), 'mediaFragment', [below(next, 30), below(next, 30)]])
    value[key] = item
    at += key.length + 3
  }
  return encode(value)
}

const integers = (count, seed) => {
  const next = random(seed)
  return Array.from({ length: count }, () => Math.floor(next() * 2 ** below(next, 31)))
}

const seeds = [1, 2, 3, 4]
export const kernels = [
  {
    name: 'hdsScan',
    bytes: 'of the payload',
    inputs: (size) => seeds.map((seed) => body(size, seed)),
    size: ({ length }) => length,
    run: (bytes) => Object.keys(decode(bytes, VIEW)).length,
  },
  {
    name: 'hdsPackInts',
    bytes: 'of the integers, four each',
    inputs: (size) => seeds.map((seed) => integers(Math.max(16, size >>> 2), seed)),
    size: ({ length }) => length * 4,
    run: (list) => encodeInto(list, target),
  },
]
