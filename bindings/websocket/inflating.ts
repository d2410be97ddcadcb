import type { WireError } from '../core/error'
import { ControlReader } from './control'
import { Inflater } from './deflate'
import type { Settings } from './reader'
import type { Control } from './types'

/** A compressed message whose bytes are there. */
interface Packed {
  /** Its place among the units. */
  readonly place: number
  readonly flags: number
  readonly data: Uint8Array
  /** Stream offset after it. */
  readonly after: number
}

/**
 * A reader of compressed messages. They are inflated when all records of a window were taken: the adapter is not ours, and may decode
 * or encode something itself in the same memory.
 */
export abstract class InflatingReader<T> extends ControlReader<T> {
  readonly #inflater: Inflater | undefined
  #packed: Packed[] | undefined

  constructor(settings: Settings, options: number, opaque: number) {
    super(settings, options, opaque)
    this.#inflater = settings.deflate && new Inflater(settings.deflate, settings.server ? 'client' : 'server')
  }

  override clear(): void {
    super.clear()
    this.#packed = undefined
    this.#inflater?.clear()
  }

  /** The unit of an inflated message. Throws the fault of one that is none. */
  protected abstract inflated(flags: number, data: Uint8Array, after: number): T

  /** Puts a compressed message, bytes [from, to), in its place among the units. */
  protected pack(flags: number, bytes: Uint8Array, from: number, to: number, after: number): void {
    // Its unit is made below, before anyone sees this.
    this.add(undefined as unknown as T | Control)
    this.#packed ??= []
    this.#packed.push({ place: this.units!.length - 1, flags, data: Inflater.prepare(bytes, from, to), after })
  }

  protected override unpack(): void {
    const packed = this.#packed
    if (packed === undefined) return
    this.#packed = undefined
    const units = this.units!
    for (const { place, flags, data, after } of packed) {
      try {
        units[place] = this.inflated(flags, this.#inflater!.inflate(data, this.limits, after), after)
      } catch (error) {
        this.fault = error as WireError
        // What follows it does not come out.
        this.units = place === 0 ? undefined : units.slice(0, place)
        return
      }
    }
  }
}
