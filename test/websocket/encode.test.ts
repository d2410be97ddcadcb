import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useBackend } from '../../bindings/index'
import { nodeDeflate } from '../../bindings/node/index'
import {
  Decoder,
  decode,
  decodeAll,
  type EncodeOptions,
  Encoder,
  encode,
  encodeAll,
  encodeChunks,
  encodedLength,
  encodeInto,
  type MessageInput,
} from '../../bindings/websocket/index'
import { faultOf } from '../fault'
import { toHex, vectorJson } from '../vectors'
import { eventOf, paramsOf } from './run'
import { CODE_OF, expand } from './words'

interface EncodeCase {
  readonly name: string
  readonly role: 'server' | 'client'
  readonly opcode: number
  readonly fin?: boolean
  readonly rsv1?: boolean
  readonly key?: string
  readonly payload?: string
  readonly code?: number
  readonly reason?: string
  readonly bytes?: string
  readonly throws?: keyof typeof CODE_OF
}
const { cases } = vectorJson<{ cases: EncodeCase[] }>('websocket/encode.json')

const keyOf = (key: string | undefined) => (key === undefined ? {} : { maskKey: Number.parseInt(key, 16) })

describe.each(['wasm', 'js'] as const)('WebSocket encoding, %s', (backend) => {
  it('runs on that backend', () => {
    expect(useBackend(backend)).toBe(backend)
  })

  it('gives the bytes of the vectors', () => {
    useBackend(backend)
    let written = 0
    for (const vector of cases) {
      if (vector.throws) continue
      written++
      const { role, opcode, fin = true, rsv1 = false } = vector
      const options: EncodeOptions = { role, ...keyOf(vector.key) }
      const wanted = expand(vector.bytes!)
      const payload = expand(vector.payload ?? '')
      const inputs: MessageInput[] = []
      if (opcode === 8) {
        inputs.push({ type: 'close', code: vector.code, reason: Buffer.from(expand(vector.reason ?? '')).toString() })
      } else if (fin && !rsv1 && opcode === 1) inputs.push({ type: 'text', data: payload })
      else if (fin && !rsv1 && opcode === 2) inputs.push({ type: 'binary', data: payload })
      else if (opcode >= 9) inputs.push({ type: opcode === 9 ? 'ping' : 'pong', data: payload })
      const text = Buffer.from(payload).toString()
      if (fin && !rsv1 && opcode === 1 && Buffer.from(text).equals(payload)) inputs.push({ type: 'text', data: text })
      const values = opcode === 8 ? inputs : [...inputs, { opcode, fin, rsv1, payload }]
      for (const value of values) {
        const before = toHex(payload)
        expect(toHex(encode(value, options)), vector.name).toBe(toHex(wanted))
        expect(toHex(payload), 'the payload is the caller’s').toBe(before)
        expect(encodedLength(value, options)).toBe(wanted.length)
        const target = new Uint8Array(wanted.length + 5).fill(0xaa)
        expect(encodeInto(value, target, 3, options)).toBe(3 + wanted.length)
        expect(toHex(target)).toBe(`aaaaaa${toHex(wanted)}aaaa`)
        const small = new Uint8Array(wanted.length + 2).fill(0xaa)
        expect(faultOf(() => encodeInto(value, small, 3, options)).code).toBe('WT_TARGET_TOO_SMALL')
        expect(small.every((byte) => byte === 0xaa)).toBe(true)
        expect(toHex(Buffer.concat(encodeChunks(value, options)))).toBe(toHex(wanted))
        expect(toHex(encodeAll([value, value], options))).toBe(toHex(wanted).repeat(2))
      }
    }
    expect(written).toBeGreaterThan(40)
  })

  it('refuses what must not be sent', () => {
    useBackend(backend)
    let refused = 0
    for (const { throws, role, opcode, payload, code, reason = '' } of cases) {
      if (!throws) continue
      refused++
      if (opcode === 9) {
        const ping = { type: 'ping', data: expand(payload!) } as const
        expect(faultOf(() => encode(ping, { role })).code).toBe(CODE_OF[throws])
        continue
      }
      if (code === 1005 && reason === '') {
        // What an empty close frame decodes to encodes to one again.
        expect(toHex(encode({ type: 'close', code, reason }, { role }))).toBe('8800')
        continue
      }
      const error = faultOf(() =>
        encode({ type: 'close', code, reason: Buffer.from(expand(reason)).toString() }, { role }),
      )
      expect(error.code, `${code}`).toBe(CODE_OF[throws])
      expect(error.offset).toBe(-1)
      expect(error.path).toMatch(/^(code|reason)$/)
    }
    expect(refused).toBeGreaterThan(5)
    const long = new Uint8Array(126)
    expect(faultOf(() => encode({ type: 'ping', data: long }, { role: 'server' })).path).toBe('data')
    expect(faultOf(() => encode({ opcode: 3, payload: long }, { role: 'server' })).code).toBe('WT_WEBSOCKET_BAD_OPCODE')
    expect(faultOf(() => encode({ opcode: 9, fin: false, payload: long }, { role: 'server' })).path).toBe('fin')
    expect(faultOf(() => encode({ type: 'binary', data: 'x' } as never, { role: 'server' })).kind).toBe('value')
    expect(faultOf(() => encode({ type: 'ping' }, {} as never)).kind).toBe('usage')
  })

  it('refuses opcodes that are no whole numbers', () => {
    useBackend(backend)
    for (const opcode of [1.5, -1, 3, 7, 11, 16, Number.NaN, '1' as never, null as never]) {
      const run = () => encode({ opcode, payload: new Uint8Array(1) }, { role: 'server' })
      expect(faultOf(run).code).toBe('WT_WEBSOCKET_BAD_OPCODE')
    }
  })

  it('reads back what it wrote, cut into fragments or not, masked or not, compressed or not', () => {
    useBackend(backend)
    const control = fc.uint8Array({ maxLength: 125 })
    const message = fc.oneof(
      fc.record({ type: fc.constant('text' as const), data: fc.string({ unit: 'binary', maxLength: 300 }) }),
      fc.record({ type: fc.constant('binary' as const), data: fc.uint8Array({ maxLength: 300 }) }),
      fc.record({ type: fc.constantFrom('ping' as const, 'pong' as const), data: control }),
      fc.integer({ min: 0, max: 70_000 }).map((n) => ({ type: 'binary' as const, data: new Uint8Array(n).fill(n) })),
    )
    const params = paramsOf({})
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.constantFrom('server' as const, 'client' as const),
        fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
        fc.boolean(),
        fc.integer({ min: 1, max: 5000 }),
        (messages, role, fragmentBytes, compressed, size) => {
          const pieces = messages.some(({ data }) => data.length > 5000) ? undefined : fragmentBytes
          const deflate = compressed ? nodeDeflate(params) : undefined
          const options: EncodeOptions = { role, fragmentBytes: pieces, deflate }
          const one = new Encoder(options)
          const wire = Buffer.concat(messages.map((value) => one.encode(value)))
          const all = new Encoder({ ...options, maskKey: 0 }).encodeAll(messages)
          const other = role === 'server' ? 'client' : 'server'
          for (const bytes of [new Uint8Array(wire), all]) {
            const decoder = new Decoder({ role: other, deflate, limits: { maxFragments: 1e6 } })
            const units = []
            for (let at = 0; at < bytes.length; at += size) {
              units.push(...decoder.push(bytes.slice(at, at + size)).readAll())
            }
            const wanted = JSON.stringify(messages.map(eventOf))
            expect(JSON.stringify(units.map(eventOf)) === wanted).toBe(true)
            expect(decoder.end().readAll()).toEqual([])
            const again = decodeAll(bytes, { role: other, deflate, limits: { maxFragments: 1e6 } })
            expect(JSON.stringify(again.map(eventOf)) === wanted).toBe(true)
          }
          if (messages.length > 0 && !compressed) {
            const seven = new Encoder({ ...options, maskKey: 7 })
            expect(Buffer.compare(encodeAll(messages, { ...options, maskKey: 7 }), seven.encodeAll(messages))).toBe(0)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('hands the payload of a server message out as it is', () => {
    useBackend(backend)
    const data = new Uint8Array(300_000).fill(7)
    const [head, payload, ...none] = encodeChunks({ type: 'binary', data }, { role: 'server' })
    expect(none).toEqual([])
    expect(toHex(head!)).toBe('827f00000000000493e0')
    expect(payload).toBe(data)
    const masked = encodeChunks({ type: 'binary', data }, { role: 'client' })
    expect(masked.length).toBe(1)
    const back = decode(masked[0]!, { role: 'server' })
    expect(back.type === 'binary' && Buffer.compare(back.data, data)).toBe(0)
    expect(data.every((byte) => byte === 7)).toBe(true)
  })

  it('leaves the context of compression alone where the target is too small', () => {
    useBackend(backend)
    const params = paramsOf({})
    const first = { type: 'text', data: 'the same words, over and over: the same words' } as const
    const lost = { type: 'text', data: 'words that the other end never sees' } as const
    const encoder = new Encoder({ role: 'server', deflate: nodeDeflate(params) })
    const reference = new Encoder({ role: 'server', deflate: nodeDeflate(params) })
    const wire = [encoder.encode(first)]
    reference.encode(first)
    expect(faultOf(() => encoder.encodeInto(lost, new Uint8Array(4))).code).toBe('WT_TARGET_TOO_SMALL')
    wire.push(encoder.encode(lost))
    expect(toHex(wire[1]!)).toBe(toHex(reference.encode(lost)))
    const decoder = new Decoder({ role: 'client', deflate: nodeDeflate(params) })
    expect(wire.flatMap((bytes) => decoder.push(bytes).readAll())).toEqual([first, lost])
    encoder.close()
    expect(toHex(encoder.encode(first))).toBe(toHex(wire[0]!))
  })

  it('leaves it alone where one of many messages must not be sent', () => {
    useBackend(backend)
    const deflate = nodeDeflate(paramsOf({}))
    const data = 'so long a text that it would be referred to'
    const decoder = new Decoder({ role: 'client', deflate })
    const encoder = new Encoder({ role: 'server', deflate })
    for (let i = 0; i < 3; i++) {
      expect(() =>
        encoder.encodeAll([
          { type: 'text', data: `${data} ${i}` },
          { type: 'close', code: 1 },
        ]),
      ).toThrow()
      function* broken(): Generator<MessageInput> {
        yield { type: 'text', data: `${data} broken ${i}` }
        throw new Error('no more')
      }
      expect(() => encoder.encodeAll(broken())).toThrow('no more')
      const sent: MessageInput = { type: 'text', data: `${data} sent ${i} broken` }
      expect(decoder.push(encoder.encodeAll([sent, sent])).readAll()).toEqual([sent, sent])
    }
  })

  it('writes a payload that stands in the target', () => {
    useBackend(backend)
    for (const length of [100, 50_000]) {
      for (const target of [new Uint8Array(120_000), Buffer.alloc(120_000)]) {
        for (let i = 0; i < target.length; i++) target[i] = i * 7
        const data = target.subarray(20, 20 + length)
        const wanted = encode({ type: 'binary', data }, { role: 'client', maskKey: 5, fragmentBytes: 9000 })
        const end = encodeInto({ type: 'binary', data }, target, 25, {
          role: 'client',
          maskKey: 5,
          fragmentBytes: 9000,
        })
        expect(Buffer.compare(target.subarray(25, end), wanted)).toBe(0)
      }
    }
  })

  it('takes keys from a function that encodes itself', () => {
    useBackend(backend)
    const maskKey = () => {
      encode({ type: 'binary', data: new Uint8Array(500).fill(0xee) }, { role: 'server' })
      return 0x01020304
    }
    const value = { type: 'binary', data: new Uint8Array(40).fill(5) } as const
    const wanted = toHex(encode(value, { role: 'client', maskKey: 0x01020304 }))
    expect(toHex(encode(value, { role: 'client', maskKey }))).toBe(wanted)
    expect(toHex(encodeAll([value, value], { role: 'client', maskKey }))).toBe(wanted + wanted)
    expect(faultOf(() => encode(value, { role: 'client', maskKey: 2 ** 32 })).kind).toBe('usage')
  })

  it('masks with keys that differ', () => {
    useBackend(backend)
    const frames = new Set<string>()
    for (let i = 0; i < 3000; i++) frames.add(toHex(encode({ type: 'ping' }, { role: 'client' }).subarray(2)))
    expect(frames.size).toBeGreaterThan(2990)
  })
})

it('takes no word for how many messages there are', () => {
  const messages = new Proxy([{ type: 'text', data: 'a' }], {
    get: (target, key, receiver) => (key === 'length' ? 2 ** 40 : Reflect.get(target, key, receiver)),
  }) as MessageInput[]
  expect(faultOf(() => encodeAll(messages, { role: 'server' })).protocol).toBe('websocket')
})
