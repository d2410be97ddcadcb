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

/** Where JavaScript unmasks, copying to memory and back costs more than words save below so many bytes. */
const DIRECT_BYTES = 96

/** A typed array's `set` costs more than a loop for a few bytes. */
export const LOOP_BYTES = 16

/** Copies a part of one array into another. */
export function copyBytes(to: Uint8Array, at: number, from: Uint8Array, start: number, length: number): void {
  if (length <= LOOP_BYTES) for (let i = 0; i < length; i++) to[at + i] = from[start + i]!
  else if (start === 0 && length === from.length) to.set(from, at)
  // Not `subarray`: that of a Buffer is slow, and makes a Buffer.
  else to.set(new Uint8Array(from.buffer, from.byteOffset + start, length), at)
}

/**
 * The part of a kernel's memory that was copied last: streams repeat themselves, and a new view costs as much as copying 1 KiB.
 * A memory is told by its array, which is made anew when it grows: to ask an array for its `buffer` is dearer still.
 */
let part = new Uint8Array(0)
let partOf = part
let partAt = 0

/** Copies out of the memory of a kernel. */
export function copyOut(to: Uint8Array, at: number, u8: Uint8Array<ArrayBuffer>, start: number, length: number): void {
  if (length <= LOOP_BYTES) {
    for (let i = 0; i < length; i++) to[at + i] = u8[start + i]!
    return
  }
  if (partOf !== u8 || partAt !== start || part.length !== length) {
    part = new Uint8Array(u8.buffer, start, length)
    partOf = u8
    partAt = start
  }
  to.set(part, at)
}

function xorBytes(
  to: Uint8Array,
  at: number,
  from: Uint8Array,
  start: number,
  length: number,
  key: number,
  phase: number,
): void {
  const k = turned(key, phase)
  const a = k & 255
  const b = (k >>> 8) & 255
  const c = (k >>> 16) & 255
  const d = k >>> 24
  const whole = length & ~3
  let i = 0
  for (; i < whole; i += 4) {
    const o = at + i
    const p = start + i
    to[o] = from[p]! ^ a
    to[o + 1] = from[p + 1]! ^ b
    to[o + 2] = from[p + 2]! ^ c
    to[o + 3] = from[p + 3]! ^ d
  }
  if (i < length) to[at + i] = from[start + i]! ^ a
  if (i + 1 < length) to[at + i + 1] = from[start + i + 1]! ^ b
  if (i + 2 < length) to[at + i + 2] = from[start + i + 2]! ^ c
}

/** The key that masks the bytes from `by` on as `key` masks those from 0 on. */
export const turned = (key: number, by: number): number => {
  const bits = (by & 3) * 8
  return bits === 0 ? key : ((key >>> bits) | (key << (32 - bits))) >>> 0
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
  const { backend, kernels, memory } = selectCore(length, THRESHOLDS.wsUnmask)
  if (backend === 'js' && length < DIRECT_BYTES) {
    xorBytes(to, at, from, start, length, key, phase)
    return
  }
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
