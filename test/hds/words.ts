import { createHash } from 'node:crypto'
import type { DecodeOptions, WireErrorCode } from '../../bindings/hds/index'
import {
  date,
  Float32,
  Float64,
  float32,
  float64,
  Int,
  int8,
  int16,
  int32,
  int64,
  Pairs,
  Timestamp,
  Uuid,
  uuid,
} from '../../bindings/hds/index'
import { fromHex, toHex } from '../vectors'

/** The error words of the HDS vectors → our codes; see test/vectors/hds/README.md. */
export const CODE_OF = {
  truncated: 'WT_TRUNCATED',
  unterminated: 'WT_HDS_UNTERMINATED',
  'invalid-tag': 'WT_HDS_TAG',
  'unexpected-terminator': 'WT_HDS_TERMINATOR',
  'bad-reference': 'WT_HDS_BAD_REFERENCE',
  'reference-not-allowed': 'WT_HDS_REFERENCE',
  'too-deep': 'WT_HDS_DEPTH',
  'non-string-key': 'WT_HDS_KEY',
  'invalid-utf8': 'WT_HDS_UTF8',
  'trailing-bytes': 'WT_TRAILING_BYTES',
  'header-not-dictionary': 'WT_HDS_HEADER',
  'missing-kind': 'WT_HDS_MESSAGE_TYPE',
  'missing-protocol': 'WT_HDS_MISSING_PROTOCOL',
  'header-too-long': 'WT_HDS_HEADER_TOO_LONG',
  'payload-too-large': 'WT_HDS_PAYLOAD_TOO_LARGE',
  'unsupported-frame-type': 'WT_HDS_FRAME_TYPE',
  'authentication-failed': 'WT_HDS_AUTHENTICATION',
  'integer-out-of-range': 'WT_HDS_RANGE',
  'unsupported-type': 'WT_HDS_VALUE',
  'unsupported-type-or-key-dropped': 'WT_HDS_VALUE',
  'unsupported-type (or write null for the hole); the count must match the elements': 'WT_HDS_VALUE',
} as const satisfies Record<string, WireErrorCode>

export const codeOf = (word: string): WireErrorCode => {
  if (!Object.hasOwn(CODE_OF, word)) throw new Error(`no code for the word ${word}`)
  return CODE_OF[word as keyof typeof CODE_OF]
}

type Part = string | { readonly repeat: [string, number] } | { readonly pattern: { seed: number; length: number } }

export interface BytesForm {
  readonly hex?: string
  readonly hexParts?: readonly Part[]
  readonly byteLength?: number
  readonly sha256?: string
}

export function pattern(seed: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let j = 0; j < length; j++) bytes[j] = ((j * 131) ^ (j >>> 8) ^ (seed * 17)) & 255
  return bytes
}

function partOf(part: Part): Uint8Array {
  if (typeof part === 'string') return fromHex(part)
  if ('pattern' in part) return pattern(part.pattern.seed, part.pattern.length)
  const [hex, count] = part.repeat
  const unit = fromHex(hex)
  const bytes = new Uint8Array(unit.length * count)
  for (let i = 0; i < count; i++) bytes.set(unit, i * unit.length)
  return bytes
}

/** The bytes of a case, checked against their hash where there is one. */
export function bytesOf({ hex, hexParts, byteLength, sha256 }: BytesForm): Uint8Array<ArrayBuffer> {
  if (hex !== undefined) return fromHex(hex)
  const bytes = new Uint8Array(Buffer.concat((hexParts ?? []).map(partOf)))
  if (byteLength !== undefined && bytes.length !== byteLength) throw new Error('the length of the vector differs')
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('sha256')
  return bytes
}

/** A typed value of the vectors. */
export type Neutral =
  | string
  | { readonly null: 0 }
  | { readonly bool: boolean }
  | { readonly int: string; readonly w?: 8 | 16 | 32 | 64 }
  | { readonly f64: string; readonly n?: unknown }
  | { readonly f32: string; readonly n?: unknown }
  | { readonly date: string; readonly n?: unknown }
  | { readonly str: string | { readonly repeat: [string, number] } }
  | { readonly data: string | { readonly repeat: [string, number] } | { pattern: { seed: number; length: number } } }
  | { readonly uuid: string }
  | { readonly arr: readonly Neutral[] }
  | { readonly dict: readonly (readonly [Neutral, Neutral])[] }

const float64Of = (bits: string) => new DataView(fromHex(bits).buffer).getFloat64(0)
const bitsOf = (value: number) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return toHex(new Uint8Array(view.buffer))
}
const bits32Of = (value: number) => {
  const view = new DataView(new ArrayBuffer(4))
  view.setFloat32(0, value)
  return toHex(new Uint8Array(view.buffer))
}
const SIZED = { 8: int8, 16: int16, 32: int32, 64: int64 } as const

const textOf = (str: string | { readonly repeat: [string, number] }): string =>
  typeof str === 'string' ? str : str.repeat[0].repeat(str.repeat[1])
const dataOf = (data: Part) => (typeof data === 'string' ? fromHex(data) : partOf(data))

/** What to encode for a typed value. */
export function inputOf(value: Neutral): never {
  return input(value) as never
}
function input(value: Neutral): unknown {
  if (typeof value === 'string') return value
  if ('null' in value) return null
  if ('bool' in value) return value.bool
  if ('int' in value) {
    const big = BigInt(value.int)
    if (value.w === 64) return int64(big)
    if (value.w !== undefined) return SIZED[value.w](Number(big))
    return Number.isSafeInteger(Number(big)) ? Number(big) : big
  }
  if ('f64' in value) return float64(float64Of(value.f64))
  if ('f32' in value) return float32(new DataView(fromHex(value.f32).buffer).getFloat32(0))
  if ('date' in value) return date(float64Of(value.date))
  if ('str' in value) return textOf(value.str)
  if ('data' in value) return dataOf(value.data)
  if ('uuid' in value) return uuid(value.uuid)
  if ('arr' in value) return value.arr.map(input)
  return new Map(value.dict.map(([key, inner]) => [input(key), input(inner)]))
}

/** A typed value with long texts and data written out, and keys as values: one form for one value. */
export function spelled(value: Neutral, widths: boolean): unknown {
  if (typeof value === 'string') return { str: value }
  if ('int' in value) return widths && value.w ? { int: value.int, w: value.w } : { int: value.int }
  if ('f64' in value) return widths ? { f64: value.f64 } : { number: float64Of(value.f64) }
  if ('f32' in value) {
    const number = new DataView(fromHex(value.f32).buffer).getFloat32(0)
    return widths ? { f32: value.f32 } : { number }
  }
  if ('date' in value) return { date: value.date }
  if ('str' in value) return { str: textOf(value.str) }
  if ('data' in value) return { data: toHex(dataOf(value.data)) }
  if ('arr' in value) return { arr: value.arr.map((item) => spelled(item, widths)) }
  if ('dict' in value) {
    return { dict: value.dict.map(([key, item]) => [spelled(key, widths), spelled(item, widths)]) }
  }
  return value
}

/** What was decoded, in that form. Numbers without a width are integers where they are whole. */
export function neutralOf(value: unknown): unknown {
  if (value === null) return { null: 0 }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'bigint') return { int: String(value) }
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Object.is(value, -0) ? { int: String(BigInt(value)) } : { number: value }
  }
  if (typeof value === 'string') return { str: value }
  if (value instanceof Int) return { int: String(value.value), w: value.width }
  if (value instanceof Float64) return { f64: bitsOf(value.value) }
  if (value instanceof Float32) return { f32: bits32Of(value.value) }
  if (value instanceof Timestamp) return { date: bitsOf(value.seconds) }
  if (value instanceof Uuid) return { uuid: value.text }
  if (value instanceof Uint8Array) return { data: toHex(value) }
  if (value instanceof Pairs || value instanceof Map) {
    return { dict: [...value].map(([key, item]) => [neutralOf(key), neutralOf(item)]) }
  }
  if (Array.isArray(value)) return { arr: value.map(neutralOf) }
  return { dict: Object.entries(value as object).map(([key, item]) => [neutralOf(key), neutralOf(item)]) }
}

/** A case of any of the files. */
export interface Case extends BytesForm {
  readonly id: string
  readonly op: string
  readonly value?: Neutral
  readonly error?: string
  readonly options?: Readonly<Record<string, string | number | boolean>>
  readonly dialect?: 'opack'
  readonly consumed?: number
  readonly encoded?: BytesForm
  readonly input?: string
  readonly key?: string
  readonly counter?: string
  readonly payload?: BytesForm
  readonly frame?: BytesForm
  readonly header?: string
  readonly payloadLength?: number
  readonly message?: {
    readonly kind: 'request' | 'response' | 'event'
    readonly protocol: string
    readonly topic: string
    readonly id?: string
    readonly status?: string
    readonly message: Neutral
  }
}

/** Options of a case as ours; what a case does not fix is left out. */
export function optionsOf({ options = {}, dialect }: Case): DecodeOptions {
  const { references, utf8, keys, trailing, maxDepth, terminatedData } = options
  return {
    ...(dialect ? { profile: dialect } : {}),
    ...(references ? { references: references as 'opack' } : {}),
    ...(utf8 ? { utf8: utf8 as 'strict' } : {}),
    ...(keys ? { keys: keys as 'any' } : {}),
    ...(trailing ? { trailing: trailing as 'allow' } : {}),
    ...(terminatedData ? { terminatedData: terminatedData as 'raw' } : {}),
    ...(maxDepth ? { limits: { maxDepth: Number(maxDepth) } } : {}),
  }
}
