import { WireError } from '../core/error'
import { bytesArgument, choice } from '../core/options'
import { decodeAt } from './decode'
import { hdsError } from './errors'
import { resolve } from './settings'
import type { DecodeOptions, Profile } from './types'
import { Int, Timestamp } from './wrappers'

/** What `dump` is to read. */
export interface DumpOptions {
  /** What the bytes are: values, one after the other (`value`, default), or a message: length, header and body. */
  readonly unit?: 'value' | 'message' | undefined
  /** Default `hds`. */
  readonly profile?: Profile | undefined
}

/** Bytes of a value that are shown. */
const SHOWN = 8
const OFFSET_DIGITS = 6
const TEXT_MOST = 60
const UNITS = ['value', 'message'] as const

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')

/** Tags as their name, by the first of a range. */
const NAMES: readonly (readonly [number, string])[] = [
  [0, 'invalid'],
  [1, 'true'],
  [2, 'false'],
  [3, 'end'],
  [4, 'null'],
  [5, 'uuid'],
  [6, 'date'],
  [7, 'int'],
  [0x30, 'int8'],
  [0x31, 'int16'],
  [0x32, 'int32'],
  [0x33, 'int64'],
  [0x34, 'unassigned'],
  [0x35, 'float32'],
  [0x36, 'float64'],
  [0x37, 'unassigned'],
  [0x40, 'string'],
  [0x65, 'unassigned'],
  [0x6f, 'string to 00'],
  [0x70, 'data'],
  [0x95, 'unassigned'],
  [0x9f, 'data to 03'],
  [0xa0, 'reference'],
  [0xd0, 'array'],
  [0xe0, 'dictionary'],
  [0xf0, 'unassigned'],
]
const nameOf = (tag: number): string => NAMES.filter(([first]) => first <= tag).at(-1)![1]

/** What a scalar says. */
function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (value instanceof Timestamp) return `${value.seconds} (${isoOf(value)})`
  if (value instanceof Int) return String(value.value)
  if (typeof value === 'string') {
    return JSON.stringify(value.length > TEXT_MOST ? `${value.slice(0, TEXT_MOST)}…` : value)
  }
  return String(value)
}

function isoOf(time: Timestamp): string {
  const date = time.toDate()
  return Number.isNaN(date.getTime()) ? 'out of range' : date.toISOString()
}

interface Open {
  readonly dictionary: boolean
  /** Values that are missing; Infinity where a terminator ends it. */
  missing: number
  /** Values so far. */
  seen: number
}

/**
 * The bytes as text, a line a value: offset, the first bytes in hexadecimal, and indented by the containers around it the name
 * of the tag and the value. A fault stands in a last line, so that bad bytes can be looked at as well; nothing is thrown for them.
 */
export function dump(bytes: Uint8Array, options: DumpOptions = {}): string {
  bytesArgument('hds', 'bytes', bytes)
  const { profile } = options
  const message = choice('hds', 'unit', options.unit, UNITS, 'value') === 'message'
  // Scalars alone are decoded: what a reference stands for is not looked up.
  const settings: DecodeOptions = { profile, types: 'tagged', bytes: 'view', references: 'reject', dict: 'map' }
  const { maxDepth } = resolve({ profile }).limits
  const lines: string[] = []
  const line = (at: number, end: number, depth: number, text: string): void => {
    const first = hex(bytes.subarray(at, Math.min(end, at + SHOWN))) + (end - at > SHOWN ? ' …' : '')
    lines.push(
      `${at.toString(16).padStart(OFFSET_DIGITS, '0')}  ${first.padEnd(SHOWN * 3 + 2)}${'  '.repeat(depth)}${text}`,
    )
  }
  let at = 0
  const open: Open[] = []
  const place = (): string => {
    const around = open.at(-1)
    if (!around?.dictionary) return ''
    return around.seen % 2 === 0 ? 'key ' : ''
  }
  const taken = (): void => {
    for (let around = open.at(-1); around; around = open.at(-1)) {
      around.seen++
      if (--around.missing > 0) return
      open.pop()
    }
  }
  try {
    if (message && bytes.length > 0) {
      line(0, 1, 0, `header of ${bytes[0]} bytes`)
      at = 1
    }
    while (at < bytes.length) {
      const tag = bytes[at]!
      const around = open.at(-1)
      if (tag === 3 && around?.missing === Number.POSITIVE_INFINITY) {
        open.pop()
        line(at, at + 1, open.length, 'end')
        at++
        taken()
      } else if (tag >= 0xd0 && tag < 0xf0) {
        if (open.length >= maxDepth) throw hdsError('depth', { offset: at })
        const dictionary = tag >= 0xe0
        const count = tag & 15
        const terminated = count === 15
        const noun = dictionary ? 'pairs' : 'values'
        const what = `${nameOf(tag)} of ${terminated ? `${noun} to 03` : `${count} ${noun}`}`
        line(at, at + 1, open.length, `${place()}${what}`)
        at++
        if (count === 0) taken()
        else {
          const missing = terminated ? Number.POSITIVE_INFINITY : dictionary ? 2 * count : count
          open.push({ dictionary, missing, seen: 0 })
        }
      } else if (tag >= 0xa0 && tag < 0xd0) {
        const size = profile === 'opack' && tag > 0xc0 && tag <= 0xc4 ? tag - 0xc0 : 0
        const long = bytes.subarray(at + 1, at + 1 + size)
        const index = size === 0 ? tag - 0xa0 : long.reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0)
        line(at, at + 1 + size, open.length, `${place()}reference to value ${index}`)
        at += 1 + size
        taken()
      } else {
        const one = decodeAt<unknown>(bytes, at, settings)
        if (one === undefined) break
        const name = nameOf(tag)
        const simple = tag <= 4 && tag > 0
        line(at, one.end, open.length, `${place()}${simple ? name : `${name} ${shown(one.value)}`}`)
        at = one.end
        taken()
      }
    }
    if (at < bytes.length) line(at, bytes.length, open.length, `${nameOf(bytes[at]!)}: the bytes end inside of it`)
    else if (open.length > 0) line(at, at, open.length, `the bytes end inside of ${open.length} containers`)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    const { code, message: text } = error
    line(at, Math.min(bytes.length, at + SHOWN), open.length, `${code}: ${text}`)
  }
  return lines.map((text) => `${text.trimEnd()}\n`).join('')
}
