import {
  E_WS_FRAME_TOO_BIG,
  E_WS_LENGTH_OVERFLOW,
  E_WS_MESSAGE_TOO_BIG,
  E_WS_TOO_MANY_FRAGMENTS,
  WP_CLOSED,
  WP_PAYLOAD,
  WS_ACTUAL,
  WS_ACTUAL_HIGH,
  WS_AT,
  WS_BAD_AT,
  WS_BIAS,
  WS_FRAME,
  WS_HEADER,
  WS_HEADER_BYTES,
  WS_KEY,
  WS_LEFT,
  WS_LEFT_HIGH,
  WS_MAX_FRAGMENTS,
  WS_MAX_FRAME,
  WS_MAX_FRAME_HIGH,
  WS_MAX_MESSAGE,
  WS_MAX_MESSAGE_HIGH,
  WS_MESSAGE,
  WS_PHASE,
  WS_QUOTA,
  WS_QUOTA_HIGH,
  WS_STATE_WORDS,
} from '../../assembly/abi/websocket'
import type { WireError } from '../core/error'
import { kernelError } from './errors'
import type { Limits } from './limits'
import { TWO_32 } from './wire'

const STATE = WS_PHASE >>> 2
const word = (address: number): number => (address >>> 2) - STATE
const HEADER_BYTES = word(WS_HEADER_BYTES)
const LEFT = word(WS_LEFT)
const LEFT_HIGH = word(WS_LEFT_HIGH)
const HEADER = word(WS_HEADER)

/** Limits as the kernel counts: whatever is above 2^53 - 1 is an overflow before it is too big. */
const low = (limit: number): number => limit >>> 0
const high = (limit: number): number => Math.floor(limit / TWO_32)

/** What the kernel has to be told again when the next bytes of a connection come, and the connection's limits. */
export class ScanState {
  /** Between messages, with nothing of a header: the words mean nothing. */
  fresh = true
  readonly #words: number[] = new Array<number>(WS_STATE_WORDS).fill(0)
  readonly #messageLow: number
  readonly #messageHigh: number
  readonly #frameLow: number
  readonly #frameHigh: number
  readonly #fragments: number

  constructor({ maxMessageBytes, maxFrameBytes, maxFragments }: Readonly<Limits>) {
    this.#messageLow = low(maxMessageBytes)
    this.#messageHigh = high(maxMessageBytes)
    this.#frameLow = low(maxFrameBytes)
    this.#frameHigh = high(maxFrameBytes)
    this.#fragments = Math.min(maxFragments, 0xffffffff)
  }

  load(u32: Uint32Array): void {
    for (let i = 0; i < WS_STATE_WORDS; i++) u32[STATE + i] = this.#words[i]!
  }

  save(u32: Uint32Array): void {
    for (let i = 0; i < WS_STATE_WORDS; i++) this.#words[i] = u32[STATE + i]!
  }

  loadLimits(u32: Uint32Array): void {
    u32[WS_MAX_MESSAGE >>> 2] = this.#messageLow
    u32[WS_MAX_MESSAGE_HIGH >>> 2] = this.#messageHigh
    u32[WS_MAX_FRAME >>> 2] = this.#frameLow
    u32[WS_MAX_FRAME_HIGH >>> 2] = this.#frameHigh
    u32[WS_MAX_FRAGMENTS >>> 2] = this.#fragments
  }

  /** Bytes of an unfinished header. */
  get headerBytes(): number {
    return this.fresh ? 0 : this.#words[HEADER_BYTES]!
  }

  get insideFrame(): boolean {
    return !this.fresh && (this.phase === WP_PAYLOAD || this.#words[HEADER_BYTES] !== 0)
  }

  get insideMessage(): boolean {
    return !this.fresh && this.phase !== WP_CLOSED && (this.insideFrame || this.message !== 0)
  }

  get phase(): number {
    return this.#words[word(WS_PHASE)]!
  }

  /** Flags of the open message; 0: none. */
  get message(): number {
    return this.#words[word(WS_MESSAGE)]!
  }

  /** Flags of the current frame. */
  get frame(): number {
    return this.#words[word(WS_FRAME)]!
  }

  get key(): number {
    return this.#words[word(WS_KEY)]!
  }

  /** Place of the next payload byte, modulo 4 at least. */
  get at(): number {
    return this.#words[word(WS_AT)]!
  }

  /** Payload bytes of the current frame that had not come when the words were saved, below 2^32. */
  get leftLow(): number {
    return this.#words[LEFT]!
  }

  get left(): number {
    return this.#words[LEFT]! + this.#words[LEFT_HIGH]! * TWO_32
  }

  /** The payload has come otherwise. */
  clearLeft(): void {
    this.#words[LEFT] = 0
    this.#words[LEFT_HIGH] = 0
  }

  /** The unfinished header. */
  get header(): Uint8Array {
    const words = Uint32Array.from(this.#words.slice(HEADER, HEADER + 4))
    return new Uint8Array(words.buffer).subarray(0, this.#words[HEADER_BYTES])
  }
}

/** The fault that the kernel has left in the state block; `offset` is the stream offset of its input. */
export function scanError(status: number, u32: Uint32Array, offset: number, limits: Readonly<Limits>): WireError {
  const actual = u32[WS_ACTUAL >>> 2]! + u32[WS_ACTUAL_HIGH >>> 2]! * TWO_32
  const place = { offset: offset + u32[WS_BAD_AT >>> 2]! - WS_BIAS }
  const { maxMessageBytes, maxFrameBytes, maxFragments } = limits
  switch (status) {
    case E_WS_MESSAGE_TOO_BIG: {
      const before = maxMessageBytes - (u32[WS_QUOTA >>> 2]! + u32[WS_QUOTA_HIGH >>> 2]! * TWO_32)
      const limit = { name: 'maxMessageBytes', max: maxMessageBytes, actual: before + actual }
      return kernelError(status, { ...place, limit })
    }
    case E_WS_FRAME_TOO_BIG:
      return kernelError(status, { ...place, limit: { name: 'maxFrameBytes', max: maxFrameBytes, actual } })
    case E_WS_TOO_MANY_FRAGMENTS:
      return kernelError(status, { ...place, limit: { name: 'maxFragments', max: maxFragments, actual } })
    case E_WS_LENGTH_OVERFLOW:
      return kernelError(status, {
        ...place,
        limit: { name: 'maxFrameBytes', max: Math.min(maxFrameBytes, Number.MAX_SAFE_INTEGER), actual },
      })
    default:
      return kernelError(status, place)
  }
}
