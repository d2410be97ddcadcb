import { describe, expect, it } from 'vitest'
import { H_DECODE, H_READY, HF_BAD_PADDING, HF_EOS, HF_LONG_PADDING, HF_NONE } from '../../assembly/abi/huffman'
import * as huffman from '../../bindings/portable/huffman'
import { ARENA, backends, difference, POISON, place, random, unhex, untouched, vectors } from './backends'

const both = backends(huffman)
const IN = ARENA + 0x400
const OUT = ARENA + 0x40000
const AT = ARENA
/** A decoder may write this far behind its text, an encoder behind its octets. */
const OVER = 8

interface SpecTables {
  readonly huffman: readonly (readonly [bits: number, code: string])[]
}
const { huffman: codes } = vectors<SpecTables>('hpack/spec-tables.json')
const strings = vectors<{ vectors: { text: string; hex: string }[] }>('hpack/huffman-strings.json').vectors

/** Codes bit by bit, from the table of the RFC. */
function reference(octets: ArrayLike<number>): Uint8Array {
  let bits = ''
  for (const octet of Array.from(octets)) {
    const [length, code] = codes[octet]!
    bits += Number.parseInt(code, 16).toString(2).padStart(length, '0')
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Uint8Array.from({ length: bits.length / 8 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2))
}

describe.each(both)('Huffman code, $backend', ({ call, u8, view }) => {
  function encode(octets: ArrayLike<number>): Uint8Array {
    place(u8, IN, octets)
    u8.fill(POISON, OUT - 80, OUT + octets.length * 4 + 160)
    const end = call('huffmanEncode', IN, IN + octets.length, OUT)
    expect(untouched(u8, OUT - 80, OUT)).toBe(true)
    expect(untouched(u8, end + OVER, OUT + octets.length * 4 + 160)).toBe(true)
    return u8.slice(OUT, end)
  }
  function decode(coded: ArrayLike<number>): Uint8Array | undefined {
    place(u8, IN, coded)
    u8.fill(POISON, OUT - 80, OUT + coded.length * 2 + 160)
    const end = call('huffmanDecode', IN, IN + coded.length, OUT)
    expect(untouched(u8, OUT - 80, OUT)).toBe(true)
    if (end === 0) return undefined
    expect(untouched(u8, end + OVER, OUT + coded.length * 2 + 160)).toBe(true)
    return u8.slice(OUT, end)
  }
  function fault(coded: ArrayLike<number>, whole: boolean): readonly [kind: number, at: number] {
    place(u8, IN, coded)
    const kind = call('huffmanFault', IN, IN + coded.length, Number(whole), AT)
    return [kind, view.getUint32(AT, true) - IN]
  }

  it('has the codes of RFC 7541, appendix B', () => {
    expect(codes.length).toBe(257)
    for (let octet = 0; octet < 256; octet++) {
      expect(encode([octet]), `octet ${octet}`).toEqual(reference([octet]))
      expect(decode(reference([octet])), `octet ${octet}`).toEqual(Uint8Array.of(octet))
    }
    expect(codes[256]).toEqual([30, '3fffffff'])
    expect(fault([255, 255, 255, 255], true)).toEqual([HF_EOS, 3])
  })

  it('reads and writes the shared strings', () => {
    for (const { text, hex } of strings) {
      const octets = Uint8Array.from(Buffer.from(text, 'latin1'))
      expect(encode(octets), text).toEqual(unhex(hex))
      expect(decode(unhex(hex)), hex).toEqual(octets)
      expect(fault(unhex(hex), true)[0]).toBe(HF_NONE)
    }
  })

  it('reads and writes octets of every mixture and length', () => {
    const next = random(7)
    for (let round = 0; round < 600; round++) {
      const spread = [26, 96, 256][round % 3]!
      const octets = Uint8Array.from({ length: next() % 70 }, () => (spread === 256 ? 0 : 32) + (next() % spread))
      const coded = encode(octets)
      expect(coded).toEqual(reference(octets))
      expect(decode(coded)).toEqual(octets)
    }
  })

  it('finds faults where they show', () => {
    const cases: readonly (readonly [string, number, number])[] = [
      ['ff', HF_LONG_PADDING, 0],
      ['f8ff', HF_LONG_PADDING, 1],
      ['1fff', HF_LONG_PADDING, 1],
      ['00', HF_BAD_PADDING, 0],
      ['03', HF_BAD_PADDING, 0],
      ['fffe', HF_BAD_PADDING, 1],
      ['ffffffff', HF_EOS, 3],
      ['fffffffc', HF_EOS, 3],
      ['f8ffffffff00', HF_EOS, 4],
      ['07ffffffe000', HF_EOS, 4],
    ]
    for (const [hex, kind, at] of cases) {
      expect(decode(unhex(hex)), hex).toBeUndefined()
      expect(fault(unhex(hex), true), hex).toEqual([kind, at])
      expect(fault(unhex(hex), false)[0], hex).toBe(kind === HF_EOS ? HF_EOS : HF_NONE)
    }
  })

  it('decodes just what has no fault', () => {
    const next = random(11)
    let good = 0
    for (let round = 0; round < 4000; round++) {
      // Many ones: long codes and EOS.
      const length = 1 + (next() % 12)
      const coded = Uint8Array.from({ length }, () => (next() % 3 === 0 ? next() % 256 : 255 << (next() % 5)))
      const octets = decode(coded)
      expect(fault(coded, true)[0] === HF_NONE).toBe(octets !== undefined)
      if (octets === undefined) continue
      good++
      expect(reference(octets)).toEqual(coded)
    }
    expect(good).toBeGreaterThan(50)
  })
})

it('builds the same tables on both backends', () => {
  for (const { call } of both) call('huffmanDecode', IN, IN, OUT)
  expect(difference(H_DECODE, H_READY + 4)).toBe(-1)
})
