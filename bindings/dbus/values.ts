import { D_INPUT, DW_LETTER, DW_UTF8 } from '../../assembly/abi/dbus'
import { viewOf } from '../core/options'
import { asciiText, TEXT_PIECE } from '../core/text'
import type { Memory } from '../engine/memory'
import type { Names } from '../engine/names'
import { dbusError } from './errors'
import type { Settings } from './settings'
import { LETTERS, type Type, typesOf } from './signature'
import { Variant } from './variant'

/*
 * From the tape of dbusWalk to values. The tape and the text stand in linear memory, so all values of a body are made before
 * anything else is called; no code of a caller runs meanwhile. The kernel has bound the depth to 64, and with it the recursion.
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const pair = new Int32Array(2)
const pairSigned = new BigInt64Array(pair.buffer)
const pairUnsigned = new BigUint64Array(pair.buffer)
const pairFloat = new Float64Array(pair.buffer)

let tape = new Int32Array(0)
let at = 0
let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)
let names: Names
let settings: Settings
let textAt = 0
let textLength = 0
/** The piece of ASCII text that strings are cut from, and where it stands in the whole. */
let piece = ''
let pieceStart = 0
let pieceEnd = 0
/** Of other text, whose strings stand one behind the other: the piece, its place of the next string, and the bytes before and behind it. */
let wide = ''
let wideUnit = 0
let wideAt = 0
let widePieceEnd = 0
let wideEnd = 0
/** Bytes that `ay` may be a view of, and where the body starts in them. */
let source: Uint8Array = bytes
let sourceStart = 0

/** Types of variants by the intern id of their signature. */
let typeById: (Type | undefined)[] = []
let typeNames: Names | undefined
let typeGeneration = -1

/** Where a body's tape and text are. */
export interface Tape {
  readonly memory: Memory
  readonly names: Names
  /** Addresses of the tape, of ASCII text and of other text. */
  readonly tape: number
  readonly text: number
  readonly textEnd: number
  readonly wide: number
  readonly wideEnd: number
}

/** The values of `types`, as the tape has them. */
export function readValues(
  from: Tape,
  types: readonly Type[],
  how: Settings,
  bodyBytes: Uint8Array,
  bodyStart: number,
): unknown[] {
  const { memory } = from
  if (tape.buffer !== memory.u32.buffer) tape = new Int32Array(memory.u32.buffer)
  at = from.tape >>> 2
  bytes = memory.u8
  names = from.names
  settings = how
  textAt = from.text
  textLength = from.textEnd - from.text
  wideAt = from.wide
  widePieceEnd = from.wide
  wideEnd = from.wideEnd
  piece = ''
  pieceStart = 0
  pieceEnd = 0
  source = bodyBytes
  sourceStart = bodyStart
  if (typeNames !== names || typeGeneration !== names.generation) {
    typeById = []
    typeNames = names
    typeGeneration = names.generation
  }
  const values = new Array<unknown>(types.length)
  for (let i = 0; i < types.length; i++) values[i] = readValue(types[i]!)
  piece = ''
  wide = ''
  source = bytes
  return values
}

function readString(): string {
  const word = tape[at++]!
  if (word < 0) return names.get(word & 0x7fffffff)
  const length = tape[at++]!
  if (length === 0) return ''
  if (word & DW_UTF8) return readWide(word & 0x3fffffff, length)
  const end = word + length
  if (end > pieceEnd) {
    pieceStart = word
    pieceEnd = Math.max(end, Math.min(textLength, word + TEXT_PIECE))
    piece = asciiText(bytes, textAt + word, textAt + pieceEnd)
  }
  return piece.substring(word - pieceStart, end - pieceStart)
}

/** The next string of those that are not ASCII. */
function readWide(units: number, length: number): string {
  const end = wideAt + length
  if (end > widePieceEnd) {
    widePieceEnd = Math.max(end, Math.min(wideEnd, wideAt + TEXT_PIECE))
    // A piece ends between characters.
    while (widePieceEnd < wideEnd && (bytes[widePieceEnd]! & 0xc0) === 0x80) widePieceEnd--
    wide = utf8.decode(bytes.subarray(wideAt, widePieceEnd))
    wideUnit = 0
  }
  wideAt = end
  wideUnit += units
  return wide.substring(wideUnit - units, wideUnit)
}

/** The text of a signature, which is ASCII. */
function signatureText(word: number): string {
  if (word < 0) return names.get(word & 0x7fffffff)
  if (word & DW_LETTER) return LETTERS[word & 127]?.signature ?? String.fromCharCode(word & 127)
  const length = tape[at++]!
  return asciiText(bytes, D_INPUT + word, D_INPUT + word + length)
}

function variantType(): Type {
  const word = tape[at++]!
  if (word < 0) {
    const id = word & 0x7fffffff
    typeById[id] ??= typesOf(names.get(id))[0]!
    return typeById[id]
  }
  if (word & DW_LETTER) return LETTERS[word & 127]!
  return typesOf(signatureText(word))[0]!
}

function readInt64(signed: boolean): bigint | number {
  const low = tape[at++]!
  const high = tape[at++]!
  return int64(low, high, signed)
}

function int64(low: number, high: number, signed: boolean): bigint | number {
  if (settings.int64 !== 'bigint') {
    const number = (signed ? high : high >>> 0) * 4294967296 + (low >>> 0)
    if (Number.isSafeInteger(number)) return number
    if (settings.int64 === 'number') {
      pair[0] = low
      pair[1] = high
      throw dbusError('unsafe', { detail: String(signed ? pairSigned[0] : pairUnsigned[0]) })
    }
  }
  pair[0] = low
  pair[1] = high
  return signed ? pairSigned[0]! : pairUnsigned[0]!
}

function readValue(type: Type): unknown {
  switch (type.code) {
    case 0x73: // s
    case 0x6f: // o
      return readString()
    case 0x76: {
      // v
      const inner = variantType()
      const value = readValue(inner)
      return settings.tagged ? new Variant<string>(inner.signature, value) : value
    }
    case 0x61: // a
      return readArray(type.element!)
    case 0x28: {
      // (
      const { fields } = type
      const values = new Array<unknown>(fields.length)
      for (let i = 0; i < fields.length; i++) values[i] = readValue(fields[i]!)
      return values
    }
    case 0x62: // b
      return tape[at++] !== 0
    case 0x6e: // n
    case 0x69: // i
      return tape[at++]!
    case 0x78: // x
      return readInt64(true)
    case 0x74: // t
      return readInt64(false)
    case 0x64: // d
      pair[0] = tape[at++]!
      pair[1] = tape[at++]!
      return pairFloat[0]!
    case 0x67: {
      // g
      return signatureText(tape[at++]!)
    }
    default: // y q u h
      return tape[at++]! >>> 0
  }
}

function readArray(element: Type): unknown {
  if (element.size !== 0) return readFixed(element.code)
  const count = tape[at++]!
  if (element.code === 0x7b) return readDict(element.fields[0]!, element.fields[1]!, count)
  const values = new Array<unknown>(count)
  if (element.code === 0x73 || element.code === 0x6f) for (let i = 0; i < count; i++) values[i] = readString()
  else for (let i = 0; i < count; i++) values[i] = readValue(element)
  return values
}

function readDict(key: Type, value: Type, count: number): unknown {
  const text = key.code === 0x73 || key.code === 0x6f
  if (settings.dict === 'map') {
    const map = new Map<unknown, unknown>()
    if (text) for (let i = 0; i < count; i++) map.set(readString(), readValue(value))
    else for (let i = 0; i < count; i++) map.set(readValue(key), readValue(value))
    return map
  }
  if (settings.dict === 'pairs') {
    const pairs = new Array<unknown>(count)
    for (let i = 0; i < count; i++) pairs[i] = [readValue(key), readValue(value)]
    return pairs
  }
  const object = Object.create(null) as Record<string, unknown>
  for (let i = 0; i < count; i++) object[text ? readString() : String(readValue(key))] = readValue(value)
  return object
}

/** Elements of one size: the kernel has put them into the byte order of the machine, so they are copied as they are. */
function readFixed(code: number): unknown {
  const place = tape[at++]!
  const length = tape[at++]!
  const start = D_INPUT + place
  const end = start + length
  const { buffer } = bytes
  switch (code) {
    case 0x79: // y
      if (settings.view) return viewOf(source, sourceStart + place, sourceStart + place + length)
      return bytes.slice(start, end)
    case 0x62: {
      // b
      const values = new Array<boolean>(length >>> 2)
      for (let i = 0; i < values.length; i++) values[i] = bytes[start + (i << 2)] !== 0
      return values
    }
    case 0x6e: // n
      return new Int16Array(buffer.slice(start, end))
    case 0x71: // q
      return new Uint16Array(buffer.slice(start, end))
    case 0x69: // i
      return new Int32Array(buffer.slice(start, end))
    case 0x64: // d
      return new Float64Array(buffer.slice(start, end))
    case 0x78: // x
    case 0x74: {
      // t
      if (settings.int64 === 'bigint') {
        const copy = buffer.slice(start, end)
        return code === 0x78 ? new BigInt64Array(copy) : new BigUint64Array(copy)
      }
      const values = new Array<bigint | number>(length >>> 3)
      for (let i = 0; i < values.length; i++) {
        const word = (start >>> 2) + (i << 1)
        values[i] = int64(tape[word]!, tape[word + 1]!, code === 0x78)
      }
      return values
    }
    default: // u h
      return new Uint32Array(buffer.slice(start, end))
  }
}
