import { escapeWords } from 'lib/words'

/**
 * Escapes [input, end) to `out`. `split` 1: the input is a whole message without its line end, its parts separated by NUL;
 * 0: one argument. State in KS_COUNT and KS_WORD, see lib/words. Returns the end of the output.
 */
export function katcpEscape(input: u32, end: u32, out: u32, split: u32): u32 {
  return escapeWords(input, end, out, split !== 0)
}
