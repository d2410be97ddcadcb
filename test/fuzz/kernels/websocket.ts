import { ST_DONE, ST_ERROR } from '../../../assembly/abi/status'
import * as abi from '../../../assembly/abi/websocket'
import { MAX_RECORDS } from '../../../bindings/websocket/kernels'
import { fromHex } from '../../vectors'
import { type Order, scan, told as toldOf, unmaskBy, WIDE, write } from '../../websocket/kernels'
import { bytesOf, decodeCases } from '../../websocket/words'
import { Input, inputOf } from '../input'
import { demand, type KernelTarget } from './target'

const OPTIONS = [0, abi.WO_DEFLATE, abi.WO_RAW, abi.WO_HOLD, abi.WO_DEFLATE | abi.WO_HOLD]

/** A stream in pieces, the state carried on. */
function pieces(input: Input, side: Parameters<typeof scan>[0]): unknown {
  const options = (input.below(2) ? abi.WO_SERVER : 0) | input.pick(OPTIONS)
  const records = input.pick([MAX_RECORDS, MAX_RECORDS, 1, 3])
  const limits = input.pick([
    WIDE,
    WIDE,
    { ...WIDE, message: 100 },
    { ...WIDE, message: 10, fragments: 2 },
    { ...WIDE, frame: 60 },
  ])
  const cut = input.byte()
  const bytes = input.rest()
  const said: unknown[] = []
  let state: number[] | undefined
  for (let at = 0; at < bytes.length; ) {
    const end = cut < 128 ? bytes.length : Math.min(bytes.length, at + 1 + (cut & 63))
    const told = scan(side, bytes.subarray(at, end), options, state, limits, records)
    said.push(toldOf(told))
    demand(told.behind, 'wsScan wrote where it must not')
    demand(told.consumed >= 0 && told.consumed <= end - at, 'wsScan read beyond its input')
    if (told.status >= ST_ERROR || (told.state?.[0] ?? abi.WP_HEADER) === abi.WP_CLOSED) break
    // A frame that is held back waits for more input; there is none.
    if (told.consumed === 0) {
      demand((options & abi.WO_HOLD) !== 0 && told.status === ST_DONE, 'wsScan makes no progress')
      break
    }
    state = told.state
    at += told.consumed
  }
  return said
}

export const target: KernelTarget = {
  exported: ['wsScan', 'wsUnmask', 'wsEncode'],
  tokens: [
    '8180',
    '0180',
    '0080',
    '8080',
    '88820000000003e8',
    '8980',
    'c180',
    '81fe007e',
    '82ff0000000000000100',
    'e282ac',
    'f0',
    'f09f9880',
  ].map(fromHex),
  seeds: () => [
    ...decodeCases
      .map((vector) => ({ bytes: bytesOf(vector), server: vector.role === 'server' }))
      .filter(({ bytes }) => bytes.length <= 1200)
      .map(({ bytes, server }) => inputOf([0, server ? 1 : 0, 0, 0, 0, 0], bytes)),
    inputOf([1, 2, 0x81, 1, 5, 1, 2, 3, 4, 0x82, 0, 126, 0, 0, 0, 0], new Uint8Array(200).fill(7)),
    inputOf([2, 1, 3, 1, 2, 3, 4], new Uint8Array(100).fill(9)),
  ],
  run: (side, bytes) => {
    const input = new Input(bytes)
    const key = () => ((input.byte() << 24) | (input.byte() << 16) | (input.byte() << 8) | input.byte()) >>> 0
    switch (input.below(3)) {
      case 0:
        return pieces(input, side)
      case 1: {
        const orders = Array.from({ length: 1 + input.below(4) }, (): Order => {
          const first = input.byte() | input.pick([0, abi.WE_MASKED, abi.WE_MASKED | abi.WE_HEADER_ONLY])
          const length = input.byte()
          const mask = key()
          return [first, input.take(length), mask]
        })
        const told = write(side, orders)
        demand(told.behind, 'wsEncode wrote where it must not')
        return told
      }
      default: {
        const phase = input.below(4)
        const shift = input.below(16)
        const mask = key()
        const told = unmaskBy(side, input.rest(), mask, phase, shift)
        demand(told.around, 'wsUnmask wrote where it must not')
        return told
      }
    }
  },
}
