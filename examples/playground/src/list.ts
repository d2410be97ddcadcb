import type { Row } from './protocol'
import { Rows } from './rows'

/** Rows that are asked for at once. */
const BLOCK = 64
/** Blocks that are kept. */
const KEPT = 64

export interface ListOptions {
  readonly box: HTMLElement
  /** Asks for rows [from, to); they come by `give`. */
  ask(from: number, to: number): void
  select(index: number): void
}

export const hexOffset = (offset: number): string => offset.toString(16).padStart(8, '0')
export const grouped = (count: number): string => count.toLocaleString('en')

/** The units: a listbox whose rows are asked for as they come in sight. */
export class UnitList {
  readonly #options: ListOptions
  readonly #rows: Rows
  readonly #blocks = new Map<number, readonly Row[]>()
  readonly #asked = new Set<number>()
  #selected = -1

  constructor(options: ListOptions) {
    this.#options = options
    const { box } = options
    this.#rows = new Rows({ box, render: (row, index) => this.#render(row, index) })
    box.addEventListener('keydown', (event) => this.#key(event))
    box.addEventListener('click', ({ target }) => {
      const row = (target as Element).closest<HTMLElement>('[role=option]')
      if (row) this.choose(Number(row.dataset['index']))
    })
  }

  get selected(): number {
    return this.#selected
  }

  clear(): void {
    this.#blocks.clear()
    this.#asked.clear()
    this.#selected = -1
    this.#options.box.removeAttribute('aria-activedescendant')
    this.#rows.setCount(0)
  }

  setCount(count: number): void {
    // The block that was not full has more rows now.
    const block = Math.floor(this.#rows.count / BLOCK)
    if (count > this.#rows.count) {
      this.#blocks.delete(block)
      this.#asked.delete(block)
    }
    this.#options.box.style.setProperty('--digits', String(grouped(count).length))
    this.#rows.setCount(count)
  }

  give(from: number, rows: readonly Row[]): void {
    const block = from / BLOCK
    this.#asked.delete(block)
    this.#blocks.delete(block)
    this.#blocks.set(block, rows)
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= KEPT) break
      this.#blocks.delete(old)
    }
    this.#rows.refresh()
  }

  choose(index: number): void {
    if (index < 0 || index >= this.#rows.count) return
    this.#selected = index
    this.#options.box.setAttribute('aria-activedescendant', `unit-${index}`)
    this.#rows.reveal(index)
    this.#rows.refresh()
    this.#options.select(index)
  }

  #key(event: KeyboardEvent): void {
    const last = this.#rows.count - 1
    const to: Readonly<Record<string, number>> = {
      ArrowDown: this.#selected + 1,
      ArrowUp: this.#selected - 1,
      PageDown: this.#selected + this.#rows.page,
      PageUp: this.#selected - this.#rows.page,
      Home: 0,
      End: last,
    }
    const next = to[event.key]
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    this.choose(Math.max(0, Math.min(last, next)))
  }

  #row(index: number): Row | undefined {
    const block = Math.floor(index / BLOCK)
    const rows = this.#blocks.get(block)
    if (!rows && !this.#asked.has(block)) {
      this.#asked.add(block)
      this.#options.ask(block * BLOCK, (block + 1) * BLOCK)
    }
    return rows?.[index % BLOCK]
  }

  #render(element: HTMLElement, index: number): void {
    const row = this.#row(index)
    element.id = `unit-${index}`
    element.role = 'option'
    element.className = `row${row?.bad ? ' bad' : ''}`
    element.dataset['index'] = String(index)
    element.ariaSelected = String(index === this.#selected)
    element.ariaPosInSet = String(index + 1)
    element.ariaSetSize = String(this.#rows.count)
    const cells = [
      grouped(index),
      row ? hexOffset(row.start) : '',
      row?.kind ?? '',
      row?.text ?? '',
      row ? grouped(row.size) : '',
    ]
    while (element.children.length < cells.length) element.append(document.createElement('span'))
    for (const [i, text] of cells.entries()) {
      const cell = element.children[i]!
      if (cell.textContent !== text) cell.textContent = text
    }
  }
}
