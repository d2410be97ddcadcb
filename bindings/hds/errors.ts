import {
  E_HDS_DEPTH,
  E_HDS_ITEMS,
  E_HDS_KEY,
  E_HDS_REFERENCE,
  E_HDS_TAG,
  E_HDS_TERMINATOR,
  E_HDS_TRUNCATED,
  E_HDS_UNTERMINATED,
  E_HDS_UTF8,
} from '../../assembly/abi/hds'
import { type ErrorEntry, type ErrorPlace, WireError } from '../core/error'
import { ERRORS as COMMON } from '../core/errors'

/** What a controller or accessory is owed for a bad message: the status of its response. */
const HEADER_ERROR = 3
const PAYLOAD_ERROR = 4
const MISSING_PROTOCOL = 5

/** Every fault of HDS and OPACK: first those of the kernel, with their numbers, then those that the bindings find. */
export const ERRORS = {
  unterminated: {
    number: E_HDS_UNTERMINATED,
    code: 'WT_HDS_UNTERMINATED',
    kind: 'truncated',
    status: PAYLOAD_ERROR,
    text: 'the payload ends before the terminator',
  },
  tag: {
    number: E_HDS_TAG,
    code: 'WT_HDS_TAG',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'no value has this tag',
  },
  terminator: {
    number: E_HDS_TERMINATOR,
    code: 'WT_HDS_TERMINATOR',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'a terminator where there must be a value',
  },
  reference: {
    number: E_HDS_REFERENCE,
    code: 'WT_HDS_REFERENCE',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'references are not allowed',
  },
  depth: {
    number: E_HDS_DEPTH,
    code: 'WT_HDS_DEPTH',
    kind: 'limit',
    status: PAYLOAD_ERROR,
    text: 'too many containers inside each other',
  },
  key: {
    number: E_HDS_KEY,
    code: 'WT_HDS_KEY',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'the key of a dictionary must be a string',
  },
  utf8: {
    number: E_HDS_UTF8,
    code: 'WT_HDS_UTF8',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'a string is not UTF-8',
  },
  items: {
    number: E_HDS_ITEMS,
    code: 'WT_HDS_ITEMS',
    kind: 'limit',
    status: PAYLOAD_ERROR,
    text: 'too many values',
  },
  badReference: {
    code: 'WT_HDS_BAD_REFERENCE',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'a reference to a value that there is not',
  },
  expanded: {
    code: 'WT_HDS_EXPANDED',
    kind: 'limit',
    status: PAYLOAD_ERROR,
    text: 'references stand for too many bytes',
  },
  payload: {
    code: 'WT_HDS_PAYLOAD_TOO_LARGE',
    kind: 'limit',
    text: 'the payload is too large',
  },
  unsafe: {
    code: 'WT_HDS_UNSAFE_INTEGER',
    kind: 'value',
    text: 'an integer that a number cannot hold exactly',
  },
  value: {
    code: 'WT_HDS_VALUE',
    kind: 'value',
    text: 'the value cannot be written',
  },
  range: {
    code: 'WT_HDS_RANGE',
    kind: 'value',
    text: 'the integer is out of range',
  },
  header: {
    code: 'WT_HDS_HEADER',
    kind: 'malformed',
    status: HEADER_ERROR,
    text: 'the header is no dictionary of a message',
  },
  headerLength: {
    code: 'WT_HDS_HEADER_TOO_LONG',
    kind: 'value',
    text: 'the header has more than 255 bytes',
  },
  messageType: {
    code: 'WT_HDS_MESSAGE_TYPE',
    kind: 'malformed',
    status: HEADER_ERROR,
    text: 'the header names no event, request or response',
  },
  protocol: {
    code: 'WT_HDS_MISSING_PROTOCOL',
    kind: 'malformed',
    status: MISSING_PROTOCOL,
    text: 'the header names no protocol',
  },
  body: {
    code: 'WT_HDS_BODY',
    kind: 'malformed',
    status: PAYLOAD_ERROR,
    text: 'the body must be a dictionary',
  },
  shape: {
    code: 'WT_HDS_SHAPE',
    kind: 'value',
    status: PAYLOAD_ERROR,
    text: 'the body does not have the form of this message',
  },
  frameType: {
    code: 'WT_HDS_FRAME_TYPE',
    kind: 'malformed',
    text: 'the type of the frame must be 1',
  },
  authentication: {
    code: 'WT_HDS_AUTHENTICATION',
    kind: 'malformed',
    text: 'the frame was not sealed with this key and counter',
  },
  unauthenticated: {
    code: 'WT_HDS_UNAUTHENTICATED',
    kind: 'limit',
    text: 'the first frame is too large',
  },
  counter: {
    code: 'WT_HDS_COUNTER',
    kind: 'usage',
    text: 'the counter of the key is used up',
  },
} as const satisfies Record<string, ErrorEntry>

export const hdsError = (name: keyof typeof ERRORS, place?: ErrorPlace): WireError =>
  new WireError('hds', ERRORS[name], place)

const ROWS = new Map<number, ErrorEntry>([
  [E_HDS_TRUNCATED, { ...COMMON.truncated, status: PAYLOAD_ERROR }],
  ...Object.values(ERRORS).flatMap((row): [number, ErrorEntry][] => ('number' in row ? [[row.number, row]] : [])),
])

/** The fault of a kernel's number; inside of a message's header it costs another status. */
export function kernelError(number: number, inHeader: boolean, place: ErrorPlace): WireError {
  const row = ROWS.get(number)
  if (!row) throw new Error(`the hds error table lacks the number ${number}`)
  return new WireError('hds', inHeader ? { ...row, status: HEADER_ERROR } : row, place)
}
