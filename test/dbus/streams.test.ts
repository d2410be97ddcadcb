import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DecodeOptions,
  Decoder,
  DecoderStream,
  decode,
  decodeAll,
  decodeBody,
  decodeStream,
  EncoderStream,
  encode,
  type Message,
  signal,
  variant,
  WireError,
} from '../../bindings/dbus/index'
import { useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { Random } from '../random'
import { fromHex, vectorJson } from '../vectors'
import { codeOf, neutral } from './words'

const file = <T>(name: string) => vectorJson<{ vectors: T[] }>(`dbus/${name}.json`).vectors
const header = { serial: 1, path: '/a', interface: 'a.b', member: 'C' }

interface StreamVector {
  readonly id: string
  readonly hex: string
  readonly messages: {
    readonly offset: number
    readonly length: number
    readonly serial: number
    readonly type: number
  }[]
  readonly remainder?: number
  readonly error?: string
  readonly errorMessageIndex?: number
}

/** Messages, and the fault behind them, of a stream in pieces; chunks are overwritten after they were pushed. */
function run(bytes: Uint8Array, cuts: readonly number[], options: DecodeOptions<'throw'> | undefined) {
  const decoder = new Decoder(options)
  const units: Message[] = []
  let fault: WireError | undefined
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    const piece = bytes.slice(from, to)
    decoder.push(piece)
    piece.fill(0x5c)
    try {
      for (const unit of decoder) units.push(unit)
    } catch (error) {
      fault = error as WireError
      expect(faultOf(() => decoder.read())).toBe(fault)
    }
    from = to
  }
  return {
    units: units.map(({ serial, type }) => ({ serial, type })),
    fault: fault && { code: fault.code, offset: fault.offset },
    rest: fault ? undefined : decoder.buffered,
    decoder,
  }
}
const NAMES = ['', 'methodCall', 'methodReturn', 'error', 'signal']

describe.each(['wasm', 'js'] as const)('D-Bus streams, %s', (backend) => {
  it('give the same messages and the same fault under any chunking', () => {
    useBackend(backend)
    for (const { id, hex, messages, remainder, error, errorMessageIndex } of file<StreamVector>('streams')) {
      const bytes = fromHex(hex)
      const options = { validate: 'eager' } as const
      const { decoder: _, ...whole } = run(bytes, [], options)
      const known = messages.filter(({ type }) => type >= 1 && type <= 4).slice(0, errorMessageIndex)
      expect(whole.units, id).toEqual(known.map(({ serial, type }) => ({ serial, type: NAMES[type] })))
      if (error) {
        expect(whole.fault?.code, id).toBe(codeOf(error))
        expect(whole.fault!.offset, id).toBeGreaterThanOrEqual(bytes.length - remainder!)
      } else expect(whole.rest, id).toBe(remainder)
      const all = Array.from(bytes, (_, i) => i)
      expect({ ...run(bytes, all, options), decoder: undefined }, id).toEqual({ ...whole, decoder: undefined })
      const step = bytes.length > 1000 ? 37 : 1
      for (let cut = 1; cut < bytes.length; cut += step) {
        expect({ ...run(bytes, [cut], options), decoder: undefined }, `${id} at ${cut}`).toEqual({
          ...whole,
          decoder: undefined,
        })
      }
    }
  })

  it('go on behind a bad message when errors are reported', () => {
    useBackend(backend)
    for (const { hex, error, errorMessageIndex } of file<StreamVector>('streams')) {
      if (!error) continue
      const bytes = new Uint8Array([...fromHex(hex), ...encode(signal({ ...header, serial: 99 }))])
      const decoder = new Decoder({ validate: 'eager', errors: 'report' }).push(bytes)
      const units = decoder.readAll()
      if (error === 'bad-byte-order' || error === 'body-too-long') {
        expect(faultOf(() => decoder.read()).code).toBe(codeOf(error))
        expect(units.length).toBe(errorMessageIndex)
        continue
      }
      expect((units[errorMessageIndex!] as WireError).code).toBe(codeOf(error))
      expect((units.at(-1) as Message).serial).toBe(99)
    }
  })

  it('work after a reset', () => {
    useBackend(backend)
    const good = encode(signal(header, 'su', ['x', 5]))
    const decoder = new Decoder({ validate: 'eager' })
    for (const { hex, ok } of [
      ...file<{ hex: string; ok: boolean }>('malformed-header'),
      ...file<{ hex: string; ok: boolean }>('malformed-body'),
    ]) {
      if (ok) continue
      decoder.push(fromHex(hex))
      try {
        decoder.readAll()
        decoder.end()
        decoder.readAll()
      } catch {}
      decoder.reset()
      expect(decoder.push(good).read()!.body).toEqual(['x', 5])
      expect(decoder.read()).toBeUndefined()
      decoder.reset()
    }
  })

  it('end inside a message as truncated', () => {
    useBackend(backend)
    const good = encode(signal(header, 'su', ['x', 5]))
    for (let cut = 1; cut < good.length; cut++) {
      const fault = faultOf(() => new Decoder().push(good.subarray(0, cut)).end().read())
      expect([fault.code, fault.offset]).toEqual(['WT_TRUNCATED', cut])
      expect(faultOf(() => decodeAll(good.subarray(0, cut))).code).toBe('WT_TRUNCATED')
    }
    expect(decodeAll(good).length).toBe(1)
  })

  it('keep the limits', () => {
    useBackend(backend)
    const bytes = encode(
      signal(header, 'a(yv)', [
        [
          [1, variant('as', ['a', 'b'])],
          [2, variant('y', 1)],
        ],
      ]),
    )
    const n = bytes.length
    const read = (limits: object) => decode(bytes, { limits, validate: 'eager' }).body
    expect(read({ maxMessageBytes: n }).length).toBe(1)
    expect(read({ maxMessageBytes: n + 1 }).length).toBe(1)
    const long = faultOf(() => read({ maxMessageBytes: n - 1 }))
    expect([long.code, long.limit]).toEqual([
      'WT_DBUS_MESSAGE_LENGTH',
      { name: 'maxMessageBytes', max: n - 1, actual: n },
    ])
    // Array, two structs, two bytes, two variants, what they hold, and two strings.
    const values = 1 + 2 + 2 + 2 + 2 + 2
    expect(read({ maxValues: values }).length).toBe(1)
    const many = faultOf(() => read({ maxValues: values - 1 }))
    expect([many.code, many.kind, many.limit]).toEqual([
      'WT_DBUS_VALUES',
      'limit',
      { name: 'maxValues', max: values - 1, actual: values },
    ])
    expect(read({ maxDepth: 4 }).length).toBe(1)
    const deep = faultOf(() => read({ maxDepth: 3 }))
    expect([deep.code, deep.limit]).toEqual(['WT_DBUS_DEPTH', { name: 'maxDepth', max: 3, actual: 4 }])
    const held = (max: number) => new Decoder({ limits: { maxBufferedBytes: max } }).push(bytes.subarray(0, 50))
    expect(held(50).read()).toBeUndefined()
    expect(held(51).read()).toBeUndefined()
    expect(faultOf(() => held(49).read()).code).toBe('WT_TOO_MUCH_BUFFERED')
  })

  it('is not confused by another decoder or an encoder in between', () => {
    useBackend(backend)
    const random = new Random(7)
    const one = Array.from({ length: 200 }, (_, i) =>
      signal({ ...header, serial: i + 1 }, 'sa{sv}', [`s${i}`, { k: variant('u', i) }]),
    )
    const two = one.map((message, i) => ({
      ...message,
      serial: 1000 + i,
      body: [`other ${i}`, { z: variant('s', 'ä'.repeat(i)) }],
    }))
    const bytes = (list: typeof one) => Uint8Array.from(list.flatMap((message) => [...encode(message)]))
    const first = new Decoder().push(bytes(one))
    const second = new Decoder().push(bytes(two as typeof one))
    for (let i = 0; i < 200; i++) {
      const a = first.read()!
      if (random.below(2)) encode(signal(header, 'as', [Array.from({ length: 50 }, () => 'noise')]))
      const b = second.read()!
      expect(b.body).toEqual([`other ${i}`, new Map([['z', variant('s', 'ä'.repeat(i))]])])
      expect(a.body).toEqual([`s${i}`, new Map([['k', variant('u', i)]])])
      expect([a.serial, b.serial]).toEqual([i + 1, 1000 + i])
    }
  })

  it('hands nothing out that points into the memory of the kernels', () => {
    useBackend(backend)
    const message = decode(encode(signal(header, 'ayadab', [[1, 2], [1.5], [true]])), {})
    const [bytes, floats] = message.body as [Uint8Array, Float64Array]
    expect([bytes.buffer.byteLength, floats.buffer.byteLength]).toEqual([2, 8])
    expect(message.body).toBe(message.body)
    const chunk = encode(signal(header, 'ay', [[7, 8]]))
    const view = decode(chunk, { bytes: 'view' }).body[0] as Uint8Array
    expect(view.buffer).toBe(chunk.buffer)
  })

  it('tells strings apart that are not ASCII, more of them than are decoded at once', () => {
    useBackend(backend)
    const random = new Random(5)
    const texts = [
      'é',
      'plain',
      '',
      '😀 emoji',
      '\ufeffmark',
      'ünï'.repeat(50),
      '€'.repeat(30_000),
      '😀'.repeat(20_000),
    ]
    const list = Array.from({ length: 3000 }, (_, i) =>
      i % 500 === 7 ? random.pick(texts) : texts[random.below(6)]! + i,
    )
    const bytes = encode(
      signal(header, 'asa{sv}', [list, { ключ: variant('as', list), key: variant('s', 'значение') }]),
    )
    const { body } = decode(bytes, { types: 'plain', dict: 'object' })
    expect(body[0]).toEqual(list)
    expect(Object.entries(body[1] as object)).toEqual([
      ['ключ', list],
      ['key', 'значение'],
    ])
  })

  it('shapes values as asked', () => {
    useBackend(backend)
    const body = [{ a: variant('x', 5n), __proto__x: variant('t', 2n ** 60n) }]
    const bytes = encode(signal(header, 'a{sv}', body))
    expect(decode(bytes, { types: 'plain' }).body).toEqual([
      new Map<string, unknown>([
        ['a', 5n],
        ['__proto__x', 2n ** 60n],
      ]),
    ])
    expect(decode(bytes, { types: 'plain', int64: 'auto', dict: 'pairs' }).body).toEqual([
      [
        ['a', 5],
        ['__proto__x', 2n ** 60n],
      ],
    ])
    const unsafe = faultOf(() => decode(bytes, { int64: 'number' }).body)
    expect([unsafe.code, unsafe.kind]).toEqual(['WT_DBUS_UNSAFE_INTEGER', 'value'])
    const hostile = encode(
      signal(header, 'a{ss}', [
        [
          ['__proto__', 'x'],
          ['constructor', 'y'],
        ],
      ]),
    )
    const object = decode(hostile, { dict: 'object' }).body[0] as Record<string, string>
    expect(Object.getPrototypeOf(object)).toBe(null)
    expect(Object.entries(object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    const typed = decode(bytes).bodyAs('a{sv}')
    expect(typed[0].get('a')!.as('x')).toBe(5n)
    expect(faultOf(() => decode(bytes).bodyAs('a{ss}')).code).toBe('WT_DBUS_SIGNATURE')
    expect(faultOf(() => typed[0].get('a')!.as('u')).code).toBe('WT_DBUS_SIGNATURE')
    const wide = encode(signal(header, 'axat', [[-1n, 2n], [3n]]))
    expect(decode(wide, { int64: 'number' }).body).toEqual([[-1, 2], [3]])
    expect(decode(wide).body).toEqual([BigInt64Array.of(-1n, 2n), BigUint64Array.of(3n)])
  })

  it('reads large bodies', () => {
    useBackend(backend)
    for (const { id, parts, ok, error, length } of file<{
      id: string
      parts: { hex: string; times?: number }[]
      ok: boolean
      error?: string
      length: number
    }>('large')) {
      const bytes = new Uint8Array(length)
      let at = 0
      for (const { hex, times = 1 } of parts) {
        const piece = fromHex(hex)
        if (piece.length === 1) at = bytes.fill(piece[0]!, at, at + times) && at + times
        else for (let i = 0; i < times; i++, at += piece.length) bytes.set(piece, at)
      }
      const read = () => decode(bytes, { validate: 'eager', bytes: 'view' }).body
      if (ok) expect(read().length, id).toBe(1)
      else expect(faultOf(read).code, id).toBe(codeOf(error!))
    }
  })

  it('never throws anything but a WireError, and never reads what is not there', () => {
    useBackend(backend)
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('v', 'a{sv}', 'as', '(yv)', 'aay', 'g', 'aa{sa(v)}', 'ad'),
        (bytes, type) => {
          for (const byteOrder of ['little', 'big'] as const) {
            try {
              decodeBody(type as string, bytes, { byteOrder })
            } catch (error) {
              expect(error).toBeInstanceOf(WireError)
              expect((error as WireError).offset).toBeLessThanOrEqual(bytes.length)
            }
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('runs through WHATWG streams', async () => {
    useBackend(backend)
    const messages = Array.from({ length: 20 }, (_, i) => signal({ ...header, serial: i + 1 }, 's', [`number ${i}`]))
    const source = new ReadableStream<(typeof messages)[0]>({
      start(control) {
        for (const message of messages) control.enqueue(message)
        control.close()
      },
    })
    const read: unknown[] = []
    for await (const message of source.pipeThrough(new EncoderStream()).pipeThrough(new DecoderStream())) {
      read.push(message.body[0])
    }
    expect(read).toEqual(messages.map(({ body }) => body![0]))
    async function* pieces() {
      for (const message of messages) {
        const bytes = encode(message)
        yield bytes.subarray(0, 30)
        yield bytes.subarray(30)
      }
    }
    const serials: number[] = []
    for await (const message of decodeStream(pieces())) serials.push(message.serial)
    expect(serials).toEqual(messages.map(({ serial }) => serial))
    expect(neutral(decode(encode(messages[0]!))).body).toEqual(['number 0'])
  })
})
