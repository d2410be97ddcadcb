/**
 * KATCP, the Karoo Array Telescope Control Protocol: request, reply and inform lines
 * (NRF-KAT7-6.0-IFCE/002, revision 5.1).
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes, Decoded } from '../core/options'
export type { ByteSource, StreamOptions } from '../core/streams'
export { Arguments, type Charset } from './arguments'
export { Decoder, decode, decodeAll, decodeAt } from './decode'
export { encode, encodeAll, encodeChunks, encodedLength, encodeInto } from './encode'
export { DEFAULT_LIMITS, type Limits } from './limits'
export {
  inform,
  type ProtocolVersion,
  type Reading,
  type Readings,
  readings,
  reply,
  request,
  SENSOR_STATUSES,
  type SensorStatus,
  sensorInform,
  versionFlags,
} from './messages'
export { DecoderStream, decodeStream, EncoderStream } from './streams'
export {
  type Address,
  type ArgumentType,
  address,
  boolean,
  bytes,
  discrete,
  float,
  integer,
  optional,
  rest,
  string,
  type TimestampOptions,
  type TypedValues,
  timestamp,
  timestampOrNow,
} from './typed'
export type { ArgumentInput, DecodeOptions, Message, MessageInput, MessageType, Units } from './types'
