import { KW_POSITION } from '../../assembly/abi/katcp'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import * as portable from '../../assembly/katcp/index'
import { coresOf } from '../engine/load'

/** The kernels of the backend that is best for so many bytes. */
export const selectCore = coresOf(portable)

/** Bytes that hold the arguments of one or more messages, and where they stand. Several messages of a chunk share one. */
export interface Lines {
  /** The bytes; the decoder's own copy, or the caller's chunk where chunks are handed over. Position 0 is at `origin`. */
  readonly bytes: Uint8Array
  readonly origin: number
  /** Positions of the arguments (KW_POSITION, KW_ESCAPED), for each line one more than it has arguments. */
  readonly words: Int32Array
  /** Where the words of the first line start. */
  readonly first: number
  /** Bytes from `origin` on. */
  readonly length: number
  /** The bytes are the caller's own memory: `bytes(i)` may be a view. */
  readonly view: boolean
  /** All bytes as text, once several messages have asked for strings and if all of it is ASCII. */
  text: string | undefined
  /** How often text of a part was made. */
  uses: number
}

/** Room for the input of one call of a text kernel, and for as much output. */
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

/** Copies bytes into the memory of a kernel. A typed array's `set` costs more than a loop for a few bytes. */
export function copyIn(u8: Uint8Array, to: number, from: Uint8Array, start: number, length: number): void {
  if (length <= 24) for (let i = 0; i < length; i++) u8[to + i] = from[start + i]!
  else u8.set(start === 0 && length === from.length ? from : from.subarray(start, start + length), to)
}
