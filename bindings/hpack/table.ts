/**
 * The dynamic table (RFC 7541, section 2.3.2): a ring of entries with their sizes. For a decoder an entry is the very field
 * that header lists hold; an encoder's also knows where it is looked up.
 */
export class DynamicTable<T> {
  readonly #empty: T
  /** The entries: index 62 stands at `newest`, the next ones below it, round the end. */
  items: T[]
  /** Their sizes (section 4.1), in the same places. */
  sizes: number[] = new Array<number>(16).fill(0)
  /** Octets of their names, in the same places. */
  nameSizes: number[] = new Array<number>(16).fill(0)
  mask = 15
  newest = 15
  count = 0
  size = 0
  /** What the encoder of this direction uses at most. */
  maximum: number
  /** Entries put in and pushed out so far. */
  inserted = 0
  evicted = 0

  /** `empty` stands in places without an entry, so that the ring keeps nothing alive. */
  constructor(maximum: number, empty: T) {
    this.maximum = maximum
    this.#empty = empty
    this.items = new Array<T>(16).fill(empty)
  }

  /** What an encoder has to forget with an entry. */
  protected pushedOut(_item: T): void {}

  /** Puts an entry in, as the newest. What is too large for the table empties it, and is no fault (section 4.4): false. */
  insert(item: T, nameSize: number, size: number): boolean {
    if (this.size + size > this.maximum) {
      this.evict(this.maximum - size)
      if (size > this.maximum) return false
    }
    if (this.count > this.mask) this.#grow()
    const place = (this.newest + 1) & this.mask
    this.newest = place
    this.items[place] = item
    this.sizes[place] = size
    this.nameSizes[place] = nameSize
    this.count++
    this.size += size
    this.inserted++
    return true
  }

  /** Pushes out the oldest entries until the size is at most `size`. */
  evict(size: number): void {
    while (this.size > size && this.count > 0) {
      const place = (this.newest - this.count + 1) & this.mask
      const item = this.items[place]!
      this.size -= this.sizes[place]!
      this.items[place] = this.#empty
      this.count--
      this.evicted++
      this.pushedOut(item)
    }
  }

  /** A size update (section 6.3). */
  resize(maximum: number): void {
    this.maximum = maximum
    this.evict(maximum)
  }

  /** The entries, newest first: index 62 and so on. */
  entries(): T[] {
    return Array.from({ length: this.count }, (_, i) => this.items[(this.newest - i) & this.mask]!)
  }

  #grow(): void {
    const { count, items, sizes, nameSizes, mask } = this
    const length = count * 2
    const oldest = this.newest - count + 1
    const grown = new Array<T>(length).fill(this.#empty)
    const grownSizes = new Array<number>(length).fill(0)
    const grownNames = new Array<number>(length).fill(0)
    for (let i = 0; i < count; i++) {
      const place = (oldest + i) & mask
      grown[i] = items[place]!
      grownSizes[i] = sizes[place]!
      grownNames[i] = nameSizes[place]!
    }
    this.items = grown
    this.sizes = grownSizes
    this.nameSizes = grownNames
    this.mask = length - 1
    this.newest = count - 1
  }
}
