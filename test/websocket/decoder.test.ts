import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { L_STATE } from '../../assembly/abi/layout'
import { useBackend } from '../../bindings/index'
import { nodeDeflate } from '../../bindings/node/index'
import {
  type Chunk,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  decodeStream,
  EncoderStream,
  encode,
  encodeAll,
  type Frame,
  type Message,
  type MessageInput,
  WireError,
} from '../../bindings/websocket/index'
import { selectCore } from '../../bindings/websocket/kernels'
import { faultOf } from '../fault'
import { Random } from '../random'
import { fromHex, toHex } from '../vectors'
import { eventOf, paramsOf } from './run'
import { chopped } from './words'

const text = (data: string): Message => ({ type: 'text', data })
const key = 0x37fa213d
const client = { role: 'client', maskKey: key } as const
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

describe.each(['wasm', 'js'] as const)('WebSocket decoder, %s', (backend) => {
  it('runs on that backend', () => {
    expect(useBackend(backend)).toBe(backend)
  })

  it('keeps each limit at, below and above it, from the header alone', () => {
    useBackend(backend)
    const read = (bytes: Uint8Array, limits: Record<string, number>) =>
      new Decoder({ role: 'server', limits }).push(bytes).read()
    const empty = encode({ type: 'binary', data: new Uint8Array(0) }, client)
    for (const wire of [empty, new Uint8Array([...empty, ...empty])]) {
      expect(faultOf(() => read(wire, { maxFragments: 0 })).code).toBe('WT_WEBSOCKET_TOO_MANY_FRAGMENTS')
      expect(read(wire, { maxFragments: 1, maxMessageBytes: 0 })?.type).toBe('binary')
    }
    for (const n of [1, 125, 126, 127, 1000, 65_535, 65_536, 70_000]) {
      const whole = encode({ type: 'binary', data: new Uint8Array(n) }, client)
      const head = whole.subarray(0, whole.length - n - 4)
      for (const name of ['maxMessageBytes', 'maxFrameBytes']) {
        expect(read(whole, { [name]: n })?.type).toBe('binary')
        expect(read(whole, { [name]: n + 1 })?.type).toBe('binary')
        const error = faultOf(() => read(head, { [name]: n - 1 }))
        expect(error.kind).toBe('limit')
        expect(error.status).toBe(1009)
        expect(error.limit).toEqual({ name, max: n - 1, actual: n })
        expect(error.offset).toBe(n < 126 ? 1 : 2)
      }
      const pieces = encode({ type: 'binary', data: new Uint8Array(n) }, { ...client, fragmentBytes: Math.ceil(n / 3) })
      const frames = n === 1 ? 1 : 3
      expect(read(pieces, { maxFragments: frames })?.type).toBe('binary')
      const error = faultOf(() => read(pieces, { maxFragments: frames - 1 }))
      expect(error.code).toBe('WT_WEBSOCKET_TOO_MANY_FRAGMENTS')
      expect(error.limit).toEqual({ name: 'maxFragments', max: frames - 1, actual: frames })
      expect(faultOf(() => read(pieces, { maxMessageBytes: n - 1 })).code).toBe('WT_WEBSOCKET_MESSAGE_TOO_BIG')
      // The limit of what is held is met before the last chunk comes.
      const decoder = new Decoder({ role: 'server', limits: { maxBufferedBytes: Math.max(0, n - 600) } })
      if (n > 1000) {
        const code = faultOf(() => {
          for (const piece of chopped(whole, 500)) if (decoder.push(piece).read()) return
        }).code
        expect(code).toBe('WT_TOO_MUCH_BUFFERED')
      }
    }
  })

  it('says how long the message is with the fragments before', () => {
    useBackend(backend)
    const wire = fromHex('02023132' + '0003313233' + '80023132')
    const read = (max: number) => new Decoder({ role: 'client', limits: { maxMessageBytes: max } }).push(wire).read()
    expect(faultOf(() => read(4)).limit).toEqual({ name: 'maxMessageBytes', max: 4, actual: 5 })
    expect(faultOf(() => read(6)).limit).toEqual({ name: 'maxMessageBytes', max: 6, actual: 7 })
    expect(read(7)?.type).toBe('binary')
  })

  it('inflates with limits beyond what memory can be', () => {
    useBackend(backend)
    const deflate = nodeDeflate(paramsOf({}))
    const data = new Random(5).bytes(4_500_000)
    const limits = { maxMessageBytes: Number.MAX_SAFE_INTEGER, maxFrameBytes: Number.MAX_SAFE_INTEGER }
    const wire = encode({ type: 'binary', data }, { role: 'server', deflate })
    const message = new Decoder({ role: 'client', deflate, limits }).push(wire).read()
    expect(message?.type === 'binary' && same(message.data, data)).toBe(true)
  })

  it('names the end of a compressed message that is wrong, whatever follows it', () => {
    useBackend(backend)
    const deflate = nodeDeflate(paramsOf({}))
    const wire = fromHex('8900' + 'c203ffffff' + '8900')
    for (const emit of ['messages', 'chunks'] as const) {
      for (const size of [1, 4, 100]) {
        const decoder = new Decoder({ role: 'client', deflate, emit })
        const error = faultOf(() => {
          for (const piece of chopped(wire, size))
            for (const unit of decoder.push(piece)) expect(unit.type).toBe('ping')
        })
        expect(error).toMatchObject({ code: 'WT_WEBSOCKET_INFLATE', offset: 7 })
      }
    }
  })

  it('takes lengths of more than 32 bits as they are', () => {
    useBackend(backend)
    const head = fromHex('827f0000000500000007')
    const decoder = new Decoder({
      role: 'client',
      emit: 'chunks',
      limits: { maxMessageBytes: 2 ** 40, maxFrameBytes: 2 ** 40 },
    })
    decoder.push(head)
    let total = 0
    const piece = new Uint8Array(100_000)
    for (let i = 0; i < 50; i++) {
      for (const chunk of decoder.push(piece).readAll() as Chunk[]) {
        expect(chunk.offset).toBe(total)
        expect(chunk.fin).toBe(false)
        total += chunk.data.length
      }
    }
    expect(total).toBe(5_000_000)
    const limits = { maxMessageBytes: 5 * 2 ** 32 + 6, maxFrameBytes: 2 ** 40 }
    const error = faultOf(() => new Decoder({ role: 'client', limits }).push(head).read())
    expect(error.limit).toEqual({ name: 'maxMessageBytes', max: 5 * 2 ** 32 + 6, actual: 5 * 2 ** 32 + 7 })
    const exact = { maxMessageBytes: 5 * 2 ** 32 + 7, maxFrameBytes: 5 * 2 ** 32 + 7 }
    expect(new Decoder({ role: 'client', limits: exact }).push(head).read()).toBeUndefined()
  })

  it('reads 160,000 chunks of one byte in linear time', () => {
    useBackend(backend)
    const data = Uint8Array.from({ length: 160_000 }, (_, i) => i * 7)
    const wire = encode({ type: 'binary', data }, client)
    const decoder = new Decoder({ role: 'server' })
    const chunk = new Uint8Array(1)
    let message: Message | undefined
    for (const byte of wire) {
      chunk[0] = byte
      message ??= decoder.push(chunk).read()
    }
    expect(message?.type).toBe('binary')
    expect(same((message as { data: Uint8Array }).data, data)).toBe(true)
    expect(decoder.buffered).toBe(0)
  })

  it('starts anew after every fault', () => {
    useBackend(backend)
    const faults = ['8380', '810161', 'c180', '81830000000061ff62', '888200000000ffff', '0180000000008180']
    for (const hex of faults) {
      for (const emit of ['messages', 'chunks'] as const) {
        const decoder = new Decoder({ role: 'server', emit })
        const error = faultOf(() => decoder.push(fromHex(hex)).readAll().concat(decoder.readAll()))
        expect(error.status).toBeGreaterThan(1001)
        expect(decoder.push(fromHex('818000000000')).buffered).toBe(0)
        expect(faultOf(() => decoder.read())).toBe(error)
        decoder.reset()
        expect(decoder.offset).toBe(0)
        const [unit] = decoder.push(encode(text('again'), client)).readAll()
        expect(unit?.type).toBe(emit === 'messages' ? 'text' : 'chunk')
      }
    }
  })

  it('drops what follows a close, and the message that it cuts off', () => {
    useBackend(backend)
    const wire = Buffer.concat([
      fromHex('010161'),
      encode({ type: 'close', code: 1001, reason: 'bye' }, { role: 'server' }),
      fromHex('ff00ff'),
    ])
    const decoder = new Decoder({ role: 'client' })
    expect(decoder.push(wire).readAll()).toEqual([{ type: 'close', code: 1001, reason: 'bye' }])
    expect(decoder.buffered).toBe(0)
    expect(decoder.push(fromHex('ffff')).end().readAll()).toEqual([])
  })

  it('says where bytes end inside a unit', () => {
    useBackend(backend)
    const whole = encode(text('hello'), { ...client, fragmentBytes: 3 })
    for (let length = 1; length < whole.length; length++) {
      const decoder = new Decoder({ role: 'server' }).push(whole.slice(0, length)).end()
      expect(faultOf(() => decoder.read())).toMatchObject({ code: 'WT_TRUNCATED', kind: 'truncated', offset: length })
      expect(faultOf(() => decode(whole.slice(0, length), { role: 'server' })).code).toBe('WT_TRUNCATED')
      expect(decodeAt(whole.slice(0, length), 0, { role: 'server' })).toBeUndefined()
    }
    expect(decode(whole, { role: 'server' })).toEqual(text('hello'))
  })

  it('decodes single units of a buffer', () => {
    useBackend(backend)
    const wire = encodeAll([text('a'), { type: 'ping' }, { type: 'close' }], client)
    const first = decodeAt(wire, 0, { role: 'server' })!
    expect(first).toEqual({ value: text('a'), end: 7 })
    const second = decodeAt(wire, first.end, { role: 'server' })!
    expect(second.value.type).toBe('ping')
    expect(decodeAt(wire, second.end, { role: 'server' })).toEqual({
      value: { type: 'close', code: 1005, reason: '' },
      end: wire.length,
    })
    expect(decodeAt(wire, wire.length, { role: 'server' })).toBeUndefined()
    expect(faultOf(() => decode(wire, { role: 'server' }))).toMatchObject({ code: 'WT_TRAILING_BYTES', offset: 7 })
    const inside = Buffer.concat([fromHex('010161'), fromHex('8900'), fromHex('800162')])
    expect(faultOf(() => decode(inside, { role: 'client' })).code).toBe('WT_WEBSOCKET_INTERLEAVED')
    expect(decodeAll(inside, { role: 'client' }).map(({ type }) => type)).toEqual(['ping', 'text'])
    expect(faultOf(() => decode(wire, {} as never)).kind).toBe('usage')
    expect(faultOf(() => decodeAt(wire, 99, { role: 'server' })).kind).toBe('usage')
    expect(faultOf(() => new Decoder({ role: 'server', limits: { maxMessages: 1 } as never })).kind).toBe('usage')
  })

  it('decodes a whole buffer or throws its fault, whatever stands before that', () => {
    useBackend(backend)
    const good = encodeAll([text('a'), { type: 'binary', data: Uint8Array.of(1) }, text('b')], { role: 'server' })
    const all = (...parts: Uint8Array[]) => decodeAll(Buffer.concat(parts), { role: 'client' })
    expect(all(good).length).toBe(3)
    expect(faultOf(() => all(good, fromHex('ff00')))).toMatchObject({
      code: 'WT_WEBSOCKET_RESERVED_BITS',
      offset: good.length,
    })
    for (const part of ['82', '820361', '010161', '0101618900', '01016180']) {
      const wire = Buffer.concat([good, fromHex(part)])
      const truncated = { code: 'WT_TRUNCATED', offset: wire.length }
      expect(faultOf(() => decodeAll(wire, { role: 'client' }))).toMatchObject(truncated)
      expect(faultOf(() => decodeAll(wire, { role: 'client', emit: 'chunks' }))).toMatchObject(truncated)
    }
    expect(decodeAll(fromHex('010161'), { role: 'client', emit: 'frames' }).length).toBe(1)
    expect(all(good, fromHex('8800'), fromHex('ff00')).length).toBe(4)
    expect(all()).toEqual([])
    expect(faultOf(() => decodeAll([] as never, { role: 'client' })).kind).toBe('usage')
  })

  it('decodes whole buffers that are longer than what may be held', () => {
    useBackend(backend)
    const wire = encodeAll(
      Array.from({ length: 1000 }, () => ({ type: 'binary', data: new Uint8Array(500) }) as const),
      {
        role: 'server',
      },
    )
    const units = decodeAll(wire, { role: 'client', limits: { maxBufferedBytes: 1000 } })
    expect(units.length).toBe(1000)
    const decoder = new Decoder({ role: 'client', limits: { maxBufferedBytes: 1000 } }).push(wire)
    decoder.readAll()
    expect(faultOf(() => decoder.read())).toMatchObject({ code: 'WT_TOO_MUCH_BUFFERED', status: 1008 })
  })

  it('lets the adapter of compression decode and encode', () => {
    useBackend(backend)
    const params = {
      serverNoContextTakeover: false,
      clientNoContextTakeover: false,
      serverMaxWindowBits: 15,
      clientMaxWindowBits: 15,
    }
    const zlib = nodeDeflate(params)
    const busy = () => {
      const wire = encodeAll([text('other '.repeat(200)), { type: 'binary', data: new Uint8Array(300) }], client)
      expect(decodeAll(wire, { role: 'server' }).length).toBe(2)
    }
    const deflate: typeof zlib = {
      params,
      inflate(...given) {
        busy()
        return zlib.inflate(...given)
      },
      deflate(...given) {
        busy()
        return zlib.deflate(...given)
      },
    }
    const messages = Array.from({ length: 60 }, (_, i) => {
      const compress = i % 3 !== 0
      return i % 2
        ? ({ type: 'text', data: `message ${i}`, compress } as const)
        : ({ type: 'binary', data: new Uint8Array(i).fill(i), compress } as const)
    })
    const plain = messages.map(({ type, data }) => ({ type, data }))
    const wire = encodeAll(messages, { role: 'client', deflate })
    const bad = Buffer.concat([wire, fromHex('c18300000000'), fromHex('ffffff'), wire])
    for (const bytes of ['copy', 'view'] as const) {
      expect(decodeAll(wire.slice(), { role: 'server', deflate, bytes })).toEqual(plain)
      const pieces = decodeAll(wire.slice(), { role: 'server', deflate, bytes, emit: 'chunks' })
      expect(pieces.map((unit) => 'data' in unit && unit.data)).toEqual(
        plain.map(({ data }) => (typeof data === 'string' ? new Uint8Array(Buffer.from(data)) : data)),
      )
      // A message that is no Deflate: what stands before it comes out, nothing after it.
      for (const emit of ['messages', 'chunks'] as const) {
        const decoder = new Decoder({ role: 'server', deflate, bytes, emit }).push(Uint8Array.from(bad))
        expect(decoder.readAll().length).toBe(messages.length)
        const fault = { code: 'WT_WEBSOCKET_INFLATE', offset: wire.length + 9 }
        expect(faultOf(() => decoder.readAll())).toMatchObject(fault)
      }
    }
  })

  it('refuses an adapter without the agreed parameters', () => {
    const params = {
      serverNoContextTakeover: false,
      clientNoContextTakeover: false,
      serverMaxWindowBits: 15,
      clientMaxWindowBits: 15,
    }
    for (const given of [
      undefined,
      null,
      {},
      { ...params, serverMaxWindowBits: 7 },
      { ...params, clientMaxWindowBits: undefined },
      { ...params, serverNoContextTakeover: undefined },
    ]) {
      const deflate = nodeDeflate(given as never)
      expect(faultOf(() => new Decoder({ role: 'server', deflate })).kind).toBe('usage')
      expect(faultOf(() => encode(text('a'), { role: 'server', deflate })).kind).toBe('usage')
    }
    expect(faultOf(() => nodeDeflate(params, null as never)).kind).toBe('usage')
  })

  it('shows frames as they are', () => {
    useBackend(backend)
    const wire = Buffer.concat([
      encode({ opcode: 1, fin: false, rsv1: true, payload: Uint8Array.of(0xff, 0xfe) }, client),
      encode({ opcode: 9, payload: Uint8Array.of(1) }, client),
      encode({ opcode: 0, payload: new Uint8Array(70_000).fill(3) }, client),
      encode({ opcode: 8, payload: Uint8Array.of(0, 1) }, client),
    ])
    const deflate = {
      params: {
        serverNoContextTakeover: false,
        clientNoContextTakeover: false,
        serverMaxWindowBits: 15,
        clientMaxWindowBits: 15,
      },
      inflate: () => undefined,
      deflate: () => new Uint8Array(),
    }
    const wanted = [
      { fin: false, rsv1: true, opcode: 1, offset: 0, headerBytes: 6, length: 2 },
      { fin: true, rsv1: false, opcode: 9, offset: 8, headerBytes: 6, length: 1 },
      { fin: true, rsv1: false, opcode: 0, offset: 15, headerBytes: 14, length: 70_000 },
      { fin: true, rsv1: false, opcode: 8, offset: 70_029, headerBytes: 6, length: 2 },
    ].map((frame) => ({ ...frame, masked: true, maskKey: key }))
    const shape = ({ payload, ...frame }: Frame) => ({ ...frame, length: payload.length })
    for (const size of [1, 3, 1000, 65_536, wire.length]) {
      for (const bytes of ['copy', 'view'] as const) {
        const decoder = new Decoder({ role: 'server', emit: 'frames', deflate, bytes })
        const frames = chopped(new Uint8Array(wire), size).flatMap((piece) => decoder.push(piece).readAll())
        expect(frames.map(shape), `${size} ${bytes}`).toEqual(wanted)
        expect(toHex(frames[0]!.payload)).toBe('fffe')
        expect(frames[2]!.payload.every((byte) => byte === 3)).toBe(true)
        const again = Buffer.concat(frames.map((frame) => encode(frame, client)))
        expect(same(again, wire)).toBe(true)
      }
    }
  })

  it('hands out pieces of messages as they arrive', () => {
    useBackend(backend)
    const data = Uint8Array.from({ length: 200_000 }, (_, i) => i)
    const words = 'é'.repeat(40_000)
    const wire = Buffer.concat([
      encode({ type: 'binary', data }, { ...client, fragmentBytes: 60_000 }),
      encode({ type: 'text', data: words }, client),
      encode({ type: 'ping' }, client),
      encode({ type: 'binary', data: new Uint8Array(0) }, client),
    ])
    for (const size of [777, 20_000, wire.length]) {
      for (const bytes of ['copy', 'view'] as const) {
        const decoder = new Decoder({ role: 'server', emit: 'chunks', bytes })
        const messages: { kind: string; parts: Uint8Array[] }[] = []
        let open: Uint8Array[] = []
        let most = 0
        for (const piece of chopped(new Uint8Array(wire), size)) {
          for (const unit of decoder.push(piece).readAll()) {
            if (unit.type !== 'chunk') {
              expect(unit.type).toBe('ping')
              continue
            }
            expect(unit.offset).toBe(open.reduce((sum, { length }) => sum + length, 0))
            open.push(unit.data)
            if (unit.fin) {
              messages.push({ kind: unit.kind, parts: open })
              open = []
            }
          }
          most = Math.max(most, decoder.buffered)
        }
        expect(messages.map(({ kind }) => kind)).toEqual(['binary', 'text', 'binary'])
        expect(same(Buffer.concat(messages[0]!.parts), data)).toBe(true)
        expect(Buffer.concat(messages[1]!.parts).toString()).toBe(words)
        expect(Buffer.concat(messages[2]!.parts).length).toBe(0)
        expect(most).toBeLessThan(20)
      }
    }
  })

  it('gives out nothing that another connection has left in memory', () => {
    useBackend(backend)
    const { memory } = selectCore(1 << 20, 0)
    const messages: MessageInput[] = [
      { type: 'text', data: 'short' },
      { type: 'text', data: 'ünïcödé '.repeat(50) },
      { type: 'binary', data: new Uint8Array(300).fill(1) },
      { type: 'ping', data: Uint8Array.of(2) },
      { type: 'binary', data: new Uint8Array(9000).fill(3) },
    ]
    const wanted = JSON.stringify(messages.map((message) => eventOf(message as Message)))
    for (const fragmentBytes of [undefined, 7, 100]) {
      memory.u8.fill(0xaa, L_STATE)
      const wire = encodeAll(messages, { ...client, fragmentBytes })
      for (const bytes of ['copy', 'view'] as const) {
        for (const size of [1, 10, wire.length]) {
          const decoder = new Decoder({ role: 'server', bytes })
          const units = chopped(wire, size).flatMap((piece) => {
            memory.u8.fill(0xaa, L_STATE)
            return decoder.push(piece).readAll()
          })
          memory.u8.fill(0xaa, L_STATE)
          expect(JSON.stringify(units.map(eventOf))).toBe(wanted)
          for (const unit of units) {
            if ('data' in unit && typeof unit.data !== 'string') expect(unit.data.buffer).not.toBe(memory.u8.buffer)
          }
        }
      }
    }
  })

  it('keeps two connections apart, and the encoder between', () => {
    useBackend(backend)
    const one = Array.from({ length: 50 }, (_, i) => ({ type: 'text', data: `one ${i}` }) as const)
    const two = Array.from({ length: 50 }, (_, i) => ({ type: 'binary', data: new Uint8Array(i).fill(i) }) as const)
    const a = new Decoder({ role: 'server', bytes: 'view' }).push(encodeAll(one, client))
    const b = new Decoder({ role: 'server', bytes: 'view' }).push(encodeAll(two, client))
    const got: Message[][] = [[], []]
    for (const message of a) {
      got[0]!.push(message)
      encode({ type: 'binary', data: new Uint8Array(500).fill(0xcc) }, client)
      const other = b.read()
      if (other) got[1]!.push(other)
    }
    expect(got).toEqual([one, two])
  })

  it('never throws anything but a WireError, whatever the bytes and their chunking', () => {
    useBackend(backend)
    const header = fc.constantFrom(0x81, 0x82, 0x01, 0x02, 0x80, 0x00, 0x88, 0x89, 0xc1, 0x83)
    const frame = fc
      .tuple(header, fc.uint8Array({ maxLength: 140 }), fc.boolean())
      .map(([first, body, good]) =>
        Uint8Array.of(first, good ? Math.min(body.length, 125) : body.length & 127, ...body),
      )
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), (frames, size) => {
        const bytes = new Uint8Array(Buffer.concat(frames))
        const outcomes = [bytes.length + 1, size, 1].map((step) => {
          const decoder = new Decoder({ role: 'client' })
          const units: unknown[] = []
          let fault: unknown
          for (const piece of chopped(bytes, step)) {
            try {
              for (const unit of decoder.push(piece)) units.push(eventOf(unit))
            } catch (error) {
              if (!(error instanceof WireError)) throw error
              fault = { code: error.code, offset: error.offset }
            }
          }
          return { units, fault }
        })
        expect(outcomes[1]).toEqual(outcomes[0])
        expect(outcomes[2]).toEqual(outcomes[0])
      }),
      { numRuns: 400 },
    )
  })

  it('reads and writes streams', async () => {
    useBackend(backend)
    const messages: MessageInput[] = [text('a'), { type: 'binary', data: new Uint8Array(5000) }, text('b')]
    const source = new ReadableStream<MessageInput>({
      start(control) {
        for (const message of messages) control.enqueue(message)
        control.close()
      },
    })
    const got: Message[] = []
    for await (const message of decodeStream(source.pipeThrough(new EncoderStream({ role: 'server' })), {
      role: 'client',
    })) {
      got.push(message)
    }
    expect(got.map(eventOf)).toEqual(messages.map((message) => eventOf(message as Message)))
  })
})
