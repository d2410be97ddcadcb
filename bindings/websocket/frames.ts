import {
  WF_BEGIN,
  WF_CHANGED,
  WF_END,
  WF_FIN,
  WF_HEADER_SHIFT,
  WF_MASKED,
  WF_OPCODE,
  WF_RSV1,
  WO_RAW,
  WR_BYTES,
  WS_BIAS,
} from '../../assembly/abi/websocket'
import type { Memory } from '../engine/memory'
import { swapped } from './kernels'
import { FrameReader, type Settings } from './reader'
import type { Frame } from './types'

const RECORD = WR_BYTES >>> 2
const WHOLE = WF_BEGIN | WF_END
/** Some of these flags every frame has: each payload is opaque. */
const ANY_FRAME = 0x3f << WF_HEADER_SHIFT

/** Frames as they stand on the wire. */
export class FrameUnitReader extends FrameReader<Frame> {
  #flags = 0
  #offset = 0
  #key = 0

  constructor(settings: Settings) {
    super(settings, WO_RAW, ANY_FRAME)
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
      this.#flags = flags
      this.#offset = offset + u32[at + 3]! - WS_BIAS
      this.#key = u32[at + 4]!
      if ((flags & WHOLE) === WHOLE) {
        if (this.view) {
          if (flags & WF_CHANGED) {
            if (changedTo === 0) changedFrom = data
            changedTo = data + length
          }
          this.#unit(new Uint8Array(bytes.buffer, bytes.byteOffset + from + data, length))
        } else this.#unit(u8.slice(input + data, input + data + length))
        continue
      }
      // The last record: the frame goes on after what was staged.
      if (changedTo > 0) this.show(bytes, from, u8, changedFrom, changedTo)
      const { run } = this
      if (bytes.length - end >= run) {
        this.#unit(this.wholeRun(u8, data, length, bytes, end))
        this.settle(u32)
        return end + run
      }
      this.held.append(u8, input + data, input + data + length)
      this.holdRun(length, u32)
      return end
    }
    if (changedTo > 0) this.show(bytes, from, u8, changedFrom, changedTo)
    return end
  }

  protected override get singly(): boolean {
    return true
  }

  protected override runEnd(): void {
    this.#unit(this.held.take())
  }

  #unit(payload: Uint8Array): void {
    const flags = this.#flags
    this.add({
      fin: (flags & WF_FIN) !== 0,
      rsv1: (flags & WF_RSV1) !== 0,
      opcode: flags & WF_OPCODE,
      masked: (flags & WF_MASKED) !== 0,
      maskKey: swapped(this.#key),
      payload,
      offset: this.#offset,
      headerBytes: flags >>> WF_HEADER_SHIFT,
    })
  }
}
