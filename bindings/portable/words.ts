/* Twin of assembly/lib/words.ts. */
import {
  KF_BLANKS,
  KF_ESCAPED,
  KF_NON_ASCII,
  KF_WORD_ESCAPED,
  KS_COUNT,
  KS_FLAGS,
  KS_WORD,
  KS_WORDS_AT,
  KW_ESCAPED,
} from '../../assembly/abi/katcp'
import { heapBytes, heapView, heapWords } from './mem'

const NOTHING = -2
const INVALID = -1

/** Letter after the backslash → byte that it stands for. */
const ESCAPES: readonly (readonly [string, number])[] = [
  ['\\', 0x5c],
  ['_', 0x20],
  ['0', 0],
  ['n', 10],
  ['r', 13],
  ['e', 27],
  ['t', 9],
]
const MEANING = new Int16Array(256).fill(INVALID)
const LETTER = new Uint8Array(256)
MEANING[0x40] = NOTHING
for (const [letter, byte] of ESCAPES) {
  MEANING[letter.charCodeAt(0)] = byte
  LETTER[byte] = letter.charCodeAt(0)
}

export const isEscape = (b: number): boolean => MEANING[b] !== INVALID

export function skipName(p: number, end: number): number {
  const heap = heapBytes()
  while (p < end) {
    const b = heap[p]!
    const lower = b | 0x20
    if ((lower < 97 || lower > 122) && (b < 48 || b > 57) && b !== 45) return p
    p++
  }
  return end
}

export function skipLine(p: number, end: number): number {
  const heap = heapBytes()
  while (p < end) {
    const b = heap[p]!
    if (b === 10 || b === 13) return p
    p++
  }
  return end
}

/** Non-zero if one of the four bytes is ≤ 0x20 or a backslash (a borrow may add bytes to the left of one, never to none). */
const hasSpecial = (w: number): number => {
  const slash = w ^ 0x5c5c5c5c
  return (((w - 0x21212121) & ~w) | ((slash - 0x01010101) & ~slash)) & 0x80808080
}

export function scanWords(p: number, end: number, input: number, base: number, out: number, outEnd: number): number {
  const heap = heapBytes()
  const words = heapWords()
  const shift = base - input
  let word = words[KS_WORD >>> 2]!
  let flags = words[KS_FLAGS >>> 2]!
  let mark = flags & KF_WORD_ESCAPED ? KW_ESCAPED : 0
  let all = 0
  while (p < end) {
    if ((p & 3) === 0) {
      const last = end - 4
      while (p <= last) {
        const four = words[p >>> 2]! | 0
        if (hasSpecial(four) !== 0) break
        all |= four
        p += 4
      }
      if (p >= end) break
    }
    const b = heap[p]!
    if (b > 0x20 && b !== 0x5c) {
      all |= b
      p++
    } else if (b === 0x20 || b === 9) {
      const at = p + shift
      if (at !== word) {
        if (out === outEnd) break
        words[out >>> 2] = word | mark
        out += 4
      } else flags |= KF_BLANKS
      word = at + 1
      mark = 0
      p++
    } else if (b === 0x5c) {
      if (p + 1 === end || MEANING[heap[p + 1]!] === INVALID) break
      mark = KW_ESCAPED
      flags |= KF_ESCAPED
      p += 2
    } else if (b === 0 || b === 10 || b === 13 || b === 27) break
    else p++
  }
  if (all & 0x80808080) flags |= KF_NON_ASCII
  words[KS_WORD >>> 2] = word
  words[KS_FLAGS >>> 2] = mark ? flags | KF_WORD_ESCAPED : flags & ~KF_WORD_ESCAPED
  words[KS_WORDS_AT >>> 2] = out
  return p
}

export function unescapeWord(p: number, end: number, _limit: number, out: number): number {
  const heap = heapBytes()
  while (p < end) {
    const b = heap[p]!
    if (b !== 0x5c) {
      heap[out++] = b
      p++
    } else {
      const byte = MEANING[heap[p + 1]!]!
      if (byte !== NOTHING) heap[out++] = byte
      p += 2
    }
  }
  return out
}

export function escapeWords(p: number, end: number, out: number, split: boolean): number {
  const heap = heapBytes()
  const view = heapView()
  const words = heapWords()
  let count = words[KS_COUNT >>> 2]!
  let empty = words[KS_WORD >>> 2] === 0
  while (p < end) {
    const last = end - 4
    const from = p
    while (p <= last) {
      const four = view.getInt32(p, true)
      if (hasSpecial(four) !== 0) break
      view.setInt32(out, four, true)
      p += 4
      out += 4
    }
    if (p > from) empty = false
    if (p === end) break
    const b = heap[p++]!
    if (b === 0 && split) {
      if (empty) {
        heap[out] = 0x5c
        heap[out + 1] = 0x40
        out += 2
      }
      heap[out++] = 0x20
      empty = true
      count++
      continue
    }
    empty = false
    const letter = LETTER[b]!
    if (letter === 0) heap[out++] = b
    else {
      heap[out] = 0x5c
      heap[out + 1] = letter
      out += 2
    }
  }
  words[KS_COUNT >>> 2] = count
  words[KS_WORD >>> 2] = empty ? 0 : 1
  return out
}
