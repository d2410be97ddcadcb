/** Deterministic random numbers: the same test on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number of 0 … 2^32 - 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    // The low bits of this generator have short periods.
    return (this.#state ^ (this.#state >>> 15)) >>> 0
  }

  below(limit: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * limit)
  }

  pick<T>(list: ArrayLike<T>): T {
    return list[this.below(list.length)]!
  }

  bytes(length: number, alphabet?: ArrayLike<number>): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => (alphabet ? this.pick(alphabet) : this.below(256)))
  }

  /** A copy with a few bytes changed, left out, doubled or put in. */
  mutate(bytes: Uint8Array, alphabet?: ArrayLike<number>): Uint8Array<ArrayBuffer> {
    const list = [...bytes]
    for (let i = 1 + this.below(3); i > 0; i--) {
      const at = this.below(list.length + 1)
      const byte = alphabet && this.below(4) > 0 ? this.pick(alphabet) : this.below(256)
      const what = this.below(4)
      if (what === 0) list.splice(at, 1, byte)
      else if (what === 1) list.splice(at, 1)
      else if (what === 2) list.splice(at, 0, byte)
      else list.splice(at, 0, ...list.slice(at, at + this.below(40)))
    }
    return Uint8Array.from(list)
  }
}
