import { afterEach, describe, expect, it } from 'vitest'
import * as dbus from '../../bindings/dbus/index'
import * as hds from '../../bindings/hds/index'
import * as hpack from '../../bindings/hpack/index'
import { type Backend, useBackend, WireError } from '../../bindings/index'
import * as katcp from '../../bindings/katcp/index'
import { nodeDeflate } from '../../bindings/node/index'
import * as websocket from '../../bindings/websocket/index'
import { detach as takeAway } from '../lib/detach'

/*
 * Values that are not what they say, or that change while they are written. What comes out is a WireError, or something that can be
 * read; never a message that nobody wrote.
 */
const fault = (run: () => unknown): readonly [string, string | undefined] => {
  try {
    run()
  } catch (error) {
    if (!WireError.is(error)) throw error
    return [error.kind, error.path]
  }
  throw new Error(`nothing was thrown by ${run}`)
}

/** Takes the memory of a view away, in the midst of whatever asks for a text. */
function detach({ buffer }: { readonly buffer: ArrayBufferLike }): string {
  takeAway(buffer)
  return 'x'
}

/** An object whose property runs code when it is read. */
const reading = <T extends object>(object: T, key: string, get: () => unknown): T =>
  Object.defineProperty(object, key, { get, enumerable: true }) as T

/** What says that it is bytes. */
const IMPOSTORS: readonly (readonly [string, unknown])[] = [
  ['a tag', { [Symbol.toStringTag]: 'Uint8Array', length: 3 }],
  ['a prototype', Object.create(Uint8Array.prototype)],
  ['a proxy', new Proxy(new Uint8Array(3), {})],
  ['another array with its prototype', Object.setPrototypeOf(new BigInt64Array(4), Uint8Array.prototype)],
  [
    'another array with its tag',
    Object.defineProperty(new Uint16Array(3), Symbol.toStringTag, { value: 'Uint8Array' }),
  ],
]

const KEYS = { accessoryToController: new Uint8Array(32), controllerToAccessory: new Uint8Array(32) }
const signal = { type: 'signal', serial: 1, path: '/a', interface: 'a.b', member: 'M' } as const

describe.each<Backend>(['wasm', 'js'])('hostile values, %s', (backend) => {
  afterEach(() => {
    useBackend('auto')
  })

  it.each(IMPOSTORS)('are no bytes for any format: %s', (_, value) => {
    useBackend(backend)
    const bytes = value as Uint8Array
    const calls: readonly (() => unknown)[] = [
      () => dbus.decode(bytes),
      () => dbus.decodeBody('s', bytes),
      () => new dbus.Decoder().push(bytes),
      () => dbus.encode({ ...signal, signature: 's', bodyBytes: bytes }),
      () => dbus.encode({ ...signal, signature: 's', body: [bytes] }),
      () => hds.decode(bytes),
      () => new hds.Decoder({ role: 'controller', keys: KEYS }).push(bytes),
      () => hds.openFrame(bytes, KEYS.accessoryToController, 0),
      () => hpack.decode(bytes),
      () => hpack.huffmanDecode(bytes),
      () => hpack.huffmanEncode(bytes),
      () => katcp.decode(bytes),
      () => new katcp.Decoder().push(bytes),
      () => katcp.encode({ type: 'inform', name: 'x', args: [bytes] }),
      () => websocket.decode(bytes, { role: 'client' }),
      () => new websocket.Decoder({ role: 'client' }).push(bytes),
      () => websocket.encode({ type: 'binary', data: bytes }, { role: 'server' }),
      () => websocket.encode({ opcode: 2, payload: bytes }, { role: 'server' }),
    ]
    for (const call of calls) expect(['usage', 'value'], String(call)).toContain(fault(call)[0])
  })

  it('are empty where their memory was taken away', () => {
    useBackend(backend)
    const gone = new Uint8Array(40)
    detach(gone)
    expect(new dbus.Decoder().push(gone).read()).toBeUndefined()
    expect(new katcp.Decoder().push(gone).read()).toBeUndefined()
    expect(new websocket.Decoder({ role: 'client' }).push(gone).read()).toBeUndefined()
    expect(hpack.decode(gone)).toEqual([])
    const floats = new Float64Array(4)
    detach(floats)
    expect(hds.decode(hds.encode([gone, floats]))).toEqual([new Uint8Array(0), new Uint8Array(0)])
    expect(dbus.decode(dbus.encode({ ...signal, signature: 'ayad', body: [gone, floats] })).body).toEqual([
      new Uint8Array(0),
      new Float64Array(0),
    ])
  })

  it('cannot pass D-Bus another text than the one that was checked', () => {
    useBackend(backend)
    for (const key of ['path', 'interface', 'member', 'destination', 'signature'] as const) {
      const good = { path: '/a', interface: 'a.b', member: 'M', destination: 'a.b', signature: 's' }[key]
      let reads = 0
      const message = reading({ ...signal, destination: 'a.b', signature: 's', body: ['x'] }, key, () =>
        reads++ === 0 ? good : '\0\0\0\0bad name',
      )
      expect(dbus.decode(dbus.encode(message)).body, key).toEqual(['x'])
      expect(reads, key).toBe(1)
    }
  })

  it('cannot make an array of D-Bus of another length than its elements have', () => {
    useBackend(backend)
    const tagged = Object.defineProperty(new Uint8Array(3), Symbol.toStringTag, { value: 'Uint32Array' })
    const { body } = dbus.decode(dbus.encode({ ...signal, signature: 'au', body: [tagged] }))
    expect(body).toEqual([new Uint32Array(3)])
  })

  it('may not shrink once their length is on the wire', () => {
    useBackend(backend)
    for (const length of [8192, 20_000, 70_000]) {
      const data = new Uint8Array(length)
      const value = reading({ data } as { data: Uint8Array; z?: unknown }, 'z', () => {
        detach(data)
        return 1
      })
      expect(fault(() => hds.encode(value))[0]).toBe('value')
    }
    for (const encode of [dbus.encode, dbus.encodeChunks, dbus.encodedLength]) {
      const data = new Uint8Array(20_000)
      const body = [data, reading({ signature: 's' }, 'value', () => detach(data))]
      expect(fault(() => encode({ ...signal, signature: 'ayv', body }))[0]).toBe('value')
    }
    const data = new Uint8Array(20_000)
    const last = reading({ type: 'binary' } as websocket.MessageInput & object, 'data', () => {
      detach(data)
      return data
    })
    const batch = [{ type: 'binary', data: data } as const, last]
    expect(fault(() => websocket.encodeAll(batch, { role: 'server' }))[0]).toBe('value')
    const asked = new Uint8Array(40_000)
    const maskKey = () => {
      detach(asked)
      return 1
    }
    expect(fault(() => websocket.encode({ type: 'binary', data: asked }, { role: 'client', maskKey }))[0]).toBe('value')
    // The next one is as ever.
    expect(hds.decode(hds.encode({ a: 1 }))).toEqual({ a: 1 })
    expect(dbus.decode(dbus.encode({ ...signal, signature: 's', body: ['x'] })).body).toEqual(['x'])
  })

  it('may lie in the target that they are written to', () => {
    useBackend(backend)
    for (const shift of [0, 100, 5000]) {
      const target = new Uint8Array(60_000)
      const data = target.subarray(shift, shift + 20_000).fill(7)
      const end = dbus.encodeInto({ ...signal, signature: 'ay', body: [data] }, target, 0)
      expect(dbus.decode(target.slice(0, end)).body).toEqual([new Uint8Array(20_000).fill(7)])
    }
  })

  it('leave the target alone where the function that gives masks throws between two frames', () => {
    useBackend(backend)
    let keys = 0
    const maskKey = () => {
      if (keys++ === 2) throw new RangeError('no more keys')
      return 5
    }
    const target = new Uint8Array(100)
    const options = { role: 'client', fragmentBytes: 1, maskKey } as const
    expect(() => websocket.encodeInto({ type: 'binary', data: new Uint8Array(9) }, target, 0, options)).toThrow(
      RangeError,
    )
    expect(target).toEqual(new Uint8Array(100))
  })

  it('are refused by name', () => {
    useBackend(backend)
    const bare = Object.create(null) as never
    const deflate = nodeDeflate({
      serverNoContextTakeover: false,
      clientNoContextTakeover: false,
      serverMaxWindowBits: 15,
      clientMaxWindowBits: 15,
    })
    const calls: readonly (() => unknown)[] = [
      () => dbus.encode({ ...signal, type: bare }),
      () => dbus.encode({ ...signal, signature: 'a{ss}', body: [Object.create(Map.prototype)] }),
      () => dbus.encode({ ...signal, signature: 'ab', body: [new DataView(new ArrayBuffer(8))] }),
      () => hds.decode(new Uint8Array(1), null as never),
      () => hds.encode(1, null as never),
      () => hds.encode(Object.create(Map.prototype)),
      () => hds.encode(Object.create(ArrayBuffer.prototype)),
      () => hds.date(null as never),
      () => hds.date(new Date(Number.NaN)),
      () => hds.uuid(bare),
      () => hds.numbers(Object.create(Int8Array.prototype)),
      () => hpack.validateField(null as never),
      () => hpack.validateField({ name: bare, value: '' }),
      () => new hpack.Encoder({ neverIndex: Object.assign([], { length: 3 }) }),
      () => katcp.encode(null as never),
      () => katcp.encode({ type: 'inform', name: 'x', args: Object.create(katcp.Arguments.prototype) }),
      () => katcp.encode({ type: 'inform', name: 'x', args: [bare] }),
      () => websocket.encode({ type: 'close', code: bare }, { role: 'server' }),
      () => websocket.encode({ opcode: bare, payload: new Uint8Array(1) }, { role: 'server', deflate }),
      () => websocket.acceptUpgrade({ upgrade: [bare] }),
    ]
    for (const call of calls) expect(['usage', 'value', 'malformed'], String(call)).toContain(fault(call)[0])
  })

  it('cannot give an array another length than a number', () => {
    useBackend(backend)
    for (const length of ['5', 5n, 1.5, -1, Number.NaN, undefined, null, Symbol('5')]) {
      const array = new Proxy([1, 2], { get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)) })
      expect(
        fault(() => hds.encode({ a: array })),
        String(length),
      ).toEqual(['value', 'a'])
    }
  })

  it('that have the class of a wrapper of HDS and were not made by it are refused', () => {
    useBackend(backend)
    const forged = (prototype: object, fields: object) => Object.assign(Object.create(prototype) as object, fields)
    for (const value of [undefined, 'x', Symbol('s'), Object.create(null), 1.5, null]) {
      expect(fault(() => hds.encode([forged(hds.Int.prototype, { width: 8, value })]))).toEqual(['value', '[0]'])
      expect(fault(() => hds.encode([forged(hds.Int.prototype, { width: 64, value })]))).toEqual(['value', '[0]'])
      if (typeof value === 'number') continue
      for (const { prototype } of [hds.Float32, hds.Float64]) {
        expect(fault(() => hds.encode([forged(prototype, { value })]))).toEqual(['value', '[0]'])
      }
      expect(fault(() => hds.encode([forged(hds.Timestamp.prototype, { seconds: value })]))).toEqual(['value', '[0]'])
      expect(fault(() => hds.encode([forged(hds.Numbers.prototype, { array: value })]))).toEqual(['value', '[0]'])
    }
    for (const width of [7, undefined, '8', 128]) {
      expect(fault(() => hds.encode(forged(hds.Int.prototype, { width, value: 1 })))[0]).toBe('value')
    }
    for (const text of ['', 'zz', '0'.repeat(36), 5, undefined]) {
      expect(fault(() => hds.encode(forged(hds.Uuid.prototype, { text })))[0]).toBe('value')
    }
  })

  it('of a date that is no number go to the wire and back, where they came from there', () => {
    useBackend(backend)
    const wire = Uint8Array.from([6, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f])
    const read = hds.decode<hds.Timestamp>(wire)
    expect(read.seconds).toBeNaN()
    expect(hds.encode(read)).toEqual(wire)
    expect(fault(() => hds.encode([new Date(Number.NaN)]))).toEqual(['value', '[0]'])
  })

  it('that no message of D-Bus has room for are refused before there is memory for them', () => {
    useBackend(backend)
    const long = 'x'.repeat(2 ** 27)
    const before = process.memoryUsage().arrayBuffers
    expect(fault(() => dbus.encode({ ...signal, signature: 's', body: [long] }))[0]).toBe('limit')
    expect(fault(() => dbus.encode({ ...signal, signature: 'v', body: [dbus.variant('s', long)] }))[0]).toBe('limit')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
  })
})
