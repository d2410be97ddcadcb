import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { L_ARENA } from '../../assembly/abi/layout'
import { hds } from '../../bindings/cli/formats/hds'
import {
  type DecodeOptions,
  date,
  decode,
  decodeAt,
  encode,
  encodeChunks,
  encodedLength,
  encodeInto,
  float32,
  float64,
  int8,
  int32,
  int64,
  numbers,
  Pairs,
  type Timestamp,
  uuid,
  WireError,
} from '../../bindings/hds/index'
import { selectCore } from '../../bindings/hds/kernels'
import { type Backend, fromJson, toJson, useBackend } from '../../bindings/index'
import * as opack from '../../bindings/opack/index'
import { faultOf } from '../fault'
import { Random } from '../random'
import { fromHex, toHex, vectorJson } from '../vectors'
import { bytesOf, type Case, neutralOf, pattern } from './words'

const LOSSLESS = { types: 'tagged', dict: 'pairs' } as const

/** Values that come back as they went in. */
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.uint8Array({ maxLength: 300 }),
)
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('any'), { maxLength: 20 }),
    fc.dictionary(fc.string({ maxLength: 12 }), tie('any'), { maxKeys: 20, noNullPrototype: true }),
  ),
})).any

describe.each<Backend>(['wasm', 'js'])('values of HDS, %s', (backend) => {
  beforeEach(() => {
    expect(useBackend(backend)).toBe(backend)
  })

  it('come back as they went in', () => {
    for (const profile of ['hds', 'hap-nodejs', 'opack'] as const) {
      fc.assert(
        fc.property(value, (given) => {
          const bytes = encode(given as never, { profile })
          expect(encodedLength(given as never, { profile })).toBe(bytes.length)
          const back = decode(bytes, { profile, dict: 'pairs' })
          // Encoding what was read gives the same bytes; so does what kept its widths.
          expect(toHex(encode(back as never, { profile }))).toBe(toHex(bytes))
          expect(toHex(encode(decode(bytes, { profile, ...LOSSLESS }) as never, { profile }))).toBe(toHex(bytes))
        }),
        { numRuns: 120, seed: 8 },
      )
    }
  })

  it('throw nothing but a WireError, and never outside of the bytes', () => {
    const random = new Random(11)
    const short = ['random-values', 'references', 'containers'].flatMap((name) =>
      vectorJson<{ cases: Case[] }>(`hds/${name}.json`)
        .cases.filter((vector) => vector.hex !== undefined)
        .map(bytesOf),
    )
    const modes: DecodeOptions[] = [
      {},
      { profile: 'opack', dict: 'map' },
      { profile: 'hap-nodejs' },
      LOSSLESS,
      { utf8: 'replace' },
    ]
    for (let i = 0; i < 2500; i++) {
      const bytes = random.mutate(random.pick(short))
      const options = random.pick(modes)
      try {
        const found = decode(bytes, options)
        expect(decodeAt(bytes, 0, options)).toEqual({ value: found, end: bytes.length })
      } catch (error) {
        if (!WireError.is(error)) throw error
        expect(error.offset).toBeGreaterThanOrEqual(0)
        expect(error.offset).toBeLessThanOrEqual(bytes.length)
      }
    }
  })

  it('are the same however they are cut by what is around them', () => {
    const bytes = encode([{ a: 'é', b: pattern(1, 100) }, 'x'.repeat(300)])
    const around = new Uint8Array([1, 2, ...bytes, 3, 4])
    expect(decodeAt(around, 2)).toEqual({ value: decode(bytes), end: bytes.length + 2 })
    const buffer = Buffer.from(around)
    const read = decodeAt<[{ b: Uint8Array }]>(buffer, 2, { bytes: 'view' })!
    expect(Object.getPrototypeOf(read.value[0].b)).toBe(Uint8Array.prototype)
    expect(read.value[0].b.buffer).toBe(buffer.buffer)
    const copied = decode<[{ b: Uint8Array }]>(bytes)
    bytes.fill(0)
    expect(copied[0].b).toEqual(pattern(1, 100))
    expect(copied[0].b.buffer.byteLength).toBe(100)
  })

  it('pass through the window whatever their size', () => {
    const long = 'abc'.repeat(30_000)
    const wide = 'é€😀'.repeat(20_000)
    const list = Array.from({ length: 40_000 }, (_, i) => (i % 7 === 0 ? `item ${i}` : i * 77_777 - 1_000_000))
    const blocks = Array.from({ length: 9 }, (_, i) => ({ n: i, data: pattern(i, 30_000), after: `t${i}` }))
    for (const given of [long, wide, list, blocks, [pattern(1, 500_000), 'end', { k: [1.5] }]]) {
      for (const bytes of ['copy', 'view'] as const) {
        expect(neutralOf(decode(encode(given), { bytes }))).toEqual(neutralOf(given))
      }
    }
  })

  it('keep integers of 64 bits as asked', () => {
    const bytes = encode([2 ** 53 - 1, 2n ** 53n, -(2n ** 63n), 5n])
    expect(decode(bytes)).toEqual([2 ** 53 - 1, 2n ** 53n, -(2n ** 63n), 5])
    expect(decode(bytes, { int64: 'bigint' })).toEqual([2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n), 5])
    expect(faultOf(() => decode(bytes, { int64: 'number' })).code).toBe('WT_HDS_UNSAFE_INTEGER')
    expect(decode(encode(int64(7)), { int64: 'bigint' })).toBe(7n)
    // A number that is no longer exact is a float, not an integer that was made up.
    expect(toHex(encode(2 ** 53))).toBe('360000000000004043')
    expect(toHex(encode(-0))).toBe('360000000000000080')
    expect(Object.is(decode(encode(-0)), -0)).toBe(true)
    expect(Object.is(decode<number[]>(encode([...Array(20).fill(0), -0]))[20], -0)).toBe(true)
  })

  it('are arrays of numbers in one go', () => {
    const random = new Random(5)
    const list = Array.from({ length: 40_000 }, () => random.next() >> random.below(31))
    const bytes = encode(list)
    expect(encode(numbers(Int32Array.from(list)))).toEqual(bytes)
    expect(decode(bytes)).toEqual(list)
    expect(decode(bytes, { numbers: 'typed' })).toEqual(Int32Array.from(list))
    expect(decode(encode([]), { numbers: 'typed' })).toEqual([])
    expect(decode(encode([1, 'a', 2, 3, null, 4]), { numbers: 'typed' })).toEqual([1, 'a', 2, 3, null, 4])
    expect(decode(encode([[1, 2], [3]]), { numbers: 'typed' })).toEqual([Int32Array.of(1, 2), Int32Array.of(3)])
    for (const typed of [
      Int8Array.of(-128, 127),
      Uint8Array.of(0, 255),
      Int16Array.of(-5, 300),
      Uint16Array.of(65535),
    ]) {
      expect(decode(encode(numbers(typed)))).toEqual([...typed])
    }
    expect(decode(encode(numbers(Uint32Array.of(1, 2 ** 32 - 1))))).toEqual([1, 2 ** 32 - 1])
    expect(decode(encode(numbers(BigInt64Array.of(1n, -(2n ** 63n)))))).toEqual([1, -(2n ** 63n)])
    expect(decode(encode(numbers(Float64Array.of(1, 0.5))), { types: 'tagged' })).toEqual([float64(1), float64(0.5)])
    expect(decode(encode(numbers(Float32Array.of(1, 0.5))))).toEqual([1, 0.5])
    for (const profile of ['hds', 'opack'] as const) {
      const some = list.slice(0, 500)
      const options = { profile, references: 'reject' } as const
      expect(encode(numbers(Int32Array.from(some)), options)).toEqual(encode(some, options))
      expect(encode(numbers(Int32Array.from(some)), { profile })).toEqual(encode(some, { profile }))
      expect(decode(encode(some, { profile }), { profile })).toEqual(some)
    }
  })

  it('are bytes wherever there are bytes', () => {
    const words = Int16Array.of(258, 772)
    for (const bytes of [
      words,
      words.buffer,
      new DataView(words.buffer),
      Buffer.from(words.buffer),
      new Uint8ClampedArray(words.buffer),
    ]) {
      expect(toHex(encode(bytes))).toBe('7402010403')
    }
  })

  it('are dictionaries in three forms', () => {
    const wire = fromHex('e4423130084139094162 0a4162 0b'.replaceAll(' ', ''))
    expect(decode(wire, { dict: 'map' })).toEqual(
      new Map([
        ['10', 0],
        ['9', 1],
        ['b', 3],
      ] as [string, number][]),
    )
    const pairs = decode<Pairs>(wire, { dict: 'pairs' })
    expect([...pairs]).toEqual([
      ['10', 0],
      ['9', 1],
      ['b', 2],
      ['b', 3],
    ])
    expect(pairs.map(([key]) => key).constructor).toBe(Array)
    expect(toHex(encode(pairs))).toBe(toHex(wire))
    expect(toHex(encode(decode(wire, { dict: 'map' }) as never))).toBe('e342313008413909' + '41620b')
    expect(Object.getPrototypeOf(decode(wire))).toBeNull()
    expect(toHex(encode({ a: undefined, b: 1 }))).toBe('e1416209')
    expect(faultOf(() => encode(new Map([['a', undefined]]))).path).toBe('a')
    expect(faultOf(() => encode(new Map([[1, 2]]))).code).toBe('WT_HDS_VALUE')
    expect(faultOf(() => encode(Pairs.of(['a'] as never))).code).toBe('WT_HDS_VALUE')
  })

  it('refuse what has no form, by its path', () => {
    const path = (given: unknown) => {
      const { code, path: place } = faultOf(() => encode(given as never))
      return [code, place]
    }
    for (const bad of [
      new Set(),
      /x/,
      new Error('x'),
      Promise.resolve(),
      new String('x'),
      Symbol('x'),
      () => 1,
      undefined,
    ]) {
      expect(path({ a: [0, { 'b-c': bad === undefined ? [bad] : bad }] })[0]).toBe('WT_HDS_VALUE')
    }
    expect(path({ a: [0, { 'b-c': () => 1 }] })).toEqual(['WT_HDS_VALUE', 'a[1]["b-c"]'])
    expect(path([1, '\ud800'])).toEqual(['WT_HDS_VALUE', '[1]'])
    expect(path([`${'x'.repeat(100)}\udc00`])).toEqual(['WT_HDS_VALUE', '[0]'])
    expect(path({ a: 2n ** 64n })).toEqual(['WT_HDS_RANGE', 'a'])
    expect(path([new Date(Number.NaN)])).toEqual(['WT_HDS_VALUE', '[0]'])
    expect(faultOf(() => uuid('x')).code).toBe('WT_HDS_VALUE')
    expect(faultOf(() => int8(300)).code).toBe('WT_HDS_RANGE')
    expect(faultOf(() => int32(1.5)).code).toBe('WT_HDS_VALUE')
    expect(faultOf(() => numbers([1] as never)).code).toBe('WT_HDS_VALUE')
    expect(faultOf(() => encode(opack.int8(200))).code).toBe('WT_HDS_RANGE')
    expect(toHex(opack.encode(opack.int8(200)))).toBe('30c8')
    expect(faultOf(() => opack.encode(opack.int8(-2))).code).toBe('WT_HDS_RANGE')
  })

  it('lets a value encode while it is encoded', () => {
    const inner = encode({ deep: [1, 2, 3] })
    const given = {
      before: 'x',
      get now() {
        return encode({ deep: [1, 2, 3] })
      },
      after: 'y',
    }
    expect(decode(encode(given))).toEqual({ before: 'x', now: inner, after: 'y' })
    const failing = {
      get now() {
        throw new RangeError('mine')
      },
    }
    expect(() => encode(failing)).toThrow(RangeError)
    expect(decode(encode(given))).toEqual({ before: 'x', now: inner, after: 'y' })
  })

  it('keep their limits at one less, that and one more', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    for (const max of [1, 2, 32, 100, 500]) {
      const limits = { maxDepth: max }
      for (const depth of [max - 1, max])
        expect(neutralOf(decode(encode(nested(depth) as never, { limits }), { limits }))).toEqual(
          neutralOf(nested(depth)),
        )
      const over = fromHex(`${'d1'.repeat(max + 1)}08`)
      expect(faultOf(() => decode(over, { limits }))).toMatchObject({
        code: 'WT_HDS_DEPTH',
        offset: max,
        limit: { name: 'maxDepth', max, actual: max + 1 },
      })
      expect(faultOf(() => encode(nested(max + 1) as never, { limits })).code).toBe('WT_HDS_DEPTH')
    }
    expect(faultOf(() => decode(fromHex('d0'), { limits: { maxDepth: 0 } })).code).toBe('WT_HDS_DEPTH')
    expect(decode(fromHex('08'), { limits: { maxDepth: 0 } })).toBe(0)

    const list = encode({ a: [1, 2, 'x', [3]], b: null })
    for (const numbersOf of ['list', 'typed'] as const) {
      for (const [maxItems, ok] of [
        [9, false],
        [10, true],
        [11, true],
      ] as const) {
        const read = () => decode(list, { limits: { maxItems }, numbers: numbersOf })
        if (ok) expect(read()).toBeDefined()
        else
          expect(faultOf(read)).toMatchObject({ code: 'WT_HDS_ITEMS', limit: { name: 'maxItems', max: 9, actual: 10 } })
      }
    }
    for (const maxPayloadBytes of [list.length - 1, list.length, list.length + 1]) {
      const read = () => decode(list, { limits: { maxPayloadBytes } })
      const readAt = () => decodeAt(list, 0, { limits: { maxPayloadBytes } })
      if (maxPayloadBytes >= list.length) expect([read(), readAt()?.end]).toEqual([decode(list), list.length])
      else {
        const limit = { name: 'maxPayloadBytes', max: maxPayloadBytes, actual: list.length }
        expect(faultOf(read)).toMatchObject({ code: 'WT_HDS_PAYLOAD_TOO_LARGE', limit, offset: maxPayloadBytes })
        expect(faultOf(readAt).code).toBe('WT_HDS_PAYLOAD_TOO_LARGE')
      }
    }
    // A length that can never be kept is no reason to wait.
    expect(faultOf(() => decodeAt(fromHex('94ffffffffffffffff'), 0)).code).toBe('WT_HDS_PAYLOAD_TOO_LARGE')
    expect(decodeAt(fromHex('9300000f00'), 0)).toBeUndefined()

    const referring = fromHex('d3 63 0a 00 00 00 61616161616161616161 a0 a0'.replaceAll(' ', ''))
    for (const [maxExpandedBytes, ok] of [
      [19, false],
      [20, true],
      [21, true],
    ] as const) {
      const read = () => decode(referring, { references: 'hap-nodejs', limits: { maxExpandedBytes } })
      if (ok) expect(read()).toEqual(Array(3).fill('a'.repeat(10)))
      else expect(faultOf(read).limit).toEqual({ name: 'maxExpandedBytes', max: 19, actual: 20 })
    }
  })

  it('name the first fault where there are two', () => {
    const code = (hex: string, options: DecodeOptions) => {
      const fault = faultOf(() => decode(fromHex(hex), options))
      return [fault.code, fault.offset]
    }
    expect(code('d3 4161 a5 00'.replaceAll(' ', ''), { references: 'opack' })).toEqual(['WT_HDS_BAD_REFERENCE', 3])
    expect(code('d3 4161 a0 00'.replaceAll(' ', ''), { references: 'opack' })).toEqual(['WT_HDS_TAG', 4])
    expect(code('d2 30ff e1 a0 08'.replaceAll(' ', ''), { references: 'hap-nodejs' })).toEqual(['WT_HDS_KEY', 4])
  })

  it('show no byte of what was in memory before', () => {
    const secret = 'SECRET'.repeat(2000)
    decode(encode({ secret, list: [secret.slice(0, 64)] }))
    encode({ secret })
    const { memory } = selectCore(100, 0)
    memory.u8.fill(0xaa, L_ARENA)
    const random = new Random(4)
    for (let i = 0; i < 300; i++) {
      const bytes = random.bytes(random.below(40))
      let said: string
      try {
        said = toJson(decode(bytes, { utf8: 'replace' }))
      } catch (error) {
        if (!WireError.is(error)) throw error
        said = toJson(error)
      }
      expect(said).not.toContain('SECRET')
      expect(said).not.toContain('ªª')
    }
    for (const given of [[], {}, 'a', new Uint8Array(3)]) {
      const bytes = encode(given)
      expect(bytes.buffer.byteLength).toBe(bytes.length)
    }
  })

  it('leave a target alone where they do not fit, or cannot be written', () => {
    const given = ['x'.repeat(50), pattern(1, 9000), { a: 1 }]
    const { length } = encode(given)
    for (const [size, offset, ok] of [
      [length, 0, true],
      [length - 1, 0, false],
      [length + 5, 5, true],
      [length + 5, 6, false],
    ] as const) {
      const target = new Uint8Array(size).fill(0xee)
      if (ok) expect(encodeInto(given, target, offset)).toBe(offset + length)
      else {
        expect(faultOf(() => encodeInto(given, target, offset)).code).toBe('WT_TARGET_TOO_SMALL')
        expect(target.every((byte) => byte === 0xee)).toBe(true)
      }
    }
    const target = new Uint8Array(100_000).fill(0xee)
    expect(faultOf(() => encodeInto([...given, () => 1], target)).code).toBe('WT_HDS_VALUE')
    expect(target.every((byte) => byte === 0xee)).toBe(true)
    for (const offset of [-1, 0.5, Number.NaN]) expect(faultOf(() => encodeInto(1, target, offset)).kind).toBe('usage')
  })

  it("are pieces whose large data are the caller's own", () => {
    const data = new Uint8Array(70_000).fill(9)
    const pieces = encodeChunks({ a: data, b: [data, pattern(1, 100)] })
    expect(pieces.filter((piece) => piece.buffer === data.buffer).length).toBe(2)
    expect(Buffer.concat(pieces).equals(encode({ a: data, b: [data, pattern(1, 100)] }))).toBe(true)
    expect(encodeChunks(pattern(1, 16_383)).length).toBe(1)
    expect(encodeChunks(pattern(1, 16_384)).length).toBe(2)
  })
})

describe('OPACK', () => {
  it('writes references, and reads its own', () => {
    const given = { name: 'name', list: ['name', 1000, 1000, 'é', 'é', pattern(1, 40), pattern(1, 40)] }
    const bytes = opack.encode(given)
    expect(bytes.length).toBeLessThan(opack.encode(given, { references: 'reject' }).length)
    expect(opack.decode(bytes)).toEqual(given)
    expect(faultOf(() => decode(bytes)).code).toBe('WT_HDS_REFERENCE')
    expect(faultOf(() => encode(given, { references: 'opack' })).kind).toBe('usage')
    const many = Array.from({ length: 70_000 }, (_, i) => `item ${i}`)
    const options = { limits: { maxPayloadBytes: 5_000_000 } }
    expect(opack.decode(opack.encode([...many, ...many]), options)).toEqual([...many, ...many])
    expect(opack.decodeAt(bytes, 0)?.end).toBe(bytes.length)
    const target = new Uint8Array(bytes.length + 1)
    expect(opack.encodeInto(given, target, 1)).toBe(target.length)
    expect([opack.encodedLength(given), opack.encodeChunks(given).length]).toEqual([bytes.length, 1])
  })

  it('has keys of any scalar, but not in objects', () => {
    const map = new Map<unknown, unknown>([
      [true, 1],
      [300, 2],
      ['a', 3],
      [null, 4],
      [-2, 5],
    ])
    const bytes = opack.encode(map)
    expect(opack.decode(bytes, { dict: 'map' })).toEqual(map)
    expect(faultOf(() => opack.decode(bytes)).code).toBe('WT_HDS_KEY')
    expect(faultOf(() => opack.encode(new Map([[[1], 2]]))).code).toBe('WT_HDS_VALUE')
  })

  it('has strings with lengths of three bytes', () => {
    const long = 'x'.repeat(70_000)
    expect(toHex(opack.encode(long).subarray(0, 4))).toBe('63701101')
    expect(opack.decode(opack.encode(long))).toBe(long)
    expect(opack.decode(opack.encode('é'.repeat(40_000)))).toBe('é'.repeat(40_000))
    expect(opack.decode(fromHex('63030000616263'))).toBe('abc')
  })
})

describe('wrappers', () => {
  it('have a JSON form that the command reads back', () => {
    const values = [
      int8(1),
      int64(2n ** 60n),
      float32(0.1),
      float64(2),
      uuid('12345678-1234-5678-1234-567812345678'),
      date(5.5),
      Pairs.of(['a', 1]),
    ]
    const revive = hds.revive!
    for (const given of values) expect(fromJson(toJson(given), { revive })).toEqual(given)
    expect([int8(5).valueOf(), float32(0.5).valueOf(), float64(2).valueOf(), date(3).valueOf()]).toEqual([5, 0.5, 2, 3])
    expect(String(uuid('ABCDEF78-1234-5678-1234-567812345678'))).toBe('abcdef78-1234-5678-1234-567812345678')
  })

  it('are dates exact to the bit, and Dates where they can be', () => {
    const when = new Date('2025-10-01T08:26:40.500Z')
    expect(toHex(encode(when))).toBe('06000040a08e46c741')
    const read = decode<Timestamp>(encode(when))
    expect([read.seconds, read.toDate()]).toEqual([781_000_000.5, when])
    expect(Number.isNaN(date(1e300).toDate().getTime())).toBe(true)
  })
})
