import type { HeaderField } from './types'

const EMPTY: HeaderField = Object.freeze({ name: '', value: '', sensitive: false })

/**
 * The dynamic table of a decoder (RFC 7541, section 2.3.2): a ring of fields and their sizes. An entry is the very object that
 * header lists hold, made once.
 */
export class DecoderTable {
  /** The entries, index 62 at `newest`, the next ones below it, round the end. */
  fields: HeaderField[] = new Array<HeaderField>(16).fill(EMPTY)
  /** Their sizes, in the same places. */
  sizes: number[] = new Array<number>(16).fill(0)
  /** Octets of their names, in the same places. */
  nameSizes: number[] = new Array<number>(16).fill(0)
  mask = 15
  newest = 15
  count = 0
  size = 0
  /** What the peer's encoder has said that it uses at most. */
  maximum: number
  /** Entries put in and pushed out so far. */
  inserted = 0
  evicted = 0

  constructor(maximum: number) {
    this.maximum = maximum
  }

  /**
   * Inserts a field; `size` is its size by RFC 7541, 4.1. What is too large for the table empties it, and is no fault (4.4).
   */
  insert(field: HeaderField, nameSize: number, size: number): void {
    if (this.size + size > this.maximum) {
      this.evict(this.maximum - size)
      if (size > this.maximum) return
    }
    if (this.count > this.mask) this.#grow()
    const place = (this.newest + 1) & this.mask
    this.newest = place
    this.fields[place] = field
    this.sizes[place] = size
    this.nameSizes[place] = nameSize
    this.count++
    this.size += size
    this.inserted++
  }

  /** Pushes out the oldest entries until the size is at most `size`. */
  evict(size: number): void {
    while (this.size > size && this.count > 0) {
      const place = (this.newest - this.count + 1) & this.mask
      this.size -= this.sizes[place]!
      this.fields[place] = EMPTY
      this.count--
      this.evicted++
    }
  }

  /** A size update (6.3). */
  resize(maximum: number): void {
    this.maximum = maximum
    this.evict(maximum)
  }

  /** The fields, newest first: index 62 and so on. */
  entries(): HeaderField[] {
    return Array.from({ length: this.count }, (_, i) => this.fields[(this.newest - i) & this.mask]!)
  }

  #grow(): void {
    const length = (this.mask + 1) * 2
    const oldest = this.newest - this.count + 1
    const turned = <T>(ring: readonly T[], empty: T): T[] =>
      Array.from({ length }, (_, i) => (i < this.count ? ring[(oldest + i) & this.mask]! : empty))
    this.fields = turned(this.fields, EMPTY)
    this.sizes = turned(this.sizes, 0)
    this.nameSizes = turned(this.nameSizes, 0)
    this.mask = length - 1
    this.newest = this.count - 1
  }
}
