import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_LIMITS,
  type DecodeOptions,
  Decoder,
  decode,
  Encoder,
  encode,
  type HeaderInput,
  octets,
} from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex } from '../vectors'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heapUsed = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}
const plain = (fields: readonly { name: string; value: string }[]) => fields.map(({ name, value }) => [name, value])
/** A block of one literal without indexing. */
const literal = (name: string, value: string): Uint8Array =>
  encode([{ name, value, index: false }], { huffman: 'never' })
const join = (...pieces: readonly Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]))

describe.each(['wasm', 'js'] as const)('Decoder, %s', (backend) => {
  it('keeps each limit at one below, at, and one above', () => {
    useBackend(backend)
    const read = (block: Uint8Array, limits: DecodeOptions['limits']) => () => decode(block, { limits })
    const list = join(literal('a', 'bc'), literal('d', ''))
    const size = 35 + 33
    expect(plain(read(list, { maxListSize: size })())).toEqual([
      ['a', 'bc'],
      ['d', ''],
    ])
    expect(plain(read(list, { maxListSize: size + 1 })()).length).toBe(2)
    expect(faultOf(read(list, { maxListSize: size - 1 }))).toMatchObject({
      code: 'WT_HPACK_LIST_TOO_LARGE',
      kind: 'limit',
      offset: 6,
      limit: { name: 'maxListSize', max: size - 1, actual: size },
    })
    expect(read(list, { maxFields: 2 })().length).toBe(2)
    expect(read(list, { maxFields: 3 })().length).toBe(2)
    expect(faultOf(read(list, { maxFields: 1 }))).toMatchObject({
      code: 'WT_HPACK_TOO_MANY_FIELDS',
      kind: 'limit',
      offset: 6,
      limit: { name: 'maxFields', max: 1, actual: 2 },
    })
    const text = literal('a', 'x'.repeat(40))
    expect(read(text, { maxStringBytes: 40 })().length).toBe(1)
    expect(read(text, { maxStringBytes: 41 })().length).toBe(1)
    const tooLong = {
      code: 'WT_HPACK_STRING_TOO_LONG',
      offset: 4 + 39,
      limit: { name: 'maxStringBytes', max: 39, actual: 40 },
    }
    expect(faultOf(read(text, { maxStringBytes: 39 }))).toMatchObject(tooLong)
    const decoder = new Decoder({ limits: { maxStringBytes: 39 } })
    for (const octet of text) decoder.push(Uint8Array.of(octet))
    expect(faultOf(() => decoder.read())).toMatchObject(tooLong)
    for (const [maxTableSize, count] of [
      [33, 0],
      [34, 1],
      [35, 1],
    ] as const) {
      const small = new Decoder({ limits: { maxTableSize } })
      small.decode(fromHex('4001610162'))
      expect(small.entries().length).toBe(count)
    }
    expect(() => new Decoder({ limits: { maxListSize: -1 } })).toThrow('maxListSize')
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true)
  })

  it('skips what is too much, and stays in step', () => {
    useBackend(backend)
    const decoder = new Decoder({ onTooLarge: 'skip', limits: { maxListSize: 70 } })
    expect(plain(decoder.decode(fromHex('40016101624001630164400165016682')))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect([decoder.skipped, decoder.listSize]).toEqual([2, 34 * 3 + 42])
    expect(plain(decoder.entries())).toEqual([
      ['e', 'f'],
      ['c', 'd'],
      ['a', 'b'],
    ])
    expect(plain(decoder.decode(fromHex('be')))).toEqual([['e', 'f']])
    expect(decoder.skipped).toBe(0)
    const narrow = new Decoder({ onTooLarge: 'skip', limits: { maxFields: 1, maxTableSize: 40 } })
    expect(
      plain(
        narrow.decode(
          join(
            fromHex('824001610162'),
            encode([['n', 'x'.repeat(50)]], { huffman: 'never' }).map((o, i) => (i === 0 ? 0x40 : o)),
          ),
        ),
      ),
    ).toEqual([[':method', 'GET']])
    expect(narrow.entries()).toEqual([])
  })

  it('shares fields of the table, and nobody can change them', () => {
    useBackend(backend)
    const decoder = new Decoder()
    const [first] = decoder.decode(fromHex('4001610162'))
    const [second, third] = decoder.decode(fromHex('bebe'))
    expect(second).toBe(first)
    expect(third).toBe(first)
    expect(() => Object.assign(second!, { value: 'x' })).toThrow(TypeError)
    expect(() => Object.assign(decoder.decode(fromHex('82'))[0]!, { value: 'x' })).toThrow(TypeError)
  })

  it('takes the name before it makes room', () => {
    useBackend(backend)
    const decoder = new Decoder({ limits: { maxTableSize: 64 } })
    decoder.decode(fromHex('400461626364056566676831'))
    // The name is the entry's that this field pushes out.
    expect(plain(decoder.decode(fromHex('7e056566676832')))).toEqual([['abcd', 'efgh2']])
    expect(plain(decoder.entries())).toEqual([['abcd', 'efgh2']])
    expect(decoder.statistics).toMatchObject({
      blocks: 2,
      fields: 2,
      inserted: 2,
      evicted: 1,
      octets: 19,
      listOctets: 82,
    })
  })

  it('reads fragments, and says what it holds', () => {
    useBackend(backend)
    const decoder = new Decoder()
    decoder.push(fromHex('82400361'))
    expect([decoder.buffered, decoder.offset]).toEqual([3, 1])
    expect(decoder.read()).toMatchObject({ name: ':method' })
    expect(decoder.read()).toBeUndefined()
    expect(faultOf(() => decoder.decode(fromHex('82'))).kind).toBe('usage')
    expect(faultOf(() => decoder.setMaxTableSize(0)).kind).toBe('usage')
    decoder.push(fromHex('62630161')).end()
    // The fields of two blocks must not run into each other.
    expect(faultOf(() => decoder.push(fromHex('82'))).kind).toBe('usage')
    expect(faultOf(() => decoder.end()).kind).toBe('usage')
    expect([decoder.buffered, decoder.offset]).toEqual([0, 8])
    expect(plain([...decoder])).toEqual([['abc', 'a']])
    expect(plain(decoder.decode(fromHex('be')))).toEqual([['abc', 'a']])
    expect(plain(decoder.push(fromHex('be')).end().readAll())).toEqual([['abc', 'a']])
    expect(faultOf(() => decoder.push('be' as never)).kind).toBe('usage')
  })

  it('gives fields before a fault, then the fault, then the fault', () => {
    useBackend(backend)
    const decoder = new Decoder()
    decoder.push(fromHex('8284c6'))
    expect(plain(decoder.readAll())).toEqual([
      [':method', 'GET'],
      [':path', '/'],
    ])
    const fault = faultOf(() => decoder.readAll())
    expect(fault).toMatchObject({ code: 'WT_HPACK_INDEX_RANGE', offset: 2, status: 9 })
    expect(faultOf(() => decoder.push(fromHex('82')).end().read())).toBe(fault)
    decoder.reset()
    expect(plain(decoder.decode(fromHex('82')))).toEqual([[':method', 'GET']])
  })

  it('answers SETTINGS with the three sizes apart', () => {
    useBackend(backend)
    const decoder = new Decoder()
    decoder.setMaxTableSize(8192)
    expect([decoder.tableLimit, decoder.tableMaximum, decoder.tableSize]).toEqual([8192, 4096, 0])
    decoder.decode(fromHex('3fe13f4001610162'))
    expect([decoder.tableLimit, decoder.tableMaximum, decoder.tableSize]).toEqual([8192, 8192, 34])
    decoder.setMaxTableSize(100)
    expect([decoder.tableLimit, decoder.tableMaximum]).toEqual([100, 8192])
    expect(plain(decoder.decode(fromHex('3f4582')))).toEqual([[':method', 'GET']])
    expect(decoder.tableMaximum).toBe(100)
    for (const size of [-1, 1.5, 2 ** 32, '1'])
      expect(faultOf(() => decoder.setMaxTableSize(size as number)).kind).toBe('usage')
    decoder.setMaxListSize(41)
    expect(faultOf(() => decoder.decode(fromHex('82'))).limit).toEqual({ name: 'maxListSize', max: 41, actual: 42 })
  })

  it('reads any octet, and UTF-8 if asked to', () => {
    useBackend(backend)
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))
    for (const huffman of ['never', 'always'] as const) {
      const block = encode(
        [
          ['x', all],
          [all, 'y'],
        ],
        { huffman },
      )
      const fields = decode(block)
      expect(plain(fields)).toEqual([
        ['x', all],
        [all, 'y'],
      ])
      expect([...octets(fields[0]!.value)]).toEqual(Array.from({ length: 256 }, (_, i) => i))
    }
    const text = 'naïve – 🎉'
    const block = encode(
      [
        ['x', text],
        ['y', 'z'],
      ],
      { charset: 'utf8' },
    )
    expect(plain(decode(block, { charset: 'utf8' }))).toEqual([
      ['x', text],
      ['y', 'z'],
    ])
    expect(decode(block)[0]!.value).toBe(Buffer.from(text).toString('latin1'))
    const decoder = new Decoder({ charset: 'utf8' })
    decoder.decode(block)
    expect(decoder.tableSize).toBe(33 + Buffer.byteLength(text) + 34)
    // What is not UTF-8 is not to be lost: it is a fault, of the field and not of the compression.
    const utf8 = new Decoder({ charset: 'utf8' })
    utf8.push(fromHex('824001ff01')).push(fromHex('6182'))
    expect(plain(utf8.readAll())).toEqual([[':method', 'GET']])
    const fault = faultOf(() => utf8.end().read())
    expect(fault).toMatchObject({ code: 'WT_HPACK_UTF8', kind: 'malformed', offset: 1, status: 1 })
    expect(faultOf(() => utf8.decode(block))).toBe(fault)
    expect(faultOf(() => decode(fromHex('00017801ff'), { charset: 'utf8' }))).toMatchObject({
      code: 'WT_HPACK_UTF8',
      offset: 0,
    })
    expect(faultOf(() => octets('\u0100')).code).toBe('WT_HPACK_TEXT')
    expect(faultOf(() => octets(undefined as never)).kind).toBe('usage')
  })

  it('reads strings that fill more than a window', () => {
    useBackend(backend)
    const limits = { maxStringBytes: 300_000, maxListSize: 10_000_000 }
    const list: HeaderInput[] = [
      ['a', 'x'.repeat(200_000)],
      ['b', '~'.repeat(100_000)],
      ['c', '\u00ff'.repeat(70_000)],
    ]
    const block = encode(list)
    expect(plain(decode(block, { limits }))).toEqual(list)
    const decoder = new Decoder({ limits })
    for (let at = 0; at < block.length; at += 1000) decoder.push(block.subarray(at, at + 1000))
    expect(plain(decoder.end().readAll())).toEqual(list)
    const many = Array.from({ length: 2000 }, (_, i): HeaderInput => [`n${i % 50}`, `value ${i}`])
    expect(plain(decode(encode(many), { limits }))).toEqual(many)
  })

  it('stops a bomb after what the limits allow', () => {
    useBackend(backend)
    const decoder = new Decoder()
    const bomb = join(encode([{ name: 'x', value: 'v'.repeat(4000), index: true }]), new Uint8Array(32_768).fill(0xbe))
    expect(faultOf(() => decoder.decode(bomb))).toMatchObject({ code: 'WT_HPACK_LIST_TOO_LARGE', status: 11 })
    expect(decoder.entries()).toEqual([])
    expect(faultOf(() => new Decoder().decode(new Uint8Array(32_769))).code).toBe('WT_HPACK_LIST_TOO_LARGE')
    // What is left out costs no string, however much of it there is.
    const skipping = new Decoder({ onTooLarge: 'skip' })
    expect(skipping.decode(bomb).length).toBe(16)
    expect(skipping.skipped).toBe(32_768 - 15)
  })

  it('keeps nothing large for something small', () => {
    useBackend(backend)
    // A relay: of each block one short field stays in the table of the encoder, which must not keep the text of the block.
    const peer = new Encoder()
    const decoder = new Decoder()
    const encoder = new Encoder()
    const before = heapUsed()
    for (let i = 0; i < 70; i++) {
      const list = [
        { name: 'x-large', value: 'x'.repeat(50_000) + i, index: false },
        { name: 'x-small', value: `a value of some length ${i}`, index: false },
      ]
      encoder.encode(decoder.decode(peer.encode(list)).slice(1))
    }
    expect(encoder.entries().length).toBeGreaterThan(40)
    // With the blocks it would be 3.5 MB.
    expect(heapUsed() - before).toBeLessThan(1_500_000)
    expect(plain(encoder.entries())[0]).toEqual(['x-small', 'a value of some length 69'])
  })

  it('lets two decoders take turns, with encoders between', () => {
    useBackend(backend)
    const lists = (seed: number): HeaderInput[][] =>
      Array.from({ length: 20 }, (_, i) => [
        [':path', `/${seed}/${i}`],
        ['x-turn', `${i % 3}`],
        ['etag', `"${seed * i}"`],
      ])
    const sides = [1, 2].map((seed) => ({
      lists: lists(seed),
      encoder: new Encoder(),
      decoder: new Decoder(),
      out: [] as unknown[],
    }))
    const noise = new Encoder()
    for (let i = 0; i < 20; i++) {
      const blocks = sides.map(({ encoder, lists }) => encoder.encode(lists[i]!))
      for (let at = 0; at < 60; at++) {
        sides.forEach(({ decoder, out }, side) => {
          const block = blocks[side]!
          if (at < block.length) decoder.push(block.subarray(at, at + 1))
          for (const { name, value } of decoder) {
            noise.encode([
              [name, value],
              ['x-noise', `${at}`],
            ])
            out.push([name, value])
          }
        })
      }
      for (const { decoder } of sides) decoder.end()
    }
    for (const { lists, out } of sides) expect(out).toEqual(lists.flat())
  })
})
