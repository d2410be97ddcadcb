import { beforeEach, describe, expect, it } from 'vitest'
import {
  control,
  dataSend,
  decode,
  decodeMessage,
  deriveKeys,
  Encoder,
  encode,
  encodeInto,
  encodeMessage,
  event,
  Numbers,
  openFrame,
  Uuid,
  WireError,
} from '../../bindings/hds/index'
import { type Backend, useBackend } from '../../bindings/index'

const codeOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    if (!WireError.is(error)) throw error
    return error.code
  }
}

/** An object of 100 properties, one of which runs code when it is read. */
function many(name: string, run: (object: Record<string, number>) => void): Record<string, number> {
  const object: Record<string, number> = {}
  for (let i = 0; i < 100; i++) object[`k${i}`] = i
  const value = object[name]!
  const get = () => {
    run(object)
    return value
  }
  return Object.defineProperty(object, name, { get, enumerable: true })
}

describe.each<Backend>(['wasm', 'js'])('values that run code while they are written, %s', (name) => {
  beforeEach(() => {
    useBackend(name)
  })

  it.each([40, 400_000])('packs integers although one of them encodes %i others', (length) => {
    const values = Array.from({ length: 40 }, (_, i) => i)
    const wanted = encode([...values])
    const get = () => {
      encode(new Array<number>(length).fill(999))
      return 20
    }
    expect(encode(Object.defineProperty(values, 20, { get }))).toEqual(wanted)
  })

  it('gives no value to the key of another that a getter removes', () => {
    const early = many('k10', (object) => Reflect.deleteProperty(object, 'k5'))
    const late = many('k80', (object) => Reflect.deleteProperty(object, 'k85'))
    expect(codeOf(() => encode(early))).toBe('WT_HDS_VALUE')
    expect(codeOf(() => encode(late))).toBe('WT_HDS_VALUE')
    expect(decode(encode(many('k80', () => undefined)))).toEqual({ ...many('k80', () => undefined) })
  })

  it('moves large data inside the target', () => {
    const data = new Uint8Array(20_000).map((_, i) => i)
    const target = new Uint8Array(40_000)
    target.set(data, 3)
    const end = encodeInto([data, target.subarray(3, 20_003)] as never, new Uint8Array(40_100), 0)
    const both = encode([data])
    expect(end).toBe(both.length * 2 - 1)
    expect(encodeInto([target.subarray(3, 20_003)], target, 10)).toBe(both.length + 10)
    expect(target.slice(10, both.length + 10)).toEqual(both)
  })

  it('seals with the key and the counter of one connection, whatever a getter does', () => {
    const keysOf = (byte: number) => deriveKeys(new Uint8Array(32).fill(byte), new Uint8Array(32), new Uint8Array(32))
    const [one, two] = [keysOf(1), keysOf(2)]
    const encoder = new Encoder({ role: 'controller', keys: one })
    encoder.encode(control.hello(1))
    const body = {
      get a() {
        encoder.reset(two)
        return 1
      },
    }
    const frame = encoder.encode(event('x', 'y', body))
    for (const key of Object.values(one)) expect(codeOf(() => openFrame(frame, key, 0))).toBe('WT_HDS_AUTHENTICATION')
    const opened = Object.values(two).map((key) => codeOf(() => openFrame(frame, key, 0)))
    expect(opened.filter((payload) => payload instanceof Uint8Array)).toHaveLength(1)
    expect(encoder.counter).toBe(1n)
  })
})

describe('what is not what it says', () => {
  it.each(['Date', 'Map', 'ArrayBuffer', 'SharedArrayBuffer'])('has no form as %s', (tag) => {
    expect(
      codeOf(() =>
        encode(
          new (class {
            readonly [Symbol.toStringTag] = tag
          })() as never,
        ),
      ),
    ).toBe('WT_HDS_VALUE')
  })

  it.each([Uuid, Numbers])('has no form without its content', ({ prototype }) => {
    expect(codeOf(() => encode(Object.create(prototype as object) as never))).toBe('WT_HDS_VALUE')
  })

  it.each([null, true, {}, [5], new Uint8Array(0)])('is no number of a stream: %j', (streamId) => {
    const message = decodeMessage(encodeMessage(event('dataSend', 'data', { streamId, packets: [] })))
    expect(codeOf(() => dataSend.readData(message))).toBe('WT_HDS_SHAPE')
  })

  it.each([null, undefined, 5, 'ab', {}])('is no list of fragments: %j', (fragments) => {
    expect(codeOf(() => dataSend.events(1, fragments as never))).toBe('WT_HDS_VALUE')
  })

  it('is no message', () => {
    expect(codeOf(() => dataSend.open(1, null as never))).toBe('WT_HDS_VALUE')
    expect(codeOf(() => dataSend.readData(null as never))).toBe('WT_HDS_SHAPE')
    expect(control.isHello(undefined as never)).toBe(false)
  })
})
