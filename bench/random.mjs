// Numbers that are the same in every run, so that two revisions are measured on the same bytes.

/** mulberry32: a small generator whose whole state is one 32-bit word. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A whole number from 0 to below `limit`. */
export const below = (next, limit) => Math.floor(next() * limit)

export const pick = (next, list) => list[below(next, list.length)]
