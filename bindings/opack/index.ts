/**
 * OPACK, the binary form of values that HomeKit Data Stream descends from: `wiretape/hds` with the profile `opack`.
 *
 * @packageDocumentation
 */
import type { Bytes, Decoded } from '../core/options'
import * as hds from '../hds/index'

export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes, Decoded } from '../core/options'
export {
  DEFAULT_LIMITS,
  type Dict,
  date,
  Float32,
  Float64,
  float32,
  float64,
  type Input,
  Int,
  int8,
  int16,
  int32,
  int64,
  type Limits,
  type NumberArray,
  Numbers,
  numbers,
  Pairs,
  Timestamp,
  Uuid,
  uuid,
  type Value,
  type Width,
} from '../hds/index'

/** Options of reading; what they mean is said at those of `wiretape/hds`. */
export type DecodeOptions = Omit<hds.DecodeOptions, 'profile'>
/** Options of writing. */
export type EncodeOptions = Omit<hds.EncodeOptions, 'profile'>

const bound = <O extends object>(options: O | undefined): O & { readonly profile: 'opack' } => ({
  ...(options as O),
  profile: 'opack',
})
const PLAIN = Object.freeze({ profile: 'opack' as const })

/** Decodes one value. Throws what `decode` of `wiretape/hds` throws. */
export const decode = <T = hds.Value>(bytes: Uint8Array, options?: DecodeOptions): T =>
  hds.decode<T>(bytes, options ? bound(options) : PLAIN)

/**
 * Decodes the value at `offset` of a buffer; `end` is the offset after it. undefined: it is not all there yet. Throws what
 * `decodeAt` of `wiretape/hds` throws.
 */
export const decodeAt = <T = hds.Value>(
  bytes: Uint8Array,
  offset: number,
  options?: DecodeOptions,
): Decoded<T> | undefined => hds.decodeAt<T>(bytes, offset, options ? bound(options) : PLAIN)

/** One value in memory of its own. Throws a WireError with the `path` of what cannot be written. */
export const encode = (value: hds.Input, options?: EncodeOptions): Bytes =>
  hds.encode(value, options ? bound(options) : PLAIN)

/** Bytes that `encode` gives for this value. */
export const encodedLength = (value: hds.Input, options?: EncodeOptions): number =>
  hds.encodedLength(value, options ? bound(options) : PLAIN)

/** Encodes into `target` from `offset` on (default 0) and returns the end offset. Throws WT_TARGET_TOO_SMALL. */
export const encodeInto = (value: hds.Input, target: Uint8Array, offset = 0, options?: EncodeOptions): number =>
  hds.encodeInto(value, target, offset, options ? bound(options) : PLAIN)

/**
 * The value in pieces: data of 16 KiB and more is the caller's own memory, which must not change until it is written. Throws
 * like `encode`.
 */
export const encodeChunks = (value: hds.Input, options?: EncodeOptions): Uint8Array[] =>
  hds.encodeChunks(value, options ? bound(options) : PLAIN)
