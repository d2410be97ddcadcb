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
  validateField,
} from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { fromHex, toHex } from '../vectors'
import { faultOf } from './fault'

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
    expect(decode(fromHex('00017801ff'), { charset: 'utf8' })[0]!.value).toBe('\ufffd')
    expect(faultOf(() => octets('\u0100')).code).toBe('WT_HPACK_TEXT')
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

describe.each(['wasm', 'js'] as const)('Encoder, %s', (backend) => {
  it('keeps secrets out of the table', () => {
    useBackend(backend)
    const encoder = new Encoder()
    const list: HeaderInput[] = [
      ['authorization', 'Basic abcdefghijklmnopqrstuvwxyz'],
      ['Authorization', 'Basic abcdefghijklmnopqrstuvwxyz'],
      ['proxy-authorization', 'x'],
      ['cookie', 'short'],
      ['set-cookie', 'short'],
      ['cookie', 'a cookie that is long enough to be no guess'],
      { name: 'x-mine', value: 'secret', sensitive: true },
    ]
    const decoder = new Decoder()
    const fields = decoder.decode(encoder.encode(list))
    expect(fields.map(({ sensitive }) => sensitive)).toEqual([true, true, true, true, true, false, true])
    expect(plain(decoder.entries())).toEqual([['cookie', 'a cookie that is long enough to be no guess']])
    // A relayed field stays what it was.
    expect(new Decoder().decode(new Encoder().encode(fields)).map(({ sensitive }) => sensitive)).toEqual(
      fields.map(({ sensitive }) => sensitive),
    )
    // Not even a pair that both tables have is sent as an index.
    expect(toHex(encode([{ name: ':method', value: 'GET', sensitive: true }]))).toBe('1203474554')
  })

  it('follows the policies of its options', () => {
    useBackend(backend)
    const kindOf = (field: HeaderInput, options?: ConstructorParameters<typeof Encoder>[0]) =>
      ['without', 'never', 'update', 'update', 'index', 'index', 'index', 'index'][encode([field], options)[0]! >>> 4]
    expect(kindOf(['x-id', 'a'])).toBe('index')
    expect(kindOf(['x-id', 'a'], { noIndex: ['X-Id'] })).toBe('without')
    expect(kindOf(['x-id', 'a'], { neverIndex: ['x-id'] })).toBe('never')
    expect(kindOf(['x-id', 'a'], { noIndex: (name, value) => name === 'x-id' && value === 'a' })).toBe('without')
    expect(kindOf(['x-id', 'a'], { neverIndex: (name) => name === 'x-id' })).toBe('never')
    expect(kindOf([':path', '/x'])).toBe('without')
    expect(kindOf({ name: ':path', value: '/x', index: true })).toBe('index')
    expect(kindOf({ name: 'x-id', value: 'a', index: false })).toBe('without')
    expect(kindOf(['x', 'y'.repeat(3000)])).toBe('index')
    expect(kindOf(['x', 'y'.repeat(3100)])).toBe('without')
    expect(faultOf(() => new Encoder({ neverIndex: 'x' as never })).kind).toBe('usage')
    expect(faultOf(() => new Encoder({ huffman: 'sometimes' as never })).kind).toBe('usage')
  })

  it('codes strings as asked', () => {
    useBackend(backend)
    expect(toHex(encode([['aaaa', '{{']], { huffman: 'shorter' }))).toBe('408318c63f027b7b')
    expect(toHex(encode([['aaaa', '{{']], { huffman: 'never' }))).toBe('400461616161027b7b')
    expect(toHex(encode([['aaaa', '{{']], { huffman: 'always' }))).toBe('408318c63f84fffdfffb')
  })

  it('splits cookies if asked to', () => {
    useBackend(backend)
    const encoder = new Encoder({ splitCookies: true })
    const cookie = 'first=0123456789abcdef; second=0123456789abcdef; last'
    const fields = new Decoder().decode(
      encoder.encode([
        ['cookie', cookie],
        ['cookie', 'a;b'],
      ]),
    )
    expect(plain(fields)).toEqual([...cookie.split('; ').map((crumb) => ['cookie', crumb]), ['cookie', 'a;b']])
    expect(encode([['cookie', cookie]], { splitCookies: true }).length).toBeLessThanOrEqual(
      encoder.encodedLengthBound([['cookie', cookie]]),
    )
  })

  it('announces sizes before it uses them', () => {
    useBackend(backend)
    const encoder = new Encoder()
    encoder.encode([['a', 'b']])
    encoder.setPeerMaxTableSize(0)
    encoder.setPeerMaxTableSize(4096)
    expect(encoder.tableSize).toBe(0)
    expect(toHex(encoder.encode([]))).toBe('203fe11f')
    expect(toHex(encoder.encode([]))).toBe('')
    encoder.setPeerMaxTableSize(8192)
    expect(toHex(encoder.encode([]))).toBe('')
    const large = new Encoder({ limits: { maxTableSize: 8192 } })
    large.setPeerMaxTableSize(8000)
    expect(toHex(large.encode([]))).toBe('3fa13e')
    const small = new Encoder({ limits: { maxTableSize: 100 } })
    expect(toHex(small.encode([[':method', 'GET']]))).toBe('3f4582')
    expect(faultOf(() => small.setPeerMaxTableSize(-1)).kind).toBe('usage')
    small.reset()
    expect(toHex(small.encode([[':method', 'GET']]))).toBe('3f4582')
    small.close()
    expect(toHex(small.encode([[':method', 'GET']]))).toBe('3f4582')
  })

  it('changes nothing where a list cannot be encoded or does not fit', () => {
    useBackend(backend)
    const encoder = new Encoder({ limits: { maxTableSize: 120 } })
    const decoder = new Decoder({ limits: { maxTableSize: 120 } })
    const decodeNext = (list: readonly HeaderInput[]) =>
      expect(plain(decoder.decode(encoder.encode(list)))).toEqual(list)
    decodeNext([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ])
    const before = plain(encoder.entries())
    const statistics = encoder.statistics
    const bad: readonly (readonly [HeaderInput[], string, string | undefined])[] = [
      [
        [
          ['c', '4'],
          ['d', '5'],
          ['e', '\u0100'],
        ],
        'WT_HPACK_TEXT',
        '[2].value',
      ],
      [
        [
          ['c', '4'],
          ['\u4e0d', 'x'],
        ],
        'WT_HPACK_TEXT',
        '[1].name',
      ],
      [
        [
          ['c', '4'],
          ['e', `${'x'.repeat(80)}\u0100`],
        ],
        'WT_HPACK_TEXT',
        '[1].value',
      ],
      [
        [
          ['c', '4'],
          ['d', 5 as never],
        ],
        'WT_HPACK_FIELD',
        '[1]',
      ],
      [[['c', '4'], undefined as never], 'WT_HPACK_FIELD', '[1]'],
    ]
    for (const [list, code, path] of bad) {
      const error = faultOf(() => encoder.encode(list))
      expect([error.code, error.path, error.offset, error.kind]).toEqual([code, path, -1, 'value'])
    }
    const target = new Uint8Array(20).fill(7)
    expect(
      faultOf(() =>
        encoder.encodeInto(
          [
            ['c', '4'],
            ['d', '5'],
            ['e', '6'],
            ['f', '7'],
          ],
          target,
          1,
        ),
      ).code,
    ).toBe('WT_TARGET_TOO_SMALL')
    expect([...target]).toEqual(new Array(20).fill(7))
    expect(faultOf(() => encoder.encodeInto([], target, -1)).kind).toBe('usage')
    expect(() =>
      encoder.encode(
        (function* () {
          yield ['g', 'h'] as const
          throw new RangeError('mine')
        })(),
      ),
    ).toThrow('mine')
    expect(plain(encoder.entries())).toEqual(before)
    expect(encoder.statistics).toEqual(statistics)
    decodeNext([
      ['a', '3'],
      ['a', '1'],
      ['c', '4'],
      ['b', '2'],
    ])
    expect(plain(encoder.entries())).toEqual(plain(decoder.entries()))
    const end = encoder.encodeInto([['a', '1']], target, 9)
    expect(plain(decoder.decode(target.subarray(9, end)))).toEqual([['a', '1']])
    expect([...target.subarray(0, 9)]).toEqual(new Array(9).fill(7))
  })

  it('refuses to be called by its own callbacks, and lets others be', () => {
    useBackend(backend)
    const other = new Encoder()
    const encoder: Encoder = new Encoder({
      noIndex: (name) => {
        if (name === 'inner') encoder.encode([])
        if (name === 'size') encoder.setPeerMaxTableSize(0)
        other.encode([
          ['x', name],
          ['y', 'z'],
        ])
        return false
      },
    })
    expect(faultOf(() => encoder.encode([['inner', 'x']])).kind).toBe('usage')
    expect(faultOf(() => encoder.encode([['size', 'x']])).kind).toBe('usage')
    expect(
      plain(
        decode(
          encoder.encode([
            ['k', 'v'],
            ['l', 'w'],
          ]),
        ),
      ),
    ).toEqual([
      ['k', 'v'],
      ['l', 'w'],
    ])
  })

  it('forgets names that nobody uses any more', () => {
    useBackend(backend)
    const encoder = new Encoder()
    const decoder = new Decoder()
    for (let i = 0; i < 500; i++) {
      const list: HeaderInput[] = [
        [`x-${i}`, 'same'],
        [`x-${i}`, `${i}`],
        ['x-last', 'same'],
      ]
      expect(plain(decoder.decode(encoder.encode(list)))).toEqual(list)
    }
    expect(plain(encoder.entries())).toEqual(plain(decoder.entries()))
    expect(encoder.statistics.inserted - encoder.statistics.evicted).toBe(encoder.entries().length)
  })
})

it('validateField names what HTTP/2 forbids', () => {
  for (const [name, value] of [
    ['a', 'b c'],
    [':path', '/'],
    ['x-y_z', ''],
    ['a', 'é'],
  ]) {
    expect(validateField({ name: name!, value: value! })).toBeUndefined()
  }
  for (const [name, value, text] of [
    ['', 'b', 'empty'],
    ['Abc', '', 'upper-case'],
    ['a b', '', 'character'],
    ['a:', '', 'character'],
    ['a', 'b\r\nc', 'NUL, CR or LF'],
    ['a', ' b', 'blank'],
    ['a', 'b\t', 'blank'],
  ]) {
    expect(validateField({ name: name!, value: value! })).toContain(text)
  }
})
