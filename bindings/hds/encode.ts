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
 * Lets `write` write and gives what `take` makes of it. A value may run code of the caller, which may encode: a writer is never
 * used while it is in use.
 */
export function written<V, R>(
  value: V,
  how: Dialect,
  cutBytes: number,
  write: (writer: ValueWriter, value: V) => void,
  take: (buffer: PayloadBuffer) => R,
): R {
  const writer = busy ? new ValueWriter() : shared
  const was = busy
  busy = true
  try {
    writer.start(how, cutBytes)
    write(writer, value)
    return take(writer.buffer)
  } finally {
    writer.end()
    busy = was
  }
}

const writeValue = (writer: ValueWriter, value: Input): void => writer.value(value, '')

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
export const encode = (value: Input, options?: EncodeOptions): Bytes =>
  written(value, dialect(options), CUT_BYTES, writeValue, copyOf)

/** Bytes that `encode` gives for this value. */
export const encodedLength = (value: Input, options?: EncodeOptions): number =>
  written(value, dialect(options), CUT_BYTES, writeValue, ({ length }) => length)

/**
 * Encodes into `target` from `offset` on (default 0) and returns the end offset.
 * Throws WT_TARGET_TOO_SMALL where it does not fit; the target is then unchanged.
 */
export function encodeInto(value: Input, target: Uint8Array, offset = 0, options?: EncodeOptions): number {
  targetArguments(target, offset)
  return written(value, dialect(options), CUT_BYTES, writeValue, (buffer) => intoTarget(buffer, target, offset))
}

/**
 * The value in pieces to be written one after the other: data of 16 KiB and more is not copied, but is the caller's own memory,
 * which must not change until it is written.
 */
export const encodeChunks = (value: Input, options?: EncodeOptions): Uint8Array[] =>
  written(value, dialect(options), CHUNK_BYTES, writeValue, (buffer) => buffer.pieces())
