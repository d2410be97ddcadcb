/**
 * permessage-deflate of WebSocket in JavaScript, for runtimes without a synchronous zlib. Needs the package fflate.
 *
 * @packageDocumentation
 */
import { deflateSync, Inflate } from 'fflate'
import { objectArgument } from '../core/options'
import type { Deflate, DeflateParams } from '../websocket/deflate'

/** How hard fflate compresses. */
export interface FflateDeflateOptions {
  /** 0 (stored) to 9 (small); default 6. */
  readonly level?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | undefined
}

/** Input is inflated in pieces, so that no more than 1,032 times this comes after the limit is passed. */
const PIECE = 1024
const FULL_WINDOW = 15
/** What a last block is followed by (RFC 7692, section 7.2.3.4): the head of an empty stored block, and the rest of that. */
const AFTER_LAST_BLOCK: readonly number[] = [0, 0, 0, 0xff, 0xff]

/**
 * permessage-deflate by fflate. It inflates with the context of earlier messages; what it sends it compresses message by message,
 * each with a last block (BFINAL), since fflate cannot end a message without one. A peer's message with a last block does not
 * empty the context: what may follow one is not agreed on.
 */
export function fflateDeflate(params: DeflateParams, options: FflateDeflateOptions = {}): Deflate {
  objectArgument('websocket', 'options', options)
  const { level = 6 } = options
  return {
    params,
    inflate(data, dictionary, _windowBits, maxBytes) {
      const parts: Uint8Array[] = []
      let total = 0
      const take = (part: Uint8Array): void => {
        total += part.length
        parts.push(part)
      }
      const stream = dictionary.length > 0 ? new Inflate({ dictionary }, take) : new Inflate(take)
      for (let at = 0; at < data.length; at += PIECE) {
        stream.push(data.subarray(at, at + PIECE))
        if (total > maxBytes) return undefined
      }
      const bytes = new Uint8Array(total)
      let at = 0
      for (const part of parts) {
        bytes.set(part, at)
        at += part.length
      }
      return { bytes, final: false }
    },
    deflate(data, _dictionary, windowBits) {
      // fflate refers back up to 32 KiB: data longer than a smaller window is stored.
      const fits = windowBits === FULL_WINDOW || data.length <= 1 << windowBits
      const deflated = deflateSync(data, { level: fits ? level : 0 })
      const message = new Uint8Array(deflated.length + AFTER_LAST_BLOCK.length)
      message.set(deflated)
      message.set(AFTER_LAST_BLOCK, deflated.length)
      return message
    },
  }
}
