/**
 * D-Bus messages (D-Bus Specification 0.36): a codec without I/O.
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes, Decoded } from '../core/options'
export type { ByteSource, StreamOptions } from '../core/streams'
export { Authenticator, type AuthenticatorOptions } from './auth'
export { errorReply, methodCall, methodReturn, signal } from './builders'
export { Decoder, decode, decodeAll, decodeAt, decodeBody } from './decode'
export {
  Encoder,
  encode,
  encodeAll,
  encodeBody,
  encodeChunks,
  encodedLength,
  encodeInto,
  type Numbered,
} from './encode'
export type { Body, ValueOf } from './infer'
export { DEFAULT_LIMITS, type Limits } from './limits'
export { ErrorReply, MethodCall, MethodReturn, Signal } from './message'
export {
  isBusName,
  isErrorName,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  isSingleSignature,
} from './names'
export { DecoderStream, decodeStream, EncoderStream } from './streams'
export {
  type ByteOrder,
  type DecodeOptions,
  Flags,
  type Message,
  type MessageInput,
  type MessageType,
  type Shape,
  type Units,
} from './types'
export { Variant, variant } from './variant'
