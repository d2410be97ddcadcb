import { Accumulator } from '../../bindings/core/accumulator'
import { UnitDecoder } from '../../bindings/core/decoder'
import { commonError } from '../../bindings/core/errors'

const LF = 10
const BANG = 0x21

export interface LineOptions {
  readonly maxBufferedBytes?: number
  readonly handedOver?: boolean
  /** Bytes of one `consume`. */
  readonly window?: number
}

/** The smallest format: lines of ASCII that end with LF; a `!` is malformed. */
export class LineDecoder extends UnitDecoder<string> {
  readonly #window: number
  readonly #partial = new Accumulator()
  /** How often bytes were looked at: nothing may be scanned twice. */
  scanned = 0

  constructor({ maxBufferedBytes = 1000, handedOver = false, window = 8 }: LineOptions = {}) {
    super('katcp', maxBufferedBytes, handedOver)
    this.#window = window
  }

  protected override consume(bytes: Uint8Array, from: number): number {
    const end = Math.min(bytes.length, from + this.#window)
    let start = from
    for (let at = from; at < end; at++) {
      this.scanned++
      if (bytes[at] === BANG) {
        this.fail(commonError('katcp', 'json', { offset: this.parsedBytes + at - from }))
        return at + 1
      }
      if (bytes[at] !== LF) continue
      this.emit(String.fromCharCode(...this.#partial.take(bytes.subarray(start, at))))
      start = at + 1
    }
    if (start < end) this.#partial.append(bytes, start, end)
    return end
  }

  protected override partialBytes(): number {
    return this.#partial.length
  }

  protected override rest(units: readonly string[]): Uint8Array[] {
    return [...units.map((line) => ascii(`${line}\n`)), this.#partial.take()]
  }

  protected override clear(): void {
    this.#partial.clear()
  }
}

export const ascii = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** What a function throws, or undefined. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
