import { hdsError } from './errors'

/** What a large piece of data is cut out for: it goes to the wire from the caller's own memory. */
interface Cut {
  /** Where it belongs: the buffer goes on behind it. */
  readonly at: number
  bytes: Uint8Array
  readonly length: number
}

const FIRST = 0x10000
/** A larger buffer is dropped after the payload. */
const KEPT = 0x100000

const NO_CUTS: Cut[] = []

/** The bytes of one payload while it is written, but for data that is cut out. */
export class PayloadBuffer {
  u8 = new Uint8Array(FIRST)
  view = new DataView(this.u8.buffer)
  at = 0
  /** Data of so many bytes and more is cut out. */
  cutBytes = 0
  #cuts = NO_CUTS
  /** Views of the beginning by their length, made when wanted: a view costs as much as writing a small payload. */
  #heads: Uint8Array[] = []
  /** Bytes that are cut out so far. */
  #surplus = 0

  start(cutBytes: number): void {
    if (this.u8.length > KEPT) this.#allocate(FIRST, 0)
    this.cutBytes = cutBytes
    this.#cuts = NO_CUTS
    this.#surplus = 0
    this.at = 0
  }

  /** Keeps nothing of the caller's. */
  end(): void {
    this.#cuts = NO_CUTS
  }

  #allocate(length: number, keep: number): void {
    const old = this.u8
    this.u8 = new Uint8Array(length)
    if (keep > 0) this.u8.set(old.subarray(0, keep))
    this.view = new DataView(this.u8.buffer)
    this.#heads = []
  }

  /** Makes room for so many bytes. */
  room(bytes: number): void {
    const needed = this.at + bytes
    if (needed > this.u8.length) this.#allocate(Math.max(needed, this.u8.length * 2), this.at)
  }

  /** Bytes of the payload so far. */
  get length(): number {
    return this.at + this.#surplus
  }

  byte(value: number): void {
    this.u8[this.at++] = value
  }

  data(bytes: Uint8Array): void {
    const { length } = bytes
    if (length >= this.cutBytes) {
      if (this.#cuts === NO_CUTS) this.#cuts = []
      this.#cuts.push({ at: this.at, bytes, length })
      this.#surplus += length
      return
    }
    // Memory that was taken away is empty, but not to be copied from.
    if (length === 0) return
    this.room(length)
    this.u8.set(bytes, this.at)
    this.at += length
  }

  /** Throws where data that is cut out has been taken away, or shrunk, since its length was written. */
  #unchanged(): void {
    for (const { bytes, length } of this.#cuts) {
      if (bytes.length !== length) throw hdsError('value', { detail: 'data that changes while it is written' })
    }
  }

  /** Puts the payload into `target`, which has room for it. */
  copyTo(target: Uint8Array, offset: number): void {
    const { at, u8 } = this
    if (this.#cuts === NO_CUTS) {
      if (at <= LOOP_BYTES) for (let i = 0; i < at; i++) target[offset + i] = u8[i]!
      else if (at > KEPT_HEAD) target.set(u8.subarray(0, at), offset)
      else {
        this.#heads[at] ??= u8.subarray(0, at)
        target.set(this.#heads[at], offset)
      }
      return
    }
    this.#unchanged()
    // Data of the target itself would be overwritten before it is copied.
    for (const cut of this.#cuts) if (cut.bytes.buffer === target.buffer) cut.bytes = cut.bytes.slice()
    let from = 0
    for (const cut of this.#cuts) {
      copy(u8, from, cut.at, target, offset)
      offset += cut.at - from
      target.set(cut.bytes, offset)
      offset += cut.bytes.length
      from = cut.at
    }
    copy(u8, from, at, target, offset)
  }

  /** The payload in pieces: memory of its own, and the caller's. */
  pieces(): Uint8Array[] {
    this.#unchanged()
    const pieces: Uint8Array[] = []
    let from = 0
    for (const { at, bytes } of this.#cuts) {
      if (at > from) pieces.push(this.u8.slice(from, at))
      pieces.push(bytes)
      from = at
    }
    if (this.at > from) pieces.push(this.u8.slice(from, this.at))
    return pieces
  }
}

/** Setting a typed array up costs more than a loop over a few bytes. */
const LOOP_BYTES = 32
/** Longer payloads have a view made each time. */
const KEPT_HEAD = 512

function copy(u8: Uint8Array, from: number, to: number, target: Uint8Array, offset: number): void {
  if (to - from <= LOOP_BYTES) for (let i = from; i < to; i++) target[offset++] = u8[i]!
  else target.set(u8.subarray(from, to), offset)
}
