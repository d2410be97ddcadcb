// What both sides are given: bytes of the vectors as they are, mutated, and spliced with each other.
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { below, pick, random } from '../../bench/random.mjs'

const folder = new URL('../vectors/', import.meta.url)
const MOST_BYTES = 4096

function* documents(format) {
  const own = new URL(`${format}/`, folder)
  for (const name of readdirSync(own).sort()) {
    const file = new URL(name, own)
    if (name.endsWith('.json')) yield JSON.parse(readFileSync(file, 'utf8'))
    else if (name.endsWith('.jsonl.gz')) {
      for (const line of gunzipSync(readFileSync(file)).toString().split('\n')) if (line) yield JSON.parse(line)
    }
  }
}

/** The bytes that stand in hexadecimal digits under one of the keys, anywhere in the vectors of a format, each once. */
export function seedsOf(format, keys) {
  const found = new Set()
  // Documents are ours, and shallow.
  const walk = (value, key) => {
    if (typeof value === 'string') {
      if (keys.includes(key) && /^(?:[0-9a-f]{2})+$/.test(value) && value.length <= 2 * MOST_BYTES) found.add(value)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, Array.isArray(value) ? key : name)
    }
  }
  for (const document of documents(format)) walk(document, '')
  return [...found].sort().map((text) => Buffer.from(text, 'hex'))
}

const INTERESTING = [0, 1, 0x20, 0x5b, 0x5c, 0x7f, 0x80, 0xbf, 0xc0, 0xe0, 0xed, 0xf4, 0xff]

/** One to three changes: a bit, a byte, bytes left out, doubled, or taken from another seed. */
function mutated(bytes, seeds, next) {
  let list = Buffer.from(bytes)
  for (let i = 1 + below(next, 3); i > 0 && list.length > 0; i--) {
    const at = below(next, list.length)
    const length = 1 + below(next, Math.min(16, list.length - at))
    const rest = list.subarray(at + length)
    switch (below(next, 6)) {
      case 0:
        list[at] ^= 1 << below(next, 8)
        break
      case 1:
        list[at] = pick(next, INTERESTING)
        break
      case 2:
        list = Buffer.concat([list.subarray(0, at), rest])
        break
      case 3:
        list = Buffer.concat([list.subarray(0, at + length), list.subarray(at)])
        break
      case 4: {
        const other = pick(next, seeds)
        const from = below(next, other.length)
        list = Buffer.concat([list.subarray(0, at), other.subarray(from, from + 1 + below(next, 24)), rest])
        break
      }
      default:
        list = list.subarray(0, Math.max(1, at))
    }
  }
  return list
}

/** `count` inputs, the same for the same seed: all seeds first, then their mutations. */
export function* inputsOf(seeds, count, seed) {
  const next = random(seed)
  for (let i = 0; i < count; i++) yield i < seeds.length ? seeds[i] : mutated(pick(next, seeds), seeds, next)
}
