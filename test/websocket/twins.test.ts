import { describe, expect, it } from 'vitest'
import * as layout from '../../assembly/abi/layout'
import { ST_DONE, ST_ERROR } from '../../assembly/abi/status'
import * as abi from '../../assembly/abi/websocket'
import { MAX_RECORDS } from '../../bindings/websocket/kernels'
import { scriptSide, wasmSide } from '../lib/side'
import { Random } from '../random'
import { type Limits, scan, told, WIDE, write } from './kernels'
import { bytesOf, decodeCases } from './words'

const wasm = wasmSide()
const js = scriptSide()

const streams = decodeCases.map((vector) => ({ bytes: bytesOf(vector), server: vector.role === 'server' }))
const short = streams.filter(({ bytes }) => bytes.length <= 3000)

describe('both backends write the same tape and memory', () => {
  it('of the vectors', () => {
    for (const { bytes, server } of streams) {
      for (const more of [0, abi.WO_DEFLATE, abi.WO_RAW, abi.WO_HOLD]) {
        const window = bytes.subarray(0, layout.L_WINDOW)
        const options = more | (server ? abi.WO_SERVER : 0)
        const first = scan(wasm, window, options, undefined, WIDE, MAX_RECORDS)
        expect(told(scan(js, window, options, undefined, WIDE, MAX_RECORDS))).toStrictEqual(told(first))
        expect(first.behind).toBe(true)
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
        const first = scan(wasm, piece, options, state, limits, records)
        expect(told(scan(js, piece, options, state, limits, records))).toStrictEqual(told(first))
        expect(first.behind).toBe(true)
        expect(first.consumed).toBeLessThanOrEqual(piece.length)
        if (first.status >= ST_ERROR) break
        if (first.consumed === 0 && first.status === ST_DONE) break
        if (first.state) continued++
        state = first.state
        at += first.consumed
      }
    }
    expect(continued).toBeGreaterThan(500)
  })

  it('of what is encoded', () => {
    const random = new Random(12)
    for (let i = 0; i < 300; i++) {
      const orders = Array.from({ length: 1 + random.below(5) }, () => {
        const length = random.pick([0, 1, 7, 125, 126, 127, 300, 2000, random.below(100)])
        const flags = random.pick([0, abi.WE_MASKED, abi.WE_MASKED | abi.WE_HEADER_ONLY])
        return [random.below(256) | flags, random.bytes(length), random.pick([0, random.next()])] as const
      })
      const first = write(wasm, orders)
      expect(write(js, orders)).toStrictEqual(first)
      expect(first.behind).toBe(true)
    }
  })
})
