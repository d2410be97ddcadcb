import type { Policy } from './policy'
import { ENTRY_OVERHEAD, STATIC_COUNT, STATIC_FIELDS } from './static'
import { DynamicTable } from './table'

/** First index of each name of the static table. */
const STATIC_NAMES: ReadonlyMap<string, number> = new Map(
  STATIC_FIELDS.map(({ name }, index) => [name, index] as const)
    .slice(1)
    .reverse(),
)

/** Indexes of the static fields that have a value. */
const STATIC_VALUES: readonly number[] = STATIC_FIELDS.flatMap(({ value }, index) => (value === '' ? [] : [index]))

/** What an encoder knows about a name. */
export interface Name {
  readonly name: string
  readonly policy: number
  /** Index of the name in the static table; 0: it is not there. */
  readonly staticIndex: number
  /** Number of the newest dynamic entry of the name; 0: there is none. */
  newest: number
}

/** A field of one of the tables. Dynamic entries are numbered in the order of their insertion, from 1. */
export interface Row {
  readonly name: Name
  readonly value: string
  /** Of a dynamic entry; 0: the row is static. */
  readonly number: number
  readonly staticIndex: number
  /** Rows with the same value and another name: the one that came after, and the one that came before. */
  newer: Row | undefined
  older: Row | undefined
}

const NO_NAME: Name = { name: '', policy: 0, staticIndex: 0, newest: 0 }
const NO_ROW: Row = { name: NO_NAME, value: '', number: 0, staticIndex: 0, newer: undefined, older: undefined }

/** So many fields of one value are looked through: someone may send the same value under very many names. */
const SAME_VALUE = 16

/**
 * The dynamic table of an encoder, looked up by value, then by name: most values stand under one name, so that one look-up
 * finds the field. Both strings keep their hash, which a joined key would not, and both are keys of Maps, so that none of them
 * means anything to JavaScript.
 */
export class EncoderTable extends DynamicTable<Row> {
  readonly #policy: Policy
  readonly #names = new Map<string, Name>()
  /** The newest row of each value. */
  readonly #rows = new Map<string, Row>()
  /** No row has the value that was looked for last. */
  #isNewValue = false
  /** Rows pushed out since `begin`, so that it can be undone. */
  readonly #journal: Row[] = []
  #insertedBefore = 0
  #evictedBefore = 0

  constructor(maximum: number, policy: Policy) {
    super(maximum, NO_ROW)
    this.#policy = policy
    for (const staticIndex of STATIC_VALUES) {
      const { name, value } = STATIC_FIELDS[staticIndex]!
      this.#link({ name: this.find(name)!, value, number: 0, staticIndex, newer: undefined, older: undefined })
    }
  }

  /** The field in either table. */
  findRow(name: string, value: string): Row | undefined {
    let row = this.#rows.get(value)
    this.#isNewValue = row === undefined
    for (let left = SAME_VALUE; row !== undefined && left > 0; left--) {
      if (row.name.name === name) return row
      row = row.older
    }
    return undefined
  }

  /** What is known about a name; undefined: it is in neither table. */
  find(name: string): Name | undefined {
    return this.#names.get(name) ?? this.#meet(name)
  }

  #meet(name: string): Name | undefined {
    const staticIndex = STATIC_NAMES.get(name)
    if (staticIndex === undefined) return undefined
    const met: Name = { name, policy: this.#policy.of(name), staticIndex, newest: 0 }
    this.#names.set(name, met)
    return met
  }

  /** Index of the entry with that number. */
  indexOf(number: number): number {
    return STATIC_COUNT + 1 + this.inserted - number
  }

  /** Puts a field in, as the newest entry: the one that `findRow` looked for last. `known` is what `find` gave for its name. */
  add(known: Name | undefined, name: string, value: string, size: number): void {
    const entry = known ?? { name, policy: this.#policy.of(name), staticIndex: 0, newest: 0 }
    const number = this.inserted + 1
    const row: Row = { name: entry, value, number, staticIndex: 0, newer: undefined, older: undefined }
    if (!this.insert(row, name.length, size)) return
    // Room may have been made by the only other entry of the name, which was forgotten then.
    if (entry.newest === 0 && entry.staticIndex === 0) this.#names.set(name, entry)
    entry.newest = number
    if (this.#isNewValue) this.#rows.set(value, row)
    else this.#link(row)
  }

  #link(row: Row): void {
    const older = this.#rows.get(row.value)
    if (older) {
      row.older = older
      older.newer = row
    }
    this.#rows.set(row.value, row)
  }

  protected override pushedOut(row: Row): void {
    this.#journal.push(row)
    const { name, value, number, newer, older } = row
    // What is older than the oldest entry can only be static.
    if (older) older.newer = newer
    if (newer) newer.older = older
    else if (older) this.#rows.set(value, older)
    else this.#rows.delete(value)
    if (name.newest !== number) return
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
    for (const { name, value } of rows) {
      this.findRow(name.name, value)
      this.add(this.find(name.name), name.name, value, name.name.length + value.length + ENTRY_OVERHEAD)
    }
    this.inserted = before
    this.evicted = evicted
    this.begin()
  }
}
