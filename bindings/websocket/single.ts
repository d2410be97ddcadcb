import { OP_BINARY, WH_FIN, WH_MASK } from '../../assembly/abi/websocket'
import type { Limits } from './limits'

const FIN_BINARY = WH_FIN | OP_BINARY

/**
 * Recognises a chunk that is one whole, uncompressed binary message, by the header alone: sockets that are not busy deliver
 * most messages so, and a binary payload has no rule of its own. Whatever is otherwise in any way is for the kernel to judge.
 */
export class SingleFrame {
  readonly #mask: number
  /** The longest payload that breaks no limit. */
  readonly #most: number
  /** Of the frame that `find` has found. */
  key = 0

  constructor({ maxMessageBytes, maxFrameBytes, maxFragments }: Readonly<Limits>, server: boolean) {
    this.#mask = server ? WH_MASK : 0
    // Above 4 GiB a length has a high half.
    this.#most = maxFragments < 1 ? -1 : Math.min(maxMessageBytes, maxFrameBytes, 0xffffffff)
  }

  /** Where the payload begins if [from, end of bytes) is such a message, else 0; its mask key, read little-endian, is left in `key`. */
  find(bytes: Uint8Array, from: number): number {
    const { length } = bytes
    if (length - from < 2 || bytes[from] !== FIN_BINARY) return 0
    const second = bytes[from + 1]!
    const mask = this.#mask
    if ((second & WH_MASK) !== mask) return 0
    let size = second & 0x7f
    let at = from + 2
    if (size >= 126) {
      if (length - from < 10) return 0
      if (size === 126) {
        size = (bytes[at]! << 8) | bytes[at + 1]!
        at += 2
      } else {
        if ((bytes[at]! | bytes[at + 1]! | bytes[at + 2]! | bytes[at + 3]!) !== 0) return 0
        size = ((bytes[at + 4]! << 24) | (bytes[at + 5]! << 16) | (bytes[at + 6]! << 8) | bytes[at + 7]!) >>> 0
        at += 8
      }
    }
    if (mask !== 0) {
      if (at + 4 > length) return 0
      this.key = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      at += 4
    }
    return at + size === length && size <= this.#most ? at : 0
  }
}
