import { word } from 'lib/mem'
import { parseComplex, parseDecimal } from 'lib/number'
import { KW_POSITION } from '../abi/katcp'
import { wordEnd } from './escapes'

/*
 * Both read the arguments whose positions stand at `words` (one more than `count`; the bytes stand at `input`, the first at
 * position `base`) and stop at the first that is not stored exactly: it is malformed, or needs more than a float64 division.
 * They return how many were stored.
 */

/** Decimal numbers → one float64 each at `out`. */
export function katcpFloats(input: u32, base: u32, words: u32, count: u32, out: u32): u32 {
  let start: u32 = input + ((word(words) & KW_POSITION) - base)
  for (let i: u32 = 0; i < count; i++) {
    const next: u32 = input + ((word(words + ((i << 2) >>> 0) + 4) & KW_POSITION) - base)
    if (parseDecimal(start, wordEnd(start, next), out + ((i << 3) >>> 0)) !== 0) return i
    start = next
  }
  return count
}

/** Complex numbers → two float64 each at `out`: real, imaginary. */
export function katcpComplexes(input: u32, base: u32, words: u32, count: u32, out: u32): u32 {
  let start: u32 = input + ((word(words) & KW_POSITION) - base)
  for (let i: u32 = 0; i < count; i++) {
    const next: u32 = input + ((word(words + ((i << 2) >>> 0) + 4) & KW_POSITION) - base)
    if (parseComplex(start, wordEnd(start, next), out + ((i << 4) >>> 0)) !== 0) return i
    start = next
  }
  return count
}
