import { beforeEach, describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderField, huffmanEncode } from '../../bindings/hpack/index'
import { faultOf } from '../fault'
import { backends, count, expectLinear, retained } from './measure'
import { join, repeated } from './streams'

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const LENGTH_BITS = 7

/** An integer with a prefix of `bits` bits, below the flags of `first` (RFC 7541, 5.1). */
function integer(first: number, bits: number, value: number): Uint8Array {
  const most = 2 ** bits - 1
  if (value < most) return Uint8Array.of(first | value)
  const bytes = [first | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(0x80 | (rest % 128))
  return Uint8Array.of(...bytes, rest)
}
const string = (text: string): Uint8Array => join(integer(0, LENGTH_BITS, text.length), latin1(text))
/** A literal that goes into the table. */
const indexed = (name: string, value: string): Uint8Array => join(Uint8Array.of(0x40), string(name), string(value))
const plain = (name: string, value: string): Uint8Array => join(Uint8Array.of(0), string(name), string(value))
/** The entry that came last. */
const NEWEST = Uint8Array.of(0x80 | 62)

describe.each(backends)('HPACK under attack, %s', (backend) => {
  beforeEach(() => count(backend))

  it('builds of references to a large entry no more than maxListSize', () => {
    const bomb = join(indexed('a', 'x'.repeat(4000)), repeated(NEWEST, 16_000))
    const decoder = new Decoder()
    expect(faultOf(() => decoder.decode(bomb)).code).toBe('WT_HPACK_LIST_TOO_LARGE')

    const patient = new Decoder({ onTooLarge: 'skip' })
    const list = patient.decode(bomb)
    expect(list.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0)).toBeLessThanOrEqual(65_536)
    expect(patient.skipped).toBe(16_001 - list.length)
  })

  it.each(['throw', 'skip'] as const)('works on references to a large entry as on small ones, %s', (onTooLarge) => {
    expectLinear(
      4000,
      60,
      (size) => {
        const wire = join(indexed('a', 'x'.repeat(4000)), repeated(NEWEST, size))
        return { wire, bytes: wire.length }
      },
      ({ wire }) => {
        const decoder = new Decoder({ onTooLarge })
        if (onTooLarge === 'throw') faultOf(() => decoder.decode(wire))
        else decoder.decode(wire)
      },
    )
  })

  it.each([
    ['empty fields', plain('', '')],
    ['tiny entries', indexed('a', '')],
    ['crumbs of cookies', Uint8Array.of(0x40 | 32, 1, 0x61)],
  ])('counts %s with their 32 octets each', (_, field) => {
    const wire = repeated(field, 3000)
    const code = faultOf(() => new Decoder().decode(wire)).code
    expect(['WT_HPACK_LIST_TOO_LARGE', 'WT_HPACK_TOO_MANY_FIELDS']).toContain(code)
    const few = new Decoder({ limits: { maxFields: 10, maxListSize: 2 ** 30 } })
    expect(faultOf(() => few.decode(wire)).code).toBe('WT_HPACK_TOO_MANY_FIELDS')
    expectLinear(
      1000,
      60,
      (size) => {
        const block = repeated(field, size)
        return { block, bytes: block.length }
      },
      ({ block }) => {
        new Decoder({ onTooLarge: 'skip' }).decode(block)
      },
    )
  })

  it.each([
    ['a long value', (size: number) => plain('a', 'x'.repeat(size))],
    ['a long value in Huffman code', (size: number) => huffman('x'.repeat(size))],
    ['short fields', (size: number) => repeated(plain('ab', 'cd'), size / 7)],
  ])('takes %s in fragments of one octet in work that grows with the octets', (_, make) => {
    expectLinear(
      7000,
      90,
      (size) => {
        const wire = make(size)
        return { wire, bytes: wire.length }
      },
      ({ wire }) => {
        const decoder = new Decoder({ onTooLarge: 'skip' })
        for (let at = 0; at < wire.length; at++) decoder.push(wire.subarray(at, at + 1))
        decoder.end().readAll()
      },
    )
  })

  it('looks at nothing behind a fault, however much comes', () => {
    const decoder = new Decoder()
    decoder.push(Uint8Array.of(0x80))
    const flood = new Uint8Array(100_000).fill(0x82)
    const fault = faultOf(() => decoder.push(flood).readAll())
    expect(fault.offset).toBe(0)
    expect(decoder.buffered).toBe(0)
  })

  it.each([
    ['an index', Uint8Array.of(0xff)],
    ['a length', Uint8Array.of(0, 0x7f)],
    ['an update', Uint8Array.of(0x3f)],
  ])('ends an integer that never does: %s', (_, start) => {
    for (const turn of [0x80, 0xff]) {
      const block = join(start, new Uint8Array(50).fill(turn), Uint8Array.of(0))
      const fault = faultOf(() => new Decoder().decode(block))
      expect(fault.kind).toMatch(/malformed|limit/)
      expect(fault.offset!).toBeLessThan(10)
    }
  })

  it('holds of a string no more than maxStringBytes, however long it says it is', () => {
    const claim = join(Uint8Array.of(0), integer(0, LENGTH_BITS, 2 ** 28))
    const waiting = retained(50, () => {
      const decoder = new Decoder().push(claim)
      expect(decoder.read()).toBeUndefined()
      return decoder
    })
    expect(waiting).toBeLessThan(10_000)
    const decoder = new Decoder().push(claim)
    for (let i = 0; i < 64; i++) decoder.push(new Uint8Array(1024))
    expect(decoder.read()).toBeUndefined()
    expect(decoder.buffered).toBe(claim.length + 65_536)
    expect(faultOf(() => decoder.push(Uint8Array.of(0)).read()).code).toBe('WT_HPACK_STRING_TOO_LONG')
    expect(decoder.buffered).toBe(0)
  })

  it('keeps of a table that is filled, emptied and filled again what it may hold', () => {
    const fields = Array.from({ length: 60 }, (_, i) => indexed(`n${i}`, 'v'.repeat(30)))
    const each = retained(30, () => {
      const decoder = new Decoder({ limits: { maxListSize: 2 ** 24, maxFields: 2 ** 20 } })
      for (let turn = 0; turn < 50; turn++) {
        decoder.decode(join(Uint8Array.of(0x20), integer(0x20, 5, 4096), ...fields))
      }
      expect(decoder.tableSize).toBeLessThanOrEqual(4096)
      return decoder
    })
    expect(each).toBeLessThan(40_000)
  })

  it('works on updates of the table size and the entries they push out as on other octets', () => {
    expectLinear(
      2000,
      80,
      (size) => {
        const block = repeated(indexed('abc', 'defgh'), size / 11)
        const small = join(Uint8Array.of(0x20), integer(0x20, 5, 4096))
        return { block, small, bytes: (block.length + small.length) * 4 }
      },
      ({ block, small }) => {
        const decoder = new Decoder({ onTooLarge: 'skip' })
        for (let turn = 0; turn < 4; turn++) decoder.decode(join(small, block))
      },
    )
  })

  it('keeps of names that an encoder has met what its table holds', () => {
    const each = retained(10, () => {
      const encoder = new Encoder()
      for (let i = 0; i < 5000; i++) encoder.encode([[`name-${i}`, `value-${i}`]])
      expect(encoder.tableSize).toBeLessThanOrEqual(4096)
      return encoder
    })
    expect(each).toBeLessThan(60_000)
  })

  it('keeps for an entry of the table no more than about its block', () => {
    const each = retained(100, (i) => {
      const decoder = new Decoder()
      decoder.decode(join(plain('filler', `${i}`.padEnd(30_000, 'x')), indexed('kept', `${i} value`)))
      return decoder.entries()[0] as HeaderField
    })
    expect(each).toBeLessThan(2000)
  })

  it('takes __proto__ for a name like any other', () => {
    const decoder = new Decoder()
    const [field, again] = [indexed('__proto__', 'x'), NEWEST].map((block) => decoder.decode(block)[0]!)
    expect([field!.name, again!.name]).toEqual(['__proto__', '__proto__'])
    const encoder = new Encoder()
    const list = [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ] as const
    for (let turn = 0; turn < 2; turn++) {
      const fields = new Decoder().decode(turn === 0 ? encoder.encode(list) : new Encoder().encode(list))
      expect(fields.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
    }
  })
})

function huffman(text: string): Uint8Array {
  const coded = huffmanEncode(text)
  return join(Uint8Array.of(0, 1, 0x61), integer(0x80, LENGTH_BITS, coded.length), coded)
}
