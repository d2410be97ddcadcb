import { MAX_CONTROL, OP_CLOSE, OP_PING, WF_BEGIN, WF_END, WF_OPCODE } from '../../assembly/abi/websocket'
import { copyOf } from '../core/options'
import { validText } from '../core/text'
import { FrameReader } from './reader'
import type { Control } from './types'
import { NO_STATUS } from './wire'

/** A reader that makes units of control frames. */
export abstract class ControlReader<T> extends FrameReader<T | Control> {
  #waiting: Uint8Array | undefined
  #waitingBytes = 0

  override get heldBytes(): number {
    return super.heldBytes + this.#waitingBytes
  }

  protected override get waiting(): Uint8Array {
    return this.#waiting?.subarray(0, this.#waitingBytes) ?? new Uint8Array(0)
  }

  protected override forget(): void {
    super.forget()
    this.#waitingBytes = 0
  }

  /** A piece of a control frame, unmasked and checked by the kernel. */
  protected control(flags: number, bytes: Uint8Array, from: number, length: number): void {
    if ((flags & (WF_BEGIN | WF_END)) === (WF_BEGIN | WF_END)) {
      this.#unit(flags & WF_OPCODE, bytes, from, length)
      return
    }
    this.#waiting ??= new Uint8Array(MAX_CONTROL)
    for (let i = 0; i < length; i++) this.#waiting[this.#waitingBytes + i] = bytes[from + i]!
    this.#waitingBytes += length
    if (flags & WF_END) {
      const total = this.#waitingBytes
      this.#waitingBytes = 0
      this.#unit(flags & WF_OPCODE, this.#waiting, 0, total)
    }
  }

  #unit(opcode: number, bytes: Uint8Array, from: number, length: number): void {
    if (opcode !== OP_CLOSE) {
      const data = copyOf(bytes, from, from + length)
      this.add({ type: opcode === OP_PING ? 'ping' : 'pong', data })
      return
    }
    const code = length === 0 ? NO_STATUS : (bytes[from]! << 8) | bytes[from + 1]!
    const reason = length > 2 ? validText(bytes, from + 2, from + length) : ''
    this.add({ type: 'close', code, reason })
    // An unfinished message is dropped with what was held of it: nothing follows a close frame.
    this.held.clear()
  }
}
