import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { toJson } from '../../bindings/core/json'
import { type Backend, useBackend } from '../../bindings/engine/load'
import { type Arguments, Decoder, decode, decodeAll, encode, type Message } from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { Random } from '../random'
import { toHex } from '../vectors'
import { argsOf, ascii, randomStyle, type Sample, sample, textOf } from './reference'

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const concat = (samples: readonly Sample[]) => new Uint8Array(Buffer.concat(samples.map(({ line }) => line)))

/** Every way to read the arguments must give what `wanted` says; the order of the ways varies with `turn`. */
function check(args: Arguments, wanted: readonly Uint8Array<ArrayBuffer>[], turn: number): void {
  const texts = wanted.map(textOf)
  const bad = texts.indexOf(undefined)
  const ways = [
    () => expect(Array.from(wanted, (_, i) => toHex(args.bytes(i)!))).toEqual(wanted.map(toHex)),
    () => expect(Array.from(wanted, (_, i) => args.text(i, 'latin1'))).toEqual(wanted.map(latin1)),
    () => {
      if (bad < 0) expect(args.toArray()).toEqual(texts)
      else expect(faultOf(() => args.toArray())).toMatchObject({ code: 'WT_KATCP_UTF8', path: `args[${bad}]` })
    },
    () => {
      if (bad < 0) expect([...args]).toEqual(texts)
      else expect(faultOf(() => [...args])).toMatchObject({ code: 'WT_KATCP_UTF8', path: `args[${bad}]` })
    },
    () => {
      expect(texts.map((text, i) => (text === undefined ? undefined : args.at(i)))).toEqual(texts)
      texts.forEach((text, i) => {
        if (text !== undefined) return
        expect(faultOf(() => args.at(i))).toMatchObject({ code: 'WT_KATCP_UTF8', path: `args[${i}]`, offset: -1 })
      })
    },
  ]
  expect(args.length).toBe(wanted.length)
  ways.forEach((_, i) => {
    ways[(i + turn) % ways.length]!()
  })
}

describe.each<Backend>(['wasm', 'js'])('arguments, %s', (backend) => {
  it('are the same by every way of reading, in chunks of all sizes', () => {
    useBackend(backend)
    const random = new Random(11)
    for (let i = 0; i < 160; i++) {
      const many = random.pick([0, 1, 3, 20, 200])
      const samples = Array.from({ length: 1 + random.below(i % 4 === 0 ? 12 : 3) }, () =>
        sample(random, random.below(many + 1), random.pick([1, 4, 30]), randomStyle(random)),
      )
      const view = random.below(2) === 1
      const chunk = concat(samples)
      const messages = decodeAll(chunk, { errors: 'throw', bytes: view ? 'view' : 'copy' })
      expect(messages.length).toBe(samples.length)
      // Whoever owns the memory: a copy does not see what becomes of the chunk.
      if (!view) chunk.fill(0x5c)
      messages.forEach(({ args, type, name, id }, k) => {
        const { input } = samples[k]!
        expect({ type, name, id }).toEqual({ type: input.type, name: input.name, id: input.id })
        check(args, input.args, random.below(5))
      })
      // Once all have been asked for, the chunk may have been unescaped as a whole: nothing changes.
      messages.forEach(({ args }, k) => {
        check(args, samples[k]!.input.args, 2)
        check(args.detach(), samples[k]!.input.args, k)
      })
    }
  })

  it('are the same where chunks of one style are long', () => {
    useBackend(backend)
    const random = new Random(12)
    for (const high of [0, 1, 2] as const) {
      for (const escapes of [false, true]) {
        const style = { escapes, blanks: random.below(2) === 1, high }
        // Several windows, with lines that lie across their borders.
        const samples = Array.from({ length: 40 }, () => sample(random, random.below(600), 4, style))
        const messages = decodeAll(concat(samples), { errors: 'throw' })
        expect(messages.length).toBe(samples.length)
        messages.forEach(({ args }, k) => {
          const { input } = samples[k]!
          const texts = input.args.map(textOf)
          if (!texts.includes(undefined)) expect(args.toArray()).toEqual(texts)
          expect(Array.from(texts, (_, i) => args.text(i, 'latin1'))).toEqual(input.args.map(latin1))
        })
      }
    }
  })

  it('may be longer than a window', () => {
    useBackend(backend)
    const random = new Random(13)
    for (const alphabet of ['ab', 'a\\', '\\', ' ', '\\ \n\r\t\0\x1b', 'a\u00e9', '\xff']) {
      for (const length of [126_975, 126_976, 126_977, 300_001]) {
        const bytes = random.bytes(length, Buffer.from(alphabet, alphabet === '\xff' ? 'latin1' : 'utf8'))
        const args = argsOf('first', bytes, new Uint8Array(0), bytes.subarray(0, 70_000), 'last')
        expect(args.length).toBe(5)
        expect(Buffer.compare(args.bytes(1)!, bytes)).toBe(0)
        expect(Buffer.compare(args.bytes(3)!, bytes.subarray(0, 70_000))).toBe(0)
        expect(args.bytes(2)).toEqual(new Uint8Array(0))
        expect(args.text(1, 'latin1') === latin1(bytes)).toBe(true)
        const text = textOf(bytes)
        const cut = textOf(bytes.subarray(0, 70_000))
        if (text !== undefined && cut !== undefined) {
          expect(args.at(1) === text).toBe(true)
          const all = args.toArray()
          expect([all[0], all[2], all[4]]).toEqual(['first', '', 'last'])
          expect(all[1] === text).toBe(true)
          expect(all[3] === cut).toBe(true)
        } else expect(faultOf(() => args.toArray()).code).toBe('WT_KATCP_UTF8')
        const kept = args.detach()
        expect(Buffer.compare(kept.bytes(1)!, bytes)).toBe(0)
        expect([kept.at(0), kept.at(4)]).toEqual(['first', 'last'])
      }
    }
  })

  it('may be 65,537', () => {
    useBackend(backend)
    for (const [raw, text] of [
      ['1', '1'],
      ['\\@', ''],
      ['\xc3\xa9', '\u00e9'],
      ['a\\_', 'a '],
    ] as const) {
      const line = Buffer.from(`?wide${` ${raw}`.repeat(65_537)}\n`, 'latin1')
      for (const size of [line.length, 50_000]) {
        const decoder = new Decoder({ errors: 'throw' })
        for (let at = 0; at < line.length; at += size) decoder.push(line.subarray(at, at + size))
        const { args } = decoder.read()!
        expect(args.length).toBe(65_537)
        const all = args.toArray()
        expect(all.length).toBe(65_537)
        expect(all.every((each) => each === text)).toBe(true)
        let count = 0
        for (const each of args) if (each === text) count++
        expect(count).toBe(65_537)
        expect([args.at(65_536), args.at(65_537)]).toEqual([text, undefined])
      }
    }
  })

  it('are undefined where there are none', () => {
    useBackend(backend)
    for (const args of [argsOf('a', 'b c'), argsOf('\u00e9', 'x'), argsOf('a'.repeat(2000), 'x').detach()]) {
      for (const i of [-1, 2, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -0.5, 2 ** 32, 1e300]) {
        expect(args.at(i)).toBeUndefined()
        expect(args.text(i, 'latin1')).toBeUndefined()
        expect(args.bytes(i)).toBeUndefined()
      }
      expect(args.at(-0)).toBe(args.at(0))
    }
    const none = argsOf()
    expect([none.length, none.at(0), none.toArray(), [...none], none.toFloat64Array().length]).toEqual([
      0,
      undefined,
      [],
      [],
      0,
    ])
    expect(none.detach().toArray()).toEqual([])
  })

  it('know two charsets', () => {
    useBackend(backend)
    const args = argsOf(Uint8Array.of(0xc3, 0xa9, 0x80, 0x9f), 'plain')
    expect(args.text(0, 'latin1')).toBe('\xc3\xa9\x80\x9f')
    for (const unknown of [args, argsOf('plain'), argsOf('a b')]) {
      expect(faultOf(() => unknown.text(0, 'ascii' as 'utf8'))).toMatchObject({ code: 'WT_USAGE', kind: 'usage' })
    }
    expect(argsOf('\ufeffx').at(0)).toBe('\ufeffx')
  })

  it('keep nothing but their own bytes when detached', () => {
    useBackend(backend)
    const line = ascii(`?a ${'x'.repeat(5000)} b\\_c\n?b 1\t 2  \n`)
    const [first, second] = decodeAll(line, { errors: 'throw', bytes: 'view' }) as [Message, Message]
    const kept = [first.args.detach(), second.args.detach()] as const
    line.fill(0)
    expect(kept[0].at(1)).toBe('b c')
    expect(kept[1].toArray()).toEqual(['1', '2'])
    expect([...kept[1].toFloat64Array()]).toEqual([1, 2])
    expect(kept[1].source().lines.bytes.buffer.byteLength).toBeLessThan(20)
    // And they still relay as they came.
    expect(Buffer.from(encode({ type: 'reply', name: 'b', args: kept[1] })).toString()).toBe('!b 1\t 2\n')
    expect(kept[1].detach().toArray()).toEqual(['1', '2'])
  })

  it('are views of the chunk where that is asked for and nothing was escaped', () => {
    useBackend(backend)
    const random = new Random(14)
    let views = 0
    for (let i = 0; i < 60; i++) {
      const samples = Array.from({ length: 1 + random.below(4) }, () =>
        sample(random, random.below(30), random.pick([1, 40]), randomStyle(random)),
      )
      const chunk = concat(samples)
      const messages = decodeAll(chunk, { errors: 'throw', bytes: 'view' })
      messages.forEach(({ args }, k) => {
        const { escaped } = samples[k]!
        for (let a = 0; a < args.length; a++) {
          const bytes = args.bytes(a)!
          expect(bytes.buffer === chunk.buffer).toBe(!escaped[a])
          if (!escaped[a]) views++
          expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype)
        }
      })
      for (const { args } of decodeAll(chunk, { errors: 'throw' })) {
        for (let a = 0; a < args.length; a++) {
          const bytes = args.bytes(a)!
          // A copy is the caller's own: nothing else shares its memory.
          expect(bytes.buffer === chunk.buffer).toBe(false)
          expect(bytes.buffer.byteLength).toBe(bytes.length)
        }
      }
    }
    expect(views).toBeGreaterThan(200)
  })

  it('are views of the chunk also where the line is longer than a window', () => {
    useBackend(backend)
    const big = 'x'.repeat(300_000)
    const chunk = ascii(`?first 1\n?write 0 ${big} a\\_b ${big}\n?last ${'y'.repeat(200)} 2\n`)
    const messages = decodeAll(chunk, { errors: 'throw', bytes: 'view' })
    expect(messages.map(({ args }) => args.length)).toEqual([1, 4, 2])
    const decoder = new Decoder({ errors: 'throw', bytes: 'view' }).push(chunk)
    for (const { args } of [...messages, ...decoder.readAll()]) {
      for (let i = 0; i < args.length; i++) {
        expect(args.bytes(i)!.buffer === chunk.buffer).toBe(args.at(i) !== 'a b')
      }
    }
    expect(messages[1]!.args.at(3)).toBe(big)
    // A line that comes in two chunks lies in neither.
    const copy = chunk.slice(0, 200_000)
    const split = new Decoder({ errors: 'throw', bytes: 'view' }).push(copy).push(chunk.subarray(200_000)).readAll()
    const { args } = split[1]!
    expect(args.bytes(1)!.buffer === chunk.buffer || args.bytes(1)!.buffer === copy.buffer).toBe(false)
    expect(args.at(1)).toBe(big)
  })

  it('do not depend on what kind of Uint8Array a chunk is', () => {
    useBackend(backend)
    class Odd extends Uint8Array {
      override slice(): Uint8Array<ArrayBuffer> {
        throw new Error('called')
      }
    }
    const text = `?a ${'é'.repeat(800)} b\n?b \\_${'c'.repeat(2000)}\n?c 1\n`
    const texts = [['é'.repeat(800), 'b'], [` ${'c'.repeat(2000)}`], ['1']]
    for (const make of [Buffer.from, (bytes: Uint8Array) => new Odd(bytes)]) {
      for (const mode of ['copy', 'view'] as const) {
        const chunk: Uint8Array = make(Buffer.from(text))
        const decoder = new Decoder({ errors: 'throw', bytes: mode }).push(chunk)
        // The second push waits in the queue while the units of the first one are not read.
        const next: Uint8Array = make(Buffer.from(text))
        decoder.push(next)
        if (mode === 'copy') {
          chunk.fill(0x5c)
          next.fill(0x5c)
        }
        const messages = decoder.readAll()
        const read = messages.map(({ args }) => args.toArray())
        expect(JSON.stringify(read) === JSON.stringify([...texts, ...texts])).toBe(true)
        for (const { args } of messages) {
          expect(Object.getPrototypeOf(args.bytes(0))).toBe(Uint8Array.prototype)
          const own = args.bytes(0)!
          expect(own.buffer === chunk.buffer || own.buffer === next.buffer).toBe(
            mode === 'view' && args.at(0)![0] !== ' ',
          )
        }
      }
    }
  })

  it('print as what they are', () => {
    useBackend(backend)
    const args = argsOf('a b', Uint8Array.of(255), '')
    expect(toJson(args)).toBe(toJson(['a b', Uint8Array.of(255), '']))
    expect(inspect(args)).toContain("'a b'")
    expect(toJson(argsOf('1', 'é'))).toBe('["1","é"]')
  })
})

/** As Number reads it, once the words that Number does not have are taken out. */
function numberOf(text: string): number {
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (!word) return Number(text)
  if (word[2]!.toLowerCase() === 'nan') return Number.NaN
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function randomDecimal(random: Random): string {
  const digits = (n: number) => Array.from({ length: n }, () => random.below(10)).join('')
  const sign = random.pick(['', '', '-', '+'])
  switch (random.below(9)) {
    case 0:
      return sign + random.pick(['nan', 'inf', 'Infinity', 'NAN', 'INF'])
    case 1:
      return `${sign}${digits(17 + random.below(20))}`
    case 2:
      return `${sign}0.${digits(17 + random.below(5))}`
    case 3:
      return `${sign}${digits(1)}.${digits(1 + random.below(18))}e${random.pick(['', '-', '+'])}${random.below(330)}`
    case 4:
      return `${sign}${random.pick(['.5', '5.', '0', '00012', '.0', '1e5', '1E-7', '000000000000000000000001'])}`
    case 5:
      return `${sign}${random.next()}.${random.next()}`
    case 6:
      return String((random.next() - 2 ** 31) / 2 ** random.below(60))
    default:
      return `${sign}${random.below(2)}.${digits(1 + random.below(16))}`
  }
}

const same = (left: Float64Array, right: ArrayLike<number>) =>
  Buffer.compare(
    Buffer.from(left.buffer, left.byteOffset, left.byteLength),
    Buffer.from(Float64Array.from(right).buffer),
  ) === 0

describe.each<Backend>(['wasm', 'js'])('numbers of arguments, %s', (backend) => {
  it('are those of Number, bit for bit', () => {
    useBackend(backend)
    const random = new Random(21)
    for (let i = 0; i < 60; i++) {
      const texts = Array.from({ length: random.pick([1, 7, 500, 2000]) }, () => randomDecimal(random))
      const args = argsOf(...texts)
      const wanted = texts.map(numberOf)
      expect(same(args.toFloat64Array(), wanted)).toBe(true)
      const from = random.below(texts.length + 1)
      const to = from + random.below(texts.length - from + 1)
      expect(same(args.toFloat64Array(from, to), wanted.slice(from, to))).toBe(true)
      expect(same(args.toFloat64Array(from), wanted.slice(from))).toBe(true)
    }
  })

  it('are the same whatever stands between them, and however they were escaped', () => {
    useBackend(backend)
    const random = new Random(22)
    const texts = Array.from({ length: 3000 }, () => randomDecimal(random))
    const line = texts.map((text) => {
      const at = random.below(text.length + 1)
      return random.pick([' ', '\t', '  ']) + (random.below(4) ? text : `${text.slice(0, at)}\\@${text.slice(at)}`)
    })
    const { args } = decode(ascii(`?x${line.join('')} \t\n`))
    expect(same(args.toFloat64Array(), texts.map(numberOf))).toBe(true)
    const complex = texts.flatMap((text) => [numberOf(text), 0])
    expect(same(args.toComplexArray(), complex)).toBe(true)
  })

  it('go over several windows', () => {
    useBackend(backend)
    const random = new Random(23)
    const texts = Array.from({ length: 40_000 }, (_, i) =>
      i % 1000 === 999 ? `0.${'3'.repeat(500)}` : String((random.next() - 2 ** 31) / 65536),
    )
    texts[20_000] = `1${'0'.repeat(200_000)}e-200000`
    const args = argsOf(...texts)
    expect(same(args.toFloat64Array(), texts.map(Number))).toBe(true)
    const pairs = argsOf(...texts.map((text) => `${text}+${text.replace(/^-/, '')}j`))
    expect(
      same(
        pairs.toComplexArray(),
        texts.flatMap((text) => [Number(text), Math.abs(Number(text))]),
      ),
    ).toBe(true)
  })

  it('have no other ranges than there are arguments', () => {
    useBackend(backend)
    const args = argsOf('0', '1', '2', '3')
    expect([...args.toFloat64Array(1, 3)]).toEqual([1, 2])
    expect([...args.toFloat64Array(4)]).toEqual([])
    expect([...args.toFloat64Array(2, 2)]).toEqual([])
    expect([...args.toComplexArray(3)]).toEqual([3, 0])
    for (const [from, to] of [
      [-1, 2],
      [0, 5],
      [3, 2],
      [0.5, 2],
      [0, Number.NaN],
      [5, 5],
    ] as const) {
      expect(faultOf(() => args.toFloat64Array(from, to)).code).toBe('WT_USAGE')
      expect(faultOf(() => args.toComplexArray(from, to)).code).toBe('WT_USAGE')
    }
  })

  it('name the argument that is no number', () => {
    useBackend(backend)
    for (const bad of [
      'x',
      '',
      ' 1',
      '1 ',
      '0x10',
      '1_0',
      '--1',
      '1e',
      '.',
      'infinit',
      '1,5',
      '\u0661',
      '1\0',
      'nanx',
      '+',
    ]) {
      for (const at of [0, 1, 9000]) {
        const texts: string[] = new Array<string>(9001).fill('0.30000000000000004')
        texts[at] = bad
        const args = argsOf(...texts)
        const fault = { code: 'WT_KATCP_VALUE', kind: 'value', path: `args[${at}]` }
        expect(
          faultOf(() => args.toFloat64Array()),
          bad,
        ).toMatchObject(fault)
        expect(
          faultOf(() => args.toComplexArray()),
          bad,
        ).toMatchObject(fault)
        if (at > 0) expect(args.toFloat64Array(0, at).length).toBe(at)
      }
    }
  })

  it('are complex in every form', () => {
    useBackend(backend)
    const random = new Random(24)
    const forms: readonly (readonly [string, number, number])[] = [
      ['1', 1, 0],
      ['-1.5', -1.5, 0],
      ['2j', 0, 2],
      ['-2J', 0, -2],
      ['1+2j', 1, 2],
      ['1e5-2E-5j', 1e5, -2e-5],
      ['1e+5+1e+5j', 1e5, 1e5],
      ['1e+5j', 0, 1e5],
      ['-0-0j', -0, -0],
      ['nan+nanj', Number.NaN, Number.NaN],
      ['inf-infj', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      ['-infinity+infinityj', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      ['nanj', 0, Number.NaN],
      ['1+nanj', 1, Number.NaN],
      ['.5+.5j', 0.5, 0.5],
      ['5.-5.j', 5, -5],
    ]
    expect(
      same(
        argsOf(...forms.map(([text]) => text)).toComplexArray(),
        forms.flatMap(([, re, im]) => [re, im]),
      ),
    ).toBe(true)
    const texts: string[] = []
    const wanted: number[] = []
    for (let i = 0; i < 5000; i++) {
      const [re, im] = [randomDecimal(random), randomDecimal(random)]
      texts.push(`${re}${/^[+-]/.test(im) ? im : `+${im}`}j`)
      wanted.push(numberOf(re), numberOf(im))
    }
    expect(same(argsOf(...texts).toComplexArray(), wanted)).toBe(true)
    for (const bad of [
      '',
      'j',
      '+j',
      '1+j',
      '1+2',
      '1+2i',
      '1 +2j',
      '1+2jj',
      '1+-2j',
      '1++2j',
      '(1+2j)',
      '1j2',
      '1e5e5j',
      'j1',
    ]) {
      expect(
        faultOf(() => argsOf('1j', bad).toComplexArray()),
        bad,
      ).toMatchObject({
        code: 'WT_KATCP_VALUE',
        path: 'args[1]',
      })
    }
  })
})
