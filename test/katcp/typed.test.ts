import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Backend, useBackend } from '../../bindings/engine/load'
import {
  type Address,
  type Arguments,
  type ArgumentType,
  address,
  boolean,
  bytes,
  decode,
  discrete,
  encode,
  float,
  integer,
  optional,
  reply,
  rest,
  string,
  timestamp,
  timestampOrNow,
} from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson } from '../vectors'
import { argsOf } from './reference'

interface DecodeCase {
  readonly type: string
  readonly raw: string
  readonly verdict: 'accept' | 'reject' | 'differ'
  readonly value?: unknown
  readonly encoded?: string
  readonly specValid?: boolean
  readonly katcpPython?: { readonly ok?: string }
  readonly aiokatcp?: { readonly ok?: string }
}
interface EncodeCase {
  readonly type: string
  readonly value: unknown
  readonly encoded?: string
  readonly aiokatcp?: string
  readonly katcpPython?: string
  readonly katcpPythonV4?: string
}

const decodeCases = vectorJson<{ cases: DecodeCase[] }>('katcp/typed-decode.json').cases
const encodeCases = vectorJson<{ cases: EncodeCase[] }>('katcp/typed-encode.json').cases

/**
 * What becomes of texts that both Python peers take and the specification does not have. Numbers follow the specification:
 * what is no `%d` or no decimal of strtod is refused, so that a slip of the sender shows. A timestamp is read like a float,
 * which peers rely on; digits with underscores are Python's source syntax and no float either.
 */
const CHOICES: Readonly<Record<string, 'accept' | 'reject'>> = {
  'integer 1\n': 'reject',
  'integer 00': 'reject',
  'integer 01': 'reject',
  'integer -01': 'reject',
  'float 1_0': 'reject',
  'timestamp 1e9': 'accept',
  'timestamp .5': 'accept',
  'timestamp +5': 'accept',
  'timestamp 1_0.5': 'reject',
}

/** aiokatcp makes words of an enumeration's names; here the words themselves are given. */
const wordOf = (name: string) => name.toLowerCase().replaceAll('_', '-')
const words = discrete('stop', ...['TRACK', 'TWO_FACE', 'SLEW_TO_X2'].map(wordOf))

const TYPES: Readonly<Record<string, ArgumentType<unknown>>> = {
  integer: integer,
  float: float,
  boolean: boolean,
  timestamp: timestamp(),
  'timestamp-or-now': timestampOrNow(),
  'timestamp-v4-milliseconds': timestamp({ version: 4 }),
  discrete: words,
  'string-utf8': string,
  // The deprecated type of katcp-python is two words.
  lru: discrete('nominal', 'error'),
  address: address,
}
const FLOATS = ['float', 'timestamp', 'timestamp-or-now', 'timestamp-v4-milliseconds']

const floatBits = (value: unknown) => {
  expect(typeof value).toBe('number')
  const eight = new DataView(new ArrayBuffer(8))
  eight.setFloat64(0, value as number)
  return eight.getBigUint64(0).toString(16).padStart(16, '0')
}
const floatOf = (hex: string) => new DataView(fromHex(hex).buffer).getFloat64(0)

/** A decoded value in the words of the vectors. */
function neutral(type: string, value: unknown): unknown {
  if (FLOATS.includes(type) && value !== 'now') return floatBits(value)
  if (type === 'integer') return String(value)
  if (type === 'string-utf8') return toHex(new TextEncoder().encode(value as string))
  if (type !== 'address') return value
  const { host, port = null } = value as Address
  return { family: host.includes(':') ? 6 : 4, host, port }
}

const written = (type: ArgumentType<unknown>, value: unknown) => {
  const { args } = decode(encode({ type: 'request', name: 'x', args: [type.encode(value)] }))
  expect(args.length).toBe(1)
  return toHex(args.bytes(0)!)
}

describe.each<Backend>(['wasm', 'js'])('typed values, %s', (backend) => {
  it('are read as the vectors say', () => {
    useBackend(backend)
    const chosen = new Set<string>()
    for (const { type, raw, verdict, value, encoded, specValid, ...peers } of decodeCases) {
      const text = fromHex(raw)
      const label = `${type} ${Buffer.from(text).toString('latin1')}`
      const argumentType = TYPES[type]!
      const args = argsOf(text)
      if (verdict === 'differ') {
        expect(specValid, label).toBe(false)
        chosen.add(label)
      }
      const choice = verdict === 'differ' ? CHOICES[label] : verdict
      if (choice === 'accept') {
        const [read] = args.read(argumentType)
        const expected = verdict === 'differ' ? peers.katcpPython?.ok : value
        // The word of an `lru` has no other form.
        if (expected === undefined) expect(read, label).toBe(Buffer.from(text).toString())
        else expect(neutral(type, read), label).toEqual(expected)
        if (encoded !== undefined) expect(written(argumentType, read), label).toBe(encoded)
      } else {
        expect(choice, label).toBe('reject')
        const error = faultOf(() => args.read(argumentType))
        expect(error.code, label).toBe(type === 'string-utf8' ? 'WT_KATCP_UTF8' : 'WT_KATCP_VALUE')
        expect(error).toMatchObject({ kind: 'value', protocol: 'katcp', path: 'args[0]', offset: -1 })
      }
    }
    expect([...chosen].sort()).toEqual(Object.keys(CHOICES).sort())
  })

  it('are read the same where the text was escaped on the wire', () => {
    useBackend(backend)
    for (const { type, raw } of decodeCases) {
      const argumentType = TYPES[type]!
      const plain = argsOf(fromHex(raw))
      // `\@` stands for nothing.
      const line = Buffer.concat([Buffer.from('?x \\@'), encode({ type: 'request', name: 'x', args: plain }).slice(3)])
      const { args } = decode(line)
      expect(toHex(args.bytes(0)!)).toBe(raw)
      const outcome = (from: Arguments) => {
        try {
          return neutral(type, from.read(argumentType)[0])
        } catch (error) {
          return String(error)
        }
      }
      expect(outcome(args)).toEqual(outcome(plain))
    }
  })

  it('agree with toFloat64Array on what is a float', () => {
    useBackend(backend)
    for (const { type, raw } of decodeCases) {
      if (type !== 'float' && type !== 'integer' && type !== 'timestamp') continue
      const args = argsOf(fromHex(raw))
      const outcome = (read: () => number) => {
        try {
          return floatBits(read())
        } catch (error) {
          return (error as { code: string }).code
        }
      }
      const single = outcome(() => args.read(float)[0])
      expect(outcome(() => args.toFloat64Array()[0]!)).toBe(single)
      expect(outcome(() => args.read(rest(float))[0][0]!)).toBe(single)
    }
  })

  it('are written as the peers write them', () => {
    useBackend(backend)
    for (const { type, value, encoded, aiokatcp, katcpPython, katcpPythonV4 } of encodeCases) {
      const argumentType = TYPES[type]!
      const label = `${type} ${value}`
      switch (type) {
        case 'float': {
          const number = floatOf(value as string)
          expect(written(float, number), label).toBe(encoded)
          expect(floatBits(argsOf(fromHex(encoded!)).read(float)[0]), label).toBe(floatBits(number))
          break
        }
        case 'integer': {
          expect(written(integer, BigInt(value as string)), label).toBe(encoded)
          const number = Number(value)
          if (Number.isSafeInteger(number)) expect(written(argumentType, number), label).toBe(encoded)
          else expect(faultOf(() => integer.encode(number)).code, label).toBe('WT_KATCP_VALUE')
          expect(String(argsOf(fromHex(encoded!)).read(integer)[0])).toBe(value)
          break
        }
        case 'timestamp': {
          const seconds = floatOf(value as string)
          // As aiokatcp, with all digits; what katcp-python writes is nearer than a microsecond.
          expect(written(timestamp(), seconds), label).toBe(aiokatcp)
          expect(written(timestampOrNow(), seconds), label).toBe(aiokatcp)
          const v4 = timestamp({ version: 4 })
          expect(written(v4, seconds), label).toBe(katcpPythonV4)
          expect(Math.abs(argsOf(fromHex(katcpPython!)).read(timestamp())[0] - seconds)).toBeLessThan(1e-6)
          expect(Math.abs(argsOf(fromHex(katcpPythonV4!)).read(v4)[0] - seconds)).toBeLessThan(1e-3)
          break
        }
        case 'discrete':
          expect(written(words, wordOf(value as string)), label).toBe(encoded)
          expect(argsOf(fromHex(encoded!)).read(words)[0]).toBe(wordOf(value as string))
          break
        case 'address': {
          const { host, port } = value as { host: string; port: number | null }
          expect(written(argumentType, port === null ? { host } : { host, port }), label).toBe(encoded)
          break
        }
        default:
          expect(written(argumentType, value), label).toBe(encoded)
          expect(argsOf(fromHex(encoded!)).read(argumentType)[0], label).toBe(value)
      }
    }
  })

  it('refuse to write what the type does not have', () => {
    useBackend(backend)
    const refused: readonly (readonly [ArgumentType<unknown>, unknown])[] = [
      [integer, 1.5],
      [integer, Number.NaN],
      [integer, 2 ** 53],
      [integer, '1'],
      [float, '1.5'],
      [float, 1n],
      [boolean, 1],
      [boolean, 'true'],
      [timestamp(), 'now'],
      [timestamp(), new Date(0)],
      [timestamp({ version: 4 }), Number.POSITIVE_INFINITY],
      [timestampOrNow(), 'later'],
      [timestampOrNow({ version: 4 }), Number.NaN],
      [discrete('a', 'b'), 'c'],
      [discrete('a', 'b'), 'toString'],
      [address, { host: 'localhost' }],
      [address, { host: '' }],
      [address, { host: '[::1]' }],
      [address, { host: '1.2.3' }],
      [address, { host: '127.0.0.1', port: 65536 }],
      [address, { host: '127.0.0.1', port: -1 }],
      [address, { host: '127.0.0.1', port: 1.5 }],
      [optional(integer), undefined],
      [rest(integer), [1]],
    ]
    for (const [type, value] of refused) {
      const error = faultOf(() => type.encode(value))
      expect(error, `${type.name} ${String(value)}`).toMatchObject({ code: 'WT_KATCP_VALUE', offset: -1 })
    }
  })

  it('read times, and "now" where it is allowed', () => {
    useBackend(backend)
    expect(argsOf('now').read(timestampOrNow())).toEqual(['now'])
    expect(argsOf('now').read(timestampOrNow({ version: 4 }))).toEqual(['now'])
    expect(argsOf('1500').read(timestampOrNow({ version: 4 }))).toEqual([1.5])
    expect(timestampOrNow().encode('now')).toBe('now')
    expect(timestampOrNow({ version: 4 }).encode(1.5)).toBe('1500')
    expect(faultOf(() => argsOf('now').read(timestamp())).code).toBe('WT_KATCP_VALUE')
  })

  it('keep whole numbers exact', () => {
    useBackend(backend)
    const texts = [
      '9007199254740991',
      '9007199254740992',
      '-9007199254740991',
      '-9007199254740993',
      `1${'0'.repeat(400)}`,
    ]
    expect(argsOf(...texts).read(rest(integer))).toEqual([
      [9007199254740991, 9007199254740992n, -9007199254740991, -9007199254740993n, 10n ** 400n],
    ])
    const [zero] = argsOf('-0').read(integer)
    expect(Object.is(zero, 0)).toBe(true)
  })

  it('read IP addresses in every form, and write the shortest', () => {
    useBackend(backend)
    const forms: readonly (readonly [string, string | undefined])[] = [
      ['[::]', '::'],
      ['[::0001]', '::1'],
      ['[1::]', '1::'],
      ['[0:0:0:0:0:0:0:0]', '::'],
      ['[1:2:3:4:5:6:7::]', '1:2:3:4:5:6:7:0'],
      ['[::2:3:4:5:6:7:8]', '0:2:3:4:5:6:7:8'],
      ['[1:0:0:2:0:0:0:3]', '1:0:0:2::3'],
      ['[1:0:0:2:3:0:0:4]', '1::2:3:0:0:4'],
      ['[64:ff9b::1.2.3.4]', '64:ff9b::102:304'],
      ['[1:2:3:4:5:6:1.2.3.4]', '1:2:3:4:5:6:102:304'],
      ['[::1.2.3.4]', '::102:304'],
      ['[1:2:3:4:5:6:7:1.2.3.4]', undefined],
      ['[1:1.2.3.4]', undefined],
      ['[:1.2.3.4]', undefined],
      ['[1:2:3:4:5:6:7]', undefined],
      ['[1:2:3:4:5:6:7:8:9]', undefined],
      ['[1:2:3:4:5:6:7:8::]', undefined],
      ['[:::]', undefined],
      ['[1:::2]', undefined],
      ['[:1::2]', undefined],
      ['[12345::]', undefined],
      ['[g::]', undefined],
      ['[::1%eth0]', undefined],
      ['[::1.2.3.256]', undefined],
      ['[::1]:080', undefined],
      ['[::1]:65536', undefined],
      ['[::1]:\u0661', undefined],
      ['1.2.3.4:', undefined],
      ['1.2.3.4\n', undefined],
    ]
    for (const [text, host] of forms) {
      if (host === undefined) expect(faultOf(() => argsOf(text).read(address)).code, text).toBe('WT_KATCP_VALUE')
      else {
        expect(argsOf(text).read(address), text).toEqual([{ host }])
        expect(address.encode({ host: text.slice(1, -1), port: 7148 }), text).toBe(`[${host}]:7148`)
      }
    }
  })

  it('refuse long texts as quickly as short ones', () => {
    useBackend(backend)
    // A pattern that backtracks over the digits would still be at it when the tests are stopped.
    const digits = '1'.repeat(1_000_000)
    for (const text of [`${digits}x`, `${digits}.${digits}x`, `1e${digits}x`, `.${digits}.`]) {
      const args = argsOf(text)
      for (const type of [integer, float, timestamp(), address, boolean] as readonly ArgumentType<unknown>[]) {
        expect(faultOf(() => args.read(type)).message.length).toBeLessThan(160)
      }
      expect(faultOf(() => args.toFloat64Array()).code).toBe('WT_KATCP_VALUE')
      expect(faultOf(() => args.toComplexArray()).code).toBe('WT_KATCP_VALUE')
    }
  })
})

describe.each<Backend>(['wasm', 'js'])('args.read, %s', (backend) => {
  it('gives a tuple', () => {
    useBackend(backend)
    const args = argsOf('set', '5', '1.5', '1', '-0.25', '1e3')
    expect(args.read(discrete('set', 'add'), integer, float, boolean, rest(float))).toEqual([
      'set',
      5,
      1.5,
      true,
      [-0.25, 1000],
    ])
    expect(argsOf().read()).toEqual([])
    expect(argsOf('\xe9', Uint8Array.of(0, 255)).read(string, bytes)).toEqual(['\xe9', Uint8Array.of(0, 255)])
  })

  it('leaves out what is optional', () => {
    useBackend(backend)
    const types = [string, optional(integer), optional(float)] as const
    expect(argsOf('a').read(...types)).toEqual(['a', undefined, undefined])
    expect(argsOf('a', '1').read(...types)).toEqual(['a', 1, undefined])
    expect(argsOf('a', '1', '2').read(...types)).toEqual(['a', 1, 2])
    for (const type of [float, integer, string] as readonly ArgumentType<unknown>[]) {
      expect(argsOf().read(optional(string), rest(type))).toEqual([undefined, []])
      expect(argsOf('a').read(optional(string), rest(type))).toEqual(['a', []])
      expect(argsOf('a').read(string, rest(type))).toEqual(['a', []])
      expect(argsOf().read(rest(type))).toEqual([[]])
    }
    expect(argsOf('a', '1', '2').read(optional(string), rest(float))).toEqual(['a', [1, 2]])
  })

  it('names a wrong number of arguments', () => {
    useBackend(backend)
    const text = (args: Arguments, ...types: ArgumentType<unknown>[]) => {
      const error = faultOf(() => args.read(...types))
      expect(error).toMatchObject({ code: 'WT_KATCP_ARGUMENT_COUNT', kind: 'value', offset: -1 })
      return error.message
    }
    const a = string
    const maybe = optional(string)
    expect(text(argsOf(), a)).toBe('the number of arguments does not fit: 1 expected, got 0')
    expect(text(argsOf('a'))).toBe('the number of arguments does not fit: 0 expected, got 1')
    expect(text(argsOf('a', 'b', 'c'), a, maybe)).toBe('the number of arguments does not fit: 1 to 2 expected, got 3')
    expect(text(argsOf(), a, maybe)).toBe('the number of arguments does not fit: 1 to 2 expected, got 0')
    const more = rest(string)
    expect(text(argsOf('a'), a, a, more)).toBe('the number of arguments does not fit: at least 2 expected, got 1')
  })

  it('refuses lists of types that no message could fit', () => {
    useBackend(backend)
    const args = argsOf('a', 'b')
    for (const types of [
      [optional(string), string],
      [rest(string), string],
      [rest(string), optional(string)],
      [rest(string), rest(string)],
    ]) {
      expect(faultOf(() => args.read(...(types as ArgumentType<unknown>[])))).toMatchObject({
        code: 'WT_USAGE',
        kind: 'usage',
      })
    }
  })

  it('names the argument that is wrong', () => {
    useBackend(backend)
    expect(faultOf(() => argsOf('set', '1.5').read(string, integer)).message).toBe(
      'not a value of that type: integer expected, got "1.5" at args[1]',
    )
    expect(faultOf(() => argsOf('x').read(discrete('set', 'add'))).message).toBe(
      'not a value of that type: one of set, add expected, got "x" at args[0]',
    )
    expect(faultOf(() => argsOf('1', '2', 'x', '4').read(integer, rest(float))).path).toBe('args[2]')
    expect(faultOf(() => argsOf('1', '2', 'x', '4').read(rest(integer))).path).toBe('args[2]')
    expect(faultOf(() => argsOf('a', 'x').read(string, optional(integer))).path).toBe('args[1]')
  })

  it('has error texts that fit into a reply, whatever the argument', () => {
    useBackend(backend)
    const hostile = [
      Uint8Array.from({ length: 256 }, (_, i) => i),
      Uint8Array.of(0x80, 0x9f, 0x7f, 0xff, 0xe9),
      new TextEncoder().encode(`${'x'.repeat(36)}\u{1f600}${'y'.repeat(100)}`),
      new TextEncoder().encode('a\n!x ok\n'),
      new Uint8Array(300_000).fill(0x5c),
      new Uint8Array(0),
    ]
    for (const argument of hostile) {
      const args = argsOf(argument)
      for (const type of [
        integer,
        float,
        boolean,
        timestamp(),
        timestampOrNow(),
        address,
        discrete('a', 'b'),
        rest(float),
      ]) {
        const { message } = faultOf(() => args.read(type))
        expect(message).toMatch(/^[\x20-\x7e]{20,400}$/)
        const line = encode(reply({ name: 'x', id: 1 }, ['invalid', message]))
        expect(decode(line).args.toArray()).toEqual(['invalid', message])
      }
      const long = faultOf(() => args.read(integer)).message
      expect(long.length).toBeLessThan(340)
    }
  })

  it("takes types of one's own", () => {
    useBackend(backend)
    const hex: ArgumentType<number> = {
      name: 'hexadecimal number',
      decode: (args, i) => Number.parseInt(args.at(i)!, 16),
      encode: (value) => value.toString(16),
    }
    const pairs: ArgumentType<[string, string][]> = {
      name: 'pairs',
      count: 'rest',
      decode(args, i) {
        const all: [string, string][] = []
        for (let k = i; k < args.length; k += 2) all.push([args.at(k)!, args.at(k + 1)!])
        return all
      },
      encode: () => '',
    }
    expect(argsOf('ff', 'a', 'b', 'c', 'd').read(hex, pairs)).toEqual([
      255,
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ])
    expect(argsOf('10', '20').read(rest(hex))).toEqual([[16, 32]])
    const broken: ArgumentType<never> = {
      name: 'broken',
      decode: () => {
        throw new RangeError('mine')
      },
      encode: () => '',
    }
    expect(() => argsOf('a').read(broken)).toThrow(RangeError)
  })

  it('infers its result', () => {
    useBackend(backend)
    const args = argsOf('set', '5', '127.0.0.1', '1', 'now')
    const values = args.read(discrete('set', 'add'), integer, address, optional(boolean), optional(timestampOrNow()))
    expectTypeOf(values).toEqualTypeOf<
      ['set' | 'add', number | bigint, Address, boolean | undefined, number | 'now' | undefined]
    >()
    expect(values).toEqual(['set', 5, { host: '127.0.0.1' }, true, 'now'])
    const list = argsOf('1', '2').read(timestamp(), rest(float))
    expectTypeOf(list).toEqualTypeOf<[number, number[]]>()
    expect(list).toEqual([1, [2]])
    expectTypeOf(argsOf().read()).toEqualTypeOf<[]>()
    expectTypeOf(discrete('a', 'b')).toEqualTypeOf<ArgumentType<'a' | 'b'>>()
  })
})
