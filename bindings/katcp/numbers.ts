import { KW_POSITION } from '../../assembly/abi/katcp'
import { usageError } from '../core/errors'
import { described } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import type { Arguments } from './arguments'
import { katcpError } from './errors'
import { ARENA_BYTES, fitting, IN, OUT, PIECE, selectCore, WORDS } from './lines'

/** C's strtod for decimals, without leading blanks (guidelines rev 5.1, 3): what Number() takes is both more and less. */
const FLOAT = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i
const COMPLEX =
  /^(?:([+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))(?=$|[+-]))?(?:([+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))j)?$/i

/** The number that `text` writes; undefined: it writes none. */
export function parseFloatText(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined
  const value = Number(text)
  if (!Number.isNaN(value)) return value
  const word = text.replace(/^[+-]/, '').toLowerCase()
  if (word === 'nan') return Number.NaN
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function parseComplexText(text: string): readonly [number, number] | undefined {
  const match = text === '' ? null : COMPLEX.exec(text)
  if (!match) return undefined
  const [, real = '0', imaginary = '0'] = match
  return [parseFloatText(real)!, parseFloatText(imaginary)!]
}

/** Arguments of one call: the numbers of OUT end where WORDS starts. */
const MAX_NUMBERS = (WORDS - OUT) >>> 4
/** Arguments of the call after one that stopped; twice as many after each that did not, so that little is copied in vain. */
const FEW_NUMBERS = 4

type Kernel = (input: number, base: number, words: number, count: number, out: number) => number

/**
 * Arguments [from, to) as `width` numbers each. The kernel stops where a value is not exact in one division, or is none;
 * that one is read from its text, and the kernel goes on behind it.
 */
function numberArray(
  args: Arguments,
  from: number,
  to: number,
  width: 1 | 2,
  what: string,
  slow: (text: string) => number | readonly [number, number] | undefined,
): Float64Array<ArrayBuffer> {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= args.length)) {
    throw usageError('katcp', `there are no arguments ${from} to ${to}`)
  }
  const all = new Float64Array((to - from) * width)
  const { lines, first } = args.source()
  const { words } = lines
  let batch = MAX_NUMBERS
  let i = from
  while (i < to) {
    const start = words[first + i]! & KW_POSITION
    const last = Math.min(fitting(words, first + i, first + to, PIECE) - first, i + batch)
    let done = i
    if (last > i) {
      const length = (words[first + last]! & KW_POSITION) - start - 1
      const { kernels, memory } = selectCore(length, THRESHOLDS.katcpNumbers)
      memory.reserve(ARENA_BYTES)
      lines.copyTo(memory.u8, IN, start, length)
      memory.u32.set(words.subarray(first + i, first + last + 1), WORDS >>> 2)
      const kernel: Kernel = width === 1 ? kernels.katcpFloats : kernels.katcpComplexes
      done += kernel(IN, start, WORDS, last - i, OUT)
      all.set(new Float64Array(memory.u8.buffer, OUT, (done - i) * width), (i - from) * width)
    }
    batch = Math.min(batch * 2, MAX_NUMBERS)
    if (done < to && done < Math.max(last, i + 1)) {
      batch = FEW_NUMBERS
      const text = args.text(done, 'latin1')!
      const value = slow(text)
      if (value === undefined)
        throw katcpError('value', { path: `args[${done}]`, detail: `${what} expected, got ${quote(text)}` })
      if (typeof value === 'number') all[done - from] = value
      else all.set(value, (done - from) * 2)
      done++
    }
    i = done
  }
  return all
}

export const floatArray = (args: Arguments, from: number, to: number): Float64Array<ArrayBuffer> =>
  numberArray(args, from, to, 1, 'a number', parseFloatText)

export const complexArray = (args: Arguments, from: number, to: number): Float64Array<ArrayBuffer> =>
  numberArray(args, from, to, 2, 'a complex number', parseComplexText)

/** A text for an error message, which may go into a reply: short, and printable ASCII whatever the text is. */
export const quote = (text: string): string =>
  JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 37)}...`).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A value of any type for an error message. */
export const shown = (value: unknown): string => (typeof value === 'string' ? quote(value) : described(value))
