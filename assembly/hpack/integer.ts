import { get8, put8, put32 } from 'lib/mem'
import { PS_FAULT_AT, PS_NEXT } from '../abi/hpack'

/*
 * Integers with a prefix (RFC 7541, section 5.1). The limit is ours, as the section allows: values below 2^32, and five
 * octets behind the prefix, counted even where they add nothing.
 */

/**
 * The integer whose prefix was full with `value` and goes on at `p`. PS_NEXT: the address after it; 0: `end` cuts it off;
 * 1: it is too large, PS_FAULT_AT says where that shows.
 */
export function readInteger(p: u32, end: u32, prefix: u32): u32 {
  let value: u32 = prefix
  let shift: u32 = 0
  let at: u32 = p
  put32(PS_NEXT, 0)
  while (at < end) {
    const b: u32 = get8(at)
    const part: u32 = b & 127
    if (shift === 28) {
      // The last octet: it has no successor, and four bits of room.
      if (b > 15 || (part << 28) >>> 0 > 0xffffffff - value) {
        put32(PS_FAULT_AT, at)
        put32(PS_NEXT, 1)
        return 0
      }
    }
    value = value + ((part << shift) >>> 0)
    at++
    if (b < 128) {
      put32(PS_NEXT, at)
      return value
    }
    shift = shift + 7
  }
  return 0
}

/** Writes `value` behind the bits of `first` with a prefix that is full at `max`; returns the end. */
export function writeInteger(out: u32, first: u32, max: u32, value: u32): u32 {
  if (value < max) {
    put8(out, first + value)
    return out + 1
  }
  put8(out, first + max)
  let rest: u32 = value - max
  let at: u32 = out + 1
  while (rest >= 128) {
    put8(at, (rest & 127) + 128)
    rest = rest >>> 7
    at++
  }
  put8(at, rest)
  return at + 1
}
