import {
  OP_BINARY,
  OP_CLOSE,
  OP_CONTINUATION,
  OP_TEXT,
  WF_COMPRESSED,
  WF_FIN,
  WF_OPCODE,
  WF_RSV1,
  WF_TEXT,
  WH_FIN,
  WH_MASK,
  WH_RSV1,
  WP_PAYLOAD,
} from '../../assembly/abi/websocket'
import { headerLength } from '../../assembly/websocket/header'
import { swapped, turned, unmask } from './kernels'
import type { ScanState } from './state'
import type { Chunk, Control, Frame, Message } from './types'
import { NO_STATUS, OPCODES, TWO_32 } from './wire'

const utf8 = new TextEncoder()
const NOTHING = new Uint8Array(0)

/**
 * The beginning of a frame as it came: its header for a payload of `total` bytes, and `payload`, which are the first of them.
 * `key` as on the wire, read little-endian; undefined: not masked.
 */
export function frameBytes(first: number, total: number, payload: Uint8Array, key: number | undefined): Uint8Array {
  const masked = key !== undefined
  const head = headerLength(Math.min(total, 0xffffffff), masked)
  const bytes = new Uint8Array(head + payload.length)
  const view = new DataView(bytes.buffer)
  bytes[0] = first
  const mask = masked ? WH_MASK : 0
  if (total < 126) bytes[1] = mask | total
  else if (total < 0x10000) {
    bytes[1] = mask | 126
    view.setUint16(2, total)
  } else {
    bytes[1] = mask | 127
    view.setUint32(2, Math.floor(total / TWO_32))
    view.setUint32(6, total % TWO_32)
  }
  if (masked) view.setUint32(head - 4, key, true)
  unmask(bytes, head, payload, 0, payload.length, key ?? 0, 0)
  return bytes
}

function closePayload(code: number, reason: string): Uint8Array {
  if (code === NO_STATUS) return NOTHING
  return Uint8Array.of(code >>> 8, code, ...utf8.encode(reason))
}

/** A frame that a reader makes that unit of; what a server reads is masked, with a key of 0 where it was not told another. */
export function unitBytes(unit: Message | Frame | Chunk | Control, server: boolean): Uint8Array {
  const key = server ? 0 : undefined
  if ('opcode' in unit) {
    const { fin, rsv1, opcode, payload, maskKey } = unit
    const first = (fin ? WH_FIN : 0) | (rsv1 ? WH_RSV1 : 0) | opcode
    return frameBytes(first, payload.length, payload, server ? swapped(maskKey) : undefined)
  }
  if (unit.type === 'chunk') {
    const { kind, data, offset, fin } = unit
    return frameBytes((fin ? WH_FIN : 0) | (offset === 0 ? OPCODES[kind] : 0), data.length, data, key)
  }
  const payload =
    unit.type === 'close'
      ? closePayload(unit.code, unit.reason)
      : typeof unit.data === 'string'
        ? utf8.encode(unit.data)
        : unit.data
  return frameBytes(WH_FIN | OPCODES[unit.type], payload.length, payload, key)
}

/** What a reader holds of an unfinished message or frame. */
export interface Partial {
  /** Payload, unmasked: of the message, or of the frame alone where `singly`. */
  readonly held: Uint8Array
  /** Payload of an unfinished control frame. */
  readonly waiting: Uint8Array
  /** Payload bytes of the frame that have not come, where the reader counts them itself. */
  readonly run: number
  readonly singly: boolean
  /** Whether pieces of the message were given out, so that none of it is held. */
  readonly begun: boolean
  readonly server: boolean
}

/** Frames that say once more what of an unfinished message and frame has come. */
export function partialFrames(state: ScanState, { held, waiting, run, singly, begun, server }: Partial): Uint8Array[] {
  const { message, frame } = state
  const opcode = frame & WF_OPCODE
  const left = run > 0 ? run : state.left
  const passed = state.at + (run > 0 ? state.leftLow - (run >>> 0) : 0)
  const pieces: Uint8Array[] = []
  /** The frame that is going on, its first `payload` bytes with it. */
  const going = (first: number, payload: Uint8Array): void => {
    const fin = frame & WF_FIN ? WH_FIN : 0
    const key = server ? turned(state.key, passed - payload.length) : undefined
    pieces.push(frameBytes(fin | first, payload.length + left, payload, key))
  }
  /** What came before it, as a frame of its own. */
  const before = (): void => {
    const first = (message & WF_TEXT ? OP_TEXT : OP_BINARY) | (message & WF_COMPRESSED ? WH_RSV1 : 0)
    if (!singly && !begun) pieces.push(frameBytes(first, held.length, held, server ? 0 : undefined))
  }
  if (state.phase !== WP_PAYLOAD) {
    if (message !== 0) before()
    pieces.push(state.header)
    return pieces
  }
  const rsv1 = frame & WF_RSV1 ? WH_RSV1 : 0
  if (singly) going(rsv1 | opcode, held)
  else if (opcode >= OP_CLOSE) {
    if (message !== 0) before()
    going(opcode, waiting)
  } else if (opcode !== OP_CONTINUATION && !begun) going(rsv1 | opcode, held)
  else {
    if (opcode === OP_CONTINUATION) before()
    going(OP_CONTINUATION, NOTHING)
  }
  return pieces
}
