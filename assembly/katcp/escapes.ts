import { get8, setWord, word } from 'lib/mem'
import { isEscape, unescapeWord } from 'lib/words'
import {
  E_KATCP_BAD_ESCAPE,
  E_KATCP_BAD_TYPE,
  E_KATCP_SPECIAL,
  E_KATCP_TRAILING_ESCAPE,
  KS_BAD,
  KS_BAD_AT,
  KW_POSITION,
} from '../abi/katcp'
import { isBlank, isLineEnd, lineType } from './lines'

/** End of an argument at `start` whose successor is at `next`: whatever blanks stand between are not its own. */
export function wordEnd(start: u32, next: u32): u32 {
  let end: u32 = next - 1
  while (end > start && isBlank(get8(end - 1))) end = end - 1
  return end
}

/**
 * Unescapes `count` arguments of a line whose bytes stand at `input`, the first of them at position `base`. `words` holds
 * their positions and one more; each is replaced by the end of its text, counted from `out`. Returns the end of the text.
 */
export function katcpUnescape(input: u32, base: u32, words: u32, count: u32, out: u32): u32 {
  let text: u32 = out
  let start: u32 = input + ((word(words) & KW_POSITION) - base)
  const last: u32 = words + ((count << 2) >>> 0)
  const limit: u32 = input + ((word(last) & KW_POSITION) - base) - 1
  for (let at: u32 = words; at < last; at = at + 4) {
    const next: u32 = input + ((word(at + 4) & KW_POSITION) - base)
    text = unescapeWord(start, wordEnd(start, next), limit, text)
    setWord(at, text - out)
    start = next
  }
  return text
}

function isSpecial(b: u32): bool {
  return b === 0 || b === 27 || isBlank(b) || isLineEnd(b)
}

/**
 * Names the error of a bad line [p, end) in katcp-python's order: the type; then each argument from the left, where a raw
 * special byte beats a bad escape; then the name and the id, for which KS_BAD and KS_BAD_AT have the verdict of katcpScan.
 * Returns the error number and leaves its place in the line in KS_BAD_AT.
 */
export function katcpDiagnose(p: u32, end: u32): u32 {
  if (p < end && lineType(get8(p)) === 0) {
    setWord(KS_BAD_AT, 0)
    return E_KATCP_BAD_TYPE
  }
  let at: u32 = p
  while (at < end && !isBlank(get8(at))) at++
  while (at < end) {
    while (at < end && isBlank(get8(at))) at++
    let stop: u32 = at
    while (stop < end && !isBlank(get8(stop))) {
      if (isSpecial(get8(stop))) {
        setWord(KS_BAD_AT, stop - p)
        return E_KATCP_SPECIAL
      }
      stop++
    }
    while (at < stop) {
      if (get8(at) === 0x5c) {
        at++
        if (at === stop) {
          setWord(KS_BAD_AT, at - p)
          return E_KATCP_TRAILING_ESCAPE
        }
        if (!isEscape(get8(at))) {
          setWord(KS_BAD_AT, at - p)
          return E_KATCP_BAD_ESCAPE
        }
      }
      at++
    }
  }
  return word(KS_BAD)
}
