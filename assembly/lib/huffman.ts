/*
 * The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B). Twin: bindings/portable/huffman.ts.
 */
import {
  H_BITS,
  H_DECODE,
  H_ENCODE,
  H_EOS,
  H_LENGTHS,
  H_LONGEST,
  H_OCTETS,
  H_READY,
  H_SHORTEST,
  HF_BAD_PADDING,
  HF_EOS,
  HF_LONG_PADDING,
  HF_NONE,
} from '../abi/huffman'

/** Length of the code of each octet and of EOS. */
const LENGTHS = memory.data<u8>([
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
])

/** Length of the code that `bits` start with, to the left. */
function codeLength(bits: u32): u32 {
  let length = H_SHORTEST
  while (bits > load<u32>(H_LENGTHS + (length << 3))) length++
  return length
}

/** Octet of the code of that length that `bits` start with; H_EOS. */
function octetOf(bits: u32, length: u32): u32 {
  const place = (bits >>> (32 - length)) + load<u32>(H_LENGTHS + (length << 3), 4)
  return load<u16>(H_OCTETS + (place << 1))
}

function build(): void {
  let code: u32 = 0
  let place: u32 = 0
  for (let length = H_SHORTEST; length <= H_LONGEST; length++) {
    const shift = 32 - length
    store<u32>(H_LENGTHS + (length << 3), place - (code >>> shift), 4)
    for (let octet: u32 = 0; octet <= H_EOS; octet++) {
      if (load<u8>(LENGTHS + octet) != length) continue
      if (octet != H_EOS) {
        store<u32>(H_ENCODE + (octet << 3), code >>> shift)
        store<u32>(H_ENCODE + (octet << 3), length, 4)
      }
      store<u16>(H_OCTETS + (place << 1), octet)
      place++
      code += 1 << shift
    }
    store<u32>(H_LENGTHS + (length << 3), code - 1)
  }
  for (let index: u32 = 0; index < 1 << H_BITS; index++) {
    let bits = ~(index << (32 - H_BITS))
    let used: u32 = 0
    let octets: u32 = 0
    let entry: u32 = 0
    for (let count: u32 = 0; count < 2; count++) {
      const length = codeLength(bits)
      used += length
      if (used > H_BITS) break
      octets |= octetOf(bits, length) << (count << 3)
      entry = used | (octets << 8) | ((count + 1) << 24)
      bits = ~(~bits << length)
    }
    store<u32>(H_DECODE + (index << 2), entry)
  }
  store<u32>(H_READY, 1)
}

/** The next 8 bytes as bits, the first to the left. */
function bitsAt(p: u32): u64 {
  const v = v128.load64_zero(p)
  return i64x2.extract_lane(i8x16.swizzle(v, i8x16(7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)), 0)
}

/**
 * Writes the octets that [p, end) stands for at `out` and returns their end; 0: the string is bad, see huffmanFault.
 * There are at most 8/5 as many; up to 4 bytes behind them are overwritten, and 8 bytes behind `end` looked at.
 *
 *   bits      0 0 1 1 1 | 1 0 0 0 0 1 | 1 … 1        12 bits are looked up at once: octets of one or two codes,
 *   inverted  1 1 0 0 0 | 0 1 1 1 1 0 | 0 … 0        how many bits they have. 64 are held, at least 56 after a refill.
 */
export function huffmanDecode(p: u32, end: u32, out: u32): u32 {
  if (load<u32>(H_READY) == 0) build()
  let acc: u64 = 0
  /** Bits in `acc` that count; a long code across the end makes it negative. */
  let n: i32 = 0
  while (end - p >= 8) {
    acc |= ~bitsAt(p) >>> <u64>n
    p += (63 - n) >>> 3
    n |= 56
    for (let step: u32 = 0; step < 4; step++) {
      const entry = load<u32>(H_DECODE + ((<u32>(acc >>> (64 - H_BITS))) << 2))
      if (entry == 0) {
        if (step != 0) break
        const bits = ~(<u32>(acc >>> 32))
        const length = codeLength(bits)
        const octet = octetOf(bits, length)
        if (octet == H_EOS) return 0
        store<u8>(out++, octet)
        acc <<= <u64>length
        n -= length
        break
      }
      store<u16>(out, entry >>> 8)
      out += entry >>> 24
      // A shift counts modulo 64: of the entry, the bits used.
      acc <<= <u64>entry
      n -= entry & 63
    }
  }
  for (;;) {
    const left = end - p
    if (left != 0) {
      // Zeros behind the last octet: inverted, that is how padding goes on.
      acc |= (~bitsAt(p) & ~(<u64>-1 >>> <u64>(left << 3))) >>> <u64>n
      const taken = min<u32>(left, (63 - n) >>> 3)
      p += taken
      n += taken << 3
    }
    if (acc == 0 && p == end) return n < 8 ? out : 0
    const entry = load<u32>(H_DECODE + ((<u32>(acc >>> (64 - H_BITS))) << 2))
    let used: u32
    if (entry == 0) {
      const bits = ~(<u32>(acc >>> 32))
      used = codeLength(bits)
      const octet = octetOf(bits, used)
      if (octet == H_EOS) return 0
      store<u8>(out++, octet)
    } else {
      store<u16>(out, entry >>> 8)
      out += entry >>> 24
      used = entry & 63
    }
    acc <<= <u64>used
    n -= used
    if (n < 0) break
  }
  return 0
}

/**
 * The first fault of the coded string [p, end), and at `at` the address of the octet that shows it. `whole` false: more
 * octets follow, so that only EOS can be a fault.
 */
export function huffmanFault(p: u32, end: u32, whole: bool, at: u32): u32 {
  if (load<u32>(H_READY) == 0) build()
  let bits: u64 = 0
  let n: u32 = 0
  let kind = HF_NONE
  for (;;) {
    while (n <= 32 && p < end) {
      const byte: u64 = load<u8>(p++) ^ 0xff
      const room: u64 = 56 - n
      bits |= byte << room
      n += 8
    }
    const window = ~(<u32>(bits >>> 32))
    const length = codeLength(window)
    if (length > n) {
      store<u32>(at, end - 1)
      if (!whole || (bits == 0 && n < 8)) kind = HF_NONE
      else kind = bits == 0 ? HF_LONG_PADDING : HF_BAD_PADDING
      break
    }
    if (octetOf(window, length) == H_EOS) {
      // Its last bit stands in the octet that ends n - 30 bits before what was read.
      store<u32>(at, p - 1 - ((n - length) >>> 3))
      kind = HF_EOS
      break
    }
    bits <<= <u64>length
    n -= length
  }
  return kind
}

/**
 * Writes the code of [p, end) at `out`, padded with ones, and returns its end: at most 30/8 as many octets. Up to 8 bytes
 * behind them are overwritten.
 *
 * Four octets at a time: their codes are joined first, which does not wait for what came before, then put behind the at
 * most 7 bits that are over.
 */
export function huffmanEncode(p: u32, end: u32, out: u32): u32 {
  if (load<u32>(H_READY) == 0) build()
  let over: u64 = 0
  let n: u32 = 0
  while (end - p >= 4) {
    const a = load<u64>(H_ENCODE + ((<u32>load<u8>(p)) << 3))
    const b = load<u64>(H_ENCODE + ((<u32>load<u8>(p, 1)) << 3))
    const c = load<u64>(H_ENCODE + ((<u32>load<u8>(p, 2)) << 3))
    const d = load<u64>(H_ENCODE + ((<u32>load<u8>(p, 3)) << 3))
    const second = b >>> 32
    const fourth = d >>> 32
    const right = (c >>> 32) + fourth
    const length = <u32>((a >>> 32) + second + right)
    if (length > 56) break
    const low = ((c & 0xffffffff) << fourth) | (d & 0xffffffff)
    const high = ((a & 0xffffffff) << second) | (b & 0xffffffff)
    const code = (high << right) | low
    over = (over << (<u64>length)) | code
    n += length
    const room: u64 = 64 - n
    storeBits(out, over << room)
    out += n >>> 3
    n &= 7
    p += 4
  }
  while (p < end) {
    const entry = load<u64>(H_ENCODE + ((<u32>load<u8>(p++)) << 3))
    const length = <u32>(entry >>> 32)
    over = (over << (<u64>length)) | (entry & 0xffffffff)
    n += length
    const room: u64 = 64 - n
    storeBits(out, over << room)
    out += n >>> 3
    n &= 7
  }
  if (n != 0) store<u8>(out++, <u8>(((<u32>over) << (8 - n)) | (0xff >>> n)))
  return out
}

/** Writes 8 bytes, the bits to the left first. */
function storeBits(out: u32, bits: u64): void {
  v128.store64_lane(out, i8x16.swizzle(i64x2.splat(bits), i8x16(7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)), 0)
}
