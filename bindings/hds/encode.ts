import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument } from '../core/options'
import type { PayloadBuffer } from './buffer'
import { type Dialect, dialect } from './settings'
import type { EncodeOptions, Input } from './types'
import { ValueWriter } from './write'

/** Data of so many bytes goes straight to where it belongs instead of through the buffer. */
export const CUT_BYTES = 8192
/** Below this, a piece of its own costs more than a copy. */
export const CHUNK_BYTES = 16_384

const shared = new ValueWriter()
let busy = false

/**
 * A writer that nobody uses, to be given back: a value may run code of the caller, which may encode. Data of `cutBytes` and more
 * is not copied.
 */
export function borrow(how: Dialect, cutBytes: number): ValueWriter {
  const writer = busy ? new ValueWriter() : shared
  busy = true
  writer.start(how, cutBytes)
  return writer
}

export function giveBack(writer: ValueWriter): void {
  writer.end()
  if (writer === shared) busy = false
}

/** All of it, in memory of its own. */
export function copyOf(buffer: PayloadBuffer): Bytes {
  const { length } = buffer
  if (length === buffer.at) return buffer.u8.slice(0, length)
  const bytes = new Uint8Array(length)
  buffer.copyTo(bytes, 0)
  return bytes
}

/** All of it at `offset` of the target, and where it ends; nothing where there is no room. */
export function intoTarget(buffer: PayloadBuffer, target: Uint8Array, offset: number): number {
  const end = offset + buffer.length
  if (end > target.length) {
    const free = Math.max(0, target.length - offset)
    throw commonError('hds', 'target', { detail: `${buffer.length} bytes, ${free} free` })
  }
  buffer.copyTo(target, offset)
  return end
}

/** Checks where something is to be encoded into. */
export function targetArguments(target: Uint8Array, offset: number): void {
  bytesArgument('hds', 'target', target)
  if (!Number.isInteger(offset) || offset < 0) throw usageError('hds', 'offset must be a place in the target')
}

/** One value in memory of its own. Throws a WireError with the `path` of what cannot be written. */
export function encode(value: Input, options?: EncodeOptions): Bytes {
  const writer = borrow(dialect(options), CUT_BYTES)
  try {
    writer.value(value, '')
    return copyOf(writer.buffer)
  } finally {
    giveBack(writer)
  }
}

/** Bytes that `encode` gives for this value. Throws like it. */
export function encodedLength(value: Input, options?: EncodeOptions): number {
  const writer = borrow(dialect(options), CUT_BYTES)
  try {
    writer.value(value, '')
    return writer.buffer.length
  } finally {
    giveBack(writer)
  }
}

/**
 * Encodes into `target` from `offset` on (default 0) and returns the end offset.
 * Throws WT_TARGET_TOO_SMALL where it does not fit; the target is then unchanged.
 */
export function encodeInto(value: Input, target: Uint8Array, offset = 0, options?: EncodeOptions): number {
  targetArguments(target, offset)
  const writer = borrow(dialect(options), CUT_BYTES)
  try {
    writer.value(value, '')
    return intoTarget(writer.buffer, target, offset)
  } finally {
    giveBack(writer)
  }
}

/**
 * The value in pieces to be written one after the other: data of 16 KiB and more is not copied, but is the caller's own memory,
 * which must not change until it is written. Throws like `encode`.
 */
export function encodeChunks(value: Input, options?: EncodeOptions): Uint8Array[] {
  const writer = borrow(dialect(options), CHUNK_BYTES)
  try {
    writer.value(value, '')
    return writer.buffer.pieces()
  } finally {
    giveBack(writer)
  }
}
