import { describe, expect, it } from 'vitest'
import { takeRest } from '../../bindings/core/decoder'
import { useBackend } from '../../bindings/index'
import { nodeDeflate } from '../../bindings/node/index'
import { type Chunk, Decoder, encode, encodeAll, type Message, type MessageInput } from '../../bindings/websocket/index'
import { fromHex } from '../vectors'
import { eventOf, paramsOf } from './run'

const messages: MessageInput[] = [
  { type: 'text', data: 'one' },
  { type: 'binary', data: Uint8Array.from({ length: 9 }, (_, i) => i * 5) },
  { type: 'text', data: 'zwölf Boxkämpfer 🥊' },
  { type: 'ping', data: Uint8Array.of(1, 2, 3) },
  { type: 'binary', data: new Uint8Array(0) },
  { type: 'binary', data: Uint8Array.from({ length: 127 }, (_, i) => i) },
  { type: 'close', code: 1001, reason: 'bye' },
]
const interleaved = fromHex('010161' + '8902aabb' + '000162' + '8a00' + '800163' + '020164' + '800465666768')
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const told = (list: readonly Message[]) => JSON.stringify(list.map(eventOf))

/** The units of `wire` where the reader is changed for another after `cut` bytes and `taken` units. */
function relayed(make: () => Decoder, wire: Uint8Array, cut: number, taken: number): Message[] {
  const first = make().push(wire.slice(0, cut))
  const got: Message[] = []
  for (let unit: Message | undefined; got.length < taken; got.push(unit)) {
    unit = first.read()
    if (!unit) break
  }
  const rest = first[takeRest]([])
  expect(first.buffered).toBe(0)
  expect(first[takeRest]([]).length).toBe(0)
  got.push(
    ...make()
      .push(join(rest, wire.slice(cut)))
      .end()
      .readAll(),
  )
  return got
}

describe.each(['wasm', 'js'] as const)('what a reader leaves to the next, %s', (backend) => {
  it.each(['server', 'client'] as const)('is whole at every byte, role %s', (role) => {
    useBackend(backend)
    const other = role === 'server' ? 'client' : 'server'
    const deflate = nodeDeflate(paramsOf({ server_no_context_takeover: true, client_no_context_takeover: true }))
    const wires = [undefined, 7, 1].map((fragmentBytes) => encodeAll(messages, { role: other, fragmentBytes }))
    wires.push(encodeAll(messages.slice(0, 4), { role: other, deflate, fragmentBytes: 5 }))
    if (role === 'client') wires.push(interleaved as (typeof wires)[0])
    for (const wire of wires) {
      for (const bytes of ['copy', 'view'] as const) {
        const make = () => new Decoder({ role, bytes, deflate })
        const wanted = told(make().push(wire.slice()).readAll())
        for (let cut = 0; cut <= wire.length; cut++) {
          for (const taken of bytes === 'copy' ? [0, 2] : [1]) {
            const got = told(relayed(make, wire, cut, taken))
            if (got !== wanted) expect.fail(`cut at ${cut}, ${taken} taken: ${got}`)
          }
        }
      }
    }
  })

  it('is whole inside a long payload', () => {
    useBackend(backend)
    const data = Uint8Array.from({ length: 200_000 }, (_, i) => i * 7)
    for (const fragmentBytes of [undefined, 60_000]) {
      const wire = encode({ type: 'binary', data }, { role: 'client', fragmentBytes })
      for (const cut of [5, 13, 14, 100, 8191, 8193, 65_537, 65_539, 130_001, wire.length - 1]) {
        const [message] = relayed(() => new Decoder({ role: 'server' }), wire, cut, 1)
        expect(Buffer.compare((message as { data: Uint8Array }).data, data)).toBe(0)
      }
    }
  })

  it('has frames as they were', () => {
    useBackend(backend)
    const wire = encodeAll(messages, { role: 'client' })
    const make = () => new Decoder({ role: 'server', emit: 'frames' })
    const wanted = make().push(wire).readAll().length
    for (let cut = 0; cut <= wire.length; cut++) {
      const first = make().push(wire.slice(0, cut))
      const unit = first.read()
      const rest = first[takeRest]([])
      expect(Buffer.compare(join(rest), wire.slice(unit ? 9 : 0, cut))).toBe(0)
      const second = make().push(join(rest, wire.slice(cut)))
      expect(second.readAll().length).toBe(wanted - (unit ? 1 : 0))
    }
  })

  it('has the pieces of messages', () => {
    useBackend(backend)
    const data = Uint8Array.from({ length: 3000 }, (_, i) => i * 3)
    const wire = encode({ type: 'binary', data }, { role: 'client', fragmentBytes: 700 })
    const make = () => new Decoder({ role: 'server', emit: 'chunks' })
    for (const cut of [0, 3, 7, 8, 50, 705, 707, 712, 713, 2500, wire.length]) {
      const rest = make().push(wire.slice(0, cut))[takeRest]([])
      const pieces = make()
        .push(join(rest, wire.slice(cut)))
        .readAll() as Chunk[]
      expect(Buffer.compare(Buffer.concat(pieces.map((piece) => piece.data)), data), `${cut}`).toBe(0)
      expect(pieces.map(({ fin }) => fin).indexOf(true)).toBe(pieces.length - 1)
    }
  })

  it('ends before a fault', () => {
    useBackend(backend)
    const decoder = new Decoder({ role: 'client' }).push(fromHex('810161' + '8100' + '83' + '810162'))
    decoder.read()
    expect([...decoder[takeRest]([])]).toEqual([0x81, 0])
  })
})
