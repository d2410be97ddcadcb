import { MAX_CONTROL, WH_FIN, WH_RSV1 } from '../../assembly/abi/websocket'
import { isCloseCode } from '../../assembly/websocket/header'
import { isBytes } from '../core/brands'
import { usageError } from '../core/errors'
import { described } from '../core/options'
import type { Deflater } from './deflate'
import { websocketError } from './errors'
import type { FrameInput, MessageInput } from './types'
import { NO_STATUS, OPCODES } from './wire'

/** A frame before it is cut and masked: its first header byte, and the payload. */
export interface Outgoing {
  /** FIN, RSV1 and opcode. */
  readonly first: number
  readonly data: Uint8Array | string
  /** What to tell the Deflater once the frame is written. */
  readonly plain: Uint8Array | undefined
}

const EMPTY = new Uint8Array(0)
const utf8 = new TextEncoder()

const bad = (path: string, detail: string): Error => websocketError('value', { path, detail })

function closePayload(code: unknown, reason: unknown): Uint8Array {
  if (code === undefined || code === NO_STATUS) {
    if (reason !== undefined && reason !== '') throw bad('reason', 'a close frame without a code has no reason')
    return EMPTY
  }
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 0 || !isCloseCode(code)) {
    throw websocketError('closeCode', { path: 'code', detail: described(code) })
  }
  if (reason !== undefined && typeof reason !== 'string') throw bad('reason', 'a string expected')
  const text = utf8.encode(reason ?? '')
  if (text.length > MAX_CONTROL - 2) throw websocketError('controlTooLong', { path: 'reason' })
  const payload = new Uint8Array(2 + text.length)
  payload[0] = code >>> 8
  payload[1] = code
  payload.set(text, 2)
  return payload
}

function frameInput({ fin = true, rsv1 = false, opcode, payload }: FrameInput): Outgoing {
  if (!Number.isInteger(opcode) || opcode < 0 || (opcode > 2 && opcode < 8) || opcode > 10) {
    throw websocketError('opcode', { path: 'opcode', detail: described(opcode) })
  }
  if (!isBytes(payload)) throw bad('payload', 'a Uint8Array expected')
  if (opcode >= 8) {
    if (!fin) throw websocketError('fragmentedControl', { path: 'fin' })
    if (rsv1) throw websocketError('rsv1', { path: 'rsv1' })
    if (payload.length > MAX_CONTROL) throw websocketError('controlTooLong', { path: 'payload' })
  } else if (opcode === 0 && rsv1) throw websocketError('rsv1', { path: 'rsv1' })
  return { first: (fin ? WH_FIN : 0) | (rsv1 ? WH_RSV1 : 0) | opcode, data: payload, plain: undefined }
}

/** The payload of a binary message, what most of a batch are, so that nothing is allocated for it; undefined: see `outgoing`. */
export function plainBytes(value: MessageInput | FrameInput): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null || 'opcode' in value || value.type !== 'binary') return undefined
  const { data } = value
  return isBytes(data) ? data : undefined
}

/** Checks a value and turns it into one frame; compresses it where that was agreed on and the message does not refuse. */
export function outgoing(value: MessageInput | FrameInput, deflater: Deflater | undefined): Outgoing {
  if (typeof value !== 'object' || value === null) throw usageError('websocket', 'a message must be an object')
  if ('opcode' in value) return frameInput(value)
  const { type } = value
  switch (type) {
    case 'text':
    case 'binary': {
      const { data } = value
      if (!isBytes(data) && (type === 'binary' || typeof data !== 'string')) {
        throw bad('data', type === 'text' ? 'a string or a Uint8Array expected' : 'a Uint8Array expected')
      }
      const first = WH_FIN | OPCODES[type]
      if (!deflater || value.compress === false) return { first, data, plain: undefined }
      const plain = typeof data === 'string' ? utf8.encode(data) : data
      return { first: first | WH_RSV1, data: deflater.deflate(plain), plain }
    }
    case 'ping':
    case 'pong': {
      const data = value.data ?? EMPTY
      if (!isBytes(data) && typeof data !== 'string') throw bad('data', 'a string or a Uint8Array expected')
      const payload = typeof data === 'string' ? utf8.encode(data) : data
      if (payload.length > MAX_CONTROL) throw websocketError('controlTooLong', { path: 'data' })
      return { first: WH_FIN | OPCODES[type], data: payload, plain: undefined }
    }
    case 'close':
      return { first: WH_FIN | OPCODES.close, data: closePayload(value.code, value.reason), plain: undefined }
    default:
      throw bad('type', "'text', 'binary', 'ping', 'pong' or 'close' expected")
  }
}
