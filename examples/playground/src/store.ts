import type { Range } from './protocol'

/** Numbers that become more; a plain array of a million would be a million boxes at worst. */
class Growing {
  #items = new Float64Array(1024)
  length = 0

  push(value: number): void {
    if (this.length === this.#items.length) {
      const grown = new Float64Array(this.length * 2)
      grown.set(this.#items)
      this.#items = grown
    }
    this.#items[this.length++] = value
  }

  at(index: number): number {
    return this.#items[index]!
  }
}

const SLAB = 1 << 20

/** Text by number: millions of lines cost their UTF-8 and two numbers each, no string. */
export class Lines {
  readonly #slabs: Uint8Array[] = []
  #free = 0
  /** Slab and place in it of each line, as one number. */
  readonly #starts = new Growing()
  readonly #sizes = new Growing()
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()

  get length(): number {
    return this.#starts.length
  }

  add(line: string): void {
    let slab = this.#slabs.at(-1)
    let written = slab ? this.#encoder.encodeInto(line, slab.subarray(this.#free)) : undefined
    if (!slab || written!.read < line.length) {
      slab = new Uint8Array(Math.max(SLAB, line.length * 3))
      this.#slabs.push(slab)
      this.#free = 0
      written = this.#encoder.encodeInto(line, slab)
    }
    this.#starts.push((this.#slabs.length - 1) * 2 ** 32 + this.#free)
    this.#sizes.push(written!.written)
    this.#free += written!.written
  }

  get(index: number): string {
    const start = this.#starts.at(index)
    const at = start % 2 ** 32
    const slab = this.#slabs[(start - at) / 2 ** 32]!
    return this.#decoder.decode(slab.subarray(at, at + this.#sizes.at(index)))
  }
}

/** Where units stand in the capture, by their number. Most are in one piece. */
export class Places {
  readonly #from = new Growing()
  readonly #to = new Growing()
  readonly #pieces = new Map<number, readonly Range[]>()

  add(ranges: readonly Range[]): void {
    if (ranges.length > 1) this.#pieces.set(this.#from.length, ranges)
    this.#from.push(ranges[0]?.[0] ?? 0)
    this.#to.push(ranges.at(-1)?.[1] ?? 0)
  }

  get(index: number): readonly Range[] {
    return this.#pieces.get(index) ?? [[this.#from.at(index), this.#to.at(index)]]
  }

  size(index: number): number {
    return this.get(index).reduce((sum, [from, to]) => sum + to - from, 0)
  }

  /** The unit that holds that byte, or else the last that begins before it; -1 where none does. */
  find(offset: number): number {
    let low = 0
    let high = this.#from.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#to.at(middle) <= offset) low = middle + 1
      else high = middle
    }
    // A control frame ends before the message that it stands in does.
    for (let i = low; i < Math.min(low + 64, this.#from.length); i++) {
      if (this.get(i).some(([from, to]) => from <= offset && offset < to)) return i
    }
    return Math.min(low, this.#from.length - 1)
  }
}
