import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderField } from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { fromHex } from '../vectors'
import type { Pair } from './words'

/** http2jp/hpack-test-case: header lists of real traffic and what other encoders made of them. It is no part of this repository. */
const corpus = fileURLToPath(new URL('../../../shared/vectors/hpack/hpack-test-case/', import.meta.url))
const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.json.gz')) : []

interface Story {
  readonly headers: readonly (readonly Pair[])[]
  readonly wires: Readonly<
    Record<string, { blocks: readonly string[]; settings?: readonly (readonly [block: number, size: number])[] }>
  >
}
const pairs = (fields: readonly HeaderField[]): Pair[] => fields.map(({ name, value }) => [name, value])
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

describe.each(files)('the public corpus, %s', (file) => {
  const { headers, wires } = JSON.parse(gunzipSync(readFileSync(`${corpus}${file}`)).toString()) as Story

  it.each(['wasm', 'js'] as const)(
    'is read from every encoder, and written as small as nghttp2 does, %s',
    (backend) => {
      useBackend(backend)
      for (const [peer, { blocks, settings = [] }] of Object.entries(wires)) {
        const decoder = new Decoder()
        blocks.forEach((hex, i) => {
          for (const [block, size] of settings) if (block === i) decoder.setMaxTableSize(size)
          const list = pairs(decoder.decode(fromHex(hex)))
          if (!same(list, headers[i])) expect(list, `${peer}, block ${i}`).toEqual(headers[i])
        })
      }
      const encoder = new Encoder()
      const decoder = new Decoder()
      let length = 0
      for (const list of headers) {
        const block = encoder.encode(list)
        length += block.length
        const read = pairs(decoder.decode(block))
        if (!same(read, list)) expect(read).toEqual(list)
      }
      const peer = wires['nghttp2']!.blocks.reduce((sum, hex) => sum + hex.length / 2, 0)
      // Two blocks of story 01 hold a short cookie, which nghttp2 did not keep to itself then: an octet each.
      expect(length).toBeLessThanOrEqual(Math.max(peer * 1.005, peer + 2))
    },
  )
})

if (files.length === 0)
  it('lies beside the repository where it is to be read', () => expect(existsSync(corpus)).toBe(false))
