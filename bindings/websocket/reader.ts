import { L_WINDOW } from '../../assembly/abi/layout'
import { ST_DONE, ST_ERROR } from '../../assembly/abi/status'
import {
  WF_BEGIN,
  WF_HEADER_SHIFT,
  WO_DEFLATE,
  WO_FRESH,
  WO_HOLD,
  WO_SERVER,
  WP_CLOSED,
  WP_PAYLOAD,
  WR_BYTES,
  WS_BIAS,
  WS_FRAME,
  WS_INPUT_AT,
  WS_KEY,
  WS_LEFT,
  WS_LEFT_HIGH,
  WS_PHASE,
  WS_RECORDS_AT,
} from '../../assembly/abi/websocket'
import { Accumulator } from '../core/accumulator'
import type { WireError } from '../core/error'
import type { Memory } from '../engine/memory'
import { THRESHOLDS } from '../engine/thresholds'
import type { Deflate } from './deflate'
import { ARENA_BYTES, copyBytes, copyOut, IN, MAX_RECORDS, RECORDS, selectCore, unmask } from './kernels'
import type { Limits } from './limits'
import { partialFrames } from './rest'
import { ScanState, scanError } from './state'
import { TWO_32 } from './wire'

/** What a reader is made with. */
export interface Settings {
  readonly limits: Readonly<Limits>
  readonly server: boolean
  readonly view: boolean
  readonly deflate: Deflate | undefined
}

/** Bytes that are staged first: the frame there may be so long that its payload is better taken in pieces, or not at all. */
const FIRST_MASKED = 0x2000
const FIRST_UNMASKED = 16
/** A chunk that is not longer is staged whole. */
const SHORT = 0x400
const NOTHING = new Uint8Array(0)

/**
 * Frames of a stream, one window of bytes at a time. What the units are is up to a subclass, which is given the records
 * of each window; payload that the kernel need not look into (binary, compressed) is not staged, but `run` over.
 */
export abstract class FrameReader<T> {
  protected readonly limits: Readonly<Limits>
  protected readonly view: boolean
  /** The units of the call of `read`; undefined: none. */
  units: T[] | undefined
  fault: WireError | undefined
  /** Payload of the current frame that need not be looked into and has not come yet. */
  protected run = 0
  /** Whether chunks may stand in the memory of the kernels already, where a socket has read them. */
  direct = false
  /** Where the kernel was given its input. */
  protected input = IN
  /** Stream offset after the payload that `runEnd` is told of. */
  protected runOffset = 0
  /** Payload that waits for the rest of its unit; of the current run still masked, from `#maskedFrom` on. */
  protected readonly held = new Accumulator()
  #maskedFrom = 0
  #maskedPhase = 0
  #key = 0
  readonly #options: number
  /** Flags of a frame, one of which means that its payload is opaque. */
  readonly #opaque: number
  readonly #firstBytes: number
  readonly #state: ScanState

  constructor({ limits, server, view, deflate }: Settings, options: number, opaque: number) {
    this.limits = limits
    this.view = view
    this.#options = options | (server ? WO_SERVER : 0) | (deflate ? WO_DEFLATE : 0)
    this.#opaque = opaque
    this.#firstBytes = server ? FIRST_MASKED : FIRST_UNMASKED
    this.#state = new ScanState(limits)
  }

  /**
   * Makes units of the records, words [tape, tapeEnd) of the memory; the last of them may be the beginning of a run. The bytes
   * were staged at `input` from `from` of the chunk on, which is `offset` of the stream, and are read up to `end` of the chunk.
   * Returns the end, beyond a run that was taken whole.
   */
  protected abstract take(
    memory: Memory,
    tape: number,
    tapeEnd: number,
    bytes: Uint8Array,
    from: number,
    offset: number,
    end: number,
  ): number
  /** The payload of a run has come, in `held`. */
  protected abstract runEnd(): void

  /** Called when nothing in memory is needed any more: what runs code of the caller's is done here. */
  protected unpack(): void {}

  /** The unit that [from, end of bytes) is, where that can be seen without the kernel and nothing is open; undefined: `read` it. */
  single(_bytes: Uint8Array, _from: number): T | undefined {
    return undefined
  }

  /** Nothing is open: a frame may begin here, between messages. */
  protected get isIdle(): boolean {
    return this.#state.fresh && this.run === 0 && !this.direct
  }

  /** Bytes of payload and header that wait. */
  get heldBytes(): number {
    return this.held.length + this.#state.headerBytes
  }

  /** Whether a frame is unfinished. */
  get insideFrame(): boolean {
    return this.#state.insideFrame
  }

  /** Whether a message or frame is unfinished; after a close frame nothing is. */
  get insideMessage(): boolean {
    return this.#state.insideMessage
  }

  /** Bytes of an unfinished control frame. */
  protected get waiting(): Uint8Array {
    return NOTHING
  }

  /** Whether pieces of the open message were given out, so that none of it is held. */
  protected get begun(): boolean {
    return false
  }
  /** Whether what is `held` is of the current frame alone. */
  protected get singly(): boolean {
    return false
  }

  /** Frames that say once more what of the unfinished message and frame has come, which is forgotten. */
  takePartial(): Uint8Array[] {
    const state = this.#state
    if (state.fresh || state.phase === WP_CLOSED) return []
    const waiting = this.waiting.slice()
    const held = this.held.take()
    const masked = this.#maskedFrom
    if (this.run > 0) unmask(held, masked, held, masked, held.length - masked, this.#key, this.#maskedPhase)
    const { singly, begun, run } = this
    const server = (this.#options & WO_SERVER) !== 0
    this.forget()
    return partialFrames(state, { held, waiting, run, singly, begun, server })
  }

  /** Forgets what is unfinished. */
  protected forget(): void {
    this.run = 0
    this.held.clear()
    this.#state.fresh = true
  }

  clear(): void {
    this.units = undefined
    this.fault = undefined
    this.forget()
  }

  /**
   * Reads about one window of `bytes` from `from` on, at most `maxRecords` frames of it; `offset` is the stream offset of
   * that byte. Leaves what it made in `units`, what stopped it in `fault`; returns the position after what was read.
   */
  read(bytes: Uint8Array, from: number, offset: number, maxRecords = MAX_RECORDS): number {
    if (this.run > 0) return this.#running(bytes, from, offset)
    const stop = Math.min(bytes.length, from + L_WINDOW)
    let stage = this.direct ? L_WINDOW : bytes.length - from <= SHORT ? SHORT : this.#firstStage(bytes, from)
    let at = from
    do {
      const length = Math.min(stage, bytes.length - at)
      at = this.#scan(bytes, at, length, offset + at - from, maxRecords)
      stage = L_WINDOW
    } while (at < stop && this.run === 0 && this.fault === undefined && maxRecords > 1)
    return at
  }

  /** Where the first frame is short others are likely to follow, and all are staged; a long one may not have to be. */
  #firstStage(bytes: Uint8Array, from: number): number {
    if (!this.#state.fresh) return this.#firstBytes
    const size = bytes[from + 1]! & 0x7f
    const length = size < 126 ? size : size === 126 ? (bytes[from + 2]! << 8) | bytes[from + 3]! : L_WINDOW
    return length <= FIRST_MASKED >>> 1 ? L_WINDOW : this.#firstBytes
  }

  #scan(bytes: Uint8Array, from: number, length: number, offset: number, maxRecords: number): number {
    const { kernels, memory } = selectCore(length, THRESHOLDS.wsScan)
    memory.reserve(ARENA_BYTES)
    const { u8, u32 } = memory
    let options = this.#options
    const state = this.#state
    if (state.fresh) options |= WO_FRESH
    else state.load(u32)
    if (from + length < bytes.length) options |= WO_HOLD
    state.loadLimits(u32)
    let input = IN
    if (this.direct && bytes.buffer === u8.buffer) input = bytes.byteOffset + from
    else copyBytes(u8, IN, bytes, from, length)
    this.input = input
    const status = kernels.wsScan(input, input + length, RECORDS, RECORDS + maxRecords * WR_BYTES, options)
    const end = from + u32[WS_INPUT_AT >>> 2]! - input
    const tape = RECORDS >>> 2
    const tapeEnd = u32[WS_RECORDS_AT >>> 2]! >>> 2
    state.fresh = status === ST_DONE
    let fault: WireError | undefined
    if (status !== ST_DONE) {
      if (status >= ST_ERROR) fault = scanError(status, u32, offset, this.limits)
      else {
        if (u32[WS_PHASE >>> 2] === WP_PAYLOAD && u32[WS_FRAME >>> 2]! & this.#opaque) {
          this.run = u32[WS_LEFT >>> 2]! + u32[WS_LEFT_HIGH >>> 2]! * TWO_32
          this.#key = u32[WS_KEY >>> 2]!
        }
        // Of a run the state is needed only if it goes on; it stays in the block until then, unless an inflater may run.
        if (this.run === 0 || this.#options & WO_DEFLATE) this.#state.save(u32)
      }
    }
    const after = tape === tapeEnd ? end : this.take(memory, tape, tapeEnd, bytes, from, offset, end)
    this.unpack()
    // What a unit shows to be wrong stands before what the kernel stopped at.
    this.fault ??= fault
    return after
  }

  /**
   * The whole payload of a frame that the chunk holds to its end: its first `length` bytes stand at `data` in memory, unmasked, the rest of
   * the run follows at `end` of the chunk. The run is over then.
   */
  protected wholeRun(
    u8: Uint8Array<ArrayBuffer>,
    data: number,
    length: number,
    bytes: Uint8Array,
    end: number,
  ): Uint8Array {
    const total = length + this.run
    const key = this.#key
    const start = end - length
    let payload: Uint8Array
    if (this.view) {
      if (key !== 0) {
        copyOut(bytes, start, u8, this.input + data, length)
        unmask(bytes, end, bytes, end, this.run, key, length)
      }
      payload = new Uint8Array(bytes.buffer, bytes.byteOffset + start, total)
    } else {
      payload = new Uint8Array(total)
      copyOut(payload, 0, u8, this.input + data, length)
      unmask(payload, length, bytes, end, this.run, key, length)
    }
    this.run = 0
    return payload
  }

  /** Copies what views of the chunk are to show back to it: [start, end) from the input on. */
  protected show(bytes: Uint8Array, from: number, u8: Uint8Array<ArrayBuffer>, start: number, end: number): void {
    if (this.input === IN) copyOut(bytes, from + start, u8, IN + start, end - start)
  }

  protected add(unit: T): void {
    // A literal has room for one unit, the first `push` makes room for seventeen.
    if (this.units === undefined) this.units = [unit]
    else this.units.push(unit)
  }

  /** Room for so many units more, which the caller fills from the returned place on, all of them. */
  protected room(count: number): T[] {
    const made = new Array<T>(count)
    this.units = this.units === undefined ? made : this.units.concat(made)
    return this.units
  }

  /** After `wholeRun` of a frame that was a message: nothing is open. */
  protected idle(): void {
    this.#state.fresh = true
  }

  /** After `wholeRun` of any other frame: has the kernel find out what is open. */
  protected settle(u32?: Uint32Array): void {
    if (u32) this.#state.save(u32)
    this.#state.clearLeft()
    this.#scan(NOTHING, 0, 0, 0, 1)
  }

  /** What follows of the run goes to `held`, after the `length` bytes of the payload that are there. */
  protected holdRun(length: number, u32: Uint32Array): void {
    if ((this.#options & WO_DEFLATE) === 0) this.#state.save(u32)
    this.#maskedFrom = this.held.length
    this.#maskedPhase = length & 3
    this.held.reserve(this.held.length + Math.min(this.run, L_WINDOW))
  }

  /** Takes bytes of a run, where more of it follows and no more than `most` are then held. */
  absorb(bytes: Uint8Array, most: number): boolean {
    const { held } = this
    const { length } = bytes
    if (length >= this.run || held.length + length > most) return false
    held.append(bytes, 0, length)
    this.run -= length
    return true
  }

  /** Takes the bytes as they are: they are unmasked together when the last of them has come. */
  #running(bytes: Uint8Array, from: number, offset: number): number {
    const { held } = this
    const to = Math.min(bytes.length, from + this.run)
    held.append(bytes, from, to)
    this.run -= to - from
    if (this.run === 0) {
      const all = held.view()
      const masked = this.#maskedFrom
      unmask(all, masked, all, masked, all.length - masked, this.#key, this.#maskedPhase)
      this.settle()
      this.runOffset = offset + to - from
      this.runEnd()
      this.unpack()
    }
    return to
  }
}

/** End of the bytes of a record, counted from the input. */
export function recordEnd(u32: Uint32Array, at: number): number {
  const flags = u32[at]!
  const header = flags & WF_BEGIN ? flags >>> WF_HEADER_SHIFT : 0
  return u32[at + 3]! - WS_BIAS + header + u32[at + 2]!
}
