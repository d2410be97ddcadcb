import { describe, expect, it } from 'vitest'
import {
  Authenticator,
  type DecodeOptions,
  Decoder,
  decode,
  decodeAt,
  decodeBody,
  Encoder,
  encode,
  encodeAll,
  encodeBody,
  encodeChunks,
  encodedLength,
  encodeInto,
  errorReply,
  isBusName,
  isErrorName,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  isSingleSignature,
  type MessageInput,
  methodCall,
  methodReturn,
  signal,
  variant,
} from '../../bindings/dbus/index'
import { useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorFile, vectorJson } from '../vectors'
import { expected, inputValue, type NeutralMessage, neutral, splitSignature } from './words'

const file = <T>(name: string) => vectorJson<{ vectors: T[] }>(`dbus/${name}.json`).vectors
const EAGER = { validate: 'eager', dict: 'pairs' } as const satisfies DecodeOptions
const TYPES = ['', 'methodCall', 'methodReturn', 'error', 'signal'] as const

function inputOf(message: NeutralMessage, dict: 'map' | 'object' | 'pairs'): MessageInput {
  const { endian, type, flags, serial, fields, body } = message
  const signature = String(fields['signature'] ?? '')
  return {
    ...fields,
    type: TYPES[type] as 'signal',
    flags,
    serial,
    byteOrder: endian === 'B' ? 'big' : 'little',
    signature,
    body: splitSignature(signature).map((inner, i) => inputValue(inner, body[i], dict)),
  }
}

const good: { hex: string; message: NeutralMessage }[] = ['messages', 'depth', 'issues', 'unix-fds']
  .flatMap((name) => file<{ hex: string; ok: unknown; message?: NeutralMessage }>(name))
  .flatMap(({ hex, ok, message }) => (ok === true && message && message.type <= 4 ? [{ hex, message }] : []))

describe.each(['wasm', 'js'] as const)('D-Bus encoding, %s', (backend) => {
  it('writes values in both byte orders, whatever the form of a dictionary', () => {
    useBackend(backend)
    interface ValueVector {
      readonly id: string
      readonly sig: string
      readonly value: unknown[]
      readonly le: string
      readonly be: string
    }
    for (const { id, sig, value, le, be } of file<ValueVector>('values')) {
      // A signalling NaN becomes a quiet one when JavaScript passes it on.
      if (/:[7f]ff[0-7]/.test(JSON.stringify(value))) continue
      for (const dict of ['map', 'object', 'pairs'] as const) {
        const body = splitSignature(sig).map((type, i) => inputValue(type, value[i], dict))
        expect(toHex(encodeBody(sig, body)), id).toBe(le)
        expect(toHex(encodeBody(sig, body, { byteOrder: 'big' })), id).toBe(be)
      }
      // What was decoded, typed arrays and all, goes back as it came.
      for (const [byteOrder, hex] of [
        ['little', le],
        ['big', be],
      ] as const) {
        for (const dict of ['map', 'pairs'] as const) {
          if (dict === 'map' && sig.includes('{d')) continue
          const decoded = decodeBody(sig as string, fromHex(hex), { byteOrder, dict })
          const again = encodeBody(sig, decoded, { byteOrder })
          if (dict === 'pairs') expect(toHex(again), id).toBe(hex)
          else expect(again.length, id).toBeLessThanOrEqual(hex.length / 2)
        }
      }
    }
  })

  it('writes messages that decode to what they were', () => {
    useBackend(backend)
    expect(good.length).toBeGreaterThan(50)
    for (const { message, hex } of good) {
      const input = Object.freeze(inputOf(message, 'pairs'))
      const bytes = encode(input)
      expect(neutral(decode(bytes, EAGER))).toEqual(expected(message))
      expect(toHex(encode(input))).toBe(toHex(bytes))
      expect(encodedLength(input)).toBe(bytes.length)
      const target = new Uint8Array(bytes.length + 5).fill(0xaa)
      expect(encodeInto(input, target, 3)).toBe(bytes.length + 3)
      expect(toHex(target)).toBe(`aaaaaa${toHex(bytes)}aaaa`)
      expect(faultOf(() => encodeInto(input, target, 6)).code).toBe('WT_TARGET_TOO_SMALL')
      expect(toHex(target)).toBe(`aaaaaa${toHex(bytes)}aaaa`)
      // The body is the same bytes that the reference wrote.
      const original = decodeAt(fromHex(hex), 0)!.value
      expect(toHex(decode(bytes).bodyBytes)).toBe(toHex(original.bodyBytes))
    }
  })

  it('relays a decoded message with other header fields and the body as it came', () => {
    useBackend(backend)
    for (const { hex, message } of good) {
      const original = decodeAt(fromHex(hex), 0)!.value
      const relay = encode({ ...original, serial: 77, sender: ':1.5' })
      const again = decode(relay, EAGER)
      expect(neutral(again)).toEqual({
        ...expected(message),
        serial: 77,
        fields: { ...expected(message).fields, sender: ':1.5' },
      })
      expect(toHex(again.bodyBytes)).toBe(toHex(original.bodyBytes))
      expect(toHex(encode(original))).toBe(toHex(encode({ ...original })))
      const explicit = encode({ ...original, bodyBytes: original.bodyBytes, body: ['ignored'] })
      expect(neutral(decode(explicit, EAGER))).toEqual(expected(message))
    }
    const replaced = decode(encode(signal({ serial: 1, path: '/a', interface: 'a.b', member: 'C' }, 's', ['x'])))
    expect(decode(encode({ ...replaced, signature: 'u', body: [5] })).body).toEqual([5])
  })

  it('never relays a body that is malformed', () => {
    useBackend(backend)
    let refused = 0
    for (const { hex, ok } of file<{ hex: string; ok: boolean }>('malformed-body')) {
      if (ok) continue
      const message = decode(fromHex(hex))
      const fault = faultOf(() => encode({ ...message, serial: 9 }))
      expect([fault.path, fault.offset]).toEqual(['bodyBytes', -1])
      expect(fault.code).toBe(faultOf(() => message.body).code)
      refused++
    }
    expect(refused).toBe(173)
    expect(
      faultOf(() =>
        encode({
          type: 'signal',
          serial: 1,
          path: '/',
          interface: 'a.b',
          member: 'c',
          signature: 'u',
          bodyBytes: new Uint8Array(3),
        }),
      ).code,
    ).toBe('WT_DBUS_NOT_ENOUGH_DATA')
  })

  it('writes the recorded bodies byte for byte', () => {
    useBackend(backend)
    for (const name of ['session-a.bin.gz', 'big-endian-a.bin', 'ints-2000.bin.gz', 'managed-100k.bin.gz']) {
      const bytes = vectorFile(`dbus/captures/${name}`)
      const { messages } = vectorJson<{ messages: { offset: number; length: number; message: NeutralMessage }[] }>(
        `dbus/captures/${name.replace('.bin', '.json')}`,
      )
      for (const { offset, length, message } of messages) {
        if (message.type > 4) continue
        const original = decode(bytes.subarray(offset, offset + length))
        const again = encode(inputOf(message, 'pairs'))
        expect(toHex(decode(again).bodyBytes)).toBe(toHex(original.bodyBytes))
        expect(neutral(decode(again, EAGER))).toEqual(expected(message))
      }
    }
  })

  it('does not copy large arrays for encodeChunks', () => {
    useBackend(backend)
    const bytes = new Uint8Array(100_003).map((_, i) => i)
    const floats = Float64Array.from({ length: 5000 }, (_, i) => i / 3)
    const header = { serial: 1, path: '/a', interface: 'a.b', member: 'C' }
    const message = signal(header, 'aya{sv}ads', [bytes, { x: variant('ay', bytes) }, floats, 'end'])
    const chunks = encodeChunks(message)
    expect(chunks.filter(({ buffer }) => buffer === bytes.buffer).length).toBe(2)
    expect(chunks.filter(({ buffer }) => buffer === floats.buffer).length).toBe(1)
    expect(Buffer.compare(Buffer.concat(chunks), encode(message))).toBe(0)
    expect(encodedLength(message)).toBe(encode(message).length)
    const big = { ...message, byteOrder: 'big' } as const
    expect(Buffer.compare(Buffer.concat(encodeChunks(big)), encode(big))).toBe(0)
    expect(decode(encode(big)).body[2]).toEqual(floats)
    const relay = encodeChunks({ ...decode(encode(message), { bytes: 'view' }), serial: 5 })
    expect(relay.length).toBe(2)
  })

  it('refuses what a bus would disconnect for, and says where it is', () => {
    useBackend(backend)
    const header = { serial: 1, path: '/a', interface: 'a.b', member: 'C' }
    const of = (signature: string, ...body: unknown[]) => faultOf(() => encode(signal(header, signature, body)))
    const value = (signature: string, ...body: unknown[]) => {
      const fault = of(signature, ...body)
      expect([fault.code, fault.kind, fault.offset]).toEqual(['WT_DBUS_VALUE', 'value', -1])
      return fault.path
    }
    expect(value('us', 1, '\ud800')).toBe('body[1]')
    expect(value('as', ['a', 'b', 'é\0'])).toBe('body[0][2]')
    expect(value('a{sv}', { name: variant('u', -1) })).toBe('body[0].name')
    expect(value('a{sv}', { 'not a name': variant('u', 1.5) })).toBe('body[0]["not a name"]')
    expect(value('(is)', [1, 2])).toBe('body[0][1]')
    expect(value('o', 'a/b')).toBe('body[0]')
    expect(value('g', 'a{')).toBe('body[0]')
    expect(value('b', 1)).toBe('body[0]')
    expect(value('y', 256)).toBe('body[0]')
    expect(value('x', 2n ** 63n)).toBe('body[0]')
    expect(value('t', -1n)).toBe('body[0]')
    expect(value('x', 2 ** 53)).toBe('body[0]')
    expect(value('d', '1')).toBe('body[0]')
    expect(value('v', 5)).toBe('body[0]')
    expect(value('v', { signature: 'uu', value: 1 })).toBe('body[0]')
    expect(value('ai', Int16Array.of(1, 2), 3)).toBe('body')
    expect(value('aq', Int32Array.of(1, -2))).toBe('body[0][1]')
    expect(value('u')).toBe('body')
    expect(value('a{us}', { x: 'y' })).toBe('body[0].x')
    expect(value('a{sv}', [['a']])).toBe('body[0][0]')
    let nested: unknown = variant('u', 1)
    for (let i = 0; i < 63; i++) nested = variant('v', nested as never)
    expect(decode(encode(signal(header, 'v', [nested])), EAGER).body.length).toBe(1)
    expect(of('v', variant('v', nested as never)).code).toBe('WT_DBUS_DEPTH')
    expect(of('z', 1).code).toBe('WT_DBUS_SIG_TYPE')
    const head = (change: object) => faultOf(() => encode({ ...signal(header), ...change } as MessageInput))
    expect(head({ path: 'a' }).code).toBe('WT_DBUS_PATH')
    expect(head({ path: '/org/freedesktop/DBus/Local' }).code).toBe('WT_DBUS_RESERVED_PATH')
    expect(head({ interface: 'a' }).code).toBe('WT_DBUS_INTERFACE')
    expect(head({ interface: 'org.freedesktop.DBus.Local' }).code).toBe('WT_DBUS_RESERVED_INTERFACE')
    expect(head({ interface: undefined }).code).toBe('WT_DBUS_MISSING_INTERFACE')
    expect(head({ member: 'a.b' }).code).toBe('WT_DBUS_MEMBER')
    expect(head({ destination: ':' }).code).toBe('WT_DBUS_DESTINATION')
    expect(head({ sender: '1.2' }).code).toBe('WT_DBUS_SENDER')
    expect(head({ serial: 0 }).code).toBe('WT_DBUS_SERIAL')
    expect(head({ serial: 2 ** 32 }).code).toBe('WT_DBUS_SERIAL')
    expect(head({ type: 'reply' }).code).toBe('WT_DBUS_TYPE')
    expect(head({ type: 'error' }).code).toBe('WT_DBUS_MISSING_ERROR_NAME')
    expect(head({ type: 'methodReturn' }).code).toBe('WT_DBUS_MISSING_REPLY_SERIAL')
    expect(head({ flags: 256 }).path).toBe('flags')
    expect(head({ unixFds: -1 }).path).toBe('unixFds')
    // After each of these the next message is written clean.
    expect(neutral(decode(encode(signal(header, 'yu', [1, 2])), EAGER)).body).toEqual([1, 2])
  })

  it('leaves no byte of the message before in padding', () => {
    useBackend(backend)
    const header = { serial: 1, path: '/a', interface: 'a.b', member: 'C' }
    encode(signal(header, 'ay', [new Uint8Array(4000).fill(0xff)]))
    decode(encode(signal({ ...header, path: '/abc' }, 'yxyay(yx)', [1, 2n, 3, [4], [5, 6n]])), EAGER)
  })

  it('may be called by what it encodes', () => {
    useBackend(backend)
    const header = { serial: 1, path: '/a', interface: 'a.b', member: 'C' }
    let inner: Uint8Array | undefined
    const outer = encode(
      signal(header, 'sa{ss}', [
        'before',
        {
          get key() {
            inner = encode(signal(header, 's', ['inner']))
            return 'value'
          },
        },
      ]),
    )
    expect(decode(inner!).body).toEqual(['inner'])
    expect(decode(outer).body).toEqual(['before', new Map([['key', 'value']])])
  })

  it('judges names as the vectors do', () => {
    useBackend(backend)
    const judges = {
      path: isObjectPath,
      interface: isInterfaceName,
      member: isMemberName,
      'error-name': isErrorName,
      'bus-name': isBusName,
    } as const
    for (const { kind, name, ok } of file<{ kind: keyof typeof judges; name: string; ok: boolean }>('names')) {
      expect(judges[kind](name), `${kind} ${name}`).toBe(ok)
      expect(judges[kind](name), `${kind} ${name} again`).toBe(ok)
    }
    for (const { sig, ok, single } of file<{ sig: string; ok: boolean; single: boolean }>('signatures')) {
      expect(isSignature(sig), sig).toBe(ok)
      expect(isSingleSignature(sig), sig).toBe(single)
    }
    expect(isObjectPath(`/${'a'.repeat(70_000)}`)).toBe(true)
    expect(isObjectPath('/abc'.repeat(40_000))).toBe(true)
    expect(isObjectPath(`${'/abc'.repeat(40_000)}/`)).toBe(false)
    expect(isMemberName('ā')).toBe(false)
  })
})

it('names arguments that are of no use', () => {
  const header = { serial: 1, path: '/', interface: 'a.b', member: 'c' }
  const nothing = null as never
  const key = Object.create(null) as string
  const message = encode(signal(header, 's', ['x']))
  for (const misuse of [
    () => encode(nothing),
    () => encodeAll(nothing),
    () => encodeAll([nothing]),
    () => new Encoder().encode(nothing),
    () => new Encoder().encodeAll(nothing),
    () => methodReturn(nothing, 1),
    () => errorReply(nothing, 1, 'a.b'),
    () => decode(message, nothing),
    () => decode(message).bodyAs('s', nothing),
    () => new Decoder(nothing),
    () => new Decoder(5 as never),
    () => new Decoder({ descriptors: -1 }),
    () => new Decoder({ descriptors: 'x' as never }),
    () => new Authenticator(nothing),
    () => new Authenticator({ uid: -1 }),
    () => new Authenticator({ uid: 'x' as never }),
  ]) {
    expect(misuse).toThrow(expect.objectContaining({ name: 'WireError', kind: 'usage' }))
  }
  const odd = faultOf(() => encode(signal(header, 'a{ss}', [new Map([[key, 'x']])])))
  expect([odd.code, odd.path]).toEqual(['WT_DBUS_VALUE', 'body[0].key'])
})

describe('builders', () => {
  it('answer calls, and count serials without 0', () => {
    const encoder = new Encoder()
    const call = decode(
      encoder.encode({ ...methodCall({ serial: 1, path: '/a', member: 'M', sender: ':1.2' }), serial: undefined }),
    )
    expect(call.serial).toBe(1)
    const answer = decode(encode(methodReturn(call, encoder.nextSerial(), 'u', [7])))
    expect(answer).toMatchObject({ type: 'methodReturn', serial: 2, replySerial: 1, destination: ':1.2', flags: 1 })
    expect(answer.body).toEqual([7])
    const failed = decode(encode(errorReply(call, encoder.nextSerial(), 'a.b.Failed', 'no such thing')))
    expect(failed).toMatchObject({ type: 'error', errorName: 'a.b.Failed', replySerial: 1, serial: 3 })
    expect(failed.body).toEqual(['no such thing'])
    encoder.reset()
    expect(encoder.nextSerial()).toBe(1)
    expect(encodeAll([methodReturn(call, 1), methodReturn(call, 2)]).length).toBe(
      2 * encode(methodReturn(call, 1)).length,
    )
  })
})
