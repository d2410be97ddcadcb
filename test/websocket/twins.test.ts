import { describe, expect, it } from 'vitest'
import * as layout from '../../assembly/abi/layout'
import { ST_DONE, ST_ERROR, ST_MORE } from '../../assembly/abi/status'
import * as abi from '../../assembly/abi/websocket'
import type * as portable from '../../assembly/websocket/index'
import { type Backend, useBackend } from '../../bindings/engine/load'
import { IN, MAX_RECORDS, RECORDS, selectCore } from '../../bindings/websocket/kernels'
import { Random } from '../random'
import { toHex } from '../vectors'
import { bytesOf, decodeCases } from './words'

const POISON = 0xa5
const STATE = abi.WS_PHASE >>> 2

interface Limits {
  readonly message: number
  readonly frame: number
  readonly fragments: number
}
const WIDE: Limits = { message: 1 << 20, frame: 1 << 20, fragments: 1000 }

/** Everything that one call of wsScan says and leaves, in memory that was poisoned from the state block on. */
function scan(
  backend: Backend,
  bytes: Uint8Array,
  options: number,
  state: readonly number[] | undefined,
  { message, frame, fragments }: Limits,
  maxRecords = MAX_RECORDS,
) {
  useBackend(backend)
  const { kernels: table, memory } = selectCore(1 << 20, 0)
  const kernels = table as typeof portable
  const { u8, u32 } = memory
  u8.fill(POISON, layout.L_STATE)
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
    records: toHex(u8.slice(RECORDS, records)),
    // Payloads, where they have been unmasked to, and the untouched rest.
    memory: toHex(u8.slice(IN, end)),
    behind: u8.slice(end, end + layout.L_SLACK).every((byte) => byte === POISON),
    bad: status >= ST_ERROR ? u32[abi.WS_BAD_AT >>> 2]! : -1,
    state: status === ST_MORE ? [...u32.slice(STATE, STATE + abi.WS_STATE_WORDS)] : undefined,
  }
}

/** Words of a header that is not there yet mean nothing. */
const meaning = (state: readonly number[] | undefined) =>
  state?.map((value, i) => {
    const address = abi.WS_PHASE + i * 4
    const headerWord = address >= abi.WS_HEADER && address < abi.WS_LEFT
    return headerWord && state[(abi.WS_HEADER_BYTES - abi.WS_PHASE) >>> 2] === 0 ? 0 : value
  })
const told = ({ state, ...rest }: ReturnType<typeof scan>) => ({ ...rest, state: meaning(state) })

const streams = decodeCases.map((vector) => ({ bytes: bytesOf(vector), server: vector.role === 'server' }))
const short = streams.filter(({ bytes }) => bytes.length <= 3000)

describe('both backends write the same tape and memory', () => {
  it('of the vectors', () => {
    for (const { bytes, server } of streams) {
      for (const more of [0, abi.WO_DEFLATE, abi.WO_RAW, abi.WO_HOLD]) {
        const window = bytes.subarray(0, layout.L_WINDOW)
        const options = more | (server ? abi.WO_SERVER : 0)
        const wasm = scan('wasm', window, options, undefined, WIDE)
        expect(told(scan('js', window, options, undefined, WIDE))).toStrictEqual(told(wasm))
        expect(wasm.behind).toBe(true)
      }
    }
  })

  it('of mutations and random bytes, cut anywhere, with the state between', () => {
    const random = new Random(11)
    const frames = Uint8Array.from([
      0x81, 0x82, 0x01, 0x02, 0x80, 0x00, 0x88, 0x89, 0x8a, 0xc1, 0xfe, 0xff, 0x85, 0x05, 126, 127,
    ])
    let continued = 0
    for (let i = 0; i < 4000; i++) {
      const { bytes: source, server } = random.pick(short)
      const bytes = i % 4 === 0 ? random.bytes(random.below(300), frames) : random.mutate(source, frames)
      const options =
        (server ? abi.WO_SERVER : 0) |
        random.pick([0, abi.WO_DEFLATE, abi.WO_RAW, abi.WO_HOLD, abi.WO_DEFLATE | abi.WO_HOLD])
      const limits: Limits = {
        message: random.pick([1 << 20, 100, 10]),
        frame: random.pick([1 << 20, 60]),
        fragments: random.pick([1000, 2, 1]),
      }
      const records = random.pick([MAX_RECORDS, 3, 1])
      let state: number[] | undefined
      let at = 0
      for (let calls = 0; calls < 6 && at < bytes.length; calls++) {
        const piece = bytes.subarray(at, at + 1 + random.below(bytes.length - at))
        const wasm = scan('wasm', piece, options, state, limits, records)
        expect(told(scan('js', piece, options, state, limits, records))).toStrictEqual(told(wasm))
        expect(wasm.behind).toBe(true)
        expect(wasm.consumed).toBeLessThanOrEqual(piece.length)
        if (wasm.status >= ST_ERROR) break
        if (wasm.consumed === 0 && wasm.status === ST_DONE) break
        if (wasm.state) continued++
        state = wasm.state
        at += wasm.consumed
      }
    }
    expect(continued).toBeGreaterThan(500)
  })

  it('of what is encoded', () => {
    const random = new Random(12)
    const write = (backend: Backend, orders: readonly (readonly [number, Uint8Array, number])[]) => {
      useBackend(backend)
      const { kernels: table, memory } = selectCore(1 << 20, 0)
      const { u8, u32 } = memory
      u8.fill(POISON, layout.L_STATE)
      let at = IN
      orders.forEach(([first, data, key], i) => {
        at += 14
        u8.set(data, at)
        u32.set([first, at, data.length, key], (RECORDS + i * abi.WE_BYTES) >>> 2)
        at += data.length
      })
      ;(table as typeof portable).wsEncode(RECORDS, RECORDS + orders.length * abi.WE_BYTES)
      return { memory: toHex(u8.slice(IN, at)), behind: u8.slice(at, at + 256).every((byte) => byte === POISON) }
    }
    for (let i = 0; i < 300; i++) {
      const orders = Array.from({ length: 1 + random.below(5) }, () => {
        const length = random.pick([0, 1, 7, 125, 126, 127, 300, 2000, random.below(100)])
        const flags = random.pick([0, abi.WE_MASKED, abi.WE_MASKED | abi.WE_HEADER_ONLY])
        return [random.below(256) | flags, random.bytes(length), random.pick([0, random.next()])] as const
      })
      const wasm = write('wasm', orders)
      expect(write('js', orders)).toStrictEqual(wasm)
      expect(wasm.behind).toBe(true)
    }
  })
})
