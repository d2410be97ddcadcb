import { hexOffset } from './list'
import type { Range } from './protocol'
import { Rows } from './rows'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const NARROW = 8
const WIDE = 16
/** Characters of a row of sixteen bytes: offset, digits, text and what is between them. */
const WIDE_CHARACTERS = 80

/** A byte as a character, where it is one. */
const character = (byte: number): string =>
  byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : byte === 0x20 ? ' ' : '·'

/** The bytes of a capture, with those of a unit and of a fault marked. */
export class HexView {
  readonly #rows: Rows
  readonly #box: HTMLElement
  #bytes = new Uint8Array(0)
  #columns = WIDE
  #ranges: readonly Range[] = []
  #fault: number | undefined

  constructor(box: HTMLElement, pick: (offset: number) => void) {
    this.#box = box
    this.#rows = new Rows({ box, render: (row, index) => this.#render(row, index) })
    box.addEventListener('click', ({ target }) => {
      const offset = (target as HTMLElement).dataset['offset']
      if (offset !== undefined) pick(Number(offset))
    })
    new ResizeObserver(() => this.#measure()).observe(box)
  }

  setBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.mark([], undefined)
    this.#measure()
  }

  /** Marks the bytes of a unit, and the one that shows a fault, and scrolls there. */
  mark(ranges: readonly Range[], fault: number | undefined): void {
    this.#ranges = ranges
    this.#fault = fault
    const row = (offset: number) => Math.floor(offset / this.#columns)
    const first = fault ?? ranges[0]?.[0]
    if (first !== undefined) {
      // As much as fits, with the first byte in any case.
      const last = fault ?? (ranges.at(-1)?.[1] ?? 1) - 1
      this.#rows.reveal(Math.min(row(last), row(first) + this.#rows.page - 4), 2)
      this.#rows.reveal(row(first), 2)
    }
    this.#rows.refresh()
  }

  #measure(): void {
    const style = getComputedStyle(this.#box)
    const character = Number.parseFloat(style.fontSize) * 0.6
    const columns = this.#box.clientWidth >= WIDE_CHARACTERS * character ? WIDE : NARROW
    const changed = columns !== this.#columns
    this.#columns = columns
    // One place more than there are bytes: a fault may be that there are no more.
    this.#rows.setCount(this.#bytes.length === 0 ? 0 : Math.floor(this.#bytes.length / columns) + 1)
    if (changed) this.mark(this.#ranges, this.#fault)
  }

  #class(offset: number): string {
    if (offset === this.#fault) return 'wrong'
    return this.#ranges.some(([from, to]) => from <= offset && offset < to) ? 'of-unit' : ''
  }

  #render(element: HTMLElement, index: number): void {
    const from = index * this.#columns
    element.className = 'hex-row'
    while (element.children.length < 1 + 2 * this.#columns) element.append(document.createElement('span'))
    while (element.children.length > 1 + 2 * this.#columns) element.lastElementChild!.remove()
    element.children[0]!.textContent = hexOffset(from)
    element.children[0]!.className = 'offset'
    for (let i = 0; i < this.#columns; i++) {
      const offset = from + i
      const [digits, text] = [
        element.children[1 + i] as HTMLElement,
        element.children[1 + this.#columns + i] as HTMLElement,
      ]
      const byte = this.#bytes[offset]
      const mark = this.#class(offset)
      digits.textContent = byte === undefined ? (mark === 'wrong' ? '··' : '') : HEX[byte]!
      text.textContent = byte === undefined ? '' : character(byte)
      digits.className = `byte ${mark}${i === 8 ? ' half' : ''}`
      text.className = `char ${mark}${i === 0 ? ' first' : ''}`
      for (const cell of [digits, text]) {
        if (byte === undefined) delete cell.dataset['offset']
        else cell.dataset['offset'] = String(offset)
      }
    }
  }
}
