import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderInput, huffmanDecode, huffmanEncode, octets } from '../../bindings/hpack/index'
import { backendReason, useBackend } from '../../bindings/index'
import { fromHex, toHex, vectorJson } from '../vectors'
import { faultOf } from './fault'
import { CODE_OF, type Pair, type Vector } from './words'

const pairs = (fields: readonly { name: string; value: string }[]): Pair[] =>
  fields.map(({ name, value }) => [name, value])
/** First octets of the literals of a block, and whether any field is an index of that pair. */
const input = (headers: readonly Pair[], sensitive: readonly number[] = []): HeaderInput[] =>
  headers.map(([name, value], i) => (sensitive.includes(i) ? { name, value, sensitive: true } : [name, value]))

const corpus = fileURLToPath(new URL('../../../shared/vectors/hpack/hpack-test-case/', import.meta.url))

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

  it.skipIf(!existsSync(corpus))('reads and writes every story of the public corpus', () => {
    useBackend(backend)
    for (const file of ['00', '03', '20', '21', '30', '31']) {
      interface Story {
        readonly headers: readonly (readonly Pair[])[]
        readonly wires: Readonly<
          Record<string, { blocks: readonly string[]; settings?: readonly (readonly [number, number])[] }>
        >
      }
      const story = JSON.parse(gunzipSync(readFileSync(`${corpus}story_${file}.json.gz`)).toString()) as Story
      for (const [peer, { blocks, settings = [] }] of Object.entries(story.wires)) {
        const decoder = new Decoder()
        blocks.forEach((hex, i) => {
          for (const [at, size] of settings) if (at === i) decoder.setMaxTableSize(size)
          expect(pairs(decoder.decode(fromHex(hex))), `${file} ${peer} ${i}`).toEqual(story.headers[i])
        })
      }
      const encoder = new Encoder()
      const decoder = new Decoder()
      let length = 0
      for (const headers of story.headers) {
        const block = encoder.encode(headers)
        length += block.length
        expect(pairs(decoder.decode(block))).toEqual(headers)
      }
      const peer = story.wires['nghttp2']!.blocks.reduce((sum, hex) => sum + hex.length / 2, 0)
      expect(length / peer, file).toBeLessThan(1.005)
    }
  })
})
