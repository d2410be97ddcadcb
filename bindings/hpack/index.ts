/**
 * HPACK, the header compression of HTTP/2 (RFC 7541).
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes } from '../core/options'
export { Decoder, decode } from './decode'
export { Encoder, encode } from './encode'
export { huffmanDecode, huffmanEncode } from './huffman'
export { DEFAULT_LIMITS, type Limits } from './limits'
export type { DecoderStatistics, EncoderStatistics } from './statistics'
export { octets } from './text'
export type { Charset, DecodeOptions, EncodeOptions, FieldPolicy, HeaderField, HeaderInput, HuffmanMode } from './types'
export { validateField } from './validate'
