import type { Bytes } from '../core/options'
import { asciiText } from '../core/text'
import { THRESHOLDS } from '../engine/thresholds'
import { ARENA_BYTES, fitting, IN, type Lines, OUT, PIECE, selectCore, WORDS } from './lines'

const BACKSLASH = 0x5c
/** Words of one call of katcpUnescape. */
const MAX_WORDS = 0xf000
/** Messages of a chunk that are unescaped one by one; when more ask for strings, the whole chunk is done at once. */
const ONE_BY_ONE = 2

/** The text of all arguments of a chunk, unescaped, one behind the other; the argument of word `first + k` ends at `ends[k]`. */
export interface Plain {
  readonly text: string
  readonly ends: Int32Array
}

/**
 * Unescapes arguments [from, to) of a line whose words start at `first`, as many as fit one kernel call. Their text then
 * stands in `u8` from OUT to `end`, and the end of each, counted from OUT, in `u32` from WORDS on, until the next call.
 * `next` is the argument to go on with; `from` again where a single one is too long for a call.
 */
export function unescapeSome(lines: Lines, first: number, from: number, to: number) {
  const { words } = lines
  const start = lines.position(first + from)
  const next = Math.min(fitting(words, first + from, first + to, PIECE) - first, from + MAX_WORDS)
  const bytes = lines.position(first + next) - start
  const { kernels, memory } = selectCore(bytes, THRESHOLDS.katcpUnescape)
  memory.reserve(ARENA_BYTES)
  const { u8, u32 } = memory
  if (next === from) return { next, u8, u32, end: OUT }
  lines.copyTo(u8, IN, start, bytes - 1)
  const at = (WORDS >>> 2) - first - from
  for (let i = first + from; i <= first + next; i++) u32[at + i] = words[i]!
  return { next, u8, u32, end: kernels.katcpUnescape(IN, start, WORDS, next - from, OUT) }
}

/** The unescaped text of the whole chunk, once several of its messages have asked and if it is ASCII. */
export function plainText(lines: Lines): Plain | undefined {
  if (lines.plain || lines.text === undefined || lines.asked++ < ONE_BY_ONE) return lines.plain
  const count = lines.count - 1
  const { next, u8, u32, end } = unescapeSome(lines, lines.first, 0, count)
  if (next < count) return undefined
  const at = WORDS >>> 2
  lines.plain = { text: asciiText(u8, OUT, end), ends: Int32Array.from(u32.subarray(at, at + count)) }
  return lines.plain
}

/** The bytes that the escaped argument at positions [start, end) stands for, in memory of their own. */
export function unescapedBytes(lines: Lines, start: number, end: number): Bytes {
  const pieces: Bytes[] = []
  let total = 0
  let at = start
  do {
    const stop = pieceEnd(lines, at, end)
    const length = stop - at
    const { kernels, memory } = selectCore(length, THRESHOLDS.katcpUnescape)
    memory.reserve(ARENA_BYTES)
    const { u8, u32 } = memory
    lines.copyTo(u8, IN, at, length)
    u32[WORDS >>> 2] = 0
    u32[(WORDS >>> 2) + 1] = length + 1
    const out = kernels.katcpUnescape(IN, 0, WORDS, 1, OUT)
    pieces.push(u8.slice(OUT, out))
    total += out - OUT
    at = stop
  } while (at < end)
  if (pieces.length === 1) return pieces[0]!
  const joined = new Uint8Array(total)
  let place = 0
  for (const piece of pieces) {
    joined.set(piece, place)
    place += piece.length
  }
  return joined
}

/** Where a piece that starts at `at` ends: never between a backslash and its letter. */
function pieceEnd({ bytes, origin }: Lines, at: number, end: number): number {
  if (end - at <= PIECE) return end
  const stop = at + PIECE
  let slashes = 0
  while (slashes < PIECE && bytes[origin + stop - slashes - 1] === BACKSLASH) slashes++
  return stop - (slashes & 1)
}
