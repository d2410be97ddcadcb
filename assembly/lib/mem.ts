/*
 * Bytes, 16- and 32-bit words of linear memory, and the few operators that JavaScript does not have for them.
 * Addresses and values are u32; words may stand anywhere, aligned or not. Twin: bindings/portable/mem.ts.
 */

export function get8(p: u32): u32 {
  return load<u8>(p)
}

export function put8(p: u32, v: u32): void {
  store<u8>(p, <u8>v)
}

/** Little-endian 16 bits. */
export function get16(p: u32): u32 {
  return load<u16>(p)
}

export function put16(p: u32, v: u32): void {
  store<u16>(p, <u16>v)
}

/** Big-endian 16 bits: network order. */
export function get16be(p: u32): u32 {
  return bswap<u16>(load<u16>(p))
}

export function put16be(p: u32, v: u32): void {
  store<u16>(p, bswap<u16>(<u16>v))
}

/** Little-endian 32 bits. */
export function get32(p: u32): u32 {
  return load<u32>(p)
}

export function put32(p: u32, v: u32): void {
  store<u32>(p, v)
}

/** The 32 bits at an address that is a multiple of 4: the state block and the tapes. The quickest access that JavaScript has. */
export function word(p: u32): u32 {
  return load<u32>(p)
}

export function setWord(p: u32, v: u32): void {
  store<u32>(p, v)
}

/** Big-endian 32 bits. */
export function get32be(p: u32): u32 {
  return bswap<u32>(load<u32>(p))
}

export function put32be(p: u32, v: u32): void {
  store<u32>(p, bswap<u32>(v))
}

/** The low 32 bits of a product. */
export function mul(a: u32, b: u32): u32 {
  return a * b
}

/** Copies `length` bytes; the regions may overlap. */
export function copy(to: u32, from: u32, length: u32): void {
  memory.copy(to, from, length)
}

/** Sets `length` bytes to `value`. */
export function fill(p: u32, value: u32, length: u32): void {
  memory.fill(p, <u8>value, length)
}

/**
 * Copies `length` bytes of regions that do not overlap, in blocks of 16: up to 15 bytes behind both are read and overwritten.
 * For short texts a call of the engine's copy costs more than the bytes.
 */
export function copyBlocks(to: u32, from: u32, length: u32): void {
  const end = to + length
  while (to < end) {
    v128.store(to, v128.load(from))
    to += 16
    from += 16
  }
}
