import {
  HT_ARRAY,
  HT_BITS,
  HT_CLASS,
  HT_DATA,
  HT_DATE,
  HT_DICT,
  HT_FALSE,
  HT_FLOAT32,
  HT_FLOAT64,
  HT_INT8,
  HT_INT16,
  HT_INT32,
  HT_INT64,
  HT_INTS,
  HT_NAME,
  HT_NULL,
  HT_REFERENCE,
  HT_SMALL,
  HT_TEXT,
  HT_TRUE,
  HT_UTF8,
  HT_UUID,
} from '../../assembly/abi/hds'
import { copyOf, viewOf } from '../core/options'
import { asciiText, TEXT_PIECE } from '../core/text'
import type { Names } from '../engine/names'
import { hdsError } from './errors'
import type { Scan } from './scan'
import type { Settings } from './settings'
import { Float32, Float64, Int, Pairs, Timestamp, Uuid } from './wrappers'

/*
 * From the tape of hdsScan to values. The tape and the text stand in linear memory, so all values of a payload are made before
 * anything else is called; no code of a caller runs meanwhile, and the containers that are open wait in a list.
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const wide = new Int32Array(2)
const wideInt = new BigInt64Array(wide.buffer)
const wideFloat = new Float64Array(wide.buffer)
const narrowFloat = new Float32Array(wide.buffer)

const NO_BYTES = new Uint8Array(0)
const NO_TAPE = new Int32Array(0)

let tape = NO_TAPE
let at = 0
let memory: Uint8Array<ArrayBuffer> = NO_BYTES
let names: Names
let settings: Settings
let bytes: Uint8Array = memory
let from = 0
let shared: Map<number, unknown> | undefined
let textStart = 0
let textEnd = 0
/** The piece of text that strings are cut from, and the addresses that it spans. */
let piece = ''
let pieceStart = 0
let pieceEnd = 0

/** Starts reading the tape of a scan. */
export function startValues(scan: Scan, how: Settings): void {
  if (tape.buffer !== scan.memory.u32.buffer) tape = new Int32Array(scan.memory.u32.buffer)
  at = scan.tape
  memory = scan.memory.u8
  names = scan.names
  settings = how
  bytes = scan.bytes
  from = scan.from
  shared = scan.shared
  textStart = scan.text
  textEnd = scan.textEnd
  pieceStart = 0
  pieceEnd = 0
}

/** Keeps nothing of the caller's; with `large`, nor the memory that is about to be given back. */
export function endValues(large: boolean): void {
  bytes = NO_BYTES
  piece = ''
  shared = undefined
  if (large) {
    memory = NO_BYTES
    tape = NO_TAPE
  }
}

/** The next word of the tape. */
export const nextWord = (): number => tape[at++]!

/** Whether the next value is a dictionary. */
export const isDictNext = (): boolean => (tape[at]! & HT_CLASS) === HT_DICT

function textOf(word: number): string {
  const length = word >>> HT_BITS
  if (length === 0) return ''
  const start = textStart + tape[at++]!
  const end = start + length
  // A reference goes back to what the piece has left behind.
  if (start < pieceStart) return asciiText(memory, start, end)
  if (end > pieceEnd) {
    pieceStart = start
    pieceEnd = Math.max(end, Math.min(textEnd, start + TEXT_PIECE))
    piece = asciiText(memory, pieceStart, pieceEnd)
  }
  return end - start === piece.length ? piece : piece.substring(start - pieceStart, end - pieceStart)
}

/** The string of a word, if it is one. */
export function stringOf(word: number): string | undefined {
  switch (word & HT_CLASS) {
    case HT_NAME:
      return names.get(word >>> HT_BITS)
    case HT_TEXT:
      return textOf(word)
    case HT_UTF8: {
      const start = from + tape[at++]!
      return utf8.decode(bytes.subarray(start, start + (word >>> HT_BITS)))
    }
    default:
      return undefined
  }
}

/** Two's complement of 64 bits, as the options want it. */
function int64(low: number, high: number): number | bigint {
  const { int64: mode } = settings
  if (mode !== 'bigint') {
    const number = high * 4294967296 + (low >>> 0)
    if (Number.isSafeInteger(number)) return number
    if (mode === 'number') {
      wide[0] = low
      wide[1] = high
      throw hdsError('unsafe', { detail: String(wideInt[0]) })
    }
  }
  return bigOf(low, high)
}

/** Two's complement of 64 bits. */
export function bigOf(low: number, high: number): bigint {
  wide[0] = low
  wide[1] = high
  return wideInt[0]!
}

/** The next value as an integer, a number where that is exact, whatever the options; undefined: it is none. */
export function nextInteger(): number | bigint | undefined {
  const word = tape[at]!
  const tag = word & HT_CLASS
  if (tag === HT_INT64) {
    const low = tape[at + 1]!
    const high = tape[at + 2]!
    at += 3
    const number = high * 4294967296 + (low >>> 0)
    return Number.isSafeInteger(number) ? number : bigOf(low, high)
  }
  const value = nextValue()
  return tag < HT_SMALL || tag > HT_INT32 ? undefined : Number(value)
}

function floatOf(low: number, high: number): number {
  wide[0] = low
  wide[1] = high
  return wideFloat[0]!
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
function uuidOf(position: number): Uuid {
  let text = ''
  for (let i = 0; i < 16; i++) {
    text += HEX[bytes[from + position + i]!]
    if (i === 3 || i === 5 || i === 7 || i === 9) text += '-'
  }
  return new Uuid(text)
}

/** The value of a word that is no container. */
function scalarOf(word: number): unknown {
  const count = word >>> HT_BITS
  switch (word & HT_CLASS) {
    case HT_NULL:
      return null
    case HT_FALSE:
      return false
    case HT_TRUE:
      return true
    case HT_SMALL:
      return count - 1
    case HT_INT8: {
      const value = settings.unsigned ? count : (count << 24) >> 24
      return settings.tagged ? new Int(8, value) : value
    }
    case HT_INT16: {
      const value = settings.unsigned ? count : (count << 16) >> 16
      return settings.tagged ? new Int(16, value) : value
    }
    case HT_INT32: {
      const signed = tape[at++]!
      const value = settings.unsigned ? signed >>> 0 : signed
      return settings.tagged ? new Int(32, value) : value
    }
    case HT_INT64: {
      const value = int64(tape[at++]!, tape[at++]!)
      return settings.tagged ? new Int(64, value) : value
    }
    case HT_FLOAT32:
      wide[0] = tape[at++]!
      return settings.tagged ? new Float32(narrowFloat[0]!) : narrowFloat[0]!
    case HT_FLOAT64: {
      const value = floatOf(tape[at++]!, tape[at++]!)
      return settings.tagged ? new Float64(value) : value
    }
    case HT_DATE:
      return new Timestamp(floatOf(tape[at++]!, tape[at++]!))
    case HT_UUID:
      return uuidOf(tape[at++]!)
    case HT_DATA: {
      if (count === 0) return new Uint8Array(0)
      const here = at - 1
      const start = from + tape[at++]!
      const data = settings.view ? viewOf(bytes, start, start + count) : copyOf(bytes, start, start + count)
      // References to it are to stand for this very memory.
      shared?.set(here, data)
      return data
    }
    case HT_REFERENCE:
      return referenceOf(tape[at++]!)
    default:
      return stringOf(word)
  }
}

/** What a reference stands for: made once, and the same value wherever it is referred to. */
function referenceOf(target: number): unknown {
  const known = shared?.get(target)
  if (known !== undefined) return known
  const back = at
  at = target
  const value = scalarOf(tape[at++]!)
  at = back
  shared?.set(target, value)
  return value
}

/** The value of a word that stands for a key, or is known to be no container. */
export function keyOf(word: number): unknown {
  return stringOf(word) ?? scalarOf(word)
}

/** The next `count` values as a typed array, if they are all integers of 32 bits; else nothing is taken from the tape. */
function integers(count: number): Int32Array | undefined {
  let words = 0
  for (let i = at, seen = 0; seen < count; words = i - at) {
    const word = tape[i++]!
    const kind = word & HT_CLASS
    if (kind === HT_INTS) {
      i += word >>> HT_BITS
      seen += word >>> HT_BITS
    } else if (kind >= HT_SMALL && kind <= HT_INT16) seen++
    else if (kind === HT_INT32 && !(settings.unsigned && tape[i]! < 0)) {
      i++
      seen++
    } else return undefined
  }
  const array = new Int32Array(count)
  const end = at + words
  for (let place = 0; at < end; ) {
    const word = tape[at++]!
    if ((word & HT_CLASS) === HT_INTS) {
      const run = word >>> HT_BITS
      array.set(tape.subarray(at, at + run), place)
      at += run
      place += run
    } else array[place++] = scalarOf(word) as number
  }
  return array
}

/** What a value goes into: an array, an object without prototype, a Map or Pairs. */
const IN_NOTHING = 0
const IN_ARRAY = 1
const IN_OBJECT = 2
const IN_MAP = 3
const IN_PAIRS = 4

type Container = unknown[] | Record<string, unknown> | Map<unknown, unknown> | undefined

const NO_VALUES: unknown[] = []

/** The containers around the one that is open, four entries each: what it is, itself, how much is missing, its key. */
const around: unknown[] = []

/** The next value of the tape. */
export function nextValue(): unknown {
  let kind: number = IN_NOTHING
  let open: Container
  let missing = 0
  let key: unknown = ''
  let depth = 0
  const { dict } = settings
  for (;;) {
    const word = tape[at++]!
    let value: unknown
    const tag = word & HT_CLASS
    if (tag === HT_DICT) {
      const count = word >>> HT_BITS
      const made =
        dict === 'object' ? (Object.create(null) as Record<string, unknown>) : dict === 'map' ? new Map() : new Pairs()
      if (count > 0) {
        around[depth++] = kind
        around[depth++] = open
        around[depth++] = missing
        around[depth++] = key
        kind = dict === 'object' ? IN_OBJECT : dict === 'map' ? IN_MAP : IN_PAIRS
        open = made
        missing = count
        key = keyOf(tape[at++]!)
        continue
      }
      value = made
    } else if (tag === HT_ARRAY) {
      const count = word >>> HT_BITS
      const typed = settings.typed && count > 0 ? integers(count) : undefined
      const made = typed ? NO_VALUES : new Array<unknown>(count)
      const first = tape[at]!
      if (typed) value = typed
      else if (count === 0) value = made
      else if ((first & HT_CLASS) === HT_INTS && first >>> HT_BITS === count) {
        at++
        for (let i = 0; i < count; i++) made[i] = tape[at + i]!
        at += count
        value = made
      } else {
        around[depth++] = kind
        around[depth++] = open
        around[depth++] = missing
        around[depth++] = key
        kind = IN_ARRAY
        open = made
        missing = count
        continue
      }
    } else if (tag === HT_INTS) {
      // A run in an array that holds other things too; the last of them may complete it.
      const array = open as unknown[]
      const count = (word >>> HT_BITS) - 1
      let place = array.length - missing
      for (let i = 0; i < count; i++) array[place++] = tape[at++]!
      missing -= count
      value = tape[at++]!
    } else value = scalarOf(word)

    // The value goes where it belongs, and perhaps completes containers.
    for (;;) {
      if (kind === IN_ARRAY) {
        const array = open as unknown[]
        array[array.length - missing] = value
        if (--missing > 0) break
      } else if (kind === IN_OBJECT) {
        ;(open as Record<string, unknown>)[key as string] = value
        if (--missing > 0) {
          key = keyOf(tape[at++]!)
          break
        }
      } else if (kind === IN_MAP) {
        ;(open as Map<unknown, unknown>).set(key, value)
        if (--missing > 0) {
          key = keyOf(tape[at++]!)
          break
        }
      } else if (kind === IN_PAIRS) {
        ;(open as unknown[]).push([key, value])
        if (--missing > 0) {
          key = keyOf(tape[at++]!)
          break
        }
      } else return value
      value = open
      key = around[--depth]
      missing = around[--depth] as number
      open = around[--depth] as Container
      kind = around[--depth] as number
      around[depth + 1] = undefined
    }
  }
}
