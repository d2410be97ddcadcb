// Legal inputs of formats whose vectors are mostly faults: random values, written by wiretape.
import { encode as encodeMessage, signal, variant } from 'wiretape/dbus'
import { encode as encodeBlock } from 'wiretape/hpack'
import { below, pick, random } from '../../bench/random.mjs'

const WORDS = [
  '',
  'a',
  'name',
  'org.example.Lamp',
  'value of some length',
  'ünïcödé',
  '😀',
  ':method',
  'GET',
  'x'.repeat(130),
]

/** Values of basic types, at and around their ends. */
const BASIC = {
  y: (next) => below(next, 256),
  b: (next) => next() < 0.5,
  n: (next) => pick(next, [-32768, -1, 0, 32767]),
  q: (next) => pick(next, [0, 1, 65535]),
  i: (next) => pick(next, [-2147483648, -1, 0, 2147483647]),
  u: (next) => pick(next, [0, 1, 4294967295]),
  x: (next) => pick(next, [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n]),
  t: (next) => pick(next, [0n, 1n, 2n ** 64n - 1n]),
  d: (next) => pick(next, [0, -0, 1.5, -1e300, 5e-324, Number.POSITIVE_INFINITY, Number.NaN]),
  s: (next) => pick(next, WORDS),
  o: (next) => pick(next, ['/', '/a', '/org/example/Lamp_1']),
  g: (next) => pick(next, ['', 's', 'a{sv}', '(ii)as']),
}
const KEYS = Object.keys(BASIC)

/** A random single complete type and a value of it. */
function typed(next, depth) {
  const kind = depth > 3 ? 0 : below(next, 8)
  if (kind < 4) {
    const type = pick(next, KEYS)
    return [type, BASIC[type](next)]
  }
  if (kind === 4) {
    const inner = typed(next, depth + 1)
    return ['v', variant(...inner)]
  }
  if (kind === 5) {
    const members = Array.from({ length: 1 + below(next, 4) }, () => typed(next, depth + 1))
    return [`(${members.map(([type]) => type).join('')})`, members.map(([, value]) => value)]
  }
  const length = below(next, 5)
  if (kind === 6) {
    const type = pick(next, KEYS)
    return [`a${type}`, Array.from({ length }, () => BASIC[type](next))]
  }
  const key = pick(next, KEYS)
  const pairs = Array.from({ length }, () => [BASIC[key](next), variant(...typed(next, depth + 1))])
  return [`a{${key}v}`, pairs]
}

export function dbusMessages(count, seed) {
  const next = random(seed)
  return Array.from({ length: count }, (_, i) => {
    const body = Array.from({ length: below(next, 4) }, () => typed(next, 0))
    const header = { serial: i + 1, path: '/a/b', interface: 'a.b', member: 'S' }
    const message = signal(
      header,
      body.map(([type]) => type).join(''),
      body.map(([, value]) => value),
    )
    return Buffer.from(encodeMessage({ ...message, byteOrder: pick(next, ['little', 'big']) }))
  })
}

const NAMES = [':method', ':path', ':status', 'accept', 'cookie', 'x-name', 'x-other', 'Upper', '']

export function hpackBlocks(count, seed) {
  const next = random(seed)
  const text = () => Buffer.from(pick(next, WORDS)).toString('latin1')
  return Array.from({ length: count }, () => {
    const list = Array.from({ length: below(next, 8) }, () => ({
      name: pick(next, NAMES),
      value: text(),
      sensitive: next() < 0.2,
    }))
    return Buffer.from(encodeBlock(list, { huffman: pick(next, ['shorter', 'always', 'never']) }))
  })
}
