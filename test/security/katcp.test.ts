import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Arguments,
  Decoder,
  decode,
  decodeAll,
  encode,
  inform,
  type Message,
  WireError,
} from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { backends, count, expectLinear, retained } from './measure'
import { join, repeated, trickled } from './streams'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

describe.each(backends)('KATCP under attack, %s', (backend) => {
  beforeEach(() => count(backend))

  it.each([
    ['one long argument', (size: number) => `#x ${'a'.repeat(size)}\n`],
    ['many short arguments', (size: number) => `#x${' a'.repeat(size / 2)}\n`],
    ['escapes alone', (size: number) => `#x ${'\\_'.repeat(size / 2)}\n`],
    ['faults alone', (size: number) => '?\n'.repeat(size / 2)],
  ])('takes %s, byte by byte, in work that grows with the bytes', (_, text) => {
    expectLinear(
      8000,
      120,
      (size) => trickled(ascii(text(size))),
      ({ chunks }) => {
        const decoder = new Decoder()
        for (const chunk of chunks) decoder.push(chunk)
        for (const unit of decoder) if (!WireError.is(unit)) unit.args.toArray()
      },
    )
  })

  it('holds of a line without an end no more than maxLineBytes, and of what follows nothing', () => {
    const limits = { maxLineBytes: 10_000 }
    const decoder = new Decoder({ limits })
    const chunk = new Uint8Array(1000).fill(0x61)
    decoder.push(ascii('#'))
    for (let i = 0; i < 1000; i++) {
      decoder.push(chunk)
      expect(decoder.buffered).toBeLessThanOrEqual(limits.maxLineBytes)
    }
    const units = decoder.push(ascii('\n#next\n')).readAll()
    expect(units.map((unit) => (WireError.is(unit) ? unit.code : unit.name))).toEqual([
      'WT_KATCP_LINE_TOO_LONG',
      'next',
    ])
  })

  it('makes of a line no more arguments than maxArguments', () => {
    const line = ascii(`#x${' a'.repeat(200_000)}\n`)
    expect(faultOf(() => decode(line)).code).toBe('WT_KATCP_TOO_MANY_ARGUMENTS')
    const [unit] = decodeAll(line, { limits: { maxArguments: 200_000 } })
    expect((unit as Message).args.length).toBe(200_000)
  })

  it('says little of a bad line, however long it is', () => {
    for (const line of [
      `?${'1'.repeat(10_000)}\n`,
      `?a${'\\x'.repeat(5000)}\n`,
      `?a[${'9'.repeat(9999)}]\n`,
      `${'!'.repeat(9)}\n`,
    ]) {
      const [unit] = decodeAll(ascii(line))
      expect(WireError.is(unit)).toBe(true)
      expect(String(unit).length).toBeLessThan(200)
      expect(encode(inform('log', ['error', String(unit)])).length).toBeLessThan(400)
    }
  })

  it('writes one line, whatever an argument holds', () => {
    for (const text of ['ok\n?halt', 'a\r?halt', '\n', '\\@\n', '\0\n\x1b\t ']) {
      const units = decodeAll(encode(inform('x', [text, ascii(text)])))
      expect(units).toHaveLength(1)
      expect((units[0] as Message).args.toArray()).toEqual([text, text])
    }
    for (const name of ['a\n?halt', 'a b', '', 'a\\_', '__proto__']) {
      expect(faultOf(() => encode(inform(name, []))).protocol).toBe('katcp')
    }
  })

  it('keeps of a line no more than the one argument that is kept', () => {
    const line = ascii(`#x kept-argument ${'y'.repeat(60_000)}\n`)
    const bytes = (decode(line).args as Arguments).bytes(0)!
    expect(bytes.buffer.byteLength).toBe('kept-argument'.length)
  })

  it('keeps no table that a peer can fill with names', () => {
    const fill = (i: number) => void decodeAll(ascii(`?name-${i} x\n`))
    for (let i = 0; i < 3000; i++) fill(i)
    expect(retained(3000, (i) => fill(3000 + i))).toBeLessThan(200)
  })

  it('keeps of a connection that sent much nothing once its line ended', () => {
    const wire = join(ascii('#x '), new Uint8Array(500_000).fill(0x61), repeated(ascii('\n#y\n'), 1))
    const each = retained(20, () => {
      const decoder = new Decoder()
      for (let at = 0; at < wire.length; at += 10_000) decoder.push(wire.subarray(at, at + 10_000))
      expect(decoder.readAll()).toHaveLength(2)
      return decoder
    })
    expect(each).toBeLessThan(20_000)
  })
})
