import { usageError } from '../core/errors'
import { websocketError } from './errors'
import type { Limits } from './limits'
import type { Role } from './types'

/** What both ends have agreed on for permessage-deflate (RFC 7692, section 7.1). */
export interface DeflateParams {
  /** The server's messages are compressed each by itself. */
  readonly serverNoContextTakeover: boolean
  /** The client's messages are compressed each by itself. */
  readonly clientNoContextTakeover: boolean
  /** 8–15: the server's messages refer back at most 2^n bytes. */
  readonly serverMaxWindowBits: number
  /** 8–15: the client's messages refer back at most 2^n bytes. */
  readonly clientMaxWindowBits: number
}

/** What `inflate` of a `Deflate` gives. */
export interface Inflated {
  /** The message. */
  readonly bytes: Uint8Array
  /** Whether the data had a last block (BFINAL): what follows it must not refer back. */
  readonly final: boolean
}

/**
 * Raw DEFLATE (RFC 1951) without state, and the parameters of one connection. What earlier messages leave behind is kept by
 * the codec and handed in as `dictionary`, empty or at most 2^windowBits bytes.
 */
export interface Deflate {
  /** What both ends have agreed on: `deflate` of `acceptUpgrade` or `verifyUpgrade`. */
  readonly params: DeflateParams
  /**
   * Inflates whole data, its last block empty and stored. undefined: it becomes more than `maxBytes`. Throws where it is no
   * DEFLATE.
   */
  inflate(data: Uint8Array, dictionary: Uint8Array, windowBits: number, maxBytes: number): Inflated | undefined
  /** Deflates so that the result ends with an empty stored block, 00 00 ff ff. */
  deflate(data: Uint8Array, dictionary: Uint8Array, windowBits: number): Uint8Array
}

const isWindow = (bits: unknown): boolean => Number.isInteger(bits) && (bits as number) >= 8 && (bits as number) <= 15

/** All of them must be said: without its window nothing could be inflated, nor without a context that goes on. */
function areAgreed(params: Partial<DeflateParams> | null | undefined): boolean {
  if (typeof params !== 'object' || params === null) return false
  const { serverNoContextTakeover, clientNoContextTakeover, serverMaxWindowBits, clientMaxWindowBits } = params
  const flags = typeof serverNoContextTakeover === 'boolean' && typeof clientNoContextTakeover === 'boolean'
  return flags && isWindow(serverMaxWindowBits) && isWindow(clientMaxWindowBits)
}

/** What was given as the option `deflate`, if it is such a thing. */
export function deflateOption(deflate: Deflate | undefined): Deflate | undefined {
  if (deflate === undefined) return undefined
  const { params, inflate, deflate: pack } = deflate ?? {}
  if (!areAgreed(params) || typeof inflate !== 'function' || typeof pack !== 'function') {
    throw usageError('websocket', 'deflate must be what nodeDeflate or fflateDeflate gives for agreed parameters')
  }
  return deflate
}

export const EMPTY_BLOCK: readonly number[] = [0, 0, 0xff, 0xff]
const EMPTY = new Uint8Array(0)
const FIRST_BYTES = 1024

/** The bytes that a message may refer back to: the last 2^bits of what came before. */
class Window {
  readonly #size: number
  #bytes = EMPTY
  #length = 0

  constructor(bits: number) {
    this.#size = 1 << bits
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(Math.max(0, this.#length - this.#size), this.#length)
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    const size = this.#size
    const added = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes
    let total = this.#length + added.length
    if (total > this.#bytes.length) {
      // Twice the window, so that it is moved to the front once per window and not per message.
      const kept = this.bytes.subarray(Math.max(0, Math.min(size, this.#length) - (size - added.length)))
      total = kept.length + added.length
      const room = Math.min(size * 2, Math.max(FIRST_BYTES, total * 2))
      const target = room > this.#bytes.length ? new Uint8Array(room) : this.#bytes
      target.set(kept)
      this.#bytes = target
      this.#length = kept.length
    }
    this.#bytes.set(added, this.#length)
    this.#length = total
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#length = 0
  }

  /** What is there, for `restore`. */
  copy(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes)
  }

  restore(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#length = bytes.length
  }
}

/** Which parameters are for the messages that `sender` sends. */
const bitsOf = (params: DeflateParams, sender: Role): number =>
  sender === 'server' ? params.serverMaxWindowBits : params.clientMaxWindowBits
const isolated = (params: DeflateParams, sender: Role): boolean =>
  sender === 'server' ? params.serverNoContextTakeover : params.clientNoContextTakeover

/** The messages that one end receives. */
export class Inflater {
  readonly #deflate: Deflate
  readonly #bits: number
  readonly #isolated: boolean
  readonly #window: Window

  constructor(deflate: Deflate, sender: Role) {
    this.#deflate = deflate
    this.#bits = bitsOf(deflate.params, sender)
    this.#isolated = isolated(deflate.params, sender)
    this.#window = new Window(this.#bits)
  }

  /** A copy of [from, to), with the end that is not sent (RFC 7692, section 7.2.2). */
  static prepare(bytes: Uint8Array, from: number, to: number): Uint8Array {
    const data = new Uint8Array(to - from + EMPTY_BLOCK.length)
    data.set(bytes.subarray(from, to))
    data.set(EMPTY_BLOCK, to - from)
    return data
  }

  /** Inflates what was prepared. Throws a WireError with that stream offset, also where it becomes more than allowed. */
  inflate(data: Uint8Array, limits: Readonly<Limits>, offset: number): Uint8Array {
    const byRatio = (data.length - EMPTY_BLOCK.length) * limits.maxInflateRatio
    const max = Math.min(limits.maxMessageBytes, byRatio)
    let inflated: Inflated | undefined
    try {
      inflated = this.#deflate.inflate(data, this.#window.bytes, this.#bits, max)
    } catch (cause) {
      throw websocketError('inflate', { offset, cause })
    }
    if (!inflated) {
      if (max === byRatio) {
        const limit = { name: 'maxInflateRatio', max: limits.maxInflateRatio, actual: limits.maxInflateRatio + 1 }
        throw websocketError('inflateRatio', { offset, limit })
      }
      throw websocketError('messageTooBig', { offset, limit: { name: 'maxMessageBytes', max, actual: max + 1 } })
    }
    if (inflated.final) this.#window.clear()
    else if (!this.#isolated) this.#window.append(inflated.bytes)
    return inflated.bytes
  }

  clear(): void {
    this.#window.clear()
  }
}

/** The messages that one end sends. */
export class Deflater {
  readonly #deflate: Deflate
  readonly #bits: number
  readonly #isolated: boolean
  readonly #window: Window

  constructor(deflate: Deflate, sender: Role) {
    this.#deflate = deflate
    this.#bits = bitsOf(deflate.params, sender)
    this.#isolated = isolated(deflate.params, sender)
    this.#window = new Window(this.#bits)
  }

  /** The payload of a compressed message (RFC 7692, section 7.2.1). The context moves on only with `commit`. */
  deflate(data: Uint8Array): Uint8Array {
    if (data.length === 0) return Uint8Array.of(0)
    const deflated = this.#deflate.deflate(data, this.#window.bytes, this.#bits)
    return deflated.subarray(0, deflated.length - EMPTY_BLOCK.length)
  }

  /** The message was written: later ones may refer to it. */
  commit(data: Uint8Array): void {
    if (!this.#isolated) this.#window.append(data)
  }

  /** Keeps the context as it is now; the result brings it back. */
  mark(): () => void {
    const bytes = this.#window.copy()
    return () => this.#window.restore(bytes)
  }

  clear(): void {
    this.#window.clear()
  }
}
