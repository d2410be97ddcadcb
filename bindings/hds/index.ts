/**
 * HomeKit Data Stream: values, messages and sealed frames.
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes, Decoded } from '../core/options'
export type { ByteSource, StreamOptions } from '../core/streams'
export type { Cipher } from './cipher'
export {
  type AckBody,
  type CloseBody,
  control,
  type DataBody,
  dataSend,
  type EventsOptions,
  type Fragment,
  type OpenBody,
  type Packet,
  type PacketMetadata,
  type ReadDataBody,
  type ReadPacket,
} from './data_send'
export { decode, decodeAt } from './decode'
export { type DumpOptions, dump } from './dump'
export { encode, encodeChunks, encodedLength, encodeInto } from './encode'
export { type FrameOptions, openFrame, sealFrame } from './frames'
export { deriveKeys, type Keys, type Role } from './keys'
export { DEFAULT_LIMITS, type Limits } from './limits'
export {
  type Body,
  decodeMessage,
  decodeMessageAt,
  type EventMessage,
  encodedMessageLength,
  encodeMessage,
  encodeMessageChunks,
  encodeMessageInto,
  event,
  type Message,
  type MessageInput,
  Reason,
  type RequestMessage,
  type ResponseMessage,
  reasonName,
  request,
  response,
  Status,
  statusName,
} from './messages'
export { Decoder, type DecoderOptions, Encoder, type EncoderOptions, type Units } from './session'
export { DecoderStream, decodeStream, EncoderStream } from './streams'
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
