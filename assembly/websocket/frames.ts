import { copy, get8, get16be, get32, put8, put32 } from 'lib/mem'
import { asciiPrefix, utf8Fault, utf8Scan } from 'lib/text'
import { xorCopy, xorMask, xorText } from 'lib/xor'
import { ST_DONE, ST_MORE } from '../abi/status'
import { UTF8_BETWEEN } from '../abi/text'
import {
  E_WS_LENGTH_OVERFLOW,
  E_WS_TOO_MANY_FRAGMENTS,
  E_WS_UTF8,
  OP_CLOSE,
  OP_CONTINUATION,
  OP_TEXT,
  WF_BEGIN,
  WF_BINARY,
  WF_CHANGED,
  WF_COMPRESSED,
  WF_END,
  WF_FIN,
  WF_HEADER_SHIFT,
  WF_NON_ASCII,
  WF_RSV1,
  WF_TEXT,
  WO_FRESH,
  WO_HOLD,
  WO_RAW,
  WO_SERVER,
  WP_CLOSED,
  WP_HEADER,
  WP_PAYLOAD,
  WR_BYTES,
  WR_DATA,
  WR_FLAGS,
  WR_KEY,
  WR_LENGTH,
  WR_START,
  WS_ACTUAL,
  WS_ACTUAL_HIGH,
  WS_AT,
  WS_BAD_AT,
  WS_BIAS,
  WS_DATA_AT,
  WS_FRAGMENTS,
  WS_FRAME,
  WS_HEADER,
  WS_HEADER_BYTES,
  WS_INPUT_AT,
  WS_KEY,
  WS_LEFT,
  WS_LEFT_HIGH,
  WS_MAX_FRAGMENTS,
  WS_MESSAGE,
  WS_PHASE,
  WS_QUOTA,
  WS_RECORDS_AT,
  WS_UTF8,
} from '../abi/websocket'
import { closeFault, lengthFault, plainTooLong, take } from './checks'
import { headerFault, headerFaultAt, lengthEnd, lengthHigh, lengthLow } from './header'

/** Unmasks [p, end) in place; `phase` (0..3) is the place of its first byte in the payload, modulo 4. */
export function wsUnmask(p: u32, end: u32, key: u32, phase: u32): void {
  xorMask(p, end, key, phase)
}

/**
 * Reads the frames of [input, end): a record on the tape for each, and for each further piece of a payload. Payloads are
 * unmasked in place, but those of text towards the front, so that many of them are one piece of text:
 *
 *   before   header t e x t 1 header t e x t 2 …
 *   after    t e x t 1 · · · t e x t 2 …             aligned as they came, NUL between
 *
 * and those of continuations to the end of the piece before, so that a message is in one piece.
 *
 * Returns an error number, ST_DONE: what follows WS_INPUT_AT starts a frame, between messages; or ST_MORE: something is
 * open, its state stands in the block. WS_INPUT_AT is before `end` where the tape is full or a frame was held back.
 */
export function wsScan(input: u32, end: u32, records: u32, recordsEnd: u32, options: u32): u32 {
  let phase: u32 = WP_HEADER
  let count: u32 = 0
  let left: u32 = 0
  let leftHigh: u32 = 0
  let key: u32 = 0
  let at: u32 = 0
  let frame: u32 = 0
  let message: u32 = 0
  if ((options & WO_FRESH) === 0) {
    phase = get32(WS_PHASE)
    count = get32(WS_HEADER_BYTES)
    left = get32(WS_LEFT)
    leftHigh = get32(WS_LEFT_HIGH)
    key = get32(WS_KEY)
    at = get32(WS_AT)
    frame = get32(WS_FRAME)
    message = get32(WS_MESSAGE)
  }
  const maskBit: u32 = (options & WO_SERVER) !== 0 ? 0x80 : 0
  const tooLong: u32 = plainTooLong()
  const plainFlags: u32 = WF_BEGIN + WF_END + WF_FIN + (maskBit >>> 2)
  const looks: bool = (options & WO_RAW) === 0
  let p: u32 = input
  let to: u32 = input
  let record: u32 = records
  let start: u32 = WS_BIAS
  let begin: u32 = 0
  let fault: u32 = 0
  /** Distance of the offending byte from WS_BIAS bytes before the input. */
  let badAt: u32 = 0

  for (;;) {
    // Most frames: a whole message of text or bytes, not compressed, and all of it here.
    while (phase === WP_HEADER && message === 0 && count === 0 && end - p >= 8 && recordsEnd - record >= WR_BYTES) {
      const b0: u32 = get8(p)
      const b1: u32 = get8(p + 1)
      const kind: u32 = b0 & 3
      if (b0 - kind !== 0x80 || kind === 0 || kind === 3 || (b1 & 0x80) !== maskBit) break
      let n: u32 = b1 & 127
      let q: u32 = p + 2
      if (n >= 126) {
        if (n === 127) break
        n = get16be(q)
        q = q + 2
      }
      if (n >= tooLong) break
      let k: u32 = 0
      if (maskBit !== 0) {
        k = get32(q)
        q = q + 4
      }
      if (q > end || n > end - q) break
      let flags: u32 = plainFlags + kind + (((q - p) << WF_HEADER_SHIFT) >>> 0)
      if (kind === OP_TEXT && looks) {
        const turn: u32 = (q - to) & 3
        if (turn !== 0 && q - to >= 4) {
          put32(to, 0)
          to = to + turn
        }
        const stop: u32 = to + n
        if (!xorText(q, q + n, to, k, 0)) {
          const bad: u32 = utf8Fault(to, stop, 0)
          if (bad !== 0) {
            fault = E_WS_UTF8
            badAt = q - input + WS_BIAS + (bad - to)
            break
          }
          flags = flags + WF_NON_ASCII
        }
        flags = flags + (WF_TEXT + WF_CHANGED)
      } else {
        to = q
        flags = flags + (kind === OP_TEXT ? WF_TEXT : WF_BINARY)
        if (k !== 0) {
          xorCopy(q, q + n, q, k, 0)
          flags = flags + WF_CHANGED
        }
      }
      put32(record + WR_FLAGS, flags)
      put32(record + WR_DATA, to - input)
      put32(record + WR_LENGTH, n)
      put32(record + WR_START, p - input + WS_BIAS)
      put32(record + WR_KEY, k)
      record = record + WR_BYTES
      to = to + n
      p = q + n
    }
    if (fault !== 0) break
    if (phase === WP_HEADER) {
      const have: u32 = end - p + count
      if (have < 2) {
        if (count === 0 && p === end) break
      }
      if (recordsEnd - record < WR_BYTES) break
      start = p - input + WS_BIAS - count
      let h: u32 = p
      if (count !== 0) {
        // The header began before this input: put its bytes together.
        h = WS_HEADER
        const room: u32 = 14 - count
        copy(WS_HEADER + count, p, end - p < room ? end - p : room)
      }
      let size: u32 = 14
      if (have >= 2) {
        const b0: u32 = get8(h)
        const b1: u32 = get8(h + 1)
        if (message !== 0 || (b1 & 0x80) !== maskBit || (b0 !== 0x82 && b0 !== 0x81)) {
          fault = headerFault(b0, b1, options, message)
          if (fault !== 0) {
            badAt = start + headerFaultAt(fault)
            break
          }
        }
        size = lengthEnd(b1)
        if (have >= size) {
          const low: u32 = lengthLow(h)
          const high: u32 = lengthHigh(h)
          const opcode: u32 = b0 & 15
          if (opcode < OP_CLOSE) {
            if (high > 0x1fffff) {
              put32(WS_ACTUAL, low)
              put32(WS_ACTUAL_HIGH, high)
              fault = E_WS_LENGTH_OVERFLOW
            } else fault = lengthFault(low, high, opcode !== OP_CONTINUATION)
            if (fault !== 0) {
              badAt = start + (size === 2 ? 1 : 2)
              break
            }
            const fragments: u32 = opcode === OP_CONTINUATION ? get32(WS_FRAGMENTS) : 0
            if (fragments >= get32(WS_MAX_FRAGMENTS)) {
              fault = E_WS_TOO_MANY_FRAGMENTS
              put32(WS_ACTUAL, fragments + 1)
              put32(WS_ACTUAL_HIGH, 0)
              badAt = start
              break
            }
          }
          if (maskBit !== 0) size = size + 4
          if (have >= size) {
            const body: u32 = p + (size - count)
            if ((options & WO_HOLD) !== 0 && record !== records && (high !== 0 || low > end - body)) {
              break
            }
            key = maskBit !== 0 ? get32(h + size - 4) : 0
            frame =
              (opcode | ((b0 & 0x80) >>> 1) | ((b0 & 0x40) >>> 2) | (maskBit >>> 2) | (size << WF_HEADER_SHIFT)) >>> 0
            if (opcode < OP_CLOSE) {
              if (opcode !== OP_CONTINUATION) {
                message = opcode === OP_TEXT ? WF_TEXT : WF_BINARY
                if ((frame & WF_RSV1) !== 0) message = message + WF_COMPRESSED
                put32(WS_FRAGMENTS, 1)
                put32(WS_UTF8, UTF8_BETWEEN)
              } else put32(WS_FRAGMENTS, get32(WS_FRAGMENTS) + 1)
              take(WS_QUOTA, low, high)
              frame = frame + message
            }
            p = body
            left = low
            leftHigh = high
            at = 0
            count = 0
            begin = WF_BEGIN
            phase = WP_PAYLOAD
          }
        }
      }
      if (phase === WP_HEADER) {
        // Cut off inside the header.
        if ((options & WO_HOLD) !== 0 && record !== records) break
        if (count === 0) copy(WS_HEADER, p, end - p)
        count = have
        p = end
        break
      }
    } else if (phase === WP_CLOSED) {
      p = end
      break
    }

    if (left === 0 && leftHigh === 0 && begin === 0) {
      // The binding has taken the rest of an opaque payload itself.
      const last: u32 = frame & 15
      phase = last === OP_CLOSE ? WP_CLOSED : WP_HEADER
      if (last < OP_CLOSE && (frame & WF_FIN) !== 0) message = 0
      continue
    }
    const whole: bool = leftHigh === 0 && left <= end - p
    const n: u32 = whole ? left : end - p
    if (n === 0 && begin === 0) break
    if (recordsEnd - record < WR_BYTES) break
    let flags: u32 = frame + begin + (whole ? WF_END : 0)
    const opcode: u32 = frame & 15
    const kind: u32 = (frame & (WF_TEXT + WF_COMPRESSED)) >>> 0
    const text: bool = kind === WF_TEXT && (options & WO_RAW) === 0
    if (key !== 0 || text) {
      const joined: bool = opcode === OP_CONTINUATION && begin !== 0 && (options & WO_RAW) === 0
      if (!joined) {
        if (text) {
          const gap: u32 = (p - to) & 3
          const aligned: u32 = to + gap
          while (to < aligned) {
            put8(to, 0)
            to++
          }
        } else to = p
      }
      flags = flags + WF_CHANGED
      xorCopy(p, p + n, to, key, at & 3)
    } else to = p
    const stop: u32 = to + n
    if (text) {
      let bad: u32 = to
      if (get32(WS_UTF8) === UTF8_BETWEEN) bad = asciiPrefix(to, stop)
      if (bad !== stop) {
        flags = flags + WF_NON_ASCII
        bad = utf8Scan(bad, stop, WS_UTF8)
        if (bad !== stop) {
          fault = E_WS_UTF8
          badAt = p - input + WS_BIAS + (bad - to)
          break
        }
      }
      if (whole && (frame & WF_FIN) !== 0 && get32(WS_UTF8) !== UTF8_BETWEEN) {
        fault = E_WS_UTF8
        badAt = p - input + WS_BIAS + n
        break
      }
    } else if (opcode === OP_CLOSE && (options & WO_RAW) === 0) {
      fault = closeFault(to, stop, at, whole)
      if (fault !== 0) {
        badAt = p - input + WS_BIAS + get32(WS_BAD_AT) - 1
        break
      }
    }
    put32(record + WR_FLAGS, flags)
    put32(record + WR_DATA, to - input)
    put32(record + WR_LENGTH, n)
    put32(record + WR_START, start)
    put32(record + WR_KEY, key)
    record = record + WR_BYTES
    to = stop
    p = p + n
    begin = 0
    if (whole) {
      left = 0
      phase = opcode === OP_CLOSE ? WP_CLOSED : WP_HEADER
      if (opcode < OP_CLOSE && (frame & WF_FIN) !== 0) message = 0
    } else {
      at = opcode < OP_CLOSE ? (at + n) & 3 : at + n
      if (left < n) {
        left = 0xffffffff - (n - left) + 1
        leftHigh = leftHigh - 1
      } else left = left - n
    }
  }

  put32(WS_INPUT_AT, p)
  put32(WS_RECORDS_AT, record)
  put32(WS_DATA_AT, to)
  if (fault !== 0) {
    put32(WS_BAD_AT, badAt)
    return fault
  }
  if (phase === WP_HEADER && message === 0 && count === 0) return ST_DONE
  put32(WS_PHASE, phase)
  put32(WS_HEADER_BYTES, count)
  put32(WS_LEFT, left)
  put32(WS_LEFT_HIGH, leftHigh)
  put32(WS_KEY, key)
  put32(WS_AT, at)
  put32(WS_FRAME, frame)
  put32(WS_MESSAGE, message)
  return ST_MORE
}
