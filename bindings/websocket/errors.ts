import {
  E_WS_BAD_CLOSE_CODE,
  E_WS_BAD_OPCODE,
  E_WS_CLOSE_TOO_SHORT,
  E_WS_CONTROL_TOO_LONG,
  E_WS_EXPECTED_CONTINUATION,
  E_WS_FRAGMENTED_CONTROL,
  E_WS_FRAME_TOO_BIG,
  E_WS_LENGTH_OVERFLOW,
  E_WS_MASKED,
  E_WS_MESSAGE_TOO_BIG,
  E_WS_RESERVED_BITS,
  E_WS_TOO_MANY_FRAGMENTS,
  E_WS_UNEXPECTED_CONTINUATION,
  E_WS_UNEXPECTED_RSV1,
  E_WS_UNMASKED,
  E_WS_UTF8,
} from '../../assembly/abi/websocket'
import { type ErrorEntry, type ErrorPlace, kernelErrors, WireError } from '../core/error'

/** Every fault of WebSocket; `status` is the close code that the peer is owed (RFC 6455, section 7.4.1). */
export const ERRORS = {
  reservedBits: {
    number: E_WS_RESERVED_BITS,
    code: 'WT_WEBSOCKET_RESERVED_BITS',
    kind: 'malformed',
    status: 1002,
    text: 'RSV2 and RSV3 must be 0',
  },
  rsv1: {
    number: E_WS_UNEXPECTED_RSV1,
    code: 'WT_WEBSOCKET_UNEXPECTED_RSV1',
    kind: 'malformed',
    status: 1002,
    text: 'RSV1 is for the first frame of a message, and only where compression is agreed on',
  },
  opcode: {
    number: E_WS_BAD_OPCODE,
    code: 'WT_WEBSOCKET_BAD_OPCODE',
    kind: 'malformed',
    status: 1002,
    text: 'the opcode is not one of 0, 1, 2, 8, 9 and 10',
  },
  fragmentedControl: {
    number: E_WS_FRAGMENTED_CONTROL,
    code: 'WT_WEBSOCKET_FRAGMENTED_CONTROL',
    kind: 'malformed',
    status: 1002,
    text: 'a control frame must not be fragmented',
  },
  controlTooLong: {
    number: E_WS_CONTROL_TOO_LONG,
    code: 'WT_WEBSOCKET_CONTROL_TOO_LONG',
    kind: 'malformed',
    status: 1002,
    text: 'the payload of a control frame is at most 125 bytes',
  },
  closeTooShort: {
    number: E_WS_CLOSE_TOO_SHORT,
    code: 'WT_WEBSOCKET_CLOSE_TOO_SHORT',
    kind: 'malformed',
    status: 1002,
    text: 'a close frame is empty or starts with a code of two bytes',
  },
  closeCode: {
    number: E_WS_BAD_CLOSE_CODE,
    code: 'WT_WEBSOCKET_BAD_CLOSE_CODE',
    kind: 'malformed',
    status: 1002,
    text: 'a close frame must not carry that code',
  },
  unmasked: {
    number: E_WS_UNMASKED,
    code: 'WT_WEBSOCKET_UNMASKED',
    kind: 'malformed',
    status: 1002,
    text: 'a client must mask its frames',
  },
  masked: {
    number: E_WS_MASKED,
    code: 'WT_WEBSOCKET_MASKED',
    kind: 'malformed',
    status: 1002,
    text: 'a server must not mask its frames',
  },
  unexpectedContinuation: {
    number: E_WS_UNEXPECTED_CONTINUATION,
    code: 'WT_WEBSOCKET_UNEXPECTED_CONTINUATION',
    kind: 'malformed',
    status: 1002,
    text: 'there is no message to continue',
  },
  expectedContinuation: {
    number: E_WS_EXPECTED_CONTINUATION,
    code: 'WT_WEBSOCKET_EXPECTED_CONTINUATION',
    kind: 'malformed',
    status: 1002,
    text: 'the message before is not finished',
  },
  utf8: {
    number: E_WS_UTF8,
    code: 'WT_WEBSOCKET_UTF8',
    kind: 'malformed',
    status: 1007,
    text: 'the text is not UTF-8',
  },
  tooManyFragments: {
    number: E_WS_TOO_MANY_FRAGMENTS,
    code: 'WT_WEBSOCKET_TOO_MANY_FRAGMENTS',
    kind: 'limit',
    status: 1008,
    text: 'the message has more frames than allowed',
  },
  messageTooBig: {
    number: E_WS_MESSAGE_TOO_BIG,
    code: 'WT_WEBSOCKET_MESSAGE_TOO_BIG',
    kind: 'limit',
    status: 1009,
    text: 'the message is longer than allowed',
  },
  frameTooBig: {
    number: E_WS_FRAME_TOO_BIG,
    code: 'WT_WEBSOCKET_FRAME_TOO_BIG',
    kind: 'limit',
    status: 1009,
    text: 'the frame is longer than allowed',
  },
  lengthOverflow: {
    number: E_WS_LENGTH_OVERFLOW,
    code: 'WT_WEBSOCKET_LENGTH_OVERFLOW',
    kind: 'limit',
    status: 1009,
    text: 'the length of the frame is above 2^53 - 1',
  },
  inflate: {
    code: 'WT_WEBSOCKET_INFLATE',
    kind: 'malformed',
    status: 1007,
    text: 'the compressed message is not DEFLATE',
  },
  inflateRatio: {
    code: 'WT_WEBSOCKET_INFLATE_RATIO',
    kind: 'limit',
    status: 1009,
    text: 'the compressed message becomes more bytes than allowed',
  },
  interleaved: {
    code: 'WT_WEBSOCKET_INTERLEAVED',
    kind: 'malformed',
    text: 'a control frame stands inside the message: a Decoder gives both',
  },
  closed: {
    code: 'WT_WEBSOCKET_CLOSED',
    kind: 'malformed',
    text: 'nothing is read after a close frame',
  },
  value: {
    code: 'WT_WEBSOCKET_VALUE',
    kind: 'value',
    text: 'not a message that can be sent',
  },
  handshake: {
    code: 'WT_WEBSOCKET_HANDSHAKE',
    kind: 'malformed',
    status: 400,
    text: 'not a WebSocket handshake',
  },
  version: {
    code: 'WT_WEBSOCKET_VERSION',
    kind: 'malformed',
    status: 426,
    text: 'the version of the protocol must be 13',
  },
  extensions: {
    code: 'WT_WEBSOCKET_EXTENSIONS',
    kind: 'malformed',
    status: 400,
    text: 'the header of the extensions is malformed',
  },
  deflateParameter: {
    code: 'WT_WEBSOCKET_DEFLATE_PARAMETER',
    kind: 'malformed',
    status: 400,
    text: 'a parameter of permessage-deflate is not valid',
  },
} as const satisfies Record<string, ErrorEntry>

/** The error of a kernel's number. */
export const kernelError = kernelErrors('websocket', ERRORS)

/** A fault by its name in the table. */
export const websocketError = (name: keyof typeof ERRORS, place?: ErrorPlace): WireError =>
  new WireError('websocket', ERRORS[name], place)
