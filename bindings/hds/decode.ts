import { commonError, usageError } from '../core/errors'
import { bytesArgument, type Decoded } from '../core/options'
import { LARGE } from './kernels'
import { release, type Scan, scanPayload, tooLarge } from './scan'
import { resolve, type Settings } from './settings'
import type { DecodeOptions, Value } from './types'
import { endValues, nextValue, startValues } from './values'

/** The value that was scanned. */
function made(scan: Scan, length: number, settings: Settings): unknown {
  try {
    startValues(scan, settings)
    return nextValue()
  } finally {
    endValues(length > LARGE)
    release(scan, length)
  }
}

/**
 * Decodes one value. Throws a WireError: what is wrong with it and where, WT_TRUNCATED or WT_HDS_UNTERMINATED where bytes are
 * missing, WT_TRAILING_BYTES where more follow (unless `trailing` is `allow`), a limit.
 */
export function decode<T = Value>(bytes: Uint8Array, options?: DecodeOptions): T {
  bytesArgument('hds', 'bytes', bytes)
  const settings = resolve(options)
  const { length } = bytes
  const { maxPayloadBytes } = settings.limits
  if (length > maxPayloadBytes) throw tooLarge(0, maxPayloadBytes, length)
  const scan = scanPayload(bytes, 0, length, 0, settings, false, false, 0)!
  if (scan.end < length && !settings.trailing) throw commonError('hds', 'trailing', { offset: scan.end })
  return made(scan, length, settings) as T
}

/**
 * Decodes the value at `offset` of a buffer; `end` is the offset after it. undefined: it is not all there yet.
 * Throws what is wrong with the value, the place counted from the start of the buffer.
 */
export function decodeAt<T = Value>(
  bytes: Uint8Array,
  offset: number,
  options?: DecodeOptions,
): Decoded<T> | undefined {
  bytesArgument('hds', 'bytes', bytes)
  if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
    throw usageError('hds', 'offset must be a place in the bytes')
  }
  return readValue(bytes, offset, offset, resolve(options)) as { value: T; end: number } | undefined
}

/** Reads the value at `at`, which is `offset` for its faults; undefined: it is not all there. */
export function readValue(
  bytes: Uint8Array,
  at: number,
  offset: number,
  settings: Settings,
): { value: unknown; end: number } | undefined {
  const { maxPayloadBytes } = settings.limits
  const length = Math.min(bytes.length - at, maxPayloadBytes)
  if (length === 0 && bytes.length > at) throw tooLarge(offset, 0, 1)
  const scan = scanPayload(bytes, at, at + length, offset, settings, false, true, 0)
  if (scan === undefined) return undefined
  const end = at + scan.end
  return { value: made(scan, length, settings), end }
}
