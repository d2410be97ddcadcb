import {
  OP_CLOSE,
  WF_BEGIN,
  WF_CHANGED,
  WF_COMPRESSED,
  WF_END,
  WF_FIN,
  WF_OPCODE,
  WF_TEXT,
  WR_BYTES,
} from '../../assembly/abi/websocket'
import type { Memory } from '../engine/memory'
import { websocketError } from './errors'
import { InflatingReader } from './inflating'
import { recordEnd, type Settings } from './reader'
import type { Chunk } from './types'

const RECORD = WR_BYTES >>> 2
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Pieces of messages as they arrive; compressed messages whole. */
export class ChunkReader extends InflatingReader<Chunk> {
  /** Bytes of the open message before the next piece. */
  #place = 0
  #runFlags = 0

  constructor(settings: Settings) {
    super(settings, 0, WF_COMPRESSED)
  }

  protected override inflated(flags: number, data: Uint8Array, after: number): Chunk {
    if (flags & WF_TEXT && !isUtf8(data)) throw websocketError('utf8', { offset: after })
    return { type: 'chunk', kind: flags & WF_TEXT ? 'text' : 'binary', data, offset: 0, fin: true }
  }

  protected override forget(): void {
    super.forget()
    this.#place = 0
  }

  protected override get begun(): boolean {
    return this.#place > 0
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
    const { input } = this
    let changedFrom = 0
    let changedTo = 0
    for (let at = tape; at < tapeEnd; at += RECORD) {
      const flags = u32[at]!
      const data = u32[at + 1]!
      const length = u32[at + 2]!
      const opcode = flags & WF_OPCODE
      if (opcode >= OP_CLOSE) {
        this.control(flags, u8, input + data, length)
        continue
      }
      if (opcode !== 0 && flags & WF_BEGIN) this.#place = 0
      const ends = (flags & WF_END) !== 0
      if (flags & WF_COMPRESSED) {
        this.held.append(u8, input + data, input + data + length)
        if (!ends) {
          this.holdRun(length, u32)
          this.#runFlags = flags
        } else if (flags & WF_FIN) this.#inflate(flags, offset + recordEnd(u32, at))
        continue
      }
      const fin = ends && (flags & WF_FIN) !== 0
      if (length === 0 && !fin) continue
      const { view } = this
      if (view && flags & WF_CHANGED) {
        if (changedTo === 0) changedFrom = data
        changedTo = data + length
      }
      const piece = view
        ? new Uint8Array(bytes.buffer, bytes.byteOffset + from + data, length)
        : u8.slice(input + data, input + data + length)
      this.#piece(flags, piece, fin)
    }
    if (changedTo > 0) this.show(bytes, from, u8, changedFrom, changedTo)
    return end
  }

  protected override runEnd(): void {
    if (this.#runFlags & WF_FIN) this.#inflate(this.#runFlags, this.runOffset)
  }

  #piece(flags: number, data: Uint8Array, fin: boolean): void {
    const offset = this.#place
    this.#place = fin ? 0 : offset + data.length
    this.add({ type: 'chunk', kind: flags & WF_TEXT ? 'text' : 'binary', data, offset, fin })
  }

  #inflate(flags: number, after: number): void {
    const held = this.held.take()
    this.pack(flags, held, 0, held.length, after)
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes)
    return true
  } catch {
    return false
  }
}
