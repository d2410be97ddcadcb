import { describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderInput, huffmanDecode, huffmanEncode, octets } from '../../bindings/hpack/index'
import { backendReason, useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson } from '../vectors'
import { CODE_OF, type Pair, type Vector } from './words'

const pairs = (fields: readonly { name: string; value: string }[]): Pair[] =>
  fields.map(({ name, value }) => [name, value])
const input = (headers: readonly Pair[], sensitive: readonly number[] = []): HeaderInput[] =>
  headers.map(([name, value], i) => (sensitive.includes(i) ? { name, value, sensitive: true } : [name, value]))

describe.each(['wasm', 'js'] as const)('HPACK encoding, %s', (backend) => {
  it('really runs on that backend', () => {
    expect(useBackend(backend), String(backendReason())).toBe(backend)
  })

  it('writes what the vectors ask for', () => {
    useBackend(backend)
    const { vectors } = vectorJson<{ vectors: Vector[] }>('hpack/encode.json')
    expect(vectors.length).toBe(12)
    for (const { id, steps } of vectors) {
      const encoder = new Encoder()
      const decoder = new Decoder()
      let bytes = 0
      let soft = 0
      for (const { settings, headers, sensitive = [], startsWith, softMaxBytes } of steps) {
        if (settings !== undefined) {
          encoder.setPeerMaxTableSize(settings)
          decoder.setMaxTableSize(settings)
        }
        if (!headers) continue
        const list = input(headers, sensitive)
        const bound = encoder.encodedLengthBound(list)
        const block = encoder.encode(list)
        expect(block.length).toBeLessThanOrEqual(bound)
        const fields = decoder.decode(block)
        expect(pairs(fields), id).toEqual(headers)
        for (const i of sensitive) expect(fields[i]!.sensitive, `${id} ${i}`).toBe(true)
        if (startsWith)
          expect(
            startsWith.some((hex) => toHex(block).startsWith(hex)),
            `${id} ${toHex(block)}`,
          ).toBe(true)
        if (softMaxBytes !== undefined) {
          bytes += block.length
          soft += softMaxBytes
        }
        expect(pairs(encoder.entries())).toEqual(pairs(decoder.entries()))
        expect(encoder.tableSize).toBe(decoder.tableSize)
      }
      expect(bytes, id).toBeLessThanOrEqual(soft)
    }
  })

  it('writes and reads the Huffman strings', () => {
    useBackend(backend)
    for (const { text, hex } of vectorJson<{ vectors: { text: string; hex: string }[] }>('hpack/huffman-strings.json')
      .vectors) {
      expect(toHex(huffmanEncode(text))).toBe(hex)
      expect(toHex(huffmanEncode(octets(text)))).toBe(hex)
      expect(huffmanDecode(fromHex(hex))).toBe(text)
    }
    expect(faultOf(() => huffmanEncode('\u0100')).code).toBe('WT_HPACK_TEXT')
    expect(faultOf(() => huffmanDecode(fromHex('fffffffc'))).code).toBe(CODE_OF['huffman-eos'])
  })
})
