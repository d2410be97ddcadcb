import { expect } from 'vitest'
import { nodeDeflate } from '../../bindings/node/index'
import {
  type DecodeOptions,
  type Decoder,
  type DeflateParams,
  type Message,
  WireError,
} from '../../bindings/websocket/index'
import { toHex } from '../vectors'
import { type AgreedParams, CODE_OF, type DecodeCase, type Event, expand, kindOf } from './words'

export const paramsOf = (agreed: AgreedParams): DeflateParams => ({
  serverNoContextTakeover: agreed.server_no_context_takeover ?? false,
  clientNoContextTakeover: agreed.client_no_context_takeover ?? false,
  serverMaxWindowBits: agreed.server_max_window_bits ?? 15,
  clientMaxWindowBits: agreed.client_max_window_bits ?? 15,
})

/** Without an option the vectors mean no limit. */
export function optionsOf({ role, options = {} }: Pick<DecodeCase, 'role' | 'options'>): DecodeOptions {
  const max = options.maxPayload ?? 1 << 30
  return {
    role,
    limits: { maxMessageBytes: max, maxFrameBytes: 1 << 30, maxFragments: options.maxFragments ?? 1 << 30 },
    deflate: options.permessageDeflate && nodeDeflate(paramsOf(options.permessageDeflate)),
  }
}

/** Messages in the words of the vectors. */
export function eventOf(message: Message): Event {
  switch (message.type) {
    case 'text':
      return { type: 'message', payload: toHex(Buffer.from(message.data)), binary: false }
    case 'binary':
      return { type: 'message', payload: toHex(message.data), binary: true }
    case 'close':
      return { type: 'close', code: message.code, reason: toHex(Buffer.from(message.reason)) }
    default:
      return { type: message.type, payload: toHex(message.data) }
  }
}

export function expected({ events, repeatEvents, error }: DecodeCase) {
  const list = repeatEvents === undefined ? events : new Array<Event>(repeatEvents).fill(events[0]!)
  return {
    events: list.map((event) =>
      event.payload === undefined ? event : { ...event, payload: toHex(expand(event.payload)) },
    ),
    fault: error && { code: CODE_OF[error.kind], kind: kindOf(error.kind), status: error.closeCode },
  }
}

export interface Outcome {
  readonly events: Event[]
  readonly fault: { readonly code: string; readonly kind: string; readonly status: number | undefined } | null
  readonly offset: number
  /** Bytes pushed before the fault came up. */
  readonly pushed: number
}

/** Feeds the pieces, reads what there is after each, and overwrites the piece then: what a decoder gives out is its reader's own. */
export function feed(decoder: Decoder, pieces: readonly Uint8Array[], handedOver = false): Outcome {
  const events: Event[] = []
  let pushed = 0
  for (const piece of pieces) {
    decoder.push(piece)
    pushed += piece.length
    const before = handedOver ? undefined : piece.slice()
    try {
      for (let message = decoder.read(); message; message = decoder.read()) events.push(eventOf(message))
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      expect(() => decoder.read()).toThrow(error)
      const { code, kind, status, offset } = error
      return { events, fault: { code, kind, status }, offset, pushed }
    }
    // An expectation for every byte would cost more than everything else.
    if (before) {
      if (Buffer.compare(piece, before) !== 0) expect.fail('the chunk was changed')
      piece.fill(0x5c)
    }
    if (decoder.offset + decoder.buffered !== pushed) expect(decoder.offset + decoder.buffered).toBe(pushed)
  }
  return { events, fault: null, offset: -1, pushed }
}

/** The same event with its properties in the order of `eventOf`, for comparison as text. */
export const ordered = ({ type, payload, binary, code, reason }: Event): Event =>
  type === 'close'
    ? { type, code: code!, reason: reason! }
    : type === 'message'
      ? { type, payload: payload!, binary: binary! }
      : { type, payload: payload! }
