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
   * Makes room for a unit that says it has `total` bytes: 64 KiB, or twice what has come, as far as that is not more. To be called before
   * each append: then the room is exact in the end, and each byte was moved at most twice.
   */
  claim(total: number): void {
    this.reserve(Math.min(total, Math.max(CLAIM_BYTES, 2 * this.#length)))
  }

  append(bytes: Uint8Array, from = 0, to = bytes.length): void {
    if (to === from) return
    const total = this.#length + to - from
    if (total > this.#bytes.length) this.reserve(Math.max(256, this.#bytes.length * 2, total))
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
