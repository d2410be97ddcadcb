import { L_ARENA, L_SLACK, L_WINDOW } from '../../assembly/abi/layout'
import { WR_BYTES } from '../../assembly/abi/websocket'
import * as portable from '../../assembly/websocket/index'
import { coresOf } from '../engine/load'
import { THRESHOLDS } from '../engine/thresholds'

/** The kernels of the backend that is best for so many bytes. */
export const selectCore = coresOf(portable)

/** Where frames are staged, then their records, then payload that is only to be unmasked. */
export const IN = L_ARENA
export const RECORDS = L_ARENA + L_WINDOW + L_SLACK
export const MAX_RECORDS = 5120
/** Bytes that are unmasked at a time: copied in and out, they stay in the first-level cache. */
export const PIECE = 0x2000
export const SCRATCH = RECORDS + MAX_RECORDS * WR_BYTES
export const ARENA_BYTES = SCRATCH + PIECE + L_SLACK - L_ARENA

/** A typed array's `set` costs more than a loop for a few bytes. */
const LOOP_BYTES = 16

/** Copies a part of one array into another. */
export function copyBytes(to: Uint8Array, at: number, from: Uint8Array, start: number, length: number): void {
  if (length <= LOOP_BYTES) for (let i = 0; i < length; i++) to[at + i] = from[start + i]!
  else if (start === 0 && length === from.length) to.set(from, at)
  // Not `subarray`: that of a Buffer is slow, and makes a Buffer.
  else to.set(new Uint8Array(from.buffer, from.byteOffset + start, length), at)
}

/** The part of a kernel's memory that was copied last: streams repeat themselves, and a new view costs as much as copying 1 KiB. */
let part = new Uint8Array(0)

/** Copies out of the memory of a kernel. */
export function copyOut(to: Uint8Array, at: number, u8: Uint8Array<ArrayBuffer>, start: number, length: number): void {
  if (length <= LOOP_BYTES) {
    for (let i = 0; i < length; i++) to[at + i] = u8[start + i]!
    return
  }
  if (part.byteOffset !== start || part.length !== length || part.buffer !== u8.buffer) {
    part = new Uint8Array(u8.buffer, start, length)
  }
  to.set(part, at)
}

/**
 * Unmasks `length` bytes of `from` to `to`, which may be the same place; `phase` is the place of the first byte in its
 * payload. `key` as on the wire, read little-endian; 0 copies.
 */
export function unmask(
  to: Uint8Array,
  at: number,
  from: Uint8Array,
  start: number,
  length: number,
  key: number,
  phase: number,
): void {
  if (key === 0) {
    if (to !== from || at !== start) copyBytes(to, at, from, start, length)
    return
  }
  const { kernels, memory } = selectCore(length, THRESHOLDS.wsUnmask)
  memory.reserve(ARENA_BYTES)
  const { u8 } = memory
  // Whole pieces keep the phase: PIECE is a multiple of 4.
  const turn = phase & 3
  for (let done = 0; done < length; done += PIECE) {
    const n = Math.min(PIECE, length - done)
    copyBytes(u8, SCRATCH, from, start + done, n)
    kernels.wsUnmask(SCRATCH, SCRATCH + n, key, turn)
    copyOut(to, at + done, u8, SCRATCH, n)
  }
}

/** The bytes of a 32-bit number in the other order. */
export const swapped = (key: number): number =>
  ((key << 24) | ((key & 0xff00) << 8) | ((key >>> 8) & 0xff00) | (key >>> 24)) >>> 0
