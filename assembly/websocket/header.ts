import { get8, get32, get32be } from 'lib/mem'
import {
  E_WS_BAD_OPCODE,
  E_WS_CLOSE_TOO_SHORT,
  E_WS_CONTROL_TOO_LONG,
  E_WS_EXPECTED_CONTINUATION,
  E_WS_FRAGMENTED_CONTROL,
  E_WS_MASKED,
  E_WS_RESERVED_BITS,
  E_WS_UNEXPECTED_CONTINUATION,
  E_WS_UNEXPECTED_RSV1,
  E_WS_UNMASKED,
  MAX_CONTROL,
  OP_BINARY,
  OP_CLOSE,
  OP_CONTINUATION,
  OP_PONG,
  WO_DEFLATE,
  WO_SERVER,
} from '../abi/websocket'

/** Which of the first two bytes of a frame shows the fault: 0 or 1. */
export function headerFaultAt(fault: u32): u32 {
  const second: bool =
    fault === E_WS_CONTROL_TOO_LONG ||
    fault === E_WS_CLOSE_TOO_SHORT ||
    fault === E_WS_UNMASKED ||
    fault === E_WS_MASKED
  return second ? 1 : 0
}

/**
 * The fault of the first two bytes of a frame, 0: none (RFC 6455, sections 5.1, 5.2, 5.4, 5.5; RFC 7692, section 6).
 * `message` is 0 between messages. The order is that of ws, so that a frame with several faults has one name.
 */
export function headerFault(b0: u32, b1: u32, options: u32, message: u32): u32 {
  const opcode: u32 = b0 & 15
  const rsv1: bool = (b0 & 0x40) !== 0
  const length: u32 = b1 & 127
  if ((b0 & 0x30) !== 0) return E_WS_RESERVED_BITS
  if (rsv1 && (options & WO_DEFLATE) === 0) return E_WS_UNEXPECTED_RSV1
  if (opcode === OP_CONTINUATION) {
    if (rsv1) return E_WS_UNEXPECTED_RSV1
    if (message === 0) return E_WS_UNEXPECTED_CONTINUATION
  } else if (opcode <= OP_BINARY) {
    if (message !== 0) return E_WS_EXPECTED_CONTINUATION
  } else if (opcode >= OP_CLOSE && opcode <= OP_PONG) {
    if ((b0 & 0x80) === 0) return E_WS_FRAGMENTED_CONTROL
    if (rsv1) return E_WS_UNEXPECTED_RSV1
    if (length > MAX_CONTROL) return E_WS_CONTROL_TOO_LONG
    if (opcode === OP_CLOSE && length === 1) return E_WS_CLOSE_TOO_SHORT
  } else return E_WS_BAD_OPCODE
  const masked: bool = (b1 & 0x80) !== 0
  const server: bool = (options & WO_SERVER) !== 0
  if (masked !== server) return masked ? E_WS_MASKED : E_WS_UNMASKED
  return 0
}

/** Bytes of a header up to the end of the length, by its second byte. */
export function lengthEnd(b1: u32): u32 {
  const length: u32 = b1 & 127
  if (length < 126) return 2
  return length === 126 ? 4 : 10
}

/** High half of the payload length of the header at `h`. */
export function lengthHigh(h: u32): u32 {
  return (get8(h + 1) & 127) === 127 ? get32be(h + 2) : 0
}

/** Low half of the payload length of the header at `h`. Longer forms than needed are taken: section 5.2 binds the sender alone. */
export function lengthLow(h: u32): u32 {
  const length: u32 = get8(h + 1) & 127
  if (length < 126) return length
  if (length === 126) return ((get8(h + 2) << 8) >>> 0) + get8(h + 3)
  return get32be(h + 6)
}

/** Whether the number (high, low) is above that in the two words at `limit`. */
export function isAbove(low: u32, high: u32, limit: u32): bool {
  const limitHigh: u32 = get32(limit + 4)
  return high > limitHigh || (high === limitHigh && low > get32(limit))
}

/** Whether a close frame may carry that code (section 7.4; the registry has 1012 to 1014 since). */
export function isCloseCode(code: u32): bool {
  if (code < 1000 || code > 4999) return false
  if (code >= 3000) return true
  return code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006
}

/** Bytes of the header that a payload of so many bytes gets. */
export function headerLength(length: u32, masked: bool): u32 {
  const key: u32 = masked ? 4 : 0
  if (length < 126) return 2 + key
  return length < 0x10000 ? 4 + key : 10 + key
}
