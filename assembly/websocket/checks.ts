import { get8, get32, put32 } from 'lib/mem'
import { utf8Scan } from 'lib/text'
import { UTF8_BETWEEN } from '../abi/text'
import {
  E_WS_BAD_CLOSE_CODE,
  E_WS_FRAME_TOO_BIG,
  E_WS_MESSAGE_TOO_BIG,
  E_WS_UTF8,
  WS_ACTUAL,
  WS_ACTUAL_HIGH,
  WS_BAD_AT,
  WS_CODE,
  WS_MAX_FRAGMENTS,
  WS_MAX_FRAME,
  WS_MAX_FRAME_HIGH,
  WS_MAX_MESSAGE,
  WS_MAX_MESSAGE_HIGH,
  WS_QUOTA,
  WS_QUOTA_HIGH,
  WS_UTF8,
} from '../abi/websocket'
import { isAbove, isCloseCode } from './header'

/** The shortest payload that breaks a limit as a message in one frame, or whose length needs more than 16 bits. */
export function plainTooLong(): u32 {
  if (get32(WS_MAX_FRAGMENTS) === 0) return 0
  let most: u32 = 0xffff
  if (get32(WS_MAX_MESSAGE_HIGH) === 0 && get32(WS_MAX_MESSAGE) < most) most = get32(WS_MAX_MESSAGE)
  if (get32(WS_MAX_FRAME_HIGH) === 0 && get32(WS_MAX_FRAME) < most) most = get32(WS_MAX_FRAME)
  return most + 1
}

/** Takes (low, high) from the number in the two words at `quota`, which is not smaller. */
export function take(quota: u32, low: u32, high: u32): void {
  const has: u32 = get32(quota)
  const borrow: u32 = low > has ? 1 : 0
  put32(quota, borrow === 0 ? has - low : 0xffffffff - (low - has) + 1)
  put32(quota + 4, get32(quota + 4) - high - borrow)
}

/**
 * The fault that the length of a data frame makes against the limits, 0: none; what came is left in WS_ACTUAL.
 * `first`: the frame begins a message. Whole messages are counted by what their frames say, before any payload has come.
 */
export function lengthFault(low: u32, high: u32, first: bool): u32 {
  put32(WS_ACTUAL, low)
  put32(WS_ACTUAL_HIGH, high)
  if (first) {
    put32(WS_QUOTA, get32(WS_MAX_MESSAGE))
    put32(WS_QUOTA_HIGH, get32(WS_MAX_MESSAGE_HIGH))
  }
  if (isAbove(low, high, WS_QUOTA)) return E_WS_MESSAGE_TOO_BIG
  return isAbove(low, high, WS_MAX_FRAME) ? E_WS_FRAME_TOO_BIG : 0
}

/**
 * Looks into the bytes [p, stop) of a close payload, `at` bytes of which came before. Returns the error number, 0: none;
 * the offending byte's distance from `p`, plus 1, is left in WS_BAD_AT.
 */
export function closeFault(p: u32, stop: u32, at: u32, last: bool): u32 {
  let q: u32 = p
  let place: u32 = at
  if (place === 0 && q < stop) {
    put32(WS_CODE, get8(q))
    put32(WS_UTF8, UTF8_BETWEEN)
    q++
    place++
  }
  if (place === 1 && q < stop) {
    if (!isCloseCode(((get32(WS_CODE) << 8) >>> 0) + get8(q))) {
      put32(WS_BAD_AT, q - p)
      return E_WS_BAD_CLOSE_CODE
    }
    q++
  }
  if (q < stop) {
    const bad: u32 = utf8Scan(q, stop, WS_UTF8)
    if (bad !== stop) {
      put32(WS_BAD_AT, bad - p + 1)
      return E_WS_UTF8
    }
  }
  if (last && at + (stop - p) > 1 && get32(WS_UTF8) !== UTF8_BETWEEN) {
    put32(WS_BAD_AT, stop - p + 1)
    return E_WS_UTF8
  }
  return 0
}
