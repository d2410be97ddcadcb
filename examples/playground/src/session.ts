import { toJson } from 'wiretape'
import { type CaptureSettings, openCapture, type UnitReader, unitLine, WireError } from 'wiretape/capture'
import { type Cut, type Cutter, cutter } from './cuts'
import { describe } from './describe'
import type { Fault, Progress, Range, Reading, Row, Unit } from './protocol'
import { Lines, Places } from './store'

/** Units between two looks at the clock. */
const UNITS_A_LOOK = 32
/** Characters of a unit that are shown. */
const MOST_SHOWN = 1 << 18
const HEX_FRAMING = 'hex'

const faultOf = ({ code, kind, message, offset }: WireError): Fault => ({
  code,
  kind,
  message,
  offset: offset < 0 ? undefined : offset,
})

/** A capture that is being decoded, some of it at a time: its units as lines of JSON, and where they stand. */
export class Session {
  readonly #bytes: Uint8Array
  readonly #reading: Reading
  readonly #reader: UnitReader
  readonly #cut: Cutter
  readonly #lines = new Lines()
  readonly #places = new Places()
  readonly #faults = new Map<number, Fault>()
  #position = 0
  #done = false
  #fault: Fault | undefined
  /** Parts of a unit that is not all there. */
  #open: Range[] = []

  /** Throws a WireError of kind 'usage' where the options are wrong. */
  constructor(bytes: Uint8Array, reading: Reading, adapters: Pick<CaptureSettings, 'deflate' | 'cipher'>) {
    this.#bytes = bytes
    this.#reading = reading
    this.#reader = openCapture(reading.format, { ...adapters, options: reading.options, keepGoing: reading.keepGoing })
    this.#cut = cutter(bytes, reading)
  }

  /** Decodes until `late` says so, at least a little. */
  step(late: () => boolean): void {
    for (let count = 1; !this.#done; count++) {
      if (this.#position >= this.#bytes.length) this.#finish()
      else this.#advance()
      if (count % UNITS_A_LOOK === 0 && late()) return
    }
  }

  get progress(): Progress {
    const { length: units } = this.#lines
    return {
      units,
      bad: this.#faults.size,
      position: this.#position,
      done: this.#done,
      fault: this.#fault,
    }
  }

  row(index: number): Row {
    const fault = this.#faults.get(index)
    const [[start]] = this.#places.get(index) as [Range]
    const size = this.#places.size(index)
    if (fault) return { kind: fault.kind, text: `${fault.code}  ${fault.message}`, start, size, bad: true }
    return { ...describe(this.#reading.format, this.#lines.get(index)), start, size, bad: false }
  }

  unit(index: number): Unit {
    const line = this.#lines.get(index)
    const json = line.slice(0, MOST_SHOWN)
    return {
      index,
      json,
      more: line.length - json.length,
      ranges: this.#places.get(index),
      fault: this.#faults.get(index),
    }
  }

  /** The line of JSON of a unit, whole. */
  line(index: number): string {
    return this.#lines.get(index)
  }

  find(offset: number): number {
    return this.#places.find(offset)
  }

  #advance(): void {
    const from = this.#position
    const cut = this.#cut(from)
    const end = Math.min(this.#bytes.length, Math.max(from + 1, cut.end))
    const range: Range = [from, end]
    if (cut.kind === 'part') this.#open.push(range)
    this.#position = end
    // A copy, since decoders may write into what they are given.
    this.#take(cut.kind === 'part' ? this.#open : [range], cut, () => this.#reader.push(this.#bytes.slice(from, end)))
  }

  #finish(): void {
    this.#done = true
    this.#take(this.#open, undefined, () => this.#reader.end())
  }

  /** What a push brings stands at `ranges`. */
  #take(ranges: readonly Range[], cut: Cut | undefined, push: () => void): void {
    try {
      push()
      for (let units = this.#reader.readAll(); units.length > 0; units = this.#reader.readAll()) {
        for (const unit of units) {
          if (ranges === this.#open) this.#open = []
          const line = unitLine(unit)
          if (WireError.is(line)) {
            if (!this.#reading.keepGoing) throw line
            this.#add(toJson(line), ranges, faultOf(line))
          } else this.#add(line, ranges, undefined)
        }
      }
    } catch (error) {
      if (!WireError.is(error)) throw error
      this.#done = true
      const offset = this.#offsetOf(error, cut)
      this.#fault = { ...faultOf(error), offset }
      const place: readonly Range[] = ranges.length > 0 ? ranges : [[this.#position, this.#position]]
      this.#add(toJson(error), place, this.#fault)
    }
  }

  #add(line: string, ranges: readonly Range[], fault: Fault | undefined): void {
    if (fault) this.#faults.set(this.#lines.length, fault)
    this.#lines.add(line)
    this.#places.add(ranges)
  }

  /** HPACK counts from the start of a block, unless it is the file around the blocks that is wrong. */
  #offsetOf(error: WireError, cut: Cut | undefined): number | undefined {
    if (error.offset < 0) return undefined
    if (this.#reading.format !== 'hpack' || cut === undefined || error.code === 'WT_HPACK_FRAMING') return error.offset
    // A block in several frames: only its frames are known.
    if (cut.body === undefined || this.#open.length > 1) return this.#open[0]?.[0]
    const digits = this.#reading.options['framing'] === HEX_FRAMING ? 2 : 1
    return Math.min(this.#position, cut.body + error.offset * digits)
  }
}
