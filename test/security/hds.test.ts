import { beforeEach, describe, expect, it } from 'vitest'
import * as hds from '../../bindings/hds/index'
import * as opack from '../../bindings/opack/index'
import { faultOf } from '../fault'
import { backends, count, expectLinear, retained } from './measure'
import { inChunks, join, repeated, SEGMENT } from './streams'

const ARRAY = 0xdf
const END = 0x03
const TRUE = 0x01
const u32 = (value: number): Uint8Array => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24)
/** Data with a length of four bytes. */
const data = (length: number): Uint8Array => join(Uint8Array.of(0x93), u32(length), new Uint8Array(length))
const keys = hds.deriveKeys(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2), new Uint8Array(32).fill(3))
const decoderOf = (options = {}) => new hds.Decoder({ role: 'accessory', keys, ...options })
const encoderOf = () => new hds.Encoder({ role: 'controller', keys })

describe.each(backends)('HDS and OPACK under attack, %s', (backend) => {
  beforeEach(() => count(backend))

  it.each([
    ['arrays of one', [0xd1]],
    ['arrays without a count', [ARRAY]],
    ['dictionaries', [0xe1, 0x41, 0x61]],
  ])('refuses nested %s at the depth allowed', (_, head) => {
    for (const levels of [33, 20_000, 300_000]) {
      const payload = join(repeated(Uint8Array.from(head), levels), Uint8Array.of(TRUE))
      const limits = { maxPayloadBytes: 10_000_000 }
      for (const { decode } of [hds, opack])
        expect(faultOf(() => decode(payload, { limits })).code).toBe('WT_HDS_DEPTH')
    }
  })

  it.each([
    ['data of 2^64 - 1 bytes', [0x94, 255, 255, 255, 255, 255, 255, 255, 255]],
    ['data of 2^32 - 1 bytes', [0x93, 255, 255, 255, 255]],
    ['a string of 2^64 - 1 bytes', [0x64, 255, 255, 255, 255, 255, 255, 255, 255]],
    ['a string of 2^31 bytes', [0x63, 0, 0, 0, 0x80]],
    ['a wide integer that is cut off', [0x33, 1]],
    ['a float that is cut off', [0x36]],
    ['an array of fourteen', [0xde]],
    ['a dictionary of fourteen', [0xee, 0x41, 0x61]],
  ])('believes no claim of %s', (_, bytes) => {
    const payload = Uint8Array.from(bytes)
    for (const { decode } of [hds, opack]) {
      const each = retained(50, () => faultOf(() => decode(payload)).code)
      expect(each).toBeLessThan(5000)
    }
  })

  it('makes of bytes no more values than maxItems', () => {
    const payload = join(Uint8Array.of(ARRAY), new Uint8Array(100_000).fill(TRUE), Uint8Array.of(END))
    expect(hds.decode(payload)).toHaveLength(100_000)
    expect(faultOf(() => hds.decode(payload, { limits: { maxItems: 1000 } })).code).toBe('WT_HDS_ITEMS')
  })

  it('counts what references stand for, and makes it once', () => {
    const bomb = join(Uint8Array.of(ARRAY), data(512 * 1024), new Uint8Array(400_000).fill(0xa0), Uint8Array.of(END))
    expect(faultOf(() => opack.decode(bomb)).code).toBe('WT_HDS_EXPANDED')
    expect(faultOf(() => hds.decode(bomb)).code).toBe('WT_HDS_REFERENCE')
    const list = opack.decode<Uint8Array[]>(bomb, { limits: { maxExpandedBytes: Number.MAX_SAFE_INTEGER } })
    expect(list).toHaveLength(400_001)
    expect(new Set(list).size).toBe(1)
  })

  it('reads references in work that grows with their bytes', () => {
    expectLinear(
      10_000,
      60,
      (size) => {
        const wire = join(Uint8Array.of(ARRAY), data(10_000), new Uint8Array(size).fill(0xa0), Uint8Array.of(END))
        return { wire, bytes: size }
      },
      ({ wire }) => {
        opack.decode(wire, { limits: { maxExpandedBytes: Number.MAX_SAFE_INTEGER } })
      },
    )
  })

  it.each([
    ['different integers', (size: number): opack.Input => Array.from({ length: size }, (_, i) => i * 3 + 1000)],
    ['different strings', (size: number): opack.Input => Array.from({ length: size }, (_, i) => `value-${i}`)],
    ['the same strings', (size: number): opack.Input => Array.from({ length: size }, (_, i) => `value-${i % 10}`)],
  ])('writes %s, each looked for among those before, in work that grows with their number', (_, make) => {
    expectLinear(
      2500,
      300,
      (size) => ({ value: make(size), bytes: size * 5 }),
      ({ value }) => {
        expect(opack.encode(value).length).toBeGreaterThan(2500)
      },
    )
  })

  it.each([
    ['byte by byte', 1, 10_000, 120],
    ['in segments', SEGMENT, 1_000_000, 3],
  ])('takes frames that come %s in work that grows with their bytes', (_, size, least, steps) => {
    expectLinear(
      least,
      steps,
      (length) => {
        const encoder = encoderOf()
        const frame = (data: Uint8Array) => encoder.encode(hds.event('dataSend', 'data', { data }))
        return inChunks(
          join(frame(new Uint8Array(10)), ...[1, 2, 3, 4].map(() => frame(new Uint8Array(length / 4.5)))),
          size,
        )
      },
      ({ chunks }) => {
        const decoder = decoderOf()
        let messages = 0
        for (const chunk of chunks) for (const _ of decoder.push(chunk)) messages++
        expect(messages).toBe(5)
      },
    )
  })

  it('holds of a frame no more than has come, and little before the first one was verified', () => {
    const claim = Uint8Array.of(1, 0x0f, 0xff, 0xff)
    expect(faultOf(() => decoderOf().push(claim).read()).code).toBe('WT_HDS_UNAUTHENTICATED')
    const encoder = encoderOf()
    const hello = encoder.encode(hds.control.hello(1))
    const each = retained(30, () => {
      const decoder = decoderOf().push(hello)
      expect(decoder.readAll()).toHaveLength(1)
      expect(decoder.push(claim).read()).toBeUndefined()
      return decoder
    })
    expect(each).toBeLessThan(100_000)
    expect(
      faultOf(() =>
        decoderOf()
          .push(Uint8Array.of(1, 0xff, 0xff, 0xff))
          .read(),
      ).kind,
    ).toBe('limit')
  })

  it('shows nothing of a frame whose tag is wrong, and takes none after it', () => {
    const encoder = encoderOf()
    const [first, second] = [encoder.encode(hds.control.hello(1)), encoder.encode(hds.control.hello(2))]
    first[10]! ^= 1
    const decoder = decoderOf().push(join(first, second))
    const fault = faultOf(() => decoder.read())
    expect(decoder.buffered).toBe(0)
    expect(faultOf(() => decoder.push(second).readAll())).toBe(fault)
  })

  it.each([
    ['nothing', []],
    ['no header', [1, 0x04]],
    ['a header that is null', [1, 0x04, 0xe0]],
    ['a header that is an array', [1, 0xd0, 0xe0]],
    ['a body alone', [0, 0xe0]],
  ])('answers a message of %s with a WireError', (_, bytes) => {
    expect(faultOf(() => hds.decodeMessage(Uint8Array.from(bytes))).protocol).toBe('hds')
  })

  it('takes __proto__ for a key like any other', () => {
    const payload = hds.encode(new Map<string, hds.Input>([['__proto__', { polluted: true }]]))
    for (const { decode } of [hds, opack]) {
      const value = decode<object>(payload)
      expect(Object.getPrototypeOf(value)).toBe(null)
      expect(Object.keys(value)).toEqual(['__proto__'])
    }
    expect(({} as Record<string, unknown>)['polluted']).toBe(undefined)
  })

  it('keeps no table that a peer can fill with keys', () => {
    const fill = (i: number) => void hds.decode(hds.encode({ [`key-${i}`]: i, [`other-${i}`]: 'x' }))
    for (let i = 0; i < 3000; i++) fill(i)
    expect(retained(3000, (i) => fill(3000 + i))).toBeLessThan(200)
  })
})
