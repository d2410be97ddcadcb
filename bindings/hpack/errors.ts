import {
  E_HPACK_BAD_PADDING,
  E_HPACK_EOS,
  E_HPACK_INDEX_RANGE,
  E_HPACK_INDEX_ZERO,
  E_HPACK_INTEGER,
  E_HPACK_LONG_PADDING,
  E_HPACK_STRING,
  E_HPACK_UPDATE_COUNT,
  E_HPACK_UPDATE_MISSING,
  E_HPACK_UPDATE_PLACE,
  E_HPACK_UPDATE_SIZE,
} from '../../assembly/abi/hpack'
import { type ErrorEntry, type ErrorPlace, kernelErrors, WireError } from '../core/error'
import { ERRORS as COMMON } from '../core/errors'

/** HTTP/2's PROTOCOL_ERROR. */
const PROTOCOL_ERROR = 1
/** HTTP/2's COMPRESSION_ERROR (RFC 9113, section 7): the connection cannot go on. */
const COMPRESSION_ERROR = 9
/** HTTP/2's ENHANCE_YOUR_CALM: the block is well-formed, but more than we take. */
const ENHANCE_YOUR_CALM = 11

/** Every fault of HPACK: first those of the kernels, with their numbers, then those that the bindings find. */
export const ERRORS = {
  indexZero: {
    number: E_HPACK_INDEX_ZERO,
    code: 'WT_HPACK_INDEX_ZERO',
    kind: 'malformed',
    text: 'the index 0 stands for no field',
    status: COMPRESSION_ERROR,
  },
  indexRange: {
    number: E_HPACK_INDEX_RANGE,
    code: 'WT_HPACK_INDEX_RANGE',
    kind: 'malformed',
    text: 'the index is beyond the table',
    status: COMPRESSION_ERROR,
  },
  integer: {
    number: E_HPACK_INTEGER,
    code: 'WT_HPACK_INTEGER_OVERFLOW',
    kind: 'malformed',
    text: 'an integer must be below 2^32 and have at most five octets behind its prefix',
    status: COMPRESSION_ERROR,
  },
  string: {
    number: E_HPACK_STRING,
    code: 'WT_HPACK_STRING_TOO_LONG',
    kind: 'limit',
    text: 'a name or value is longer than allowed',
    status: COMPRESSION_ERROR,
  },
  huffmanEos: {
    number: E_HPACK_EOS,
    code: 'WT_HPACK_HUFFMAN_EOS',
    kind: 'malformed',
    text: 'the end-of-string code must not stand in a string',
    status: COMPRESSION_ERROR,
  },
  longPadding: {
    number: E_HPACK_LONG_PADDING,
    code: 'WT_HPACK_HUFFMAN_LONG_PADDING',
    kind: 'malformed',
    text: 'the padding of a Huffman-coded string must be shorter than 8 bits',
    status: COMPRESSION_ERROR,
  },
  padding: {
    number: E_HPACK_BAD_PADDING,
    code: 'WT_HPACK_HUFFMAN_PADDING',
    kind: 'malformed',
    text: 'a Huffman-coded string must be padded with ones',
    status: COMPRESSION_ERROR,
  },
  updateSize: {
    number: E_HPACK_UPDATE_SIZE,
    code: 'WT_HPACK_UPDATE_TOO_LARGE',
    kind: 'malformed',
    text: 'a size update must not exceed what SETTINGS_HEADER_TABLE_SIZE allows',
    status: COMPRESSION_ERROR,
  },
  updatePlace: {
    number: E_HPACK_UPDATE_PLACE,
    code: 'WT_HPACK_UPDATE_NOT_AT_START',
    kind: 'malformed',
    text: 'a size update must stand before the first field of a block',
    status: COMPRESSION_ERROR,
  },
  updateMissing: {
    number: E_HPACK_UPDATE_MISSING,
    code: 'WT_HPACK_UPDATE_MISSING',
    kind: 'malformed',
    text: 'after a reduction of the table the next block must start with a size update to no more than the smallest size',
    status: COMPRESSION_ERROR,
  },
  updateCount: {
    number: E_HPACK_UPDATE_COUNT,
    code: 'WT_HPACK_TOO_MANY_UPDATES',
    kind: 'malformed',
    text: 'a block needs no more than two size updates',
    status: COMPRESSION_ERROR,
  },
  listTooLarge: {
    code: 'WT_HPACK_LIST_TOO_LARGE',
    kind: 'limit',
    text: 'the header list is larger than allowed',
    status: ENHANCE_YOUR_CALM,
  },
  tooManyFields: {
    code: 'WT_HPACK_TOO_MANY_FIELDS',
    kind: 'limit',
    text: 'the header list has more fields than allowed',
    status: ENHANCE_YOUR_CALM,
  },
  utf8: {
    code: 'WT_HPACK_UTF8',
    kind: 'malformed',
    text: 'a name or value is not UTF-8',
    status: PROTOCOL_ERROR,
  },
  text: {
    code: 'WT_HPACK_TEXT',
    kind: 'value',
    text: 'a character has no octet',
  },
  framing: {
    code: 'WT_HPACK_FRAMING',
    kind: 'malformed',
    text: 'not blocks in that framing',
  },
  field: {
    code: 'WT_HPACK_FIELD',
    kind: 'value',
    text: 'not a header field',
  },
} as const satisfies Record<string, ErrorEntry>

/** The error of a kernel's number. */
export const kernelError = kernelErrors('hpack', ERRORS)

/** A fault by its name in the table. */
export const hpackError = (name: keyof typeof ERRORS, place?: ErrorPlace): WireError =>
  new WireError('hpack', ERRORS[name], place)

/** The block ends inside a field. */
export const truncatedError = (place: ErrorPlace): WireError =>
  new WireError('hpack', { ...COMMON.truncated, status: COMPRESSION_ERROR }, place)
