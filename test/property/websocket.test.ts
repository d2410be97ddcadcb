import { expect, it } from 'vitest'
import { type Backend, useBackend } from '../../bindings/index'
import { nodeDeflate } from '../../bindings/node/index'
import {
  type Chunk,
  type Control,
  Decoder,
  Encoder,
  encode,
  type Units,
  WireError,
} from '../../bindings/websocket/index'
import { Random } from '../random'
import { toHex } from '../vectors'

const STREAMS = 30
const deflate = nodeDeflate({
  serverNoContextTakeover: false,
  clientNoContextTakeover: false,
  serverMaxWindowBits: 15,
  clientMaxWindowBits: 15,
})
const join = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

/** What a peer might send: every kind of message, control frames between fragments, compressed or not. */
function stream(random: Random, role: 'server' | 'client', compressed: boolean): Uint8Array<ArrayBuffer> {
  const fragmentBytes = random.pick([undefined, 1, 3, 50, 1000])
  const encoder = new Encoder({
    role,
    fragmentBytes,
    maskKey: () => random.next(),
    deflate: compressed ? deflate : undefined,
  })
  const parts: Uint8Array[] = []
  for (let left = 1 + random.below(6); left > 0; left--) {
    const length = random.pick([0, 1, 5, 30, 125, 126, 127, 300, 3000, 9000, 70_000])
    const most = fragmentBytes !== undefined && fragmentBytes < 50 ? Math.min(length, 300) : length
    const compress = random.below(2) === 0
    const kind = random.below(16)
    if (kind < 6) {
      const data = random.pick(['a', 'é', '€', '😀', 'abc']).repeat(Math.ceil(most / 4))
      parts.push(encoder.encode({ type: 'text', data, compress }))
    } else if (kind < 10) parts.push(encoder.encode({ type: 'binary', data: random.bytes(most), compress }))
    else if (kind < 12) parts.push(encoder.encode({ type: 'ping', data: random.bytes(random.below(126)) }))
    else if (kind < 15) {
      parts.push(encoder.encode({ opcode: 1, fin: false, payload: Buffer.from('é'.repeat(random.below(200))) }))
      parts.push(encoder.encode({ type: 'pong', data: random.bytes(random.below(20)) }))
      parts.push(encoder.encode({ opcode: 0, payload: Buffer.from('x'.repeat(random.below(2000))) }))
    } else parts.push(encoder.encode({ type: 'close', code: 1000, reason: 'adiós' }))
  }
  return join(parts)
}

/** A few bytes changed, lost or added. */
function damaged(random: Random, wire: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let bytes = wire.slice()
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(bytes.length)
    const how = random.below(4)
    if (how < 2) bytes[at] = random.below(256)
    else if (how === 2)
      bytes = join([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(3)), Uint8Array.of(0)])
    else bytes = join([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)])
  }
  return bytes
}

/** Units as text, with the pieces of a message put together: where it is cut depends on the chunks. */
function told(units: readonly Units[keyof Units][]): string {
  let text = ''
  let open = ''
  let place = 0
  for (const unit of units) {
    if ('type' in unit && unit.type === 'chunk') {
      const { kind, data, offset, fin } = unit as Exclude<Chunk | Control, Control>
      if (offset !== place) text += `at ${offset} instead of ${place} `
      place += data.length
      open += toHex(data)
      if (!fin) continue
      text += `${kind} ${open};`
      open = ''
      place = 0
    } else text += `${JSON.stringify(unit, (_, value) => (value instanceof Uint8Array ? toHex(value) : value))};`
  }
  return text
}

it('units, codes and offsets are the same on each backend, in any chunks, in memory of either kind', () => {
  const random = new Random(31)
  const codes = new Set<string>()
  for (let i = 0; i < STREAMS; i++) {
    const role = random.pick(['server', 'client'] as const)
    const compressed = random.below(3) === 0
    const good = stream(random, role === 'server' ? 'client' : 'server', compressed)
    const wire = i % 3 === 0 ? good : damaged(random, good)
    const limits = random.pick([
      undefined,
      { maxMessageBytes: 100 },
      { maxFragments: 2 },
      { maxFrameBytes: 126 },
      { maxInflateRatio: 3 },
    ])
    for (const emit of ['messages', 'frames', 'chunks'] as const) {
      let wanted: string | undefined
      for (let turn = 0; turn < 6; turn++) {
        const backend: Backend = turn % 2 === 0 ? 'js' : 'wasm'
        useBackend(backend)
        const bytes = random.pick(['copy', 'view'] as const)
        const most = turn < 2 ? wire.length : random.pick([3, 200, 20_000])
        const decoder = new Decoder({ role, emit, bytes, limits, deflate: compressed ? deflate : undefined })
        const units: Units[keyof Units][] = []
        let fault = ''
        const read = (): void => {
          try {
            for (const unit of decoder) {
              units.push(unit)
              if (random.below(4) === 0) encode({ type: 'binary', data: random.bytes(300) }, { role: 'client' })
              if (random.below(6) === 0) break
            }
          } catch (error) {
            if (!(error instanceof WireError)) throw error
            codes.add(error.code)
            fault = JSON.stringify([error.code, error.offset, error.status, error.limit])
          }
        }
        for (let at = 0; at < wire.length; ) {
          const piece = wire.slice(at, at + (turn < 2 ? most : 1 + random.below(most)))
          at += piece.length
          decoder.push(piece)
          if (fault === '') read()
          if (bytes === 'copy') piece.fill(0x5c)
        }
        decoder.end()
        for (let before = -1; fault === '' && before !== units.length; ) {
          before = units.length
          read()
        }
        const outcome = `${told(units)} ${fault}`
        wanted ??= outcome
        if (outcome !== wanted) {
          const place = [...wanted].findIndex((letter, index) => letter !== outcome[index])
          const around = (text: string) => text.slice(Math.max(0, place - 60), place + 200)
          expect.fail(
            `stream ${i}, ${emit}, ${backend}, ${bytes}, ${most}: ${around(outcome)} and not ${around(wanted)}`,
          )
        }
      }
    }
  }
  expect(codes.size).toBeGreaterThan(6)
  useBackend('auto')
})
