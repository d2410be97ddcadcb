import { L_WINDOW } from '../../assembly/abi/layout'
import {
  OP_BINARY,
  OP_CLOSE,
  OP_TEXT,
  WF_BEGIN,
  WF_BINARY,
  WF_CHANGED,
  WF_COMPRESSED,
  WF_END,
  WF_FIN,
  WF_NON_ASCII,
  WF_OPCODE,
  WF_TEXT,
  WR_BYTES,
} from '../../assembly/abi/websocket'
import { asciiText, validText } from '../core/text'
import type { Memory } from '../engine/memory'
import { websocketError } from './errors'
import { InflatingReader } from './inflating'
import { unmask } from './kernels'
import { recordEnd, type Settings } from './reader'
import { SingleFrame } from './single'
import type { Message } from './types'

const RECORD = WR_BYTES >>> 2
/** What tells a message in one frame, in one piece, from all others; and how it looks. */
const SHAPE = WF_OPCODE | WF_BEGIN | WF_END | WF_FIN | WF_TEXT | WF_BINARY | WF_COMPRESSED | WF_NON_ASCII
const ASCII = OP_TEXT | WF_BEGIN | WF_END | WF_FIN | WF_TEXT
const BINARY = OP_BINARY | WF_BEGIN | WF_END | WF_FIN | WF_BINARY

/** Messages: fragments put together, text as strings, compressed ones inflated. */
export class MessageReader extends InflatingReader<Message> {
  /** Flags of the run that is going on. */
  #runFlags = 0
  readonly #frame: SingleFrame

  constructor(settings: Settings) {
    super(settings, 0, WF_BINARY | WF_COMPRESSED)
    this.#frame = new SingleFrame(settings.limits, settings.server)
  }

  override single(bytes: Uint8Array, from: number): Message | undefined {
    if (!this.isIdle) return undefined
    const start = this.#frame.find(bytes, from)
    if (start === 0) return undefined
    const length = bytes.length - start
    const { key } = this.#frame
    let data: Uint8Array
    if (this.view) {
      data = new Uint8Array(bytes.buffer, bytes.byteOffset + start, length)
      if (key !== 0) unmask(data, 0, data, 0, length, key, 0)
    } else {
      data = new Uint8Array(length)
      unmask(data, 0, bytes, start, length, key, 0)
    }
    return { type: 'binary', data }
  }

  protected override take(
    { u8, u32 }: Memory,
    tape: number,
    tapeEnd: number,
    bytes: Uint8Array,
    from: number,
    offset: number,
    end: number,
  ): number {
    const { input, view } = this
    const base = view ? bytes.byteOffset + from : 0
    /** Asked for at the first view only: it costs as much as a message. */
    let buffer: ArrayBufferLike | undefined
    let at = tape
    /** The part of the memory that holds payloads which views of the chunk are to show. */
    let changedFrom = 0
    let changedTo = 0
    /** The part of the open message that stands in memory, not yet in `held`. */
    let openFrom = 0
    let openTo = 0
    while (at < tapeEnd) {
      const flags = u32[at]!
      const start = u32[at + 1]!
      const length = u32[at + 2]!
      const shape = flags & SHAPE
      if (shape === BINARY) {
        const last = sameShape(u32, at, tapeEnd, BINARY)
        const count = (last - at) / RECORD + 1
        // Of many one array is made, in their number.
        const units = count < 4 ? undefined : this.room(count)
        let place = units === undefined ? 0 : units.length - count
        if (view) {
          buffer ??= bytes.buffer
          if (changedTo === 0) changedFrom = start
        }
        for (; at <= last; at += RECORD) {
          const piece = u32[at + 1]!
          const size = u32[at + 2]!
          const data = view
            ? new Uint8Array(buffer!, base + piece, size)
            : u8.slice(input + piece, input + piece + size)
          if (view && u32[at]! & WF_CHANGED) changedTo = piece + size
          if (units === undefined) this.add({ type: 'binary', data })
          else units[place++] = { type: 'binary', data }
        }
      } else if (shape === ASCII) {
        const last = sameShape(u32, at, tapeEnd, ASCII)
        const text = asciiText(u8, input + start, input + u32[last + 1]! + u32[last + 2]!)
        if (last === at) this.add({ type: 'text', data: text })
        else {
          const count = (last - at) / RECORD + 1
          const units = this.room(count)
          let unit = units.length - count
          for (; at <= last; at += RECORD) {
            const place = u32[at + 1]! - start
            units[unit++] = { type: 'text', data: text.substring(place, place + u32[at + 2]!) }
          }
          at -= RECORD
        }
        at += RECORD
      } else {
        at += RECORD
        if ((flags & WF_OPCODE) >= OP_CLOSE) {
          this.control(flags, u8, input + start, length)
          continue
        }
        if (start === openTo && openTo > openFrom) openTo += length
        else {
          if (openTo > openFrom) this.#hold(u8, openFrom, openTo, bytes.length - end)
          openFrom = start
          openTo = start + length
        }
        const over = (flags & WF_END) !== 0
        if (over && flags & WF_FIN) {
          const after = offset + recordEnd(u32, at - RECORD)
          if (this.held.length > 0) {
            this.#hold(u8, openFrom, openTo, bytes.length - end)
            this.#heldMessage(flags, after)
          } else if (flags & (WF_TEXT | WF_COMPRESSED)) this.#finish(flags, u8, input + openFrom, input + openTo, after)
          else {
            if (view && flags & WF_CHANGED) {
              if (changedTo === 0) changedFrom = openFrom
              changedTo = openTo
            }
            this.#binary(u8, openFrom, openTo, bytes, from)
          }
          openFrom = 0
          openTo = 0
        } else if (!over && this.run > 0) {
          if (changedTo > 0) this.show(bytes, from, u8, changedFrom, changedTo)
          changedTo = 0
          return this.#beginRun(u8, u32, flags, start, length, openFrom, bytes, end, offset + end - from)
        }
      }
    }
    // After a close frame there is no message any more.
    if (openTo > openFrom && this.insideMessage) this.#hold(u8, openFrom, openTo, bytes.length - end)
    if (changedTo > 0) this.show(bytes, from, u8, changedFrom, changedTo)
    return end
  }

  protected override runEnd(): void {
    const flags = this.#runFlags
    if (flags & WF_FIN) this.#heldMessage(flags, this.runOffset)
  }

  protected override inflated(flags: number, data: Uint8Array, after: number): Message {
    return flags & WF_TEXT ? { type: 'text', data: inflatedText(data, after) } : { type: 'binary', data }
  }

  /** The last record of a batch is the beginning of a binary or compressed payload that goes on after what was staged. */
  #beginRun(
    u8: Uint8Array<ArrayBuffer>,
    u32: Uint32Array,
    flags: number,
    start: number,
    length: number,
    openFrom: number,
    bytes: Uint8Array,
    end: number,
    after: number,
  ): number {
    const rest = this.run
    const whole = WF_BEGIN | WF_FIN
    const alone = (flags & whole) === whole && (flags & WF_OPCODE) !== 0
    if (alone && bytes.length - end >= rest) {
      const payload = this.wholeRun(u8, start, length, bytes, end)
      this.idle()
      if (flags & WF_COMPRESSED) {
        this.#finish(flags, payload, 0, payload.length, after + rest)
      } else this.add({ type: 'binary', data: payload })
      return end + rest
    }
    this.#hold(u8, openFrom, start + length, bytes.length - end)
    this.holdRun(length, u32)
    this.#runFlags = flags
    return end
  }

  #hold(u8: Uint8Array, from: number, to: number, follow: number): void {
    const { held } = this
    const total = held.length + to - from
    // What the chunk still has is likely to follow; what it does not have is not allocated for.
    if (held.length === 0 && to - from > 1024) held.reserve(total + Math.min(follow, L_WINDOW))
    held.append(u8, this.input + from, this.input + to)
  }

  #binary(u8: Uint8Array, start: number, end: number, bytes: Uint8Array, from: number): void {
    const data = this.view
      ? new Uint8Array(bytes.buffer, bytes.byteOffset + from + start, end - start)
      : u8.slice(this.input + start, this.input + end)
    this.add({ type: 'binary', data })
  }

  #heldMessage(flags: number, after: number): void {
    const bytes = this.held.take()
    this.#finish(flags, bytes, 0, bytes.length, after)
  }

  /** A message whose bytes stand together and are its own if it is binary; `after` is the stream offset of its end. */
  #finish(flags: number, bytes: Uint8Array, from: number, to: number, after: number): void {
    if ((flags & WF_COMPRESSED) === 0) {
      if (flags & WF_TEXT) this.add({ type: 'text', data: validText(bytes, from, to) })
      else this.add({ type: 'binary', data: bytes })
      return
    }
    this.pack(flags, bytes, from, to, after)
  }
}

/** The last of the records from `at` on that look so, as that at `at` does. */
function sameShape(u32: Uint32Array, at: number, tapeEnd: number, shape: number): number {
  let last = at
  while (last + RECORD < tapeEnd && (u32[last + RECORD]! & SHAPE) === shape) last += RECORD
  return last
}

/** No byte of the stream can be named for what comes out of DEFLATE: the fault stands at the end of the message. */
function inflatedText(data: Uint8Array, offset: number): string {
  try {
    return validText(data, 0, data.length)
  } catch {
    throw websocketError('utf8', { offset })
  }
}
