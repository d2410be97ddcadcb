import type { Policy } from './policy'
import { ENTRY_OVERHEAD, STATIC_COUNT, STATIC_FIELDS } from './static'
import { DynamicTable } from './table'

/** First index of each name of the static table. */
const STATIC_NAMES: ReadonlyMap<string, number> = new Map(
  STATIC_FIELDS.map(({ name }, index) => [name, index] as const)
    .slice(1)
    .reverse(),
)

/** What an encoder knows about a name. */
export interface Name {
  readonly name: string
  readonly policy: number
  /** Index of the name in the static table; 0: it is not there. */
  readonly staticIndex: number
  /** Indexes of the static fields of the name that have a value; undefined: there are none. */
  readonly staticValues: readonly number[] | undefined
  /** Number of the newest dynamic entry of the name; 0: there is none. */
  newest: number
  /** How many there are. */
  entries: number
}

/** A dynamic entry. They are numbered in the order of their insertion, from 1. */
export interface Row {
  readonly name: Name
  readonly value: string
  readonly number: number
  readonly mark: number
  /** Number of the entry that came before into the same bucket. */
  older: number
}

const NO_NAME: Name = { name: '', policy: 0, staticIndex: 0, staticValues: undefined, newest: 0, entries: 0 }
const NO_ROW: Row = { name: NO_NAME, value: '', number: 0, mark: 0, older: 0 }

const BUCKETS = 128
/**
 * So many entries of one bucket are looked at: someone may send very many with the same mark. A table of the usual 4,096 octets
 * has no more entries, so that none is missed there.
 */
const MOST_LOOKS = 128

/** A number that equal fields share and others seldom do: made of a few characters, those where most values differ. */
function markOf(name: string, value: string): number {
  const { length } = value
  let mark = length + (name.length << 6)
  if (length >= 8) {
    mark = (mark << 5) - mark + value.charCodeAt(length - 2)
    mark = (mark << 5) - mark + value.charCodeAt(length - 5)
    mark = (mark << 5) - mark + value.charCodeAt(length - 8)
    mark = (mark << 5) - mark + value.charCodeAt(length >>> 1)
    mark = (mark << 5) - mark + value.charCodeAt(3)
  } else if (length > 0) {
    mark = (mark << 5) - mark + value.charCodeAt(0)
    mark = (mark << 5) - mark + value.charCodeAt(length - 1)
    mark = (mark << 5) - mark + value.charCodeAt(length >>> 1)
  }
  return mark ^ (mark >> 9)
}

/** Indexes of the static fields of each name that have a value. */
const STATIC_VALUES: ReadonlyMap<string, readonly number[]> = STATIC_FIELDS.reduce(
  (values, { name, value }, index) => (value === '' ? values : values.set(name, [...(values.get(name) ?? []), index])),
  new Map<string, readonly number[]>(),
)

/**
 * The dynamic table of an encoder, looked up by marks of whole fields. A Map of values would hash every string in full, and be
 * changed twice for each that comes and goes; here a bucket holds the number of its newest entry, and numbers of what is no
 * longer there end the search. Names are keys of a Map, so that none of them means anything to JavaScript.
 */
export class EncoderTable extends DynamicTable<Row> {
  readonly #policy: Policy
  readonly #names = new Map<string, Name>()
  /** Number of the newest entry of each bucket. */
  #heads = new Array<number>(BUCKETS).fill(0)
  /** Mark of the field that was looked for last, where the search needed it. */
  #mark = 0
  #marked = false
  /** What is known about its name; undefined: it is in neither table. */
  known: Name | undefined
  /** Rows pushed out since `begin`, so that it can be undone. */
  readonly #journal: Row[] = []
  #insertedBefore = 0
  #evictedBefore = 0

  constructor(maximum: number, policy: Policy) {
    super(maximum, NO_ROW)
    this.#policy = policy
  }

  /** Index of the field in either table; 0: it is in none. */
  findField(name: string, value: string): number {
    const known = this.find(name)
    this.known = known
    this.#marked = false
    if (known === undefined) return 0
    const { items, mask, newest, inserted } = this
    if (known.newest > 0) {
      // Most fields are as they were the last time.
      const number = known.newest
      if (items[(newest - inserted + number) & mask]!.value === value) return this.indexOf(number)
    }
    if (known.staticValues !== undefined) {
      for (const index of known.staticValues) if (STATIC_FIELDS[index]!.value === value) return index
    }
    if (known.entries < 2) return 0
    const mark = markOf(name, value)
    this.#mark = mark
    this.#marked = true
    const gone = inserted - this.count
    let number = this.#heads[mark & (this.#heads.length - 1)]!
    for (let left = MOST_LOOKS; number > gone && left > 0; left--) {
      const row = items[(newest - inserted + number) & mask]!
      if (row.mark === mark && row.name === known && row.value === value) return this.indexOf(number)
      number = row.older
    }
    return 0
  }

  /** What is known about a name; undefined: it is in neither table. */
  find(name: string): Name | undefined {
    return this.#names.get(name) ?? this.#meet(name)
  }

  #meet(name: string): Name | undefined {
    const staticIndex = STATIC_NAMES.get(name)
    if (staticIndex === undefined) return undefined
    const staticValues = STATIC_VALUES.get(name)
    const met: Name = { name, policy: this.#policy.of(name), staticIndex, staticValues, newest: 0, entries: 0 }
    this.#names.set(name, met)
    return met
  }

  /** Index of the entry with that number. */
  indexOf(number: number): number {
    return STATIC_COUNT + 1 + this.inserted - number
  }

  /** Puts the field in that `findField` looked for last, as the newest entry. */
  add(name: string, value: string, size: number): void {
    const entry = this.known ?? this.#newName(name)
    const number = this.inserted + 1
    const row: Row = { name: entry, value, number, mark: this.#marked ? this.#mark : markOf(name, value), older: 0 }
    if (!this.insert(row, name.length, size)) return
    // Room may have been made by the only other entry of the name, which was forgotten then.
    if (entry.newest === 0 && entry.staticIndex === 0) this.#names.set(name, entry)
    entry.newest = number
    entry.entries++
    this.#link(row)
    if (this.count > this.#heads.length) this.#spread(this.#heads.length * 4)
  }

  #newName(name: string): Name {
    return { name, policy: this.#policy.of(name), staticIndex: 0, staticValues: undefined, newest: 0, entries: 0 }
  }

  #link(row: Row): void {
    const bucket = row.mark & (this.#heads.length - 1)
    row.older = this.#heads[bucket]!
    this.#heads[bucket] = row.number
  }

  /** Deals all entries out to so many buckets. */
  #spread(buckets: number): void {
    this.#heads = new Array<number>(buckets).fill(0)
    for (const row of this.entries().reverse()) this.#link(row)
  }

  protected override pushedOut(row: Row): void {
    this.#journal.push(row)
    const { name } = row
    name.entries--
    if (name.newest !== row.number) return
    // The newest of its name was the last. A peer that makes up names must not fill the memory with them.
    name.newest = 0
    if (name.staticIndex === 0) this.#names.delete(name.name)
  }

  /** From here on everything can be undone. */
  begin(): void {
    if (this.#journal.length > 0) this.#journal.length = 0
    this.#insertedBefore = this.inserted
    this.#evictedBefore = this.evicted
  }

  /** Puts the table back to where it was at `begin`: a block that was not made must not count. */
  undo(): void {
    const before = this.#insertedBefore
    const evicted = this.#evictedBefore
    if (this.inserted === before && this.evicted === evicted) return
    const rows = [...this.#journal, ...this.entries().reverse()].filter(({ number }) => number <= before)
    this.evict(0)
    this.inserted = before - rows.length
    // Buckets must not point at numbers that will be given again.
    this.#heads.fill(0)
    for (const { name, value } of rows) {
      this.findField(name.name, value)
      this.add(name.name, value, name.name.length + value.length + ENTRY_OVERHEAD)
    }
    this.inserted = before
    this.evicted = evicted
    this.begin()
  }
}
