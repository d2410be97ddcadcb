// Rows of one height in a box that scrolls, of which only those in sight exist. There may be more of them than an element can be high
// (Chromium stops at 33 million pixels, Firefox at 17): then the height of all stands for more, and small steps of scrolling are taken
// by themselves, so that every row can still be reached. Libraries for virtual lists keep a measure for each row and cannot do that.

const MOST_HEIGHT = 8_000_000
/** Rows beyond the edges of the box. */
const OVERSCAN = 6

export interface RowsOptions {
  /** The box, as high as its place in the page. */
  readonly box: HTMLElement
  /** Makes the row of that number, or makes an element that is there show it. */
  render(row: HTMLElement, index: number): void
}

export class Rows {
  readonly #box: HTMLElement
  readonly #render: RowsOptions['render']
  readonly #height = document.createElement('div')
  readonly #layer = document.createElement('div')
  #count = 0
  /** The first row in sight, with what is hidden of it as a fraction. */
  #top = 0
  /** Of the box, when it was last looked at. */
  #scrollTop = 0
  #rowHeight = 24
  #waiting = false

  constructor({ box, render }: RowsOptions) {
    this.#box = box
    this.#render = render
    this.#height.className = 'rows-height'
    this.#layer.className = 'rows-layer'
    // Neither is anything to a reader of the page: the rows are of the box.
    for (const element of [this.#height, this.#layer]) element.role = 'presentation'
    box.append(this.#height)
    this.#height.append(this.#layer)
    box.addEventListener('scroll', () => this.#scrolled(), { passive: true })
    new ResizeObserver(() => this.refresh()).observe(box)
  }

  get count(): number {
    return this.#count
  }

  /** Rows that fit into the box. */
  get page(): number {
    return Math.max(1, Math.floor(this.#box.clientHeight / this.#rowHeight))
  }

  setCount(count: number): void {
    this.#count = count
    this.refresh()
  }

  /** Scrolls as little as shows the row; `margin`: rows around it that should be seen as well. */
  reveal(index: number, margin = 0): void {
    const rows = this.#box.clientHeight / this.#rowHeight
    const first = Math.max(0, index - margin)
    const last = index + 1 + margin
    if (first < this.#top) this.#moveTo(first)
    else if (last > this.#top + rows) this.#moveTo(last - rows)
  }

  /** Makes the rows again; at most once a frame. */
  refresh(): void {
    if (this.#waiting) return
    this.#waiting = true
    requestAnimationFrame(() => {
      this.#waiting = false
      this.#draw()
    })
  }

  get #most(): number {
    return Math.max(0, this.#count - this.#box.clientHeight / this.#rowHeight)
  }

  /** What the box can scroll, for all rows. */
  get #range(): number {
    return Math.max(0, Math.min(MOST_HEIGHT, this.#count * this.#rowHeight) - this.#box.clientHeight)
  }

  get #scaled(): boolean {
    return this.#count * this.#rowHeight > MOST_HEIGHT
  }

  #moveTo(top: number): void {
    this.#top = Math.max(0, Math.min(this.#most, top))
    this.#sync()
    this.refresh()
  }

  /** Puts the box where the first row says. */
  #sync(): void {
    const most = this.#most
    this.#height.style.height = `${Math.min(MOST_HEIGHT, this.#count * this.#rowHeight)}px`
    this.#box.scrollTop = most === 0 ? 0 : (this.#top / most) * this.#range
    this.#scrollTop = this.#box.scrollTop
  }

  #scrolled(): void {
    const { scrollTop, clientHeight } = this.#box
    const step = scrollTop - this.#scrollTop
    if (Math.abs(step) < 0.5) return
    if (!this.#scaled) this.#top = scrollTop / this.#rowHeight
    // A wheel, a key or a finger; farther is someone who pulls the bar.
    else if (Math.abs(step) < 2 * clientHeight && scrollTop > 0 && scrollTop < this.#range)
      this.#top += step / this.#rowHeight
    else this.#top = (scrollTop / Math.max(1, this.#range)) * this.#most
    this.#top = Math.max(0, Math.min(this.#most, this.#top))
    this.#scrollTop = scrollTop
    if (this.#scaled) this.#sync()
    this.refresh()
  }

  #draw(): void {
    this.#rowHeight = Number.parseFloat(getComputedStyle(this.#box).getPropertyValue('--row')) || 24
    this.#top = Math.max(0, Math.min(this.#most, this.#top))
    this.#sync()
    const first = Math.max(0, Math.floor(this.#top) - OVERSCAN)
    const end = Math.min(this.#count, Math.ceil(this.#top + this.#box.clientHeight / this.#rowHeight) + OVERSCAN)
    const rows = this.#layer.children as unknown as ArrayLike<HTMLElement> & HTMLCollection
    while (rows.length > end - first) rows[rows.length - 1]!.remove()
    while (rows.length < end - first) this.#layer.append(document.createElement('div'))
    this.#layer.style.transform = `translateY(${this.#scrollTop + (first - this.#top) * this.#rowHeight}px)`
    for (let i = first; i < end; i++) this.#render(rows[i - first]!, i)
  }
}
