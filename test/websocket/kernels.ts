import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { ST_ERROR, ST_MORE } from '../../assembly/abi/status'
import * as abi from '../../assembly/abi/websocket'
import { IN, RECORDS } from '../../bindings/websocket/kernels'
import { fresh, hexOf, type Side, untouched, wordsOf } from '../lib/side'

const STATE = abi.WS_PHASE >>> 2

export interface Limits {
  readonly message: number
  readonly frame: number
  readonly fragments: number
}
export const WIDE: Limits = { message: 1 << 20, frame: 1 << 20, fragments: 1000 }

function ready(side: Side, length: number, records: number): Side {
  fresh(side, IN + length - L_ARENA)
  side.u8.fill(side.poison, RECORDS, RECORDS + records * abi.WR_BYTES + 64)
  return side
}

/** Everything that one call of wsScan says and leaves. */
export function scan(
  side: Side,
  bytes: Uint8Array,
  options: number,
  state: readonly number[] | undefined,
  { message, frame, fragments }: Limits,
  maxRecords: number,
) {
  const { kernels, u8, u32 } = ready(side, bytes.length, Math.min(maxRecords, bytes.length))
  u8.set(bytes, IN)
  state?.forEach((value, i) => {
    u32[STATE + i] = value
  })
  u32[abi.WS_MAX_MESSAGE >>> 2] = message
  u32[abi.WS_MAX_MESSAGE_HIGH >>> 2] = 0
  u32[abi.WS_MAX_FRAME >>> 2] = frame
  u32[abi.WS_MAX_FRAME_HIGH >>> 2] = 0
  u32[abi.WS_MAX_FRAGMENTS >>> 2] = fragments
  const all = state ? options : options | abi.WO_FRESH
  const end = IN + bytes.length
  const status = kernels.wsScan(IN, end, RECORDS, RECORDS + maxRecords * abi.WR_BYTES, all) >>> 0
  const records = u32[abi.WS_RECORDS_AT >>> 2]!
  return {
    status,
    consumed: u32[abi.WS_INPUT_AT >>> 2]! - IN,
    records: hexOf(side, RECORDS, records),
    // Payloads, where they have been unmasked to, and the untouched rest.
    memory: hexOf(side, IN, end),
    behind: untouched(side, end, end + L_SLACK),
    bad: status >= ST_ERROR ? u32[abi.WS_BAD_AT >>> 2]! : -1,
    state: status === ST_MORE ? wordsOf(side, abi.WS_PHASE, abi.WS_STATE_WORDS) : undefined,
  }
}

/** Bytes of a header that have not come mean nothing. */
const meaning = (state: readonly number[] | undefined) => {
  if (state === undefined) return undefined
  const words = Uint32Array.from(state)
  const from = abi.WS_HEADER - abi.WS_PHASE
  new Uint8Array(words.buffer).fill(
    0,
    from + words[(abi.WS_HEADER_BYTES - abi.WS_PHASE) >>> 2]!,
    abi.WS_LEFT - abi.WS_PHASE,
  )
  return [...words]
}
/** What a scan says, without what means nothing. */
export const told = ({ state, ...rest }: ReturnType<typeof scan>) => ({ ...rest, state: meaning(state) })

/** First byte with flags, payload, key. */
export type Order = readonly [number, Uint8Array, number]

/** What wsEncode makes of orders. */
export function write(side: Side, orders: readonly Order[]) {
  const total = orders.reduce((sum, [, data]) => sum + data.length + 14, 0)
  const { kernels, u8, u32 } = ready(side, total + 256, orders.length)
  let at = IN
  orders.forEach(([first, data, key], i) => {
    at += 14
    u8.set(data, at)
    u32.set([first, at, data.length, key], (RECORDS + i * abi.WE_BYTES) >>> 2)
    at += data.length
  })
  // The room before a header that is shorter than the longest is not written.
  u8.fill(0, IN, IN + 14)
  let place = IN
  for (const [, data] of orders) {
    u8.fill(0, place, place + 14)
    place += 14 + data.length
  }
  kernels.wsEncode(RECORDS, RECORDS + orders.length * abi.WE_BYTES)
  return { memory: hexOf(side, IN, at), behind: untouched(side, at, at + 256) }
}

/** What wsUnmask leaves of bytes at a place that need not be aligned. */
export function unmaskBy(side: Side, bytes: Uint8Array, key: number, phase: number, shift: number) {
  const { kernels, u8 } = ready(side, bytes.length + 64, 0)
  const at = IN + 16 + shift
  u8.set(bytes, at)
  kernels.wsUnmask(at, at + bytes.length, key, phase)
  const end = at + bytes.length
  return { memory: hexOf(side, at, end), around: untouched(side, IN, at) && untouched(side, end, end + 32) }
}
