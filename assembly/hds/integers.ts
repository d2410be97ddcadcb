import { get32, put8, put16, put32 } from 'lib/mem'
import { HF_UNSIGNED } from '../abi/hds'

/** Writes `count` integers, words from `p` on, each in the shortest form that is of at most 9 bytes; returns the end. */
export function hdsPackInts(p: u32, count: u32, out: u32, flags: u32): u32 {
  const end: u32 = p + ((count << 2) >>> 0)
  if ((flags & HF_UNSIGNED) !== 0) return packUnsigned(p, end, out)
  while (p < end) {
    const v: u32 = get32(p)
    p = p + 4
    // In each line the sum wraps around, so that the range begins at 0.
    if ((v + 1) >>> 0 <= 39) {
      put8(out, v + 8)
      out = out + 1
    } else if ((v + 0x8000) >>> 0 > 0xffff) {
      put8(out, 0x32)
      put32(out + 1, v)
      out = out + 5
    } else if ((v + 0x80) >>> 0 <= 0xff) {
      put8(out, 0x30)
      put8(out + 1, v)
      out = out + 2
    } else {
      put8(out, 0x31)
      put16(out + 1, v)
      out = out + 3
    }
  }
  return out
}

/** The same for OPACK: forms of up to 32 bits are unsigned, so that a negative integer takes 64. */
function packUnsigned(p: u32, end: u32, out: u32): u32 {
  while (p < end) {
    const v: u32 = get32(p)
    p = p + 4
    if ((v + 1) >>> 0 <= 40) {
      put8(out, v + 8)
      out = out + 1
    } else if (v >= 0x80000000) {
      put8(out, 0x33)
      put32(out + 1, v)
      put32(out + 5, 0xffffffff)
      out = out + 9
    } else if (v <= 0xff) {
      put8(out, 0x30)
      put8(out + 1, v)
      out = out + 2
    } else if (v <= 0xffff) {
      put8(out, 0x31)
      put16(out + 1, v)
      out = out + 3
    } else {
      put8(out, 0x32)
      put32(out + 1, v)
      out = out + 5
    }
  }
  return out
}
