import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Decoder,
  type EncodeOptions,
  Encoder,
  type HeaderInput,
  huffmanDecode,
  huffmanEncode,
  WireError,
} from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { toHex } from '../vectors'

const latin1 = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 32, max: 126 }), fc.integer({ min: 0, max: 255 })), { maxLength })
    .map((codes) => String.fromCharCode(...codes))
const name = fc.oneof(
  fc.constantFrom(':path', ':method', 'cookie', 'authorization', 'x-a', 'x-b', '__proto__', 'constructor', ''),
  latin1(20),
)
const value = fc.oneof(fc.constantFrom('GET', '/', 'a', 'b', 'toString', ''), latin1(60))
const field: fc.Arbitrary<HeaderInput> = fc.oneof(
  fc.tuple(name, value),
  fc.record({ name, value, sensitive: fc.boolean(), index: fc.option(fc.boolean(), { nil: undefined }) }),
)
const options: fc.Arbitrary<EncodeOptions> = fc.record({
  huffman: fc.constantFrom('shorter', 'always', 'never'),
  limits: fc.record({ maxTableSize: fc.constantFrom(0, 60, 200, 4096, 10000) }),
})
/** Lists, and sizes that the peer allows in between. */
const connection = fc.array(fc.oneof(fc.array(field, { maxLength: 12 }), fc.constantFrom(0, 40, 100, 4096, 9000)), {
  maxLength: 12,
})

const pairOf = (input: HeaderInput) =>
  Array.isArray(input) ? [...input] : [(input as { name: string }).name, (input as { value: string }).value]
const RUNS = { numRuns: 300 }

describe.each(['wasm', 'js'] as const)('HPACK, %s', (backend) => {
  it('reads what it writes, in any fragments, and both tables are one', () => {
    useBackend(backend)
    fc.assert(
      fc.property(connection, options, fc.integer({ min: 1, max: 30 }), (steps, settings, size) => {
        const encoder = new Encoder(settings)
        const decoder = new Decoder()
        for (const step of steps) {
          if (typeof step === 'number') {
            encoder.setPeerMaxTableSize(step)
            decoder.setMaxTableSize(step)
            continue
          }
          const bound = encoder.encodedLengthBound(step)
          const block = encoder.encode(step)
          expect(block.length).toBeLessThanOrEqual(bound)
          // A peer that allows more than we use may not be told so.
          for (let at = 0; at < block.length; at += size) decoder.push(block.subarray(at, at + size))
          const fields = decoder.end().readAll()
          expect(fields.map(({ name, value }) => [name, value])).toEqual(step.map(pairOf))
          step.forEach((input, i) => {
            if (!Array.isArray(input) && (input as { sensitive?: boolean }).sensitive)
              expect(fields[i]!.sensitive).toBe(true)
          })
          expect(encoder.entries()).toEqual(decoder.entries().map(({ name, value }) => ({ name, value })))
          expect(encoder.tableSize).toBe(decoder.tableSize)
          expect(decoder.tableSize).toBeLessThanOrEqual(decoder.tableMaximum)
        }
      }),
      RUNS,
    )
  })

  it('says WireError, or nothing, of any octets, the same however they are cut', () => {
    useBackend(backend)
    const outcome = (read: (decoder: Decoder) => unknown) => {
      const decoder = new Decoder()
      try {
        return [read(decoder), decoder.entries()]
      } catch (error) {
        if (!(error instanceof WireError)) throw error
        return [error.code, error.offset, error.message]
      }
    }
    const octet = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0, 0x10, 0x20, 0x3f, 0x40, 0x41, 0x82, 0xbe, 0xff),
    )
    fc.assert(
      fc.property(fc.array(octet, { maxLength: 80 }), fc.integer({ min: 1, max: 9 }), (octets, size) => {
        const block = Uint8Array.from(octets)
        const whole = outcome((decoder) => decoder.decode(block))
        const cut = outcome((decoder) => {
          for (let at = 0; at < block.length; at += size) decoder.push(block.subarray(at, at + size))
          const fields = decoder.end().readAll()
          // A fault stands behind the fields before it.
          decoder.read()
          return fields
        })
        expect(cut).toEqual(whole)
      }),
      { numRuns: 1500 },
    )
  })

  it('codes any string and back', () => {
    useBackend(backend)
    fc.assert(
      fc.property(latin1(400), (text) => {
        expect(huffmanDecode(huffmanEncode(text))).toBe(text)
      }),
      RUNS,
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (coded) => {
        try {
          expect(toHex(huffmanEncode(huffmanDecode(coded)))).toBe(toHex(coded))
        } catch (error) {
          if (!(error instanceof WireError)) throw error
          expect(error.code).toMatch(/^WT_HPACK_HUFFMAN_/)
        }
      }),
      RUNS,
    )
  })
})
