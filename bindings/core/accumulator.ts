const EMPTY = new Uint8Array(0)

const LOOP_BYTES = 16
/** What the word of a peer is worth. */
const CLAIM_BYTES = 0x10000

/** Bytes that wait for the rest of their unit. Appending n pieces costs O(total), never a copy of everything for each piece. */
export class Accumulator {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(capacity = 0) {
    this.#bytes = capacity > 0 ? new Uint8Array(capacity) : EMPTY
  }

  get length(): number {
    return this.#length
  }

  /** Makes room for `total` bytes in one go, where the length of the unit is known. */
  reserve(total: number): void {
    if (total <= this.#bytes.length) return
    const grown = new Uint8Array(total)
    grown.set(this.view())
    this.#bytes = grown
  }

  /**
   * Appends [from, to). `unit`: bytes that the unit says it has; it is given room for that, but no more than 64 KiB or twice what there
   * was before more has come.
   */
  append(bytes: Uint8Array, from = 0, to = bytes.length, unit = 0): void {
    if (to === from) return
    const total = this.#length + to - from
    if (total > this.#bytes.length) {
      const twice = this.#bytes.length * 2
      this.reserve(Math.max(total, unit > 0 ? Math.min(unit, Math.max(CLAIM_BYTES, twice)) : Math.max(256, twice)))
    }
    // Setting a typed array up costs more than a loop over a few bytes.
    if (to - from <= LOOP_BYTES) for (let i = from, at = this.#length; i < to; i++, at++) this.#bytes[at] = bytes[i]!
    else this.#bytes.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#length)
    this.#length = total
  }

  /** What is there, without a copy; valid until the next append. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Hands the bytes over, followed by `tail`, and starts empty again. */
  take(tail?: Uint8Array): Uint8Array<ArrayBuffer> {
    if (tail) this.append(tail)
    const bytes = this.view()
    this.clear()
    return bytes
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#length = 0
  }
}
