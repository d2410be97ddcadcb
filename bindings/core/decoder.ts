import type { ErrorPlace, Protocol, WireError } from './error'
import { commonError, usageError } from './errors'
import { bytesArgument, copyOf } from './options'

/** Names what only bindings/node asks of a decoder, whichever copy of the package made it. */
export const takeRest: unique symbol = Symbol.for('wiretape.takeRest')

/**
 * What the streaming decoders share: the order of units and faults, what is held between calls, and the iteration.
 * A format says how bytes become units in `consume`; it keeps the bytes of a partial unit itself.
 *
 * `push` parses at once while nothing waits to be read, so that the caller may reuse its chunk; what it cannot parse
 * yet is queued (as a copy, unless chunks are handed over). At most one window of units is ever made ahead of reading.
 */
export abstract class UnitDecoder<T> implements Iterable<T> {
  /** The format that is decoded, as its errors name it. */
  readonly protocol: Protocol
  readonly #maxBufferedBytes: number
  readonly #handedOver: boolean
  /** The next unit, before `#units`: of one that comes alone no array is made. */
  #unit: T | undefined
  #units: T[] = NONE
  #nextUnit = 0
  #queue: Uint8Array[] = []
  #nextChunk = 0
  /** Position in the first chunk of the queue. */
  #position = 0
  #queuedBytes = 0
  #parsedBytes = 0
  #fault: WireError | undefined
  /** The fault that follows what is queued: more was pushed than may be held. */
  #overflow: WireError | undefined
  #ended = false
  #truncationChecked = false

  constructor(protocol: Protocol, maxBufferedBytes: number, handedOver: boolean) {
    this.protocol = protocol
    this.#maxBufferedBytes = maxBufferedBytes
    this.#handedOver = handedOver
  }

  /**
   * Parses some of `bytes` from `from` on, at least one byte of it, at most about one window; calls `emit` for every
   * finished unit, or `fail`. Returns the position of the first byte that it has not taken.
   */
  protected abstract consume(bytes: Uint8Array, from: number): number
  /**
   * Takes a chunk whole, where it is seen at once to lie inside a unit, and no more than `most` bytes are then held: a unit in many
   * small pieces costs little more than its bytes. Otherwise returns false and leaves the chunk to `consume`.
   */
  protected absorb(_chunk: Uint8Array, _most: number): boolean {
    return false
  }
  /** Bytes of a partial unit that the format holds. */
  protected abstract partialBytes(): number
  /** Whether the end of input here would cut a unit off: by default, whether bytes of one are held. */
  protected isPartial(): boolean {
    return this.partialBytes() > 0
  }
  /** Called once at the end of input with a partial unit: emits or fails as the format wants; by default it is 'truncated'. */
  protected truncated(): void {
    this.fail(commonError(this.protocol, 'truncated', { offset: this.offset + this.partialBytes() }))
  }
  /** The fault of more bytes than may be held; a format may have a status for it. */
  protected tooMuch(place: ErrorPlace): WireError {
    return commonError(this.protocol, 'buffered', place)
  }
  /** Forgets the format's own state. */
  protected abstract clear(): void
  /**
   * Bytes that a decoder like this one makes those units of, then the bytes of the partial unit, which is forgotten. What the
   * connection has agreed on, such as a context of compression, is not.
   */
  protected abstract rest(units: readonly T[]): Uint8Array[]

  protected emit(unit: T): void {
    if (this.#units !== NONE) this.#units.push(unit)
    else if (this.#unit === undefined) this.#unit = unit
    else this.#units = [unit]
  }

  /** Several units at once, at least one; the array is handed over. */
  protected emitAll(units: T[]): void {
    if (this.#units === NONE) this.#units = units
    else for (const unit of units) this.#units.push(unit)
  }

  /** The fault that reading throws once the units before it are out; nothing after it is looked at. */
  protected fail(error: WireError): void {
    this.#fault = error
  }

  /**
   * Takes the next bytes of the stream, cut anywhere. Throws a WireError of kind 'usage' only (WT_USAGE: no Uint8Array, or
   * after `end`); a fault of the bytes surfaces when the units before it have been read. After a fault, bytes are ignored until
   * `reset`.
   * The chunk may be used again at once, unless it was handed over by `bytes: 'view'`.
   */
  push(chunk: Uint8Array): this {
    bytesArgument(this.protocol, 'chunk', chunk)
    if (this.#ended) throw usageError(this.protocol, 'push after end')
    if (this.#fault || this.#overflow || chunk.length === 0) return this
    if (this.#queuedBytes === 0 && this.absorb(chunk, this.#maxBufferedBytes)) {
      this.#parsedBytes += chunk.length
      return this
    }
    const from = this.#queuedBytes === 0 ? this.#advance(chunk, 0) : 0
    if (this.#fault) return this
    const excess = this.buffered + chunk.length - from - this.#maxBufferedBytes
    const to = excess > 0 ? Math.max(from, chunk.length - excess) : chunk.length
    if (excess > 0) this.#overflow = this.#tooMuch(excess)
    if (from < to) {
      this.#queue.push(this.#handedOver ? chunk.subarray(from, to) : copyOf(chunk, from, to))
      this.#queuedBytes += to - from
    }
    return this
  }

  /** The next unit; undefined: more bytes are needed (or, after `end`, there are no more units). Throws the fault of the bytes. */
  read(): T | undefined {
    const alone = this.#unit
    if (alone !== undefined) {
      this.#unit = undefined
      return alone
    }
    if (this.#units !== NONE) {
      const unit = this.#units[this.#nextUnit++]!
      if (this.#nextUnit === this.#units.length) {
        this.#units = NONE
        this.#nextUnit = 0
      }
      return unit
    }
    return this.#ready() ? this.read() : undefined
  }

  /** Every unit that is there, in one array; empty: more bytes are needed. A fault behind them is thrown by the next call. */
  readAll(): T[] {
    if (!this.#ready()) return []
    const all = this.#take()
    while (this.#prepare()) for (const unit of this.#take()) all.push(unit)
    return all
  }

  /** Says that no more bytes come: a partial unit is then 'truncated' when it is read. */
  end(): this {
    this.#ended = true
    return this
  }

  /** Forgets everything, also a fault and the end: the next byte is the first of a new stream, at offset 0. */
  reset(): void {
    this.#unit = undefined
    this.#units = NONE
    this.#nextUnit = 0
    this.#drop()
    this.#parsedBytes = 0
    this.#fault = undefined
    this.#overflow = undefined
    this.#ended = false
    this.#truncationChecked = false
  }

  /** Bytes held: chunks not yet parsed and the bytes of a partial unit. At most `maxBufferedBytes`. */
  get buffered(): number {
    return this.#queuedBytes + this.partialBytes()
  }

  /** Bytes consumed since construction or `reset`: everything pushed but what is `buffered`. */
  get offset(): number {
    return this.#parsedBytes - this.partialBytes()
  }

  /**
   * @internal For bindings/node. What was pushed and not read, as bytes from which another decoder goes on; `before` are units that
   * were read but not used. What follows a fault is not in it.
   */
  [takeRest](before: readonly T[]): Uint8Array {
    const pieces = this.rest([...before, ...this.#take()])
    for (let i = this.#nextChunk, from = this.#position; i < this.#queue.length; i++, from = 0) {
      pieces.push(this.#queue[i]!.subarray(from))
    }
    this.#drop(false)
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }

  /** `read` until it gives undefined. Leaving the loop early keeps the rest for later; throws the fault of the bytes. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let unit = this.read(); unit !== undefined; unit = this.read()) yield unit
  }

  /** Whether `fail` was called: units after the fault are not to be emitted. */
  protected get failed(): boolean {
    return this.#fault !== undefined
  }

  /** Stream offset of the byte that `consume` is given next. */
  protected get parsedBytes(): number {
    return this.#parsedBytes
  }

  /** Whether a unit waits; throws the fault where nothing but that is left. */
  #ready(): boolean {
    if (this.#prepare()) return true
    if (this.#fault) throw this.#fault
    return false
  }

  /** Parses until a unit waits; false: there is a fault, or nothing more to parse. */
  #prepare(): boolean {
    for (;;) {
      if (this.#hasUnit) return true
      if (this.#fault) return false
      if (this.#queuedBytes > 0) this.#parseQueue()
      else if (this.#overflow) {
        this.fail(this.#overflow)
        this.#drop()
      } else if (this.#ended && !this.#truncationChecked) {
        this.#truncationChecked = true
        if (this.isPartial()) this.truncated()
      } else return false
    }
  }

  get #hasUnit(): boolean {
    return this.#unit !== undefined || this.#units !== NONE
  }

  #take(): T[] {
    const units = this.#nextUnit === 0 ? this.#units : this.#units.slice(this.#nextUnit)
    const alone = this.#unit
    this.#unit = undefined
    this.#units = NONE
    this.#nextUnit = 0
    if (alone === undefined) return units
    return units.length === 0 ? [alone] : [alone, ...units]
  }

  /** What is held up to the limit is still read; the first byte beyond it is the one that shows the fault. */
  #tooMuch(excess: number): WireError {
    const max = this.#maxBufferedBytes
    const limit = { name: 'maxBufferedBytes', max, actual: max + excess }
    return this.tooMuch({ offset: this.offset + max, limit })
  }

  #parseQueue(): void {
    const chunk = this.#queue[this.#nextChunk]!
    const before = this.#position
    const after = this.#advance(chunk, before)
    if (this.#fault) return
    this.#queuedBytes -= after - before
    this.#position = after
    if (after === chunk.length) {
      this.#position = 0
      this.#queue[this.#nextChunk++] = EMPTY
      if (this.#nextChunk === this.#queue.length) {
        this.#queue = []
        this.#nextChunk = 0
      }
    }
  }

  #advance(chunk: Uint8Array, from: number): number {
    let at = from
    while (at < chunk.length && !this.#hasUnit && !this.#fault) {
      const next = this.consume(chunk, at)
      if (next === at) break
      this.#parsedBytes += next - at
      at = next
    }
    if (at === from && !this.#hasUnit && !this.#fault) {
      this.fail(usageError(this.protocol, 'the memory of a chunk was taken away'))
    }
    if (this.#fault) this.#drop()
    return at
  }

  #drop(own = true): void {
    this.#queue = []
    this.#nextChunk = 0
    this.#position = 0
    this.#queuedBytes = 0
    if (own) this.clear()
  }
}

const EMPTY = new Uint8Array(0)
/** Stands for an empty list without making one for every chunk; never given out or changed. */
const NONE: never[] = []
