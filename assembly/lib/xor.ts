/*
 * The masking of WebSocket payloads (RFC 6455, section 5.3): XOR with four key bytes, over and over.
 * Twin: bindings/portable/xor.ts.
 */

/**
 * Writes [from, end) XOR key at `to`. `key` is the four key bytes as they stand on the wire, read little-endian; `phase`
 * (0..3) is the key byte that meets the first byte: the place in the payload, modulo 4. Exactly end - from bytes are
 * written. The regions may be one and the same, or overlap with `to` below `from`.
 *
 *   payload  p0 p1 p2 p3 p4 p5 p6 p7 …    64, then 16, then 8, 4, 2, 1 at a time
 *   key      k1 k2 k3 k0 k1 k2 k3 k0      phase 1: the key rotated once, whole words from there on
 */
export function xorCopy(from: u32, end: u32, to: u32, key: u32, phase: u32): void {
  const k = rotr<u32>(key, phase << 3)
  const wide = i32x4.splat(k)
  while (end - from >= 64) {
    const a = v128.xor(v128.load(from), wide)
    const b = v128.xor(v128.load(from, 16), wide)
    const c = v128.xor(v128.load(from, 32), wide)
    const d = v128.xor(v128.load(from, 48), wide)
    v128.store(to, a)
    v128.store(to, b, 16)
    v128.store(to, c, 32)
    v128.store(to, d, 48)
    from += 64
    to += 64
  }
  while (end - from >= 16) {
    v128.store(to, v128.xor(v128.load(from), wide))
    from += 16
    to += 16
  }
  const rest = end - from
  if (rest & 8) {
    store<u64>(to, load<u64>(from) ^ i64x2.extract_lane(wide, 0))
    from += 8
    to += 8
  }
  if (rest & 4) {
    store<u32>(to, load<u32>(from) ^ k)
    from += 4
    to += 4
  }
  if (rest & 2) {
    store<u16>(to, load<u16>(from) ^ k)
    from += 2
    to += 2
  }
  if (rest & 1) store<u8>(to, load<u8>(from) ^ (rest & 2 ? k >>> 16 : k))
}

/**
 * As xorCopy, and whether every byte that was written is ASCII.
 *
 *   seen   OR of all blocks: a lane is negative where one of its bytes was ≥ 0x80
 */
export function xorText(from: u32, end: u32, to: u32, key: u32, phase: u32): bool {
  const k = rotr<u32>(key, phase << 3)
  const wide = i32x4.splat(k)
  let seen = i32x4.splat(0)
  while (end - from >= 64) {
    const a = v128.xor(v128.load(from), wide)
    const b = v128.xor(v128.load(from, 16), wide)
    const c = v128.xor(v128.load(from, 32), wide)
    const d = v128.xor(v128.load(from, 48), wide)
    v128.store(to, a)
    v128.store(to, b, 16)
    v128.store(to, c, 32)
    v128.store(to, d, 48)
    seen = v128.or(v128.or(v128.or(a, b), v128.or(c, d)), seen)
    from += 64
    to += 64
  }
  while (end - from >= 16) {
    const a = v128.xor(v128.load(from), wide)
    v128.store(to, a)
    seen = v128.or(seen, a)
    from += 16
    to += 16
  }
  const rest = end - from
  let last: u64 = 0
  if (rest & 8) {
    last = load<u64>(from) ^ i64x2.extract_lane(wide, 0)
    store<u64>(to, last)
    from += 8
    to += 8
  }
  if (rest & 4) {
    const a = load<u32>(from) ^ k
    store<u32>(to, a)
    last |= a
    from += 4
    to += 4
  }
  if (rest & 2) {
    const a = <u32>load<u16>(from) ^ (k & 0xffff)
    store<u16>(to, a)
    last |= a
    from += 2
    to += 2
  }
  if (rest & 1) {
    const a = <u32>load<u8>(from) ^ ((rest & 2 ? k >>> 16 : k) & 0xff)
    store<u8>(to, a)
    last |= a
  }
  return i8x16.bitmask(seen) == 0 && (last & 0x8080808080808080) == 0
}

/** XORs [p, end) in place; `key` and `phase` as in xorCopy. */
export function xorMask(p: u32, end: u32, key: u32, phase: u32): void {
  if (key != 0) xorCopy(p, end, p, key, phase)
}
