import { headerLength } from '../../assembly/websocket/header'
import { swapped, unmask } from './kernels'
import type { Chunk, Control, Frame, Message } from './types'

const FIN = 0x80
const RSV1 = 0x40
const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const TWO_32 = 0x1_0000_0000
const NO_STATUS = 1005
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
  const mask = masked ? 0x80 : 0
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
    const first = (fin ? FIN : 0) | (rsv1 ? RSV1 : 0) | opcode
    return frameBytes(first, payload.length, payload, server ? swapped(maskKey) : undefined)
  }
  if (unit.type === 'chunk') {
    const { kind, data, offset, fin } = unit
    return frameBytes((fin ? FIN : 0) | (offset === 0 ? OPCODES[kind] : 0), data.length, data, key)
  }
  const payload =
    unit.type === 'close'
      ? closePayload(unit.code, unit.reason)
      : typeof unit.data === 'string'
        ? utf8.encode(unit.data)
        : unit.data
  return frameBytes(FIN | OPCODES[unit.type], payload.length, payload, key)
}
