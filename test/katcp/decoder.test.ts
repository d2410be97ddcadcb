import { describe, expect, it } from 'vitest'
import * as layout from '../../assembly/abi/layout'
import { type Backend, useBackend } from '../../bindings/engine/load'
import {
  DEFAULT_LIMITS,
  type DecodeOptions,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  encode,
  encodeAll,
  type Message,
  type Units,
  WireError,
} from '../../bindings/katcp/index'
import { selectCore } from '../../bindings/katcp/lines'
import { faultOf } from '../fault'
import { Random } from '../random'
import { ascii, randomStyle, sample, told, vectorLinesOf, withoutStacks } from './reference'

const vectors = vectorLinesOf()
const concat = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const withEnd = (line: Uint8Array, end = '\n') => concat([line, ascii(end)])

/** What a decoder says of the bytes in the given pieces, each overwritten once it is pushed; a fault that is thrown stands last. */
function run(
  bytes: Uint8Array,
  cuts: readonly number[],
  options: DecodeOptions<'report' | 'throw'> = {},
  end = true,
): string[] {
  const decoder = new Decoder(options)
  const said: string[] = []
  let from = 0
  try {
    for (const to of [...cuts, bytes.length]) {
      const chunk = bytes.slice(from, to)
      decoder.push(chunk)
      if (options.bytes !== 'view') chunk.fill(0x5c)
      for (const unit of decoder) said.push(told(unit))
      from = to
    }
    if (end) for (const unit of decoder.end()) said.push(told(unit))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    said.push(`throws ${told(error)}`)
  }
  return said
}

/** The same by every cut in two, and byte by byte; any difference is shown with its cuts. */
function everywhere(bytes: Uint8Array, options: DecodeOptions<'report' | 'throw'> = {}, end = true): string[] {
  const whole = run(bytes, [], options, end)
  const wanted = whole.join('\n')
  const all = [Array.from(bytes, (_, i) => i), ...Array.from(bytes, (_, i) => [i])]
  for (const cuts of all) {
    const said = run(bytes, cuts, options, end)
    if (said.join('\n') !== wanted) expect({ cuts, said }).toEqual({ cuts, said: whole })
  }
  return whole
}

const backends = describe.each<Backend>(['wasm', 'js'])

backends('limits, %s', (backend) => {
  it('of a line count its end, whatever the chunking', () => {
    useBackend(backend)
    for (const line of ['?a', '?abc[12] x yz', '?a \\n\\_ x', '!a   ', `#n ${'x '.repeat(20)}`, '?a \u00e9\u00e9']) {
      for (const end of ['\n', '\r']) {
        const bytes = ascii(`?k 1\n${line}${end}?z 2\n`)
        const length = ascii(line).length + 1
        const [first, middle, last] = run(bytes, [])
        expect(middle).toMatch(/^(request|reply|inform) /)
        const at = (maxLineBytes: number) => everywhere(bytes, { limits: { maxLineBytes } })
        const over = (max: number) => `WT_KATCP_LINE_TOO_LONG ${5 + max}`
        const small = length <= 5 ? over : () => middle
        expect(at(length + 1)[1]).toBe(middle)
        expect(at(length)[1]).toBe(middle)
        expect(at(length - 1)[1]).toBe(over(length - 1))
        expect(small(0)).toBeDefined()
        expect(at(Math.max(5, length - 1))).toEqual([first, length > 5 ? over(length - 1) : middle, last])
      }
    }
  })

  it('of a line may be so small that no line fits', () => {
    useBackend(backend)
    const bytes = ascii('\n\r?a\n ?b\n\n!c x\r')
    const over = (max: number) => [2, 5, 10].map((start) => `WT_KATCP_LINE_TOO_LONG ${start + max}`)
    expect(everywhere(bytes, { limits: { maxLineBytes: 0 } })).toEqual(over(0))
    // The second line has a blank first, which the line end would make a bad type; the limit comes before that is seen.
    expect(everywhere(bytes, { limits: { maxLineBytes: 1 } })).toEqual(over(1))
    for (const maxLineBytes of [0, 1, 2]) {
      const decoder = new Decoder({ limits: { maxLineBytes }, errors: 'throw' })
      for (const byte of bytes.subarray(2)) decoder.push(Uint8Array.of(byte))
      expect(faultOf(() => decoder.read())).toMatchObject({
        code: 'WT_KATCP_LINE_TOO_LONG',
        kind: 'limit',
        offset: maxLineBytes,
        limit: { name: 'maxLineBytes', max: maxLineBytes, actual: maxLineBytes + 1 },
      })
    }
    // An unfinished line is one, also where none of it may be held.
    expect(everywhere(ascii('?'), { limits: { maxLineBytes: 0 } })).toEqual(['WT_TRUNCATED 1'])
  })

  it('of a line are exact around the sizes of windows', () => {
    useBackend(backend)
    for (const size of [65_535, 65_536, 126_975, 126_976, 126_977, 250_000]) {
      const line = ascii(`?a ${'x'.repeat(size - 4)}\n`)
      expect(line.length).toBe(size)
      const bytes = concat([ascii('?k\n'), line, ascii('?z\n')])
      for (const [max, code] of [
        [size + 1, undefined],
        [size, undefined],
        [size - 1, 'WT_KATCP_LINE_TOO_LONG'],
      ] as const) {
        for (const cuts of [[], [3], [1, 100_000], [size], [size + 1], [size + 2], [size + 3]]) {
          const units = new Decoder({ limits: { maxLineBytes: max } })
          let from = 0
          const found: (Message | WireError)[] = []
          for (const to of [...cuts, bytes.length]) {
            found.push(...units.push(bytes.slice(from, to)))
            from = to
          }
          expect(found.length).toBe(3)
          const middle = found[1]!
          if (code === undefined) expect((middle as Message).args.bytes(0)!.length).toBe(size - 4)
          else expect(middle).toMatchObject({ code, offset: 3 + max })
          expect((found[2] as Message).name).toBe('z')
        }
      }
    }
  })

  it('of arguments count those of one line, whatever the chunking', () => {
    useBackend(backend)
    for (const blank of [' ', '\t', '  ']) {
      for (const end of ['\n', ' \n', '\r\n']) {
        for (const count of [0, 1, 2, 5]) {
          const line = `!k[1]${Array.from({ length: count }, (_, i) => `${blank}a${i}`).join('')}`
          const bytes = ascii(`?x 1 2\n${line}${end}?z\n`)
          const fits = run(bytes, [])
          expect(fits.length).toBe(3)
          const limit = (maxArguments: number) => everywhere(bytes, { limits: { maxArguments } })
          if (count >= 2) {
            expect(limit(count)).toEqual(fits)
            expect(limit(count + 1)).toEqual(fits)
          }
          if (count < 1) continue
          const said = limit(count - 1)
          const place = bytes.length - ascii(`a0${end}?z\n`).length
          expect(said[1]).toBe(`WT_KATCP_TOO_MANY_ARGUMENTS ${place}`)
          expect(said[2]).toBe(fits[2])
        }
      }
    }
    const error = faultOf(() => decode(ascii('?a 1 2 3'), { limits: { maxArguments: 2 } }))
    expect(error).toMatchObject({ kind: 'limit', offset: 7, limit: { name: 'maxArguments', max: 2, actual: 3 } })
  })

  it('of arguments are exact where a line has thousands', () => {
    useBackend(backend)
    const bytes = ascii(`?a${' 12345678'.repeat(40_000)}\n?z\n`)
    for (const [maxArguments, wanted] of [
      [40_001, 'request'],
      [40_000, 'request'],
      [39_999, 'WT_KATCP_TOO_MANY_ARGUMENTS'],
    ] as const) {
      for (const size of [bytes.length, 70_001, 1460]) {
        const decoder = new Decoder({ limits: { maxArguments } })
        for (let at = 0; at < bytes.length; at += size) decoder.push(bytes.slice(at, at + size))
        const [unit, last] = decoder.readAll()
        expect(unit instanceof WireError ? unit.code : unit!.type).toBe(wanted)
        if (unit instanceof WireError) expect(unit.offset).toBe(3 + 9 * 39_999)
        expect((last as Message).name).toBe('z')
      }
    }
    expect(DEFAULT_LIMITS.maxArguments).toBe(131_072)
    const most = (count: number) => ascii(`?a${' 1'.repeat(count)}`)
    expect(decode(most(131_072)).args.length).toBe(131_072)
    expect(faultOf(() => decode(most(131_073))).code).toBe('WT_KATCP_TOO_MANY_ARGUMENTS')
  })

  it('of what is held count the queue and the unfinished line', () => {
    useBackend(backend)
    const more = ascii('?b\n?c\n?d\n?')
    for (const [max, codes] of [
      [11, ['a', 'b', 'c', 'd', '']],
      [10, ['a', 'b', 'c', 'd', '']],
      [9, ['a', 'b', 'c', 'd', 'WT_TOO_MUCH_BUFFERED 12']],
      [8, ['a', 'b', 'c', 'WT_TOO_MUCH_BUFFERED 11']],
      [0, ['a', 'WT_TOO_MUCH_BUFFERED 3']],
    ] as const) {
      const decoder = new Decoder({ errors: 'throw', limits: { maxBufferedBytes: max } })
      // While a unit waits, what is pushed is queued.
      decoder.push(ascii('?a\n')).push(more)
      expect(decoder.buffered).toBeLessThanOrEqual(max)
      const said: string[] = []
      try {
        for (const { name } of decoder) said.push(name)
        said.push('')
      } catch (error) {
        expect(error).toMatchObject({ kind: 'limit', limit: { name: 'maxBufferedBytes', max, actual: 10 } })
        said.push(told(error as WireError))
      }
      expect(said).toEqual(codes)
      decoder.reset()
      expect(decoder.push(ascii('?e\n')).read()!.name).toBe('e')
    }
    for (const [max, wanted] of [
      [7, ['request abcde undefined ']],
      [6, ['request abcde undefined ']],
      [5, ['throws WT_TOO_MUCH_BUFFERED 5']],
    ] as const) {
      const bytes = ascii('?abcde\n')
      const single = Array.from(bytes, (_, i) => i)
      expect(run(bytes, single, { errors: 'throw', limits: { maxBufferedBytes: max } })).toEqual(wanted)
    }
  })

  it('bound what is kept of a bad line', () => {
    useBackend(backend)
    for (const start of ['?a ', '?1', 'x', '?a \\q']) {
      for (const bytes of ['copy', 'view'] as const) {
        for (const step of [1, 77, 20_000]) {
          const decoder = new Decoder({ limits: { maxLineBytes: 1000 }, bytes })
          decoder.push(ascii(start))
          for (let sent = 0; sent < 4000 * step; sent += 100 * step) {
            decoder.push(new Uint8Array(100 * step).fill(0x78))
            expect(decoder.buffered).toBeLessThanOrEqual(1000)
            if (step > 1000 && sent > 2 * step) break
          }
          const [error, good, ...none] = decoder.push(ascii('\n?z\n')).readAll()
          expect(error).toBeInstanceOf(WireError)
          expect((good as Message).name).toBe('z')
          expect(none).toEqual([])
          expect(decoder.buffered).toBe(0)
        }
      }
    }
  })

  it('are refused where they are none', () => {
    useBackend(backend)
    for (const limits of [{ maxLineBytes: -1 }, { maxLineBytes: 1.5 }, { maxArguments: Number.NaN }, { maxLines: 3 }]) {
      const options = { limits } as DecodeOptions
      for (const call of [
        () => new Decoder(options),
        () => decode(ascii('?a'), options),
        () => decodeAt(ascii('?a\n'), 0, options),
      ]) {
        expect(faultOf(call)).toMatchObject({ code: 'WT_USAGE', kind: 'usage' })
      }
    }
  })
})

backends('faults, %s', (backend) => {
  it('stand in their order among the messages', () => {
    useBackend(backend)
    const bytes = ascii('?a\n?b \\x\n!c ok\nbad\n\n \t\r\n#d\n?e[0]\n?f')
    expect(everywhere(bytes)).toEqual([
      'request a undefined ',
      'WT_KATCP_BAD_ESCAPE 7',
      'reply c undefined 6f6b',
      'WT_KATCP_BAD_TYPE 15',
      'inform d undefined ',
      'WT_KATCP_BAD_ID 30',
      'WT_TRUNCATED 35',
    ])
    expect(everywhere(bytes, { errors: 'throw' })).toEqual(['request a undefined ', 'throws WT_KATCP_BAD_ESCAPE 7'])
  })

  it('are thrown again and again until reset, and bytes are ignored until then', () => {
    useBackend(backend)
    for (const { bad } of [vectors]) {
      for (let i = 0; i < bad.length; i += 7) {
        const line = bad[i]!
        const decoder = new Decoder({ errors: 'throw' })
        const bytes = concat([ascii('?first 1\n'), withEnd(line), ascii('?after\n')])
        decoder.push(bytes)
        expect(decoder.read()!.name).toBe('first')
        let fault: unknown
        try {
          // Lines of blanks alone are no fault of a stream.
          expect(decoder.read()!.name).toBe('after')
          continue
        } catch (error) {
          fault = error
        }
        expect(fault).toBeInstanceOf(WireError)
        for (const again of [() => decoder.read(), () => decoder.readAll(), () => [...decoder.push(ascii('?x\n'))]]) {
          expect(faultOf(again)).toBe(fault)
        }
        expect(decoder.buffered).toBe(0)
        decoder.reset()
        expect([decoder.offset, decoder.buffered]).toEqual([0, 0])
        expect(
          decoder
            .push(ascii('?x[5] 1\n'))
            .readAll()
            .map((unit) => told(unit)),
        ).toEqual(['request x 5 31'])
        expect(decoder.offset).toBe(8)
      }
    }
  })

  it('are the same wherever a bad line is cut, in both orders', () => {
    useBackend(backend)
    const random = new Random(31)
    const errorOrders = ['left-to-right', 'katcp-python'] as const
    for (let i = 0; i < vectors.bad.length; i += 3) {
      const bytes = concat([
        ascii('?ok 1\n#x  2 \n'),
        withEnd(vectors.bad[i]!, random.pick(['\n', '\r\n'])),
        ascii('!z\n'),
      ])
      for (const errorOrder of errorOrders) {
        const whole = run(bytes, [], { errorOrder })
        const wanted = whole.join()
        const single = Array.from(bytes, (_, k) => k)
        const cuts = [single, ...Array.from({ length: 6 }, () => [random.below(bytes.length)])]
        for (const each of cuts) {
          const said = run(bytes, each, { errorOrder, bytes: random.pick(['copy', 'view']) })
          if (said.join() !== wanted) expect({ each, said }).toEqual({ each, said: whole })
        }
        expect(whole[0]).toBe('request ok undefined 31')
        expect(whole.at(-1)).toBe('reply z undefined ')
      }
    }
  })

  it('have offsets from the start of the stream', () => {
    useBackend(backend)
    for (const filler of [ascii(`#log ${'x'.repeat(1000)}\n`), ascii('?a\n')]) {
      const decoder = new Decoder()
      let offset = 0
      const random = new Random(32)
      const wanted: number[] = []
      const got: number[] = []
      for (let i = 0; i < 400; i++) {
        const bad = random.below(20) === 0
        const line = bad ? ascii('?a x\\?y\n') : filler
        if (bad) wanted.push(offset + 5)
        offset += line.length
        const cut = random.below(line.length)
        decoder.push(line.subarray(0, cut)).push(line.subarray(cut))
        if (random.below(3) === 0) {
          for (const unit of decoder) if (unit instanceof WireError) got.push(unit.offset)
          expect(decoder.offset + decoder.buffered).toBe(offset)
        }
      }
      for (const unit of decoder.readAll()) if (unit instanceof WireError) got.push(unit.offset)
      expect(got).toEqual(wanted)
      expect(wanted.length).toBeGreaterThan(5)
    }
  })

  it('of a partial line come at the end, once', () => {
    useBackend(backend)
    for (const text of ['?', '?a', '?a[', '?a[1', '?a x', '?a \\', '?a x ', '?1', ' ', 'bad', '?a \\q']) {
      const report = new Decoder().push(ascii(`?k\n${text}`)).end()
      expect(report.readAll().map((unit) => told(unit))).toEqual([
        'request k undefined ',
        `WT_TRUNCATED ${3 + text.length}`,
      ])
      expect([report.read(), report.buffered]).toEqual([undefined, 0])
      expect(faultOf(() => report.push(ascii('x'))).code).toBe('WT_USAGE')
      const thrown = new Decoder({ errors: 'throw' }).push(ascii(text)).end()
      const error = faultOf(() => thrown.read())
      expect(error).toMatchObject({ code: 'WT_TRUNCATED', kind: 'truncated', offset: text.length })
      expect(faultOf(() => thrown.read())).toBe(error)
      thrown.reset()
      expect(thrown.push(ascii('?a\n')).end().readAll().length).toBe(1)
    }
  })

  it("of a bad line in katcp-python's order may be in a line of any length", () => {
    useBackend(backend)
    const limits = { maxLineBytes: 1 << 26, maxBufferedBytes: 1 << 26 }
    const { memory } = selectCore(1 << 20, 0)
    const before = memory.u8.length
    for (const size of [100_000, 126_970, 126_980, 17_000_000]) {
      const line = new Uint8Array(size).fill(0x78)
      line.set(ascii('?1bad '))
      // Near the end, but in the longest line, of which every byte before it would be looked at.
      const at = size < 1_000_000 ? size - 6 : 100
      line.set(ascii(' \\q x'), at)
      line[size - 1] = 10
      const options = { limits, errorOrder: 'katcp-python' } as const
      const [error, ...rest] = new Decoder(options).push(line).push(ascii('?z a\n')).readAll()
      expect(error).toMatchObject({ code: 'WT_KATCP_BAD_ESCAPE', offset: at + 2 })
      expect(rest.map((unit) => told(unit))).toEqual(['request z undefined 61'])
      if (size < 1_000_000)
        expect(faultOf(() => decode(line, { limits }))).toMatchObject({ code: 'WT_KATCP_BAD_NAME', offset: 1 })
    }
    // A bad line is no reason to keep more memory.
    expect(selectCore(1 << 20, 0).memory.u8.length).toBe(before)
  })
})

backends('what a decoder gives, %s', (backend) => {
  it('is the same from decode, decodeAt, decodeAll and a decoder', () => {
    useBackend(backend)
    const lines = [...vectors.good, ...vectors.bad].map((line) => withEnd(line))
    const all = concat(lines)
    const single: string[] = []
    let start = 0
    for (const line of lines) {
      try {
        single.push(told(decode(line)))
      } catch (error) {
        // A line of blanks is none of a stream's units.
        if ((error as WireError).code !== 'WT_KATCP_EMPTY_LINE') single.push(told(error as WireError, start))
      }
      start += line.length
    }
    const wanted = single.join('\n')
    expect(single.length).toBeGreaterThan(3000)
    expect(
      decodeAll(all)
        .map((unit) => told(unit))
        .join('\n') === wanted,
    ).toBe(true)
    expect(
      new Decoder()
        .push(all)
        .readAll()
        .map((unit) => told(unit))
        .join('\n') === wanted,
    ).toBe(true)
    expect([...new Decoder().push(all)].map((unit) => told(unit)).join('\n') === wanted).toBe(true)

    const at: string[] = []
    let offset = 0
    for (;;) {
      try {
        const found = decodeAt(all, offset)
        if (!found) break
        at.push(told(found.value))
        offset = found.end
      } catch (error) {
        at.push(told(error as WireError))
        // Behind the line that was bad.
        offset = all.indexOf(10, (error as WireError).offset) + 1
      }
    }
    expect(at.join('\n') === wanted).toBe(true)
  })

  it('needs the end of every line, wherever it is cropped', () => {
    useBackend(backend)
    let crops = 0
    const wrong: string[] = []
    const decoder = new Decoder()
    withoutStacks(() => {
      for (const line of vectors.good) {
        // Of the longest lines, the last 300 places will do.
        for (let length = line.length > 300 ? line.length - 300 : 1; length <= line.length; length++) {
          crops++
          const crop = line.subarray(0, length)
          const early = decodeAt(crop, 0) ?? decoder.push(crop).read()
          const { buffered } = decoder
          const unit = decoder.end().read()
          const last = unit === undefined ? '' : told(unit)
          if (early !== undefined || buffered !== length || last !== `WT_TRUNCATED ${length}`) {
            wrong.push(`${Buffer.from(crop).toString('latin1')}: ${early}, ${buffered}, ${last}`)
          }
          decoder.reset()
        }
      }
    })
    expect(wrong.slice(0, 5)).toEqual([])
    expect(crops).toBeGreaterThan(100_000)
  })

  it('fits a buffer of any size', () => {
    useBackend(backend)
    // More than a Decoder may hold: a complete buffer is the caller's, not held.
    const line = ascii(`#a ${'x'.repeat(100_000)} \\_\n`)
    const bytes = new Uint8Array(line.length * 180)
    for (let at = 0; at < bytes.length; at += line.length) bytes.set(line, at)
    expect(bytes.length).toBeGreaterThan(DEFAULT_LIMITS.maxBufferedBytes)
    const messages = decodeAll(bytes, { errors: 'throw', bytes: 'view' })
    expect(messages.length).toBe(180)
    expect(messages.at(-1)!.args.at(1)).toBe(' ')
    expect(messages.at(-1)!.args.bytes(0)!.buffer === bytes.buffer).toBe(true)
    const cut = decodeAll(bytes.subarray(0, -1), { bytes: 'view' })
    expect(told(cut.at(-1)!)).toBe(`WT_TRUNCATED ${bytes.length - 1}`)
    expect(cut.length).toBe(180)
    expect(faultOf(() => decodeAll(bytes.subarray(0, -1), { errors: 'throw' })).offset).toBe(bytes.length - 1)
  })

  it('ends where decodeAll is told to throw', () => {
    useBackend(backend)
    expect(faultOf(() => decodeAll(ascii('?a\n?b!\n?c'), { errors: 'throw' }))).toMatchObject({
      code: 'WT_KATCP_BAD_NAME',
      offset: 5,
    })
    expect(decodeAll(new Uint8Array(0), { errors: 'throw' })).toEqual([])
    expect(decodeAll(ascii('\n\r\n \t\n'))).toEqual([])
    expect(faultOf(() => decodeAll('?a\n' as unknown as Uint8Array)).code).toBe('WT_USAGE')
  })

  it('is one message from decode, and nothing may follow', () => {
    useBackend(backend)
    expect(told(decode(ascii('\n\r\n?a\n\r\n')))).toBe('request a undefined ')
    expect(faultOf(() => decode(ascii('?a\n?b')))).toMatchObject({ code: 'WT_TRAILING_BYTES', offset: 3 })
    expect(faultOf(() => decode(ascii('?a\n\n x')))).toMatchObject({ code: 'WT_TRAILING_BYTES', offset: 4 })
    for (const blank of ['', '\n', '  ', '\r\n\t']) {
      expect(faultOf(() => decode(ascii(blank)))).toMatchObject({ code: 'WT_KATCP_EMPTY_LINE', kind: 'malformed' })
    }
    expect(decodeAt(ascii('\n\n'), 0)).toBeUndefined()
    expect(decodeAt(ascii('?a\n'), 3)).toBeUndefined()
    expect(decodeAt(ascii('xx?a\r\n?b\n'), 2)?.end).toBe(5)
    for (const offset of [-1, 4, 0.5, Number.NaN]) {
      expect(faultOf(() => decodeAt(ascii('?a\n'), offset)).code).toBe('WT_USAGE')
    }
    // What was cut off or bad leaves nothing behind for the next call.
    for (const before of ['?a x', '?a[', '?a \\', '?1', ' ']) {
      try {
        decodeAt(ascii(before), 0)
        decode(ascii(before))
      } catch (error) {
        expect(error).toBeInstanceOf(WireError)
      }
      expect(told(decode(ascii('!b[3] y\n')))).toBe('reply b 3 79')
      expect(decodeAt(ascii('!b[3] y\n'), 0)!.end).toBe(8)
    }
  })

  it('has the names that were sent, however many there are', () => {
    useBackend(backend)
    const hostile = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'proto', 'isPrototypeOf']
    const many = Array.from({ length: 5000 }, (_, i) => `n${(i * 2_654_435_761) % 4_294_967_296}-${'x'.repeat(i % 70)}`)
    const long = [63, 64, 65, 66, 1000, 70_000, 140_000].map((length) => 'L'.repeat(length))
    const names = [...hostile, ...many, ...long, ...hostile, ...many.slice(0, 1000), ...hostile]
    const bytes = ascii(names.map((name) => `?${name} 1\n`).join(''))
    for (const size of [bytes.length, 70_000, 1000]) {
      const decoder = new Decoder({ errors: 'throw' })
      const got: string[] = []
      for (let at = 0; at < bytes.length; at += size) {
        for (const { name } of decoder.push(bytes.subarray(at, at + size))) got.push(name)
      }
      expect(got.length).toBe(names.length)
      expect(got.every((name, i) => name === names[i])).toBe(true)
    }
    for (const name of hostile) expect(decode(ascii(`?${name}`)).name).toBe(name)
  })

  it('stays right when the backend is changed in the middle of a line', () => {
    const random = new Random(42)
    for (let i = 0; i < 60; i++) {
      const samples = Array.from({ length: 4 }, () => sample(random, random.below(30), 6, randomStyle(random)))
      const bytes = concat(samples.map(({ line }) => line))
      useBackend(backend)
      const wanted = decodeAll(bytes).map((unit) => told(unit))
      const decoder = new Decoder()
      const said: string[] = []
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random.below(40)
        useBackend(random.pick(['wasm', 'js', 'auto']))
        for (const unit of decoder.push(bytes.subarray(at, at + size))) {
          useBackend(random.pick(['wasm', 'js', 'auto']))
          said.push(told(unit))
        }
        at += size
      }
      expect(said).toEqual(wanted)
    }
    useBackend(backend)
  })
})

backends('what a decoder holds, %s', (backend) => {
  it('is untouched by other decoders and encoders between two reads', () => {
    useBackend(backend)
    const random = new Random(51)
    const streams = [0, 1].map((k) => {
      const samples = Array.from({ length: 150 }, () =>
        sample(random, random.below(k === 0 ? 8 : 60), 5, randomStyle(random)),
      )
      return {
        bytes: concat(samples.map(({ line }) => line)),
        samples,
        decoder: new Decoder({ errors: 'throw' }),
        at: 0,
      }
    })
    const wanted = streams.map(({ bytes }) => decodeAll(bytes).map((unit) => told(unit)))
    const said: string[][] = [[], []]
    const kept: Message[][] = [[], []]
    let turns = 0
    while (said.some((list, k) => list.length < wanted[k]!.length)) {
      const k = turns++ % 2
      const stream = streams[k]!
      if (random.below(2) && stream.at < stream.bytes.length) {
        const size = random.pick([1, 10, 300, 5000])
        stream.decoder.push(stream.bytes.slice(stream.at, stream.at + size))
        stream.at += size
      }
      const unit = stream.decoder.read()
      // What the loop's body does in between: every kernel once, on other bytes.
      const other = random.pick(streams).samples[random.below(100)]!
      encode(other.input)
      decode(other.line).args.toArray.call(decode(ascii('?x a\\_b 1 2')).args)
      decode(ascii('?x 1.5 2 3+1j')).args.toComplexArray()
      encodeAll([other.input, { type: 'inform', name: 'log', args: ['x'.repeat(random.below(3000)), ''] }])
      decodeAt(other.line, 0)
      if (!unit) continue
      kept[k]!.push(unit)
      said[k]!.push(told(unit))
    }
    expect(said).toEqual(wanted)
    // And what was read first is the same after all that.
    expect(kept.map((list) => list.map((unit) => told(unit)))).toEqual(wanted)
  })

  it('may be read again in the loop over itself', () => {
    useBackend(backend)
    const decoder = new Decoder({ errors: 'throw' }).push(ascii('?a 1\n?b 2\n?c 3\n?d 4\n'))
    const names: string[] = []
    for (const { name } of decoder) {
      names.push(name)
      if (name === 'a') names.push(`(${decoder.read()!.name})`)
      if (name === 'c') decoder.push(ascii('?e 5\n?f'))
    }
    expect(names).toEqual(['a', '(b)', 'c', 'd', 'e'])
    for (const { name } of decoder.push(ascii(' 1\n?g\n'))) {
      expect(name).toBe('f')
      break
    }
    // What a loop leaves is for the next one.
    expect(decoder.readAll().map(({ name }) => name)).toEqual(['g'])
  })

  it('has nothing of the memory around it, whatever stood there', () => {
    const random = new Random(52)
    const sent = '\u00a5'
    let compared = 0
    for (let i = 0; i < 150; i++) {
      const style = { ...randomStyle(random), high: random.pick([0, 1] as const) }
      const count = random.pick([0, 3, 40])
      const samples = Array.from({ length: 1 + random.below(3) }, () =>
        sample(random, random.below(count + 1), 5, style),
      )
      const bytes = concat(samples.map(({ line }) => line))
      useBackend(backend)
      const wanted = decodeAll(bytes).map((unit) => told(unit))
      const texts = decodeAll(bytes, { errors: 'throw' }).map(({ args }) => args.toArray())
      const lines = samples.map(({ input }) => Buffer.from(encode(input)).toString('hex'))
      const decoder = new Decoder({ errors: 'throw' })
      const messages: Message[] = []
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random.below(60)
        poisoned(backend)
        decoder.push(bytes.slice(at, at + size))
        for (;;) {
          poisoned(backend)
          const unit = decoder.read()
          if (!unit) break
          messages.push(unit)
        }
        at += size
      }
      expect(messages.length).toBe(samples.length)
      messages.forEach((message, k) => {
        poisoned(backend)
        expect(told(message)).toBe(wanted[k])
        poisoned(backend)
        expect(message.args.toArray()).toEqual(texts[k])
        expect(texts[k]!.join()).not.toContain(sent)
        poisoned(backend)
        expect(Buffer.from(encode(samples[k]!.input)).toString('hex')).toBe(lines[k])
        poisoned(backend)
        const all = [...message.args].map((text) => text)
        poisoned(backend)
        expect(all).toEqual(message.args.detach().toArray())
        compared++
      })
    }
    expect(compared).toBeGreaterThan(150)
    const numbers = decode(ascii('?x 1.5 0.30000000000000004 1e-7 2.5')).args
    poisoned(backend)
    expect([...numbers.toFloat64Array()]).toEqual([1.5, 0.30000000000000004, 1e-7, 2.5])
    poisoned(backend)
    expect([...numbers.toComplexArray(2)]).toEqual([1e-7, 0, 2.5, 0])
    const { u8 } = poisoned(backend)
    expect(u8[layout.L_ARENA]).toBe(0xa5)
  })

  it('refuses what is no Uint8Array, and takes nothing after its end', () => {
    useBackend(backend)
    const decoder = new Decoder()
    for (const chunk of ['?a\n', [63], new ArrayBuffer(3), undefined, new Uint16Array(2)]) {
      expect(faultOf(() => decoder.push(chunk as unknown as Uint8Array)).code).toBe('WT_USAGE')
    }
    expect(decoder.push(new Uint8Array(0)).read()).toBeUndefined()
    decoder.end()
    expect(faultOf(() => decoder.push(new Uint8Array(0))).code).toBe('WT_USAGE')
    for (const options of [{ errors: 'ignore' }, { bytes: 'shared' }, { errorOrder: 'none' }]) {
      expect(faultOf(() => new Decoder(options as unknown as DecodeOptions<keyof Units>)).code).toBe('WT_USAGE')
    }
  })
})

/** The memory of one backend, poisoned from the state block on, so that a stale byte would show. */
function poisoned(backend: Backend) {
  useBackend(backend)
  const { memory } = selectCore(1 << 20, 0)
  memory.u8.fill(0xa5, layout.L_STATE)
  return memory
}
