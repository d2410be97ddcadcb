import { usageError } from '../core/errors'
import { swapped } from './kernels'

/**
 * Where a client's mask keys come from: a number below 2^32 whose highest byte is the first on the wire, or a function that
 * gives one for each frame. 0 masks nothing, for a transport that no one can look into.
 */
export type MaskKey = number | (() => number)

const POOL_KEYS = 2048
/** Signed: what is above 2^31 would be a number on the heap. */
let pool: Int32Array<ArrayBuffer> | undefined
let next = POOL_KEYS

/** Unpredictable (RFC 6455, section 5.3): drawn in advance, each used once. */
function randomKey(): number {
  if (next === POOL_KEYS) {
    pool ??= new Int32Array(POOL_KEYS)
    crypto.getRandomValues(pool)
    next = 0
  }
  const key = pool![next]!
  pool![next++] = 0
  return key
}

function checkedKey(key: number): number {
  if (!Number.isInteger(key) || key < 0 || key > 0xffffffff) {
    throw usageError('websocket', 'a mask key is a whole number below 2^32')
  }
  return swapped(key)
}

/** A source of keys as the kernels read them. */
export function keySource(maskKey: MaskKey | undefined): () => number {
  if (maskKey === undefined) return randomKey
  if (typeof maskKey === 'function') return () => checkedKey(maskKey())
  const key = checkedKey(maskKey)
  return () => key
}
