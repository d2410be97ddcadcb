/* Equality and byte order of whole regions. Twin: bindings/portable/bytes.ts. */

/**
 * Whether `length` bytes at `a` equal those at `b`.
 *
 *   ├── 16 ──┼── 16 ──┼── …      whole blocks
 *             ├── 16 ──┤         the last block ends with the region, over bytes that were compared before
 */
export function equalBytes(a: u32, b: u32, length: u32): bool {
  if (length >= 16) {
    const last = length - 16
    for (let i: u32 = 0; i < last; i += 16) {
      if (v128.any_true(v128.xor(v128.load(a + i), v128.load(b + i)))) return false
    }
    return !v128.any_true(v128.xor(v128.load(a + last), v128.load(b + last)))
  }
  if (length >= 8) {
    const last = length - 8
    return ((load<u64>(a) ^ load<u64>(b)) | (load<u64>(a + last) ^ load<u64>(b + last))) == 0
  }
  if (length >= 4) {
    const last = length - 4
    return ((load<u32>(a) ^ load<u32>(b)) | (load<u32>(a + last) ^ load<u32>(b + last))) == 0
  }
  while (length) {
    length--
    if (load<u8>(a + length) != load<u8>(b + length)) return false
  }
  return true
}

/**
 * Turns the byte order of every 16-bit word in [p, end), which holds whole words.
 *
 *   0 1 2 3 4 5 6 7 …  →  1 0 3 2 5 4 7 6 …
 */
export function swap16(p: u32, end: u32): void {
  while (end - p >= 16) {
    const v = v128.load(p)
    v128.store(p, i8x16.shuffle(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))
    p += 16
  }
  for (; p < end; p += 2) store<u16>(p, bswap<u16>(load<u16>(p)))
}

/**
 * Turns the byte order of every 32-bit word in [p, end), which holds whole words.
 *
 *   0 1 2 3 4 5 6 7 …  →  3 2 1 0 7 6 5 4 …
 */
export function swap32(p: u32, end: u32): void {
  while (end - p >= 16) {
    const v = v128.load(p)
    v128.store(p, i8x16.shuffle(v, v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
    p += 16
  }
  for (; p < end; p += 4) store<u32>(p, bswap<u32>(load<u32>(p)))
}

/**
 * Turns the byte order of every 64-bit word in [p, end), which holds whole words.
 *
 *   0 1 2 3 4 5 6 7 …  →  7 6 5 4 3 2 1 0 …
 */
export function swap64(p: u32, end: u32): void {
  while (end - p >= 16) {
    const v = v128.load(p)
    v128.store(p, i8x16.shuffle(v, v, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8))
    p += 16
  }
  if (p < end) store<u64>(p, bswap<u64>(load<u64>(p)))
}
