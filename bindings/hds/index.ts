/**
 * HomeKit Data Stream: payloads, messages and sealed frames.
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes } from '../core/options'
export { decode, decodeAt } from './decode'
export { encode, encodeChunks, encodedLength, encodeInto } from './encode'
export { DEFAULT_LIMITS, type Limits } from './limits'
export type { DecodeOptions, Dict, EncodeOptions, Input, Profile, Value } from './types'
export {
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
  type NumberArray,
  Numbers,
  numbers,
  Pairs,
  Timestamp,
  Uuid,
  uuid,
  type Width,
} from './wrappers'
