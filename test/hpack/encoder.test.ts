import { describe, expect, it } from 'vitest'
import { Decoder, decode, Encoder, encode, type HeaderInput, validateField } from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { toHex } from '../vectors'

const plain = (fields: readonly { name: string; value: string }[]) => fields.map(({ name, value }) => [name, value])

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
        if (name === 'reset') encoder.reset()
        if (name === 'close') encoder.close()
        other.encode([
          ['x', name],
          ['y', 'z'],
        ])
        return false
      },
    })
    expect(faultOf(() => encoder.encode([['inner', 'x']])).kind).toBe('usage')
    expect(faultOf(() => encoder.encode([['size', 'x']])).kind).toBe('usage')
    // The table would be another one from there on, and the peer would not know.
    expect(faultOf(() => encoder.encode([['reset', 'x']])).kind).toBe('usage')
    expect(faultOf(() => encoder.encode([['close', 'x']])).kind).toBe('usage')
    const emptied = (function* () {
      yield ['a', 'b'] as const
      encoder.reset()
    })()
    expect(faultOf(() => encoder.encode(emptied)).kind).toBe('usage')
    expect(encoder.entries()).toEqual([])
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

  it('finds any entry, of many with one name, of many names, and where values differ little', () => {
    useBackend(backend)
    const encoder = new Encoder({ limits: { maxTableSize: 100_000 } })
    const decoder = new Decoder()
    encoder.setPeerMaxTableSize(100_000)
    decoder.setMaxTableSize(100_000)
    const pad = (i: number) => String(i).padStart(4, '0')
    // What differs stands at the end, at the start, and where a look at a few characters finds nothing.
    const list = Array.from({ length: 600 }, (_, i): HeaderInput => {
      const number = pad(i)
      if (i % 4 === 0) return ['x-one', `value ${number}`]
      if (i % 4 === 1) return ['x-one', `${number} value`]
      return i % 4 === 2 ? [`x-${number}`, 'same'] : ['x-two', '']
    })
    const alike = Array.from({ length: 12 }, (_, i): HeaderInput => ['x-alike', `a${pad(i)}${'b'.repeat(40)}`])
    const all = [...list, ...alike]
    expect(plain(decoder.decode(encoder.encode(all)))).toEqual(all)
    expect(faultOf(() => encoder.encode([...all.slice(0, 9), ['x-new', '1'], ['x', '\u0100']])).code).toBe(
      'WT_HPACK_TEXT',
    )
    const { indexed } = encoder.statistics
    expect(plain(decoder.decode(encoder.encode(all)))).toEqual(all)
    expect(encoder.statistics.indexed - indexed).toBe(all.length)
    expect(plain(encoder.entries())).toEqual(plain(decoder.entries()))
  })

  it('writes UTF-8, and what no UTF-8 says not at all', () => {
    useBackend(backend)
    const seen: string[] = []
    const encoder = new Encoder({
      charset: 'utf8',
      neverIndex: (name, value) => seen.push(name, value) === 0,
      noIndex: ['x-ö'],
    })
    const decoder = new Decoder({ charset: 'utf8' })
    const list: HeaderInput[] = [
      ['x-ö', 'ä – 🎉'],
      ['x-plain', 'text'],
    ]
    expect(plain(decoder.decode(encoder.encode(list)))).toEqual(list)
    // A policy is about the text, not about its octets.
    expect(seen).toEqual(['x-ö', 'ä – 🎉', 'x-plain', 'text'])
    expect(plain(decoder.entries())).toEqual([['x-plain', 'text']])
    for (const [field, path] of [
      [['x', 'a\ud800'], '[1].value'],
      [['x\udc00y', 'a'], '[1].name'],
    ] as const) {
      const error = faultOf(() => encoder.encode([['x-new', 'n'], field]))
      expect([error.code, error.path]).toEqual(['WT_HPACK_TEXT', path])
      expect(error.message).toMatch(/U\+D[8C]00/)
    }
    expect(plain(encoder.entries())).toEqual([['x-plain', 'text']])
  })

  it('refuses what is no list, and takes a secret for one however it is said', () => {
    useBackend(backend)
    const encoder = new Encoder()
    for (const list of [undefined, null, 'abc', 5, { ':method': 'GET' }]) {
      expect(faultOf(() => encoder.encode(list as never)).kind).toBe('usage')
      expect(faultOf(() => encoder.encodeInto(list as never, new Uint8Array(9))).kind).toBe('usage')
      expect(faultOf(() => encoder.encodedLengthBound(list as never)).kind).toBe('usage')
    }
    expect(plain(decode(encoder.encode(new Map([['a', 'b']]))))).toEqual([['a', 'b']])
    expect(decode(encode([{ name: 'a', value: 'b', sensitive: 1 as never }]))[0]!.sensitive).toBe(true)
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
