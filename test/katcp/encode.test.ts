import { describe, expect, it } from 'vitest'
import { type Backend, useBackend } from '../../bindings/engine/load'
import {
  type ArgumentInput,
  type Arguments,
  Decoder,
  decode,
  decodeAll,
  encode,
  encodeAll,
  encodeChunks,
  encodedLength,
  encodeInto,
  type Message,
  type MessageInput,
} from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { Random } from '../random'
import { toHex } from '../vectors'
import { argsOf, ascii, randomStyle, sample } from './reference'

const utf8 = new TextEncoder()
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const line = (args: MessageInput['args']) => latin1(encode({ type: 'request', name: 'x', args }))

const LETTERS: Readonly<Record<number, string>> = { 92: '\\', 32: '_', 0: '0', 10: 'n', 13: 'r', 27: 'e', 9: 't' }

/** The canonical argument, made a byte at a time. */
function escaped(bytes: Uint8Array): string {
  if (bytes.length === 0) return '\\@'
  let text = ''
  for (const byte of bytes) {
    const letter = LETTERS[byte]
    text += letter === undefined ? String.fromCharCode(byte) : `\\${letter}`
  }
  return text
}

describe.each<Backend>(['wasm', 'js'])('encoding, %s', (backend) => {
  it('writes numbers and booleans as the peers do', () => {
    useBackend(backend)
    const cases: readonly (readonly [ArgumentInput, string])[] = [
      [0, '0'],
      [-0, '-0.0'],
      [1, '1'],
      [-7, '-7'],
      [1.5, '1.5'],
      [0.1 + 0.2, '0.30000000000000004'],
      [1e-5, '1e-05'],
      [1e-4, '0.0001'],
      [1e16, '1e+16'],
      [1.5e300, '1.5e+300'],
      [5e-324, '5e-324'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [2 ** 53, '9007199254740992.0'],
      [Number.NaN, 'nan'],
      [Number.POSITIVE_INFINITY, 'inf'],
      [Number.NEGATIVE_INFINITY, '-inf'],
      [0n, '0'],
      [-(10n ** 30n), `-1${'0'.repeat(30)}`],
      [true, '1'],
      [false, '0'],
      ['', '\\@'],
      [new Uint8Array(0), '\\@'],
      [Float64Array.of(1, -0, 1e-5, Number.NaN), '1.0 -0.0 1e-05 nan'],
    ]
    for (const [value, text] of cases) {
      expect(line([value])).toBe(`?x ${text}\n`)
      // The same beside bytes, which are written by another path.
      expect(line([value, Uint8Array.of(0)])).toBe(`?x ${text} \\0\n`)
      expect(line([Uint8Array.of(0), value, 'y'])).toBe(`?x \\0 ${text} y\n`)
    }
    expect(line([new Float64Array(0)])).toBe('?x\n')
    expect(line([new Float64Array(0), 'a', new Float64Array(0), Uint8Array.of(1)])).toBe('?x a \x01\n')
    expect(line(cases.map(([value]) => value))).toBe(`?x ${cases.map(([, text]) => text).join(' ')}\n`)
  })

  it('takes arguments from any iterable', () => {
    useBackend(backend)
    const args: readonly ArgumentInput[] = ['a b', 1, Uint8Array.of(32), '']
    const bytes = '?x a\\_b 1 \\_ \\@\n'
    expect(line(args)).toBe(bytes)
    expect(line(new Set(args))).toBe(bytes)
    expect(line(args.values())).toBe(bytes)
    const inner = {
      *[Symbol.iterator](): Generator<ArgumentInput> {
        for (const arg of args) {
          // What runs here may use the codec itself.
          expect(line(['inner', 'y'.repeat(200)])).toBe(`?x inner ${'y'.repeat(200)}\n`)
          yield arg
        }
      },
    }
    expect(line(inner)).toBe(bytes)
    const messages = function* (): Generator<MessageInput> {
      for (let i = 0; i < 3; i++) {
        yield { type: 'inform', name: 'x', id: i + 1, args: inner }
        expect(line(args)).toBe(bytes)
      }
    }
    expect(latin1(encodeAll(messages()))).toBe([1, 2, 3].map((i) => `#x[${i}]${bytes.slice(2)}`).join(''))
    expect(encodeAll([]).length).toBe(0)
    expect([line(undefined), line([]), line(argsOf())]).toEqual(['?x\n', '?x\n', '?x\n'])
  })

  it('escapes every byte that must be, wherever it stands', () => {
    useBackend(backend)
    const random = new Random(61)
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    for (let i = 0; i < 600; i++) {
      const alphabet = random.pick([
        all,
        utf8.encode('\\ \0\n\r\t\x1bab'),
        utf8.encode('abcdefghij\\'),
        utf8.encode('abc'),
      ])
      const args = Array.from({ length: 1 + random.below(5) }, () =>
        random.bytes(random.below(random.pick([3, 40, 200])), alphabet),
      )
      const wanted = `?x ${args.map(escaped).join(' ')}\n`
      expect(line(args)).toBe(wanted)
      const texts = args.map((bytes) => latin1(bytes.map((byte) => byte & 0x7f)))
      const plain = texts.map((text) => utf8.encode(text))
      const plainWanted = `?x ${plain.map(escaped).join(' ')}\n`
      expect(line(texts)).toBe(plainWanted)
      const mixed = texts.map((text, k) => (random.below(2) ? text : plain[k]!))
      expect(line(mixed)).toBe(plainWanted)
      expect(decode(encode({ type: 'request', name: 'x', args: texts })).args.toArray()).toEqual(texts)
    }
  })

  it('writes texts of any length and character, wherever a piece of them ends', () => {
    useBackend(backend)
    // A piece is 65,472 bytes; what stands around that place is what may go wrong.
    const around = [65_470, 65_472, 65_473, 130_944]
    for (const size of around) {
      for (const tail of ['\u{1f600}', '\u20ac', '\u00e9', '\\', ' ', '\0', '\n']) {
        for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
          const text = `${'x'.repeat(size - 3 - shift)}${tail.repeat(4)}y`
          const bytes = utf8.encode(text)
          const wanted = escaped(bytes)
          expect(line([text]) === `?x ${wanted}\n`).toBe(true)
          if (shift === 0) expect(line([bytes, text]) === `?x ${wanted} ${wanted}\n`).toBe(true)
        }
      }
    }
    const long = '\u{1f600}\\\u00e9 '.repeat(40_000)
    expect(decode(encode({ type: 'reply', name: 'x', args: ['a', long, 'b'] })).args.toArray()[1] === long).toBe(true)
  })

  it('writes empty arguments, also where a piece ends', () => {
    useBackend(backend)
    for (let count = 65_460; count < 65_480; count++) {
      const args = ['a'.repeat(count - 10), '', '', 'b', '', '', '', '', '', '', '', '', '', 'c', '']
      expect(line(args) === `?x ${args.map((arg) => arg || '\\@').join(' ')}\n`).toBe(true)
    }
    const empty = new Array<string>(100_000).fill('')
    expect(line(empty) === `?x${' \\@'.repeat(100_000)}\n`).toBe(true)
    const nul = [...new Array<string>(70_000).fill('a'), '\0', '']
    expect(line(nul) === `?x${' a'.repeat(70_000)} \\0 \\@\n`).toBe(true)
  })

  it('writes NUL in texts', () => {
    useBackend(backend)
    for (const args of [['\0'], ['a\0b', 'c'], ['', '\0', ''], ['\0\0', ''], ['x', 'y\0']]) {
      expect(line(args)).toBe(`?x ${args.map((arg) => escaped(utf8.encode(arg))).join(' ')}\n`)
    }
  })

  it('writes names of any length', () => {
    useBackend(backend)
    for (const length of [1, 64, 65, 1000, 65_400, 65_472, 70_000, 131_100, 300_000, 900_000]) {
      const name = 'name-X1'.repeat(length / 7 + 1).slice(0, length)
      for (const args of [[], ['a b'], ['a\0b'], ['a', Uint8Array.of(0)], argsOf('a b')]) {
        const bytes = encode({ type: 'inform', name, id: 7, args })
        expect(latin1(bytes.subarray(0, length + 1)) === `#${name}`).toBe(true)
        expect(latin1(bytes.subarray(length + 1))).toMatch(/^\[7\]( a\\_b| a \\0| a\\0b)?\n$/)
        const back = decode(bytes)
        expect([back.name === name, back.id, back.args.length]).toEqual([true, 7, args.length])
      }
    }
  })

  it('refuses half surrogate pairs, and says where', () => {
    useBackend(backend)
    const half = [
      '\ud800',
      '\udc00',
      'a\ud83d',
      '\ude00a',
      '\ud83d\ud83d\ude00',
      `${'x'.repeat(65_480)}\ud83d`,
      `é${'x'.repeat(140_000)}\udc00y`,
    ]
    for (const text of half) {
      for (const [args, i] of [
        [[text], 0],
        [['a', text], 1],
        [['\u{1f600}', Float64Array.of(1, 2, 3), text], 2],
        [[Uint8Array.of(1), text, 'b'], 1],
        [['\0', Float64Array.of(1, 2), text], 2],
      ] as const) {
        expect(faultOf(() => line(args))).toMatchObject({
          code: 'WT_KATCP_VALUE',
          kind: 'value',
          offset: -1,
          path: `args[${i}]`,
        })
      }
    }
    // A pair is whole also where it lies across the end of a piece.
    for (let at = 65_460; at < 65_480; at++) {
      const text = `${'x'.repeat(at)}\ud83d\ude00`
      expect(decode(encode({ type: 'request', name: 'x', args: [text] })).args.at(0) === text).toBe(true)
    }
  })

  it('refuses what could smuggle in a second message, and says where', () => {
    useBackend(backend)
    const refused: readonly (readonly [Record<string, unknown>, string, string])[] = [
      [{ name: 'a\n?halt' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: 'a\n' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: 'a b' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: '' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: '1a' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: '__proto__' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: 'gr\u00f6\u00dfe' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: 'a[1]' }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: ['a'] }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: undefined }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ name: { toString: () => 'a' } }, 'name', 'WT_KATCP_BAD_NAME'],
      [{ id: '1' }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: '1]\n?halt' }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: 1.5 }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: Number.NaN }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: 1n }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: null }, 'id', 'WT_KATCP_BAD_ID'],
      [{ id: 0 }, 'id', 'WT_KATCP_ID_RANGE'],
      [{ id: -1 }, 'id', 'WT_KATCP_ID_RANGE'],
      [{ id: 2 ** 31 }, 'id', 'WT_KATCP_ID_RANGE'],
      [{ type: '?' }, 'type', 'WT_KATCP_BAD_TYPE'],
      [{ type: 'toString' }, 'type', 'WT_KATCP_BAD_TYPE'],
      [{ type: '__proto__' }, 'type', 'WT_KATCP_BAD_TYPE'],
      [{ type: undefined }, 'type', 'WT_KATCP_BAD_TYPE'],
      [{ type: ['request'] }, 'type', 'WT_KATCP_BAD_TYPE'],
      [{ args: ['a', null] }, 'args[1]', 'WT_KATCP_VALUE'],
      [{ args: [undefined] }, 'args[0]', 'WT_KATCP_VALUE'],
      [{ args: [Uint8Array.of(1), {}] }, 'args[1]', 'WT_KATCP_VALUE'],
      [{ args: ['a', 'b', ['c']] }, 'args[2]', 'WT_KATCP_VALUE'],
      [{ args: [Float64Array.of(1, 2), Symbol('x')] }, 'args[1]', 'WT_KATCP_VALUE'],
      [{ args: new Array(2) }, 'args[0]', 'WT_KATCP_VALUE'],
      [{ args: Object.assign(new Array(2), [Uint8Array.of(1)]) }, 'args[1]', 'WT_KATCP_VALUE'],
    ]
    const wire: Arguments = argsOf('x'.repeat(5000))
    for (const [parts, path, code] of refused) {
      const forms = 'args' in parts ? [{}] : [{}, { args: ['a'] }, { args: [Uint8Array.of(1)] }, { args: wire }]
      for (const args of forms) {
        const message = { type: 'request', name: 'x', ...args, ...parts } as unknown as MessageInput
        const target = new Uint8Array(100)
        for (const call of [
          () => encode(message),
          () => encodedLength(message),
          () => encodeAll([message]),
          () => encodeChunks(message),
          () => encodeInto(message, target),
        ]) {
          expect(faultOf(call)).toMatchObject({ code, path, offset: -1, protocol: 'katcp' })
        }
        expect(target.every((byte) => byte === 0)).toBe(true)
      }
    }
    for (const args of ['text', 5, {}, null]) {
      expect(faultOf(() => line(args as unknown as ArgumentInput[])).code).toBe('WT_USAGE')
    }
  })
})

describe.each<Backend>(['wasm', 'js'])('encoding in other shapes, %s', (backend) => {
  const messages: readonly MessageInput[] = [
    { type: 'request', name: 'help' },
    { type: 'reply', name: 'x', id: 5, args: ['ok', 'a b', ''] },
    { type: 'inform', name: 'log', args: ['x'.repeat(3000), Uint8Array.of(0, 255)] },
    { type: 'inform', name: 'big', args: ['é'.repeat(80_000)] },
    { type: 'reply', name: 'relayed', id: 1, args: argsOf('a', ' '.repeat(5000)) },
    { type: 'reply', name: 'none', args: argsOf() },
  ]

  it('fits into a target, or leaves it as it is', () => {
    useBackend(backend)
    for (const message of messages) {
      const bytes = encode(message)
      expect(encodedLength(message)).toBe(bytes.length)
      for (const offset of [0, 1, 7]) {
        const target = new Uint8Array(bytes.length + offset).fill(0xa5)
        expect(encodeInto(message, target, offset)).toBe(target.length)
        expect(Buffer.compare(target.subarray(offset), bytes)).toBe(0)
        expect(target.subarray(0, offset).every((byte) => byte === 0xa5)).toBe(true)
        // A part of a larger buffer: nothing around it is touched.
        const large = Buffer.alloc(bytes.length + 40, 0xa5)
        expect(encodeInto(message, large.subarray(10, -10), offset)).toBe(offset + bytes.length)
        expect(Buffer.compare(large.subarray(10 + offset, 10 + offset + bytes.length), bytes)).toBe(0)
        expect(large.subarray(0, 10 + offset).every((byte) => byte === 0xa5)).toBe(true)
        expect(large.subarray(10 + offset + bytes.length).every((byte) => byte === 0xa5)).toBe(true)

        const small = new Uint8Array(bytes.length + offset - 1).fill(0xa5)
        const error = faultOf(() => encodeInto(message, small, offset))
        expect(error).toMatchObject({ code: 'WT_TARGET_TOO_SMALL', kind: 'usage', offset: -1 })
        expect(small.every((byte) => byte === 0xa5)).toBe(true)
      }
      expect(faultOf(() => encodeInto(message, new Uint8Array(0))).code).toBe('WT_TARGET_TOO_SMALL')
      expect(faultOf(() => encodeInto(message, new Uint8Array(1), 100_000)).code).toBe('WT_TARGET_TOO_SMALL')
      for (const offset of [-1, 0.5, Number.NaN]) {
        expect(faultOf(() => encodeInto(message, new Uint8Array(500_000), offset)).code).toBe('WT_USAGE')
      }
      expect(faultOf(() => encodeInto(message, [] as unknown as Uint8Array)).code).toBe('WT_USAGE')
    }
  })

  it('writes many messages one behind the other', () => {
    useBackend(backend)
    const all = encodeAll(messages)
    expect(Buffer.compare(all, Buffer.concat(messages.map((message) => encode(message))))).toBe(0)
    expect(decodeAll(all, { errors: 'throw' }).length).toBe(messages.length)
  })

  it('gives memory of its own', () => {
    useBackend(backend)
    const kept = messages.map((message) => encode(message))
    const copies = kept.map((bytes) => bytes.slice())
    const all = encodeAll(messages)
    for (const message of messages) encode({ ...message, name: 'other' })
    decodeAll(all).map((unit) => unit)
    kept.forEach((bytes, i) => {
      expect(Buffer.compare(bytes, copies[i]!)).toBe(0)
      expect(bytes.byteOffset).toBe(0)
      expect(bytes.buffer.byteLength).toBe(bytes.length)
      for (const other of kept.slice(i + 1)) expect(bytes.buffer === other.buffer).toBe(false)
    })
  })

  it('in pieces has the same bytes', () => {
    useBackend(backend)
    for (const message of messages) {
      expect(Buffer.compare(Buffer.concat(encodeChunks(message)), encode(message))).toBe(0)
    }
  })

  it('in pieces has the very memory that relayed arguments came in', () => {
    useBackend(backend)
    for (const make of [(bytes: Uint8Array) => bytes, Buffer.from]) {
      for (const size of [4090, 60_000, 126_976, 300_000]) {
        const chunk: Uint8Array = make(ascii(`?a 1\n?write[3] ${'x'.repeat(size)} \\_\\0  end \n?b\n`))
        const [, message] = new Decoder({ errors: 'throw', bytes: 'view' }).push(chunk).readAll() as Message[]
        const relayed = { ...message!, id: 99 }
        const pieces = encodeChunks(relayed)
        const own = pieces.filter((piece) => piece.buffer === chunk.buffer)
        expect(own.length).toBe(1)
        expect(own[0]!.length).toBe(size + ' \\_\\0  end'.length)
        expect(own[0]!.byteOffset).toBe(chunk.byteOffset + chunk.indexOf(0x78))
        expect(Buffer.compare(Buffer.concat(pieces), encode(relayed))).toBe(0)
        expect(latin1(encode(relayed)) === `?write[99] ${'x'.repeat(size)} \\_\\0  end\n`).toBe(true)
        // Short arguments are copied: three pieces cost more. And never may a piece be changed that is the codec's own.
        const short = encodeChunks({ type: 'reply', name: 'a', args: argsOf('b') })
        expect(short.length).toBe(1)
        pieces.at(-1)!.fill(0)
        expect(encodeChunks(relayed).at(-1)).toEqual(Uint8Array.of(10))
      }
    }
  })

  it('relays arguments as they came, with another head', () => {
    useBackend(backend)
    const random = new Random(62)
    for (let i = 0; i < 150; i++) {
      const samples = Array.from({ length: 1 + random.below(3) }, () =>
        sample(random, random.below(random.pick([2, 300])), random.pick([1, 8]), randomStyle(random)),
      )
      const bytes = new Uint8Array(Buffer.concat(samples.map((each) => each.line)))
      const mode = random.pick(['copy', 'view'] as const)
      const relayed = decodeAll(bytes, { errors: 'throw', bytes: mode })
      relayed.forEach((message, k) => {
        // As on the wire, from the first byte of the first argument to the last of the last.
        const raw = latin1(samples[k]!.line).replace(/[ \t]*[\r\n]+$/, '')
        const start = /^[^ \t]+[ \t]*/.exec(raw)![0].length
        const wanted = `!proxy[12]${message.args.length === 0 ? '' : ` ${raw.slice(start)}`}\n`
        for (const args of [message.args, message.args.detach()]) {
          const out: MessageInput = { type: 'reply', name: 'proxy', id: 12, args }
          expect(latin1(encode(out))).toBe(wanted)
          expect(latin1(Buffer.concat(encodeChunks(out)))).toBe(wanted)
          expect(encodedLength(out)).toBe(wanted.length)
          const back = decode(encode(out)).args
          expect(Array.from({ length: back.length }, (_, a) => toHex(back.bytes(a)!))).toEqual(
            samples[k]!.input.args.map(toHex),
          )
        }
        expect(toHex(encode(samples[k]!.input))).toBe(
          toHex(
            encode({ ...message, args: Array.from({ length: message.args.length }, (_, a) => message.args.bytes(a)!) }),
          ),
        )
      })
    }
  })
})

it('stops at the first of the arguments that is none, where they have no end', () => {
  const endless = Object.create(Array.prototype, { length: { value: 2 ** 53 - 1 } }) as ArgumentInput[]
  for (const write of [encode, encodedLength]) {
    expect(() => write({ type: 'inform', name: 'x', args: endless })).toThrow(
      expect.objectContaining({ code: 'WT_KATCP_VALUE', path: 'args[0]' }),
    )
  }
})
