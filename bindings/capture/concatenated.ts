import { Accumulator } from '../core/accumulator'
import { commonError } from '../core/errors'
import type { UnitReader } from './format'

/** Reads the unit at `at`, which is `offset` in the capture; undefined: it is not all there. */
type Read = (bytes: Uint8Array, at: number, offset: number) => { value: unknown; end: number } | undefined

/** HDS units that stand one after the other in a file: nothing but their own form says where one ends. */
export class Concatenated implements UnitReader {
  readonly #read: Read
  readonly #waiting = new Accumulator()
  /** Of the first byte that waits. */
  #offset = 0
  #units: unknown[] = []
  #fault: unknown

  constructor(read: Read) {
    this.#read = read
  }

  push(chunk: Uint8Array): void {
    if (this.#fault) return
    this.#waiting.append(chunk)
    const bytes = this.#waiting.take()
    let at = 0
    try {
      while (at < bytes.length) {
        const unit = this.#read(bytes, at, this.#offset + at)
        if (unit === undefined) break
        this.#units.push(unit.value)
        at = unit.end
      }
    } catch (error) {
      this.#fault = error
    }
    this.#offset += at
    if (!this.#fault) this.#waiting.append(bytes, at)
  }

  readAll(): readonly unknown[] {
    const units = this.#units
    this.#units = []
    if (units.length === 0 && this.#fault) throw this.#fault
    return units
  }

  end(): void {
    const { length } = this.#waiting
    if (length > 0) this.#fault ??= commonError('hds', 'truncated', { offset: this.#offset + length })
  }
}
