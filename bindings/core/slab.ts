/**
 * Many small pieces cut from one allocation: a Uint8Array of its own costs a decoder more than the bytes in it.
 * A place is handed out once and never used again; the slab lives as long as its longest-lived piece.
 */
export class Slab<A extends Uint8Array | Int32Array> {
  readonly #make: (length: number) => A
  readonly #length: number
  #array: A
  #used = 0

  constructor(make: (length: number) => A, length: number) {
    this.#make = make
    this.#length = length
    this.#array = make(0)
  }

  /** Longer pieces are better off with an array of their own. */
  get longestPiece(): number {
    return this.#length >>> 3
  }

  /** Reserves `length` elements; they stand in `array` from the returned place on, until the next call. */
  take(length: number): number {
    if (this.#used + length > this.#array.length) {
      this.#array = this.#make(this.#length)
      this.#used = 0
    }
    const at = this.#used
    this.#used += length
    return at
  }

  get array(): A {
    return this.#array
  }
}
