/**
 * HPACK, the header compression of HTTP/2 (RFC 7541).
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Bytes } from '../core/options'
export { Decoder, type DecoderStatistics, decode } from './decode'
export { Encoder, type EncoderStatistics, encode } from './encode'
export { huffmanDecode, huffmanEncode } from './huffman'
export { DEFAULT_LIMITS, type Limits } from './limits'
export { octets } from './text'
export type { Charset, DecodeOptions, EncodeOptions, FieldPolicy, HeaderField, HeaderInput, HuffmanMode } from './types'
export { validateField } from './validate'
