import { constants as bufferConstants } from 'node:buffer'
import { constants, deflateRawSync, type InputType, inflateRawSync, type ZlibOptions } from 'node:zlib'
import { objectArgument } from '../core/options'
import type { Deflate, DeflateParams } from '../websocket/deflate'

/** How hard Node's zlib compresses, and with how much memory; see the documentation of node:zlib. */
export interface NodeDeflateOptions {
  /** 1 (fast) to 9 (small); default 6. */
  readonly level?: number | undefined
  /** 1 to 9; default 8. */
  readonly memLevel?: number | undefined
}

/** What zlib gives with the option `info`, which @types/node does not say. */
interface Info {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

/** zlib cannot deflate with a window of 256 bytes; of its window of 512 it uses no more than that. */
const LEAST_BITS = 9

/**
 * permessage-deflate by Node's own zlib, synchronously: no thread, nothing to free. What earlier messages left behind goes in
 * as a dictionary, so that every message is one call.
 */
export function nodeDeflate(params: DeflateParams, options: NodeDeflateOptions = {}): Deflate {
  objectArgument('websocket', 'options', options)
  const { level, memLevel } = options
  const tuning: ZlibOptions = {
    ...(level === undefined ? {} : { level }),
    ...(memLevel === undefined ? {} : { memLevel }),
  }
  return {
    params,
    inflate(data, dictionary, windowBits, maxBytes) {
      let info: Info
      try {
        const given: ZlibOptions = {
          windowBits,
          finishFlush: constants.Z_SYNC_FLUSH,
          maxOutputLength: Math.min(Math.max(1, maxBytes), bufferConstants.MAX_LENGTH),
          info: true,
        }
        if (dictionary.length > 0) given.dictionary = dictionary
        info = inflateRawSync(data as InputType, given) as unknown as Info
      } catch (error) {
        if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return undefined
        throw error
      }
      const { buffer, engine } = info
      if (buffer.length > maxBytes) return undefined
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
      // What zlib has not taken follows a block that was the last.
      return { bytes, final: engine.bytesWritten < data.length }
    },
    deflate(data, dictionary, windowBits) {
      const given: ZlibOptions = {
        ...tuning,
        windowBits: Math.max(LEAST_BITS, windowBits),
        finishFlush: constants.Z_SYNC_FLUSH,
      }
      if (dictionary.length > 0) given.dictionary = dictionary
      const buffer = deflateRawSync(data as InputType, given)
      return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    },
  }
}
