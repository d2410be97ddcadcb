import { KW_POSITION } from '../../assembly/abi/katcp'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import * as portable from '../../assembly/katcp/index'
import { asciiText } from '../core/text'
import { coresOf, scriptCoreOf } from '../engine/load'
import type { Plain } from './unescape'

/** The kernels of the backend that is best for so many bytes. */
export const selectCore = coresOf(portable)

/** The kernels for input above PIECE, which must not make linear memory grow; call `memory.release` when done. */
export const largeCore = () => scriptCoreOf(portable)

const utf8 = new TextEncoder()

/**
 * What the messages of one chunk share: its bytes, as bytes or, where all are ASCII, as one string (of which every argument
 * is then a cut), and the positions of their arguments.
 */
export class Lines {
  /** Positions of the arguments (KW_POSITION, KW_ESCAPED), for each line one more than it has arguments. */
  readonly words: Int32Array
  /** Where the words of the first line start. */
  readonly first: number
  /** Words of all lines together. */
  readonly count: number
  /** Where position 0 is in `bytes`. */
  readonly origin: number
  /** The bytes are the caller's own memory: `bytes(i)` may be a view of it. */
  readonly view: boolean
  /** The text, position for position; undefined where there are bytes. */
  readonly text: string | undefined
  /** See unescape.ts. */
  plain: Plain | undefined = undefined
  asked = 0
  #bytes: Uint8Array | undefined

  constructor(
    words: Int32Array,
    first: number,
    count: number,
    source: string | Uint8Array,
    origin: number,
    view: boolean,
  ) {
    this.words = words
    this.first = first
    this.count = count
    this.origin = origin
    this.view = view
    this.text = typeof source === 'string' ? source : undefined
    this.#bytes = typeof source === 'string' ? undefined : source
  }

  get bytes(): Uint8Array {
    this.#bytes ??= utf8.encode(this.text)
    return this.#bytes
  }

  /** Position of word `i`. */
  position(i: number): number {
    return this.words[i]! & KW_POSITION
  }

  /** The text of bytes that are ASCII. */
  ascii(start: number, end: number): string {
    if (this.text !== undefined) return this.text.substring(start, end)
    return asciiText(this.bytes, this.origin + start, this.origin + end)
  }

  /** Copies `length` bytes from position `start` on to `target[to…]`. */
  copyTo(target: Uint8Array, to: number, start: number, length: number): void {
    if (this.#bytes) copyIn(target, to, this.#bytes, this.origin + start, length)
    else utf8.encodeInto(this.text!.substring(start, start + length), target.subarray(to, to + length))
  }
}

/**
 * Bytes that one call of a kernel works on, and the longest text that is made of them: a string of more than 127 KiB goes to
 * V8's large-object space, where it costs twenty times as much.
 */
export const PIECE = 0x1f000
/** Where the input of katcpUnescape stands, then its output, then the words. */
export const IN = L_ARENA
export const OUT = L_ARENA + 0x20000
export const WORDS = L_ARENA + 0x40000
export const ARENA_BYTES = 0x40000 + 0x10000 * 4 + L_SLACK

/** The last index of `words` from `first` to `last` whose position is at most `bytes` after the first; at least `first`. */
export function fitting(words: Int32Array, first: number, last: number, bytes: number): number {
  const start = words[first]! & KW_POSITION
  if ((words[last]! & KW_POSITION) - start <= bytes) return last
  let low = first
  let high = last
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((words[middle]! & KW_POSITION) - start <= bytes) low = middle
    else high = middle - 1
  }
  return low
}

/** Copies bytes. A typed array's `set` is quick for whole arrays; for a few bytes of one, `subarray` costs more than a loop. */
export function copyIn(u8: Uint8Array, to: number, from: Uint8Array, start: number, length: number): void {
  if (start === 0 && length === from.length && length > 0) u8.set(from, to)
  else if (length <= 24) for (let i = 0; i < length; i++) u8[to + i] = from[start + i]!
  else u8.set(from.subarray(start, start + length), to)
}
