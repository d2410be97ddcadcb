import { PR_BYTES } from '../../assembly/abi/hpack'
import { L_ARENA, L_SLACK, L_WINDOW } from '../../assembly/abi/layout'
import * as portable from '../../assembly/hpack/index'
import { usageError } from '../core/errors'
import { type Core, coresOf, scriptCoreOf } from '../engine/load'

const selectCore = coresOf(portable)

/** The kernels of the backend that is best for so many octets, with an arena of that size. */
export function coreWith(arena: number, octets: number, crossover: number): Core<typeof portable> {
  const core = selectCore(octets, crossover)
  if (core.memory.reserve(arena)) return core
  const script = scriptCoreOf(portable)
  script.memory.reserve(arena)
  return script
}

/** The memory of one call: the tape, then the input, then the text or output behind it. */
export const TAPE = L_ARENA
export const MAX_RECORDS = 512
export const TAPE_END = TAPE + MAX_RECORDS * PR_BYTES
export const IN = TAPE_END + L_SLACK
/** Where the output goes behind an input of at most L_WINDOW. */
export const OUT = IN + L_WINDOW + L_SLACK

/** Where the output goes behind an input of that length. */
export const behind = (length: number): number => IN + ((length + L_SLACK + 15) & ~15)

/** Octets that `coded` of Huffman code stand for at most: the shortest code has 5 bits. */
export const decodedBound = (coded: number): number => Math.ceil((coded * 8) / 5)

/** Copies bytes into the memory of a kernel. A typed array's `set` costs more than a loop for a few bytes. */
export function copyIn(u8: Uint8Array, to: number, from: Uint8Array, start: number, length: number): void {
  if (length <= 32) for (let i = 0; i < length; i++) u8[to + i] = from[start + i]!
  else u8.set(start === 0 && length === from.length ? from : from.subarray(start, start + length), to)
}

/** SETTINGS_HEADER_TABLE_SIZE before anyone says otherwise (RFC 9113, 6.5.2). */
export const PROTOCOL_TABLE_SIZE = 4_096
export const MAX_TABLE_SIZE = 0xffffffff

/** A table size as SETTINGS_HEADER_TABLE_SIZE can have it. */
export function tableSizeArgument(size: unknown): asserts size is number {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > MAX_TABLE_SIZE) {
    throw usageError('hpack', `a table size is a whole number from 0 to ${MAX_TABLE_SIZE}`)
  }
}
