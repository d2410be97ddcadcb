// Inputs of growing size for each KATCP kernel that `auto` chooses a backend for. See ../thresholds.mjs.
import { decode, encode } from 'wiretape/katcp'
import { lineOf, message } from '../payloads/katcp.mjs'
import { below, random } from '../random.mjs'

const VARIANTS = 8
const word = (next, length) => Array.from({ length }, () => String.fromCharCode(97 + below(next, 26))).join('')

/** Arguments made by `make` until they take about `bytes` on the wire. */
function argumentsOf(bytes, seed, make) {
  const next = random(seed)
  const args = []
  for (let size = 0; size < bytes; size += args[args.length - 1].length + 1) args.push(make(next))
  return args
}
const variants = (make) => Array.from({ length: VARIANTS }, (_, seed) => make(seed + 1))
const wide = (bytes, make) => variants((seed) => message('request', 'gain', 1 + seed, argumentsOf(bytes, seed, make)))
const gain = (next) => (next() * 9).toFixed(8)
const decoded = (messages) =>
  messages.map((given) => {
    const line = lineOf(given)
    return { args: decode(line).args, bytes: line.length - lineOf({ ...given, args: [] }).length }
  })

/** `bytes` says what the threshold is compared with; `run` takes one of `inputs`. */
export const kernels = [
  {
    name: 'katcpScan',
    bytes: 'of the line',
    inputs: (bytes) => wide(Math.max(1, bytes - 10), gain).map(lineOf),
    size: (line) => line.length,
    run: (line) => decode(line).args.length,
  },
  {
    name: 'katcpUnescape',
    bytes: 'of an escaped argument',
    inputs: (bytes) =>
      decoded(
        variants((seed) => {
          const words = argumentsOf(bytes, seed, (next) => word(next, 12)).join(' ')
          return message('inform', 'log', undefined, [words.slice(0, Math.max(1, bytes - 2 - bytes / 13))])
        }).map((given) => ({ ...given, args: [`${given.args[0]} `] })),
      ),
    size: ({ bytes }) => bytes,
    run: ({ args }) => args.at(0).length,
  },
  {
    name: 'katcpNumbers',
    bytes: 'of the numbers',
    inputs: (bytes) => decoded(wide(bytes, gain)),
    size: ({ bytes }) => bytes,
    run: ({ args }) => args.toFloat64Array().length,
  },
  {
    name: 'katcpEscape',
    bytes: 'of the arguments',
    inputs: (bytes) => wide(bytes, gain),
    size: ({ args }) => args.reduce((sum, text) => sum + text.length + 1, 0),
    run: (given) => encode(given).length,
  },
]
