import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument } from '../core/options'
import { type Cipher, cipherOf } from './cipher'
import { hdsError } from './errors'
import { keyArgument } from './keys'
import { DEFAULT_LIMITS } from './limits'

/** Type, and 24 bits of length. */
export const HEAD_BYTES = 4
export const TAG_BYTES = 16
const TYPE = 1
/** What 24 bits hold. */
export const MOST_BYTES = 0xffffff
export const LAST_COUNTER = (1n << 64n) - 1n

/** How frames are sealed and opened. */
export interface FrameOptions {
  /** Default: the cipher of the runtime, where it has one. */
  readonly cipher?: Cipher | undefined
  /** Bytes of the payload at most; default 1,048,575. */
  readonly maxPayloadBytes?: number | undefined
}

/** Four zero bytes, then the counter of the direction, little-endian. */
function nonceOf(counter: bigint): Uint8Array {
  if (counter > LAST_COUNTER) throw hdsError('counter')
  const nonce = new Uint8Array(12)
  new DataView(nonce.buffer).setBigUint64(4, counter, true)
  return nonce
}

/** The counter as a bigint: a number is no longer exact long before 64 bits are used up. */
export function counterArgument(counter: bigint | number): bigint {
  const exact = typeof counter === 'bigint' || (typeof counter === 'number' && Number.isSafeInteger(counter))
  if (!exact || counter < 0) throw usageError('hds', 'counter must be a bigint or a safe integer of at least 0')
  return BigInt(counter)
}

/** A frame of `bytes` whose first HEAD_BYTES are free for its head and whose last TAG_BYTES are for the tag. */
export function sealInto(
  frame: Uint8Array,
  payload: Uint8Array,
  key: Uint8Array,
  counter: bigint,
  cipher: Cipher,
): void {
  const nonce = nonceOf(counter)
  const { length } = payload
  frame[0] = TYPE
  frame[1] = length >>> 16
  frame[2] = length >>> 8
  frame[3] = length
  const output = frame.subarray(HEAD_BYTES)
  const sealed = cipher(key, nonce, frame.subarray(0, HEAD_BYTES)).encrypt(payload, output)
  // A cipher may leave the output alone and give memory of its own.
  if (sealed !== output && sealed.buffer !== output.buffer) output.set(sealed)
}

/** The payload of a whole frame; undefined where it was not sealed with this key and counter. */
export function opened(frame: Uint8Array, key: Uint8Array, counter: bigint, cipher: Cipher): Uint8Array | undefined {
  const cipherOfFrame = cipher(key, nonceOf(counter), frame.subarray(0, HEAD_BYTES))
  try {
    return cipherOfFrame.decrypt(frame.subarray(HEAD_BYTES))
  } catch {
    return undefined
  }
}

/**
 * Bytes of the payload of the frame whose head stands at `at`; undefined where the head is not all there. `offset` is its place
 * in the stream. Throws WT_HDS_FRAME_TYPE, WT_HDS_PAYLOAD_TOO_LARGE.
 */
export function payloadLength(bytes: Uint8Array, at: number, offset: number, max: number): number | undefined {
  const left = bytes.length - at
  if (left > 0 && bytes[at] !== TYPE) throw hdsError('frameType', { offset, detail: String(bytes[at]) })
  if (left < HEAD_BYTES) return undefined
  const length = (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  if (length > max) {
    const limit = { name: 'maxPayloadBytes', max, actual: length }
    throw hdsError('payload', { offset: offset + 1, limit })
  }
  return length
}

function mostOf({ maxPayloadBytes = DEFAULT_LIMITS.maxPayloadBytes }: FrameOptions): number {
  if (!Number.isSafeInteger(maxPayloadBytes) || maxPayloadBytes < 0) {
    throw usageError('hds', 'maxPayloadBytes must be a whole number of at least 0')
  }
  return Math.min(maxPayloadBytes, MOST_BYTES)
}

/**
 * A frame with that payload: head, ciphertext and tag. `counter` counts the frames of its direction from 0 on; one that was used
 * with a key must never be used with it again. Throws WT_HDS_PAYLOAD_TOO_LARGE.
 */
export function sealFrame(
  payload: Uint8Array,
  key: Uint8Array,
  counter: bigint | number,
  options: FrameOptions = {},
): Bytes {
  bytesArgument('hds', 'payload', payload)
  keyArgument('key', key)
  const max = mostOf(options)
  const { length } = payload
  if (length > max) throw hdsError('payload', { limit: { name: 'maxPayloadBytes', max, actual: length } })
  const frame = new Uint8Array(HEAD_BYTES + length + TAG_BYTES)
  sealInto(frame, payload, key, counterArgument(counter), cipherOf(options.cipher))
  return frame
}

/**
 * The payload of one frame. Throws WT_TRUNCATED, WT_TRAILING_BYTES, WT_HDS_FRAME_TYPE, WT_HDS_PAYLOAD_TOO_LARGE, and
 * WT_HDS_AUTHENTICATION where it was not sealed with this key and counter: nothing of it can be seen then.
 */
export function openFrame(
  frame: Uint8Array,
  key: Uint8Array,
  counter: bigint | number,
  options: FrameOptions = {},
): Bytes {
  bytesArgument('hds', 'frame', frame)
  keyArgument('key', key)
  const number = counterArgument(counter)
  const length = payloadLength(frame, 0, 0, mostOf(options))
  const end = HEAD_BYTES + (length ?? 0) + TAG_BYTES
  if (length === undefined || frame.length < end) throw commonError('hds', 'truncated', { offset: frame.length })
  if (frame.length > end) throw commonError('hds', 'trailing', { offset: end })
  const payload = opened(frame, key, number, cipherOf(options.cipher))
  if (payload === undefined) throw hdsError('authentication', { offset: 0 })
  return payload as Bytes
}
