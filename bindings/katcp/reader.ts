import {
  E_KATCP_LINE_TOO_LONG,
  E_KATCP_TOO_MANY_ARGUMENTS,
  KF_ESCAPED,
  KF_NON_ASCII,
  KF_TYPE,
  KP_OVER,
  KP_START,
  KR_BYTES,
  KS_BAD,
  KS_BAD_AT,
  KS_BASE,
  KS_INPUT_AT,
  KS_LINES_AT,
  KS_MAX_ARGUMENTS,
  KS_MAX_LINE,
  KS_PHASE,
  KS_STATE_WORDS,
  KS_WORDS_AT,
} from '../../assembly/abi/katcp'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { Accumulator } from '../core/accumulator'
import type { WireError } from '../core/error'
import { copyOf, viewOf } from '../core/options'
import { Slab } from '../core/slab'
import { asciiText } from '../core/text'
import { THRESHOLDS } from '../engine/thresholds'
import { Arguments } from './arguments'
import { kernelError } from './errors'
import type { Limits } from './limits'
import { copyIn, Lines, largeCore, PIECE, selectCore } from './lines'
import type { Message } from './types'

const LINES = L_ARENA + PIECE + L_SLACK
/** Lines of one window. */
export const MAX_LINES = 2048
const WORDS = LINES + MAX_LINES * KR_BYTES
const ARENA_BYTES = WORDS + PIECE * 2 + 64 - L_ARENA
/** The state block as indexes of 32-bit words. */
const STATE = KS_PHASE >>> 2
const PHASE = 0
const LINE = 2
const NAME_END = 3
const COUNT = 5
const WORD = 6

const LF = 10

/** By the kernel's type number. */
const TYPES = ['request', 'request', 'reply', 'inform'] as const

const NO_WORDS = new Int32Array(0)

const byteSlab = new Slab((length) => new Uint8Array(length), 8192)
const wordSlab = new Slab((length) => new Int32Array(length), 2048)

/**
 * Lines of a stream, one window of bytes at a time. The bytes and argument positions of an unfinished line wait in
 * `partial` and `words`, with the kernel's state, so that nothing is ever scanned twice.
 */
export class LineReader {
  readonly #limits: Readonly<Limits>
  readonly #view: boolean
  readonly #pythonOrder: boolean
  readonly #state: number[] = new Array<number>(KS_STATE_WORDS).fill(0)
  readonly #partial = new Accumulator()
  #words = NO_WORDS
  /** Where the unfinished line stands in the caller's memory, while that holds it in one piece (chunks handed over only). */
  #memory: ArrayBufferLike | undefined
  #memoryAt = 0
  /** Stream offset of the unfinished line. */
  #lineOffset = 0

  constructor(limits: Readonly<Limits>, view: boolean, pythonOrder: boolean) {
    this.#limits = limits
    this.#view = view
    this.#pythonOrder = pythonOrder
  }

  get partialBytes(): number {
    return this.#partial.length
  }

  /** Gives the bytes of the unfinished line away. */
  takePartial(): Uint8Array {
    const bytes = this.#partial.view().slice()
    this.clear()
    return bytes
  }

  clear(): void {
    if (this.#state[PHASE] === KP_START) return
    this.#state.fill(0)
    this.#partial.clear()
    this.#words = NO_WORDS
    this.#memory = undefined
  }

  /**
   * Reads at most `window` bytes (≤ PIECE) from `from` on, and at most `maxLines` lines; `offset` is the stream offset of that byte.
   * `closed`: the last line may lack its end. Hands every message and every bad line to `sink`, in order, and returns the
   * position after what was read.
   */
  read(
    bytes: Uint8Array,
    from: number,
    offset: number,
    window: number,
    maxLines: number,
    closed: boolean,
    sink: Sink,
  ): number {
    const length = Math.min(bytes.length - from, window)
    const { kernels, memory, names } = selectCore(length, THRESHOLDS.katcpScan)
    names.tidy()
    memory.reserve(ARENA_BYTES)
    const { u8, u32 } = memory
    const state = this.#state
    const base = this.#partial.length
    const carried = state[COUNT]!
    copyIn(u8, L_ARENA, bytes, from, length)
    let input = length
    if (closed && from + length === bytes.length) u8[L_ARENA + input++] = LF
    // Between lines there is no other state.
    if (state[PHASE] === KP_START) u32[KS_PHASE >>> 2] = KP_START
    else for (let i = 0; i < KS_STATE_WORDS; i++) u32[STATE + i] = state[i]!
    u32[KS_BASE >>> 2] = base
    u32[KS_MAX_LINE >>> 2] = Math.min(this.#limits.maxLineBytes, 0x3fff0000)
    u32[KS_MAX_ARGUMENTS >>> 2] = Math.min(this.#limits.maxArguments, 0x0fffffff)
    kernels.katcpScan(L_ARENA, L_ARENA + input, LINES, LINES + Math.min(maxLines, MAX_LINES) * KR_BYTES, WORDS)
    const end = from + Math.min(length, u32[KS_INPUT_AT >>> 2]! - L_ARENA)
    const lineCount = (u32[KS_LINES_AT >>> 2]! - LINES) >>> 5
    const wordCount = (u32[KS_WORDS_AT >>> 2]! - WORDS) >>> 2
    state[PHASE] = u32[KS_PHASE >>> 2]!
    if (state[PHASE] === KP_START) state[COUNT] = 0
    else for (let i = 0; i < KS_STATE_WORDS; i++) state[i] = u32[STATE + i]!

    // The line that is open after this window: the one that was open before it, a new one, or none.
    const open = state[PHASE] !== KP_START
    const goesOn = open && base > 0 && state[LINE]! < base
    const openWords = open ? state[COUNT]! - (goesOn ? carried : 0) : 0
    let lines: Lines | undefined
    let tape = u32
    let tapeAt = LINES >>> 2
    if (lineCount > 0) {
      const finished = base > 0 && u32[tapeAt + 1]! < base && u32[tapeAt] === 0
      lines = this.#linesOf(bytes, from, end, memory, lineCount, finished ? carried : 0, wordCount - openWords)
      if (this.#pythonOrder) {
        tape = u32.slice(tapeAt, tapeAt + lineCount * (KR_BYTES >>> 2))
        tapeAt = 0
      }
    }
    const stream: StreamPlace = { base, before: this.#lineOffset, after: offset - base }
    if (open) {
      if (!goesOn) this.#lineOffset = stream.after + state[LINE]!
      this.#wait(bytes, from, end, base, goesOn ? carried : 0, openWords, (WORDS >>> 2) + wordCount, u32)
    } else if (base > 0) {
      this.#partial.clear()
      this.#memory = undefined
    }
    if (lines) this.#units(lines, tape, tapeAt, lineCount, stream, names, sink)
    return end
  }

  /**
   * What the lines that ended in this window share. Text where all of it is ASCII and long enough to be worth it: the messages'
   * strings are then cut from it, and it costs no more than a copy of the bytes.
   */
  #linesOf(
    bytes: Uint8Array,
    from: number,
    end: number,
    memory: { readonly u8: Uint8Array; readonly u32: Uint32Array },
    lineCount: number,
    carried: number,
    count: number,
  ): Lines {
    const { u8, u32 } = memory
    const base = this.#partial.length
    let words: Int32Array
    let first = 0
    const total = carried + count
    if (total <= wordSlab.longestPiece) {
      first = wordSlab.take(total)
      words = wordSlab.array
    } else words = new Int32Array(total)
    for (let i = 0; i < carried; i++) words[first + i] = this.#words[i]!
    const at = WORDS >>> 2
    if (count <= 64) for (let i = 0; i < count; i++) words[first + carried + i] = u32[at + i]!
    else words.set(u32.subarray(at, at + count), first + carried)

    const length = base + end - from
    if (base === 0 && this.#view) return new Lines(words, first, total, bytes, from, true)
    if (base > 0 && this.#goesOnIn(bytes, from)) {
      return new Lines(words, first, total, viewOf(bytes, from - base, end), 0, true)
    }
    if (base === 0 && length <= byteSlab.longestPiece) {
      const origin = byteSlab.take(length)
      copyIn(byteSlab.array, origin, bytes, from, length)
      return new Lines(words, first, total, byteSlab.array, origin, false)
    }
    let odd = 0
    let escaped = 0
    for (let i = 0, at = LINES >>> 2; i < lineCount; i++, at += KR_BYTES >>> 2) {
      odd |= u32[at]! | (u32[at + 7]! & KF_NON_ASCII)
      escaped |= u32[at + 7]! & KF_ESCAPED
    }
    // A line that is open after the window may have any bytes: the text ends with the last line end.
    const last = u32[(LINES >>> 2) + lineCount * (KR_BYTES >>> 2) - 3]! + 1
    const ascii = odd === 0 && last <= PIECE && !(lineCount === 1 && escaped !== 0)
    const own = base > 0 ? this.#partial.take(bytes.subarray(from, end)) : ascii ? undefined : copyOf(bytes, from, end)
    const source = ascii ? (own ? asciiText(own, 0, last) : asciiText(u8, L_ARENA, L_ARENA + last)) : own!
    return new Lines(words, first, total, source, 0, false)
  }

  /** Whether bytes from `from` on stand right behind the unfinished line in the same memory: the line was longer than a window. */
  #goesOnIn(bytes: Uint8Array, from: number): boolean {
    return this.#memory === bytes.buffer && this.#memoryAt + this.#partial.length === bytes.byteOffset + from
  }

  #units(
    lines: Lines,
    tape: Uint32Array,
    tapeAt: number,
    lineCount: number,
    stream: StreamPlace,
    names: { get(id: number): string },
    sink: Sink,
  ): void {
    let word = lines.first
    for (let i = 0, at = tapeAt; i < lineCount; i++, at += KR_BYTES >>> 2) {
      const code = tape[at]!
      const start = tape[at + 1]!
      const end = tape[at + 5]!
      if (code !== 0) {
        const offset = start < stream.base ? stream.before + start : stream.after + start
        sink(this.#error(lines, code, start, end, tape[at + 2]!, offset), stream.after + end + 1)
        continue
      }
      const count = tape[at + 4]!
      const name = tape[at + 6]!
      const flags = tape[at + 7]!
      const id = tape[at + 3]!
      const message: Message = {
        type: TYPES[flags & KF_TYPE]!,
        name: name > 0 ? names.get(name) : lines.ascii(start + 1, tape[at + 2]!),
        id: id > 0 ? id : undefined,
        args: new Arguments(lines, word, count, flags),
      }
      word += count + 1
      sink(message, stream.after + end + 1)
    }
  }

  #error(lines: Lines, code: number, start: number, end: number, place: number, offset: number): WireError {
    if (code === E_KATCP_LINE_TOO_LONG) {
      const max = this.#limits.maxLineBytes
      return kernelError(code, { offset: offset + place, limit: { name: 'maxLineBytes', max, actual: place + 1 } })
    }
    if (code === E_KATCP_TOO_MANY_ARGUMENTS) {
      const max = this.#limits.maxArguments
      return kernelError(code, { offset: offset + place, limit: { name: 'maxArguments', max, actual: max + 1 } })
    }
    let number = code
    let at = place
    if (this.#pythonOrder) {
      const length = Math.min(end - start, this.#limits.maxLineBytes)
      const { kernels, memory } = length > PIECE ? largeCore() : selectCore(length, THRESHOLDS.katcpScan)
      memory.reserve(length)
      memory.u8.set(lines.bytes.subarray(lines.origin + start, lines.origin + start + length), L_ARENA)
      memory.u32[KS_BAD >>> 2] = code
      memory.u32[KS_BAD_AT >>> 2] = place
      number = kernels.katcpDiagnose(L_ARENA, L_ARENA + length)
      at = memory.u32[KS_BAD_AT >>> 2]!
      memory.release()
    }
    const byte = start + at < end ? lines.bytes[lines.origin + start + at]! : undefined
    const detail = byte === undefined ? 'at the line end' : `byte 0x${byte.toString(16).padStart(2, '0')}`
    return kernelError(number, { offset: offset + at, detail })
  }

  /** Keeps the unfinished line: its bytes, its words, and the state counted from its first byte. */
  #wait(
    bytes: Uint8Array,
    from: number,
    end: number,
    base: number,
    carried: number,
    openWords: number,
    wordsEnd: number,
    u32: Uint32Array,
  ): void {
    const state = this.#state
    const line = state[LINE]!
    // Positions of a line that began in this window count from the window (and what came before it); now from the line.
    const shift = line >= base ? line : 0
    if (line >= base) {
      this.#partial.clear()
      state[LINE] = 0
      if (state[NAME_END]! > 0) state[NAME_END]! -= shift
      if (state[WORD]! > 0) state[WORD]! -= shift
    }
    const start = line >= base ? from + line - base : from
    if (line < base) {
      if (!this.#goesOnIn(bytes, from)) this.#memory = undefined
    } else if (this.#view) {
      this.#memory = bytes.buffer
      this.#memoryAt = bytes.byteOffset + start
    }
    // One byte at least, so that there is a partial line where the limit is 0.
    const room = Math.max(this.#limits.maxLineBytes, 1) - this.#partial.length
    // What is left of the chunk most likely belongs to the line as well.
    if (end < bytes.length)
      this.#partial.reserve(Math.min(this.#limits.maxLineBytes, this.#partial.length + bytes.length - start))
    this.#partial.append(bytes, start, state[PHASE] === KP_OVER ? Math.min(end, start + room) : end)
    const total = carried + openWords
    if (total > this.#words.length) {
      const grown = new Int32Array(Math.max(64, this.#words.length * 2, total))
      grown.set(this.#words.subarray(0, carried))
      this.#words = grown
    }
    const at = wordsEnd - openWords
    for (let i = 0; i < openWords; i++) this.#words[carried + i] = u32[at + i]! - shift
  }
}

/** Positions of a tape as stream offsets: `before` is added to those below `base` (of the line that was open), `after` to the others. */
interface StreamPlace {
  readonly base: number
  readonly before: number
  readonly after: number
}

/** A message or a bad line, with the stream offset after its line end. */
export type Sink = (unit: Message | WireError, end: number) => void
