import { Accumulator } from '../core/accumulator'
import { commonError } from '../core/errors'
import { type DecodeOptions, Decoder, type HeaderField } from '../hpack'
import { hpackError } from '../hpack/errors'
import type { UnitReader } from './format'

/** How blocks stand in a file; 'auto' tells the first three apart by how the input begins. */
export const FRAMINGS = ['auto', 'http2', 'hex', 'length'] as const
export type Framing = (typeof FRAMINGS)[number]

/** A decoded block; of a connection also the stream that it opens, and whether that ends with it. */
export interface HeaderList {
  readonly stream?: number
  readonly endStream?: boolean
  readonly fields: readonly HeaderField[]
}

/** What every HTTP/2 client sends first (RFC 9113, 3.4). */
const PREFACE = new TextEncoder().encode('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const HEX = /^[0-9a-fA-F\s]*$/
const LF = 10
const LENGTH_BYTES = 4
/** No frame is longer, and a file that claims so of a block is none. */
const MAX_BLOCK = 0xffffff
/** Of such a block, with a blank behind each octet. */
const MAX_LINE = 3 * MAX_BLOCK

const FRAME_HEADER = 9
const HEADERS = 1
const PUSH_PROMISE = 5
const CONTINUATION = 9
const END_STREAM = 0x1
const END_HEADERS = 0x4
const PADDED = 0x8
const PRIORITY = 0x20

/** Takes one unit from the start of `bytes`, whose place in the input is `at`, and returns its end; where it is not there yet, 0 or less: minus the bytes that it has at least. */
type Step = (bytes: Uint8Array, at: number) => number

/** Header lists from a file of blocks, all of one connection and direction. */
export class HeaderBlockReader implements UnitReader {
  readonly #decoder: Decoder
  readonly #lists: HeaderList[] = []
  readonly #waiting = new Accumulator()
  #offset = 0
  #need = 0
  #step: Step | undefined
  #framing: Framing
  #begun = false
  /** Of an unfinished block: its stream and whether that ends with it. */
  #open: { stream: number; endStream: boolean } | undefined
  #fault: unknown

  constructor(framing: Framing, options: DecodeOptions) {
    this.#framing = framing
    this.#decoder = new Decoder(options)
  }

  push(chunk: Uint8Array): void {
    if (this.#fault) return
    this.#waiting.append(chunk)
    if (this.#waiting.length >= this.#need) this.#run(false)
  }

  end(): void {
    if (this.#fault) return
    this.#run(true)
  }

  readAll(): readonly HeaderList[] {
    const lists = this.#lists.splice(0)
    if (lists.length === 0 && this.#fault) throw this.#fault
    return lists
  }

  #run(closed: boolean): void {
    const bytes = this.#waiting.take()
    let from = 0
    try {
      this.#step ??= this.#choose(bytes, closed)
      while (this.#step && from < bytes.length) {
        const end = this.#step(bytes.subarray(from), this.#offset + from)
        this.#need = Math.max(0, -end)
        if (end <= 0) break
        from += end
      }
      if (closed) this.#finish(bytes.subarray(from))
      else this.#waiting.append(bytes, from)
    } catch (error) {
      this.#fault = error
    }
    this.#offset += from
  }

  /** The framing, once enough of the input is there to tell. */
  #choose(bytes: Uint8Array, closed: boolean): Step | undefined {
    if (this.#framing === 'auto') {
      const start = bytes.subarray(0, PREFACE.length)
      if (start.every((byte, i) => byte === PREFACE[i])) {
        if (start.length < PREFACE.length && !closed) return undefined
        this.#framing = 'http2'
      } else this.#framing = HEX.test(String.fromCharCode(...start)) ? 'hex' : 'length'
    }
    if (this.#framing === 'hex') return (rest, at) => this.#line(rest, at)
    if (this.#framing === 'length') return (rest, at) => this.#counted(rest, at)
    return (rest, at) => this.#frame(rest, at)
  }

  /** What is left at the end of the input. */
  #finish(rest: Uint8Array): void {
    if (rest.length > 0 && this.#framing === 'hex') this.#line(Uint8Array.of(...rest, LF), this.#offset)
    else if (rest.length > 0 || this.#open) {
      throw commonError('hpack', 'truncated', { offset: this.#offset + rest.length })
    }
  }

  /** Hexadecimal digits, a block a line. */
  #line(bytes: Uint8Array, at: number): number {
    const end = bytes.indexOf(LF)
    if (end > MAX_LINE || (end < 0 && bytes.length > MAX_LINE)) {
      throw hpackError('framing', { offset: at, detail: `a line of more than ${MAX_LINE} characters` })
    }
    if (end < 0) return 0
    const text = new TextDecoder().decode(bytes.subarray(0, end)).replace(/\s+/g, '')
    if (text.length % 2 !== 0 || !HEX.test(text))
      throw hpackError('framing', { offset: at, detail: 'hexadecimal digits expected' })
    if (text.length > 0) {
      const block = Uint8Array.from(text.match(/../g)!, (digits) => Number.parseInt(digits, 16))
      this.#lists.push({ fields: this.#decoder.decode(block) })
    }
    return end + 1
  }

  /** Four octets of length, big-endian, then the block. */
  #counted(bytes: Uint8Array, at: number): number {
    if (bytes.length < LENGTH_BYTES) return 0
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
    if (length > MAX_BLOCK) throw hpackError('framing', { offset: at, detail: `a block of ${length} octets` })
    const end = LENGTH_BYTES + length
    if (bytes.length < end) return -end
    this.#lists.push({ fields: this.#decoder.decode(bytes.subarray(LENGTH_BYTES, end)) })
    return end
  }

  /** Frames of one side of an HTTP/2 connection (RFC 9113, section 4); a client's preface before them. */
  #frame(bytes: Uint8Array, at: number): number {
    if (!this.#begun) {
      const start = bytes.subarray(0, PREFACE.length)
      const preface = start.every((byte, i) => byte === PREFACE[i])
      if (preface && start.length < PREFACE.length) return 0
      this.#begun = true
      if (preface) return PREFACE.length
    }
    if (bytes.length < FRAME_HEADER) return 0
    const length = (bytes[0]! << 16) | (bytes[1]! << 8) | bytes[2]!
    const end = FRAME_HEADER + length
    if (bytes.length < end) return -end
    const type = bytes[3]!
    const flags = bytes[4]!
    const stream = new DataView(bytes.buffer, bytes.byteOffset).getUint32(5) & 0x7fffffff
    if (this.#open ? type !== CONTINUATION || stream !== this.#open.stream : type === CONTINUATION) {
      throw hpackError('framing', { offset: at, detail: `a frame of type ${type} on stream ${stream}` })
    }
    if (type === HEADERS || type === PUSH_PROMISE || type === CONTINUATION) {
      this.#fragment(type, flags, stream, bytes.subarray(FRAME_HEADER, end), at)
    }
    return end
  }

  #fragment(type: number, flags: number, stream: number, payload: Uint8Array, at: number): void {
    let from = 0
    let to = payload.length
    if (type !== CONTINUATION) {
      if (flags & PADDED) to -= payload[from++] ?? 0
      // A dependency and weight, or the stream that is promised.
      if (type === PUSH_PROMISE) from += 4
      else if (flags & PRIORITY) from += 5
      if (from > to) throw hpackError('framing', { offset: at, detail: 'more padding than payload' })
      this.#open = { stream, endStream: type === HEADERS && (flags & END_STREAM) !== 0 }
    }
    this.#decoder.push(payload.subarray(from, to))
    if ((flags & END_HEADERS) === 0) return
    const fields = this.#decoder.end().readAll()
    // A fault of the block stands behind the fields before it: it is thrown by this.
    this.#decoder.read()
    this.#lists.push({ ...this.#open, fields })
    this.#open = undefined
  }
}
