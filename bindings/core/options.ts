import { isBytes } from './brands'
import type { Protocol } from './error'
import { usageError } from './errors'

/**
 * Who owns the memory of decoded bytes. `copy` (default): results are the caller's own and a chunk is never touched.
 * `view`: the chunk is handed over, results point into it.
 */
export type BytesMode = 'copy' | 'view'

/**
 * How 64-bit integers appear: always `bigint`; always `number`, which throws where it would round; `auto`, a number while it is
 * safe (up to 2^53 - 1), else a bigint.
 */
export type Int64Mode = 'bigint' | 'number' | 'auto'

/** Whether values carry their wire type: `tagged` values encode to the bytes that they came from. */
export type TypesMode = 'plain' | 'tagged'

/** How dictionaries appear; objects have no prototype. */
export type DictMode = 'map' | 'object' | 'pairs'

/** Memory that a codec returns: fits Response, Blob and crypto.subtle on every TypeScript version. */
export type Bytes = ReturnType<typeof Uint8Array.of>

/** What `decodeAt` has found. */
export interface Decoded<T> {
  /** The unit. */
  value: T
  /** Offset of the byte after it, from the start of the buffer. */
  end: number
}

/** A copy of bytes [from, to). Never `slice`: that of Node's Buffer gives a view. */
export const copyOf = (bytes: Uint8Array, from: number, to: number): Bytes => new Uint8Array(bytes.subarray(from, to))

/** A view of bytes [from, to), a plain Uint8Array also where they are a Buffer. */
export const viewOf = (bytes: Uint8Array, from: number, to: number): Bytes =>
  new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + from, to - from)

/** One of a few words; anything else is refused rather than read as the default. */
export function choice<const C extends string>(
  protocol: Protocol,
  name: string,
  value: C | undefined,
  allowed: readonly C[],
  fallback: C,
): C {
  if (value === undefined) return fallback
  if (!allowed.includes(value)) throw usageError(protocol, `${name} must be ${allowed.join(' or ')}`)
  return value
}

/** Refuses what is not a Uint8Array, by name of the argument. */
export function bytesArgument(protocol: Protocol, name: string, value: unknown): asserts value is Uint8Array {
  if (!isBytes(value)) throw usageError(protocol, `${name} must be a Uint8Array`)
}

/** What an error says of a value that is not what was wanted; asks no object what it would like to be called. */
export const described = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value).slice(0, 40)
    : value === null
      ? 'null'
      : typeof value

/** Refuses what is not an object, by name of the argument. */
export function objectArgument(protocol: Protocol, name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null) throw usageError(protocol, `${name} must be an object`)
}

/** Refuses what cannot be iterated, by name of the argument. */
export function iterableArgument(protocol: Protocol, name: string, value: unknown): asserts value is Iterable<unknown> {
  if (typeof (value as { [Symbol.iterator]?: unknown } | null | undefined)?.[Symbol.iterator] !== 'function') {
    throw usageError(protocol, `${name} must be iterable`)
  }
}
