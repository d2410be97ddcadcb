import { D_MAX_MESSAGE } from '../../assembly/abi/dbus'
import type { WireError } from '../core/error'
import type { Bytes } from '../core/options'
import { dbusError } from './errors'

/** What a large array of bytes is cut out for: it goes to the wire from the caller's own memory. */
interface Cut {
  /** Where the bytes belong, and where the buffer goes on behind them. */
  readonly at: number
  readonly resume: number
  readonly bytes: Uint8Array
  readonly length: number
}

export function messageTooLong(actual: number): WireError {
  return dbusError('messageLength', { limit: { name: 'maxMessageBytes', max: D_MAX_MESSAGE, actual } })
}

const FIRST = 0x10000
/** A larger buffer is dropped after the message. */
const KEPT = 0x100000
/** Below this, a piece of its own costs more than a copy. */
const CHUNK_BYTES = 16_384
/** Up to so many code units a loop is quicker than the platform's encoder. */
const SHORT_TEXT = 128
/** Up to so many bytes a loop is quicker than `set`. */
const SHORT_BYTES = 24
const NUL_IN_TEXT = 'a string must not hold NUL'
const LONE_SURROGATE_IN_TEXT = 'a string with half a surrogate pair has no UTF-8'
const LONE_SURROGATE = /\p{Surrogate}/u

const utf8 = new TextEncoder()

/**
 * The bytes of one message while it is written. Positions are aligned as on the wire, so that numbers are stored through
 * typed arrays.
 */
export class MessageBuffer {
  u8 = new Uint8Array(FIRST)
  #u16 = new Uint16Array(this.u8.buffer)
  #u32 = new Uint32Array(this.u8.buffer)
  #f64 = new Float64Array(this.u8.buffer)
  #u64 = new BigUint64Array(this.u8.buffer)
  #view = new DataView(this.u8.buffer)
  #cuts: Cut[] = []
  /** Bytes on the wire less those of the buffer, so far. */
  #surplus = 0
  big = false
  at = 0

  start(big: boolean): void {
    if (this.u8.length > KEPT) this.#allocate(FIRST)
    this.big = big
    this.#cuts = []
    this.#surplus = 0
    this.at = 0
  }

  #allocate(length: number): void {
    const old = this.u8
    this.u8 = new Uint8Array(length)
    this.u8.set(old.subarray(0, Math.min(this.at, length)))
    const { buffer } = this.u8
    this.#u16 = new Uint16Array(buffer)
    this.#u32 = new Uint32Array(buffer)
    this.#f64 = new Float64Array(buffer)
    this.#u64 = new BigUint64Array(buffer)
    this.#view = new DataView(buffer)
  }

  /** Makes room for so many bytes and the padding around them. Throws where the message is too long already. */
  room(bytes: number): void {
    if (this.length > D_MAX_MESSAGE) throw messageTooLong(this.length)
    const needed = this.at + bytes + 32
    if (needed > this.u8.length) this.#allocate(Math.max(needed + 8, this.u8.length * 2) & ~7)
  }

  /** Bytes of the wire so far. */
  get length(): number {
    return this.at + this.#surplus
  }

  /** So many bytes more are known to come: nothing is allocated for what no message has room for. */
  #fit(bytes: number): void {
    if (this.length + bytes > D_MAX_MESSAGE) throw messageTooLong(this.length + bytes)
  }

  /** Throws where bytes that are cut out have been taken away, or shrunk, since their length was written. */
  finish(): void {
    for (const { bytes, length } of this.#cuts) {
      if (bytes.length !== length) throw dbusError('value', { detail: 'an array that changes while it is written' })
    }
  }

  /** Writes zeros to the next multiple of `size`. */
  align(size: number): void {
    const end = (this.at + size - 1) & -size
    while (this.at < end) this.u8[this.at++] = 0
  }

  byte(value: number): void {
    this.u8[this.at++] = value
  }

  uint16(value: number): void {
    if (this.big) this.#view.setUint16(this.at, value)
    else this.#u16[this.at >>> 1] = value
    this.at += 2
  }

  uint32(value: number): void {
    this.setUint32(this.at, value)
    this.at += 4
  }

  setUint32(at: number, value: number): void {
    if (this.big) this.#view.setUint32(at, value)
    else this.#u32[at >>> 2] = value
  }

  float64(value: number): void {
    if (this.big) this.#view.setFloat64(this.at, value)
    else this.#f64[this.at >>> 3] = value
    this.at += 8
  }

  /** Both signs: the low 64 bits. */
  uint64(value: bigint): void {
    if (this.big) this.#view.setBigUint64(this.at, BigInt.asUintN(64, value))
    else this.#u64[this.at >>> 3] = value
    this.at += 8
  }

  /** Text that is known to be ASCII. */
  ascii(text: string): void {
    const { u8 } = this
    let at = this.at
    for (let i = 0; i < text.length; i++) u8[at++] = text.charCodeAt(i)
    this.at = at
  }

  /** The bytes of a string without its length and NUL. What has no UTF-8, or holds NUL, gives what is wrong with it. */
  text(text: string): string | undefined {
    this.#fit(text.length)
    this.room(text.length * 3)
    return text.length <= SHORT_TEXT ? this.#shortText(text) : this.#longText(text)
  }

  #shortText(text: string): string | undefined {
    const { length } = text
    const { u8 } = this
    let at = this.at
    let i = 0
    // Text begins at a multiple of four: four characters that are neither NUL nor above ASCII are one word.
    const words = this.#u32
    for (; i + 4 <= length; i += 4, at += 4) {
      const a = text.charCodeAt(i)
      const b = text.charCodeAt(i + 1)
      const c = text.charCodeAt(i + 2)
      const d = text.charCodeAt(i + 3)
      const word = a | (b << 8) | (c << 16) | (d << 24)
      if ((a | b | c | d) >= 0x80 || ((word - 0x01010101) & 0x80808080) !== 0) break
      words[at >>> 2] = word
    }
    for (; i < length; i++) {
      let code = text.charCodeAt(i)
      if (code < 0x80) {
        if (code === 0) return NUL_IN_TEXT
        u8[at++] = code
        continue
      }
      if (code < 0x800) u8[at++] = 0xc0 | (code >>> 6)
      else {
        if ((code & 0xf800) !== 0xd800) u8[at++] = 0xe0 | (code >>> 12)
        else {
          const low = ++i < length ? text.charCodeAt(i) : 0
          if (code >= 0xdc00 || (low & 0xfc00) !== 0xdc00) return LONE_SURROGATE_IN_TEXT
          code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)
          u8[at++] = 0xf0 | (code >>> 18)
          u8[at++] = 0x80 | ((code >>> 12) & 0x3f)
        }
        u8[at++] = 0x80 | ((code >>> 6) & 0x3f)
      }
      u8[at++] = 0x80 | (code & 0x3f)
    }
    this.at = at
    return undefined
  }

  #longText(text: string): string | undefined {
    if (text.includes('\0')) return NUL_IN_TEXT
    const { written } = utf8.encodeInto(text, this.u8.subarray(this.at))
    // A replacement character may stand for half a surrogate pair, which has no bytes.
    if (written !== text.length && LONE_SURROGATE.test(text)) return LONE_SURROGATE_IN_TEXT
    this.at += written
    return undefined
  }

  /** Elements of `size` bytes, in the byte order of the machine: their bytes, turned where the message is big-endian. */
  elements(bytes: Uint8Array, size: number): void {
    this.#fit(bytes.length)
    if (bytes.length >= CHUNK_BYTES && (size === 1 || !this.big)) {
      const { at } = this
      // What follows must be aligned as if the bytes stood here.
      const resume = at + (bytes.length & 7)
      this.room(8)
      this.#cuts.push({ at, resume, bytes, length: bytes.length })
      this.#surplus += bytes.length - (bytes.length & 7)
      this.at = resume
      return
    }
    this.room(bytes.length)
    const { u8, at } = this
    if (bytes.length <= SHORT_BYTES) for (let i = 0; i < bytes.length; i++) u8[at + i] = bytes[i]!
    else u8.set(bytes, at)
    this.at = at + bytes.length
    if (!this.big || size === 1) return
    const view = this.#view
    for (let place = at; place < this.at; place += size) {
      if (size === 2) view.setUint16(place, view.getUint16(place, true))
      else if (size === 4) view.setUint32(place, view.getUint32(place, true))
      else view.setBigUint64(place, view.getBigUint64(place, true))
    }
  }

  /** Copies the message to `to` in `target`, which has room for its `length`. */
  copyTo(target: Uint8Array, to: number): void {
    let from = 0
    // Bytes of the target itself would be overwritten before they are copied.
    const cuts = this.#cuts.map((cut) =>
      cut.bytes.buffer === target.buffer ? { ...cut, bytes: cut.bytes.slice() } : cut,
    )
    for (const { at, resume, bytes } of cuts) {
      target.set(this.u8.subarray(from, at), to)
      to += at - from
      target.set(bytes, to)
      to += bytes.length
      from = resume
    }
    target.set(this.u8.subarray(from, this.at), to)
  }

  /** The message in one piece of its own. */
  copy(): Bytes {
    if (this.#cuts.length === 0) return this.u8.slice(0, this.at)
    const whole = new Uint8Array(this.length)
    this.copyTo(whole, 0)
    return whole
  }

  /** The message in pieces: memory of its own, and the caller's. */
  pieces(): Uint8Array[] {
    const pieces: Uint8Array[] = []
    let from = 0
    for (const { at, resume, bytes } of this.#cuts) {
      if (at > from) pieces.push(this.u8.slice(from, at))
      pieces.push(bytes)
      from = resume
    }
    if (this.at > from) pieces.push(this.u8.slice(from, this.at))
    return pieces
  }
}
