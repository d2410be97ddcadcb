/**
 * WebSocket: frames and messages (RFC 6455), compression (RFC 7692) and the handshake, on any stream of bytes.
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes, Decoded } from '../core/options'
export type { ByteSource, StreamOptions } from '../core/streams'
export { Decoder, decode, decodeAll, decodeAt } from './decode'
export type { Deflate, DeflateParams, Inflated } from './deflate'
export { Encoder, encode, encodeAll, encodeChunks, encodedLength, encodeInto } from './encode'
export { type DeflateOptions, type Extension, parseExtensions } from './extensions'
export {
  type Accepted,
  type AcceptOptions,
  acceptKey,
  acceptUpgrade,
  type HeadersInput,
  type Offer,
  type OfferOptions,
  offerUpgrade,
  replyTo,
  verifyUpgrade,
} from './handshake'
export { DEFAULT_LIMITS, type Limits } from './limits'
export type { MaskKey } from './masks'
export { DecoderStream, decodeStream, EncoderStream } from './streams'
export type {
  BinaryMessage,
  Chunk,
  Close,
  Control,
  DecodeOptions,
  EncodeOptions,
  Frame,
  FrameInput,
  Message,
  MessageInput,
  Ping,
  Pong,
  Role,
  TextMessage,
  Units,
} from './types'
