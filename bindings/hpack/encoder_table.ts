import type { Policy } from './policy'
import { ENTRY_OVERHEAD, STATIC_COUNT, STATIC_FIELDS } from './static'
import { DynamicTable } from './table'

/** A name of the static table: its first index, and the index of each value that it has there. */
interface StaticName {
  readonly index: number
  readonly values: Map<string, number> | undefined
}

const STATIC_NAMES: ReadonlyMap<string, StaticName> = staticNames()

function staticNames(): Map<string, StaticName> {
  const names = new Map<string, { index: number; values: Map<string, number> | undefined }>()
  STATIC_FIELDS.forEach(({ name, value }, index) => {
    if (index === 0) return
    let entry = names.get(name)
    if (!entry) {
      entry = { index, values: undefined }
      names.set(name, entry)
    }
    if (value === '') return
    entry.values ??= new Map()
    entry.values.set(value, index)
  })
  return names
}

/** What an encoder knows about a name. */
export class Name {
  readonly name: string
  readonly policy: number
  /** Index of the name in the static table; 0: it is not there. */
  readonly staticIndex: number
  readonly staticValues: Map<string, number> | undefined
  /** Dynamic entries of the name by value: their numbers. */
  values: Map<string, number> | undefined
  /** Number of the newest of them; 0: none. */
  newest = 0

  constructor(name: string, policy: number, fixed: StaticName | undefined) {
    this.name = name
    this.policy = policy
    this.staticIndex = fixed?.index ?? 0
    this.staticValues = fixed?.values
  }

  /** Index of the name with this value in the static table; 0: it is not there. */
  staticIndexOf(value: string): number {
    if (this.staticValues) return this.staticValues.get(value) ?? 0
    // All others stand there once, without a value.
    return value === '' ? this.staticIndex : 0
  }
}

/** An entry. Entries are numbered in the order of their insertion, from 1. */
interface Row {
  readonly name: Name
  readonly value: string
  readonly number: number
}

const NO_ROW: Row = { name: new Name('', 0, undefined), value: '', number: 0 }

/**
 * The dynamic table of an encoder, looked up by name, then by value: both strings keep their hash, which a joined key would
 * not. Names and values are keys of Maps, so that none of them means anything to JavaScript.
 */
export class EncoderTable extends DynamicTable<Row> {
  readonly #policy: Policy
  readonly #names = new Map<string, Name>()
  /** Rows pushed out since `begin`, so that it can be undone. */
  readonly #journal: Row[] = []
  #insertedBefore = 0
  #evictedBefore = 0

  constructor(maximum: number, policy: Policy) {
    super(maximum, NO_ROW)
    this.#policy = policy
  }

  /** What is known about a name. Names of neither table and without a policy are not kept: undefined. */
  find(name: string): Name | undefined {
    return this.#names.get(name) ?? this.#meet(name)
  }

  #meet(name: string): Name | undefined {
    const fixed = STATIC_NAMES.get(name)
    if (!fixed) return undefined
    const met = new Name(name, this.#policy.of(name), fixed)
    this.#names.set(name, met)
    return met
  }

  /** Index of the entry with that number. */
  indexOf(number: number): number {
    return STATIC_COUNT + 1 + this.inserted - number
  }

  /** Puts a field in, as the newest entry. `known` is what `find` gave for its name. */
  add(known: Name | undefined, name: string, value: string, size: number): void {
    const entry = known ?? new Name(name, this.#policy.of(name), undefined)
    const number = this.inserted + 1
    if (!this.insert({ name: entry, value, number }, name.length, size)) return
    // Room may have been made by the only other entry of the name, which was forgotten then.
    if (entry.newest === 0) this.#names.set(name, entry)
    entry.newest = number
    entry.values ??= new Map()
    entry.values.set(value, number)
  }

  protected override pushedOut(row: Row): void {
    this.#journal.push(row)
    const { name, value, number } = row
    if (name.newest !== number) {
      name.values?.delete(value)
      return
    }
    // The newest of its name was the last. A peer that makes up names must not fill the memory with them.
    name.newest = 0
    name.values = undefined
    if (name.staticIndex === 0) this.#names.delete(name.name)
  }

  /** From here on everything can be undone. */
  begin(): void {
    this.#journal.length = 0
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
      this.add(this.find(name.name), name.name, value, name.name.length + value.length + ENTRY_OVERHEAD)
    }
    this.inserted = before
    this.evicted = evicted
    this.begin()
  }
}
