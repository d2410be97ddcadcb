import { describe, expect, it } from 'vitest'
import { type DecodeOptions, Decoder, decode, type HeaderField } from '../../bindings/hpack/index'
import { backendReason, useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, vectorJson } from '../vectors'
import { CODE_OF, kindOf, type Pair, STRICTER, statusOf, type Vector, type Word } from './words'

const files = [
  'rfc7541-examples',
  'decode-valid',
  'captured',
  'decode-malformed',
  'huffman-valid',
  'huffman-malformed',
  'limits',
  'table-size',
]
const connections = files.flatMap((name) => vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors)

const optionsOf = ({ options }: Vector): DecodeOptions => ({
  limits: { maxListSize: options?.maxHeaderListSize },
  onTooLarge: options?.onTooLarge,
})
const pairs = (fields: readonly HeaderField[]): Pair[] => fields.map(({ name, value }) => [name, value])
const never = (fields: readonly HeaderField[]): number[] => fields.flatMap(({ sensitive }, i) => (sensitive ? [i] : []))

/** A block in pieces; each piece's memory is overwritten after its push. */
type Feed = (decoder: Decoder, block: Uint8Array) => HeaderField[]

const whole: Feed = (decoder, block) => decoder.decode(block)
const inPieces =
  (cuts: (length: number) => readonly number[]): Feed =>
  (decoder, block) => {
    const fields: HeaderField[] = []
    let from = 0
    for (const to of [...cuts(block.length), block.length]) {
      const piece = block.slice(from, to)
      decoder.push(piece)
      piece.fill(0xaa)
      for (const field of decoder) fields.push(field)
      from = to
    }
    decoder.end()
    fields.push(...decoder.readAll())
    // A fault may stand behind fields that are out already.
    expect(decoder.read()).toBeUndefined()
    return fields
  }
const every = (size: number) =>
  inPieces((length) => Array.from({ length: Math.max(0, Math.ceil(length / size) - 1) }, (_, i) => (i + 1) * size))

/** Runs a vector; returns the faults that it met, so that ways of feeding can be compared. */
function run(vector: Vector, feed: Feed): unknown[] {
  const decoder = new Decoder(optionsOf(vector))
  const seen: unknown[] = []
  vector.steps.forEach((step, i) => {
    const about = `${vector.id} step ${i}`
    if (step.settings !== undefined) decoder.setMaxTableSize(step.settings)
    if (step.hex === undefined) return
    const block = fromHex(step.hex)
    const stricter = STRICTER.get(vector.id)
    if (step.error !== undefined || stricter) {
      const codes = stricter ? [stricter] : step.error!.split('|').map((word) => CODE_OF[word as Word])
      const error = faultOf(() => feed(decoder, block))
      expect(codes, `${about}: ${error.message}`).toContain(error.code)
      expect(error.protocol).toBe('hpack')
      expect(error.kind).toBe(kindOf(error.code) === 'malformed' ? error.kind : kindOf(error.code))
      expect(error.status, about).toBe(statusOf(error.code))
      expect(error.offset, about).toBeGreaterThanOrEqual(0)
      expect(error.offset, about).toBeLessThanOrEqual(block.length)
      seen.push([error.code, error.offset, error.limit])
      // Sticky, and nothing of the connection is kept.
      expect(faultOf(() => decoder.decode(fromHex('82')))).toBe(error)
      expect(faultOf(() => decoder.push(fromHex('82')).end().readAll())).toBe(error)
      expect(decoder.entries()).toEqual([])
      expect(decoder.buffered).toBe(0)
      decoder.reset()
      expect(pairs(decoder.decode(fromHex('4001610162be')))).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ])
      return
    }
    const fields = feed(decoder, block)
    if (step.tooLarge) expect(decoder.skipped, about).toBeGreaterThan(0)
    else {
      expect(decoder.skipped).toBe(0)
      expect(pairs(fields), about).toEqual(step.headers)
      expect(never(fields), about).toEqual(step.never ?? [])
      const size = fields.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0)
      expect(decoder.listSize).toBe(size)
    }
    if (step.tableSize !== undefined) expect(decoder.tableSize, about).toBe(step.tableSize)
    if (step.tableCount !== undefined) expect(decoder.entries().length, about).toBe(step.tableCount)
    if (step.table) expect(pairs(decoder.entries()), about).toEqual(step.table)
    for (const entry of decoder.entries()) expect(Object.isFrozen(entry)).toBe(true)
    seen.push(pairs(fields))
  })
  return seen
}

describe.each(['wasm', 'js'] as const)('HPACK decoding, %s', (backend) => {
  it('really runs on that backend', () => {
    expect(useBackend(backend), String(backendReason())).toBe(backend)
  })

  it('reads the connection vectors', () => {
    useBackend(backend)
    let errors = 0
    for (const vector of connections)
      errors += run(vector, whole).filter((seen) => typeof (seen as unknown[])[0] === 'string').length
    expect(connections.length).toBeGreaterThan(90)
    expect(errors).toBeGreaterThan(35)
  })

  it.each([1, 2, 3, 7])('gives the same in fragments of %i', (size) => {
    useBackend(backend)
    for (const vector of connections) expect(run(vector, every(size)), vector.id).toEqual(run(vector, whole))
  })

  it('gives the same at every split into two', () => {
    useBackend(backend)
    for (const vector of connections) {
      const expected = run(vector, whole)
      const longest = Math.max(...vector.steps.map(({ hex = '' }) => hex.length / 2))
      const step = longest > 300 ? 41 : 1
      for (let cut = 1; cut < longest; cut += step) {
        expect(
          run(
            vector,
            inPieces((length) => (cut < length ? [cut] : [])),
          ),
          `${vector.id} at ${cut}`,
        ).toEqual(expected)
      }
    }
  })

  it('refuses every crop but those between fields', () => {
    useBackend(backend)
    interface Crop {
      readonly before: readonly string[]
      readonly hex: string
      readonly goodLengths: readonly number[]
      readonly headerCounts: readonly number[]
    }
    for (const { before, hex, goodLengths, headerCounts } of vectorJson<{ vectors: Crop[] }>('hpack/truncation.json')
      .vectors) {
      const block = fromHex(hex)
      for (let length = 0; length <= block.length; length++) {
        for (const feed of [whole, every(1)]) {
          const decoder = new Decoder()
          for (const earlier of before) decoder.decode(fromHex(earlier))
          const good = goodLengths.indexOf(length)
          const crop = block.slice(0, length)
          if (good >= 0) expect(feed(decoder, crop).length).toBe(headerCounts[good])
          else {
            const error = faultOf(() => feed(decoder, crop))
            expect([error.code, error.kind, error.offset, error.status]).toEqual([
              'WT_TRUNCATED',
              'truncated',
              length,
              9,
            ])
          }
        }
      }
    }
  })

  it('keeps to its side where peers disagree', () => {
    useBackend(backend)
    interface Policy {
      readonly id: string
      readonly recommended: string
      readonly before: readonly string[]
      readonly hex: string
    }
    for (const { id, recommended, before, hex } of vectorJson<{ vectors: Policy[] }>('hpack/disagreements.json')
      .vectors) {
      const decoder = new Decoder()
      for (const block of before) decoder.decode(fromHex(block))
      const read = () => decoder.decode(fromHex(hex))
      const word = /^reject: ([a-z-]+)$/.exec(recommended)?.[1]
      if (word) expect(faultOf(read).code, id).toBe(CODE_OF[word as Word])
      else if (recommended === 'accept or reject') expect(faultOf(read).code, id).toBe('WT_HPACK_TOO_MANY_UPDATES')
      else {
        expect(recommended, id).toMatch(/^accept/)
        read()
      }
    }
  })

  it('names the first octet that shows a fault', () => {
    useBackend(backend)
    const cases: readonly (readonly [hex: string, code: string, offset: number])[] = [
      ['8280', 'WT_HPACK_INDEX_ZERO', 1],
      ['82be', 'WT_HPACK_INDEX_RANGE', 1],
      // The name's index is bad, whatever becomes of the value.
      ['827f0701', 'WT_HPACK_INDEX_RANGE', 1],
      ['827f07', 'WT_HPACK_INDEX_RANGE', 1],
      ['7f0784ffffffff', 'WT_HPACK_INDEX_RANGE', 0],
      ['82ffffffffff10', 'WT_HPACK_INTEGER_OVERFLOW', 6],
      ['ff8080808080', 'WT_HPACK_INTEGER_OVERFLOW', 5],
      // A bad name before a bad or missing value.
      ['0084ffffffff7fffffffff10', 'WT_HPACK_HUFFMAN_EOS', 5],
      ['008100', 'WT_HPACK_HUFFMAN_PADDING', 2],
      ['0081000561', 'WT_HPACK_HUFFMAN_PADDING', 2],
      ['0085ffffffff', 'WT_HPACK_HUFFMAN_EOS', 5],
      ['0085ffffff', 'WT_TRUNCATED', 5],
      ['0482f8ff', 'WT_HPACK_HUFFMAN_LONG_PADDING', 3],
      ['8220', 'WT_HPACK_UPDATE_NOT_AT_START', 1],
      ['20202082', 'WT_HPACK_TOO_MANY_UPDATES', 2],
      ['3fe21f', 'WT_HPACK_UPDATE_TOO_LARGE', 0],
      ['82007f82ff0361', 'WT_TRUNCATED', 7],
    ]
    for (const [hex, code, offset] of cases) {
      for (const feed of [whole, every(1), every(2)]) {
        const error = faultOf(() => feed(new Decoder(), fromHex(hex)))
        expect([error.code, error.offset], hex).toEqual([code, offset])
      }
      expect(faultOf(() => decode(fromHex(hex))).offset).toBe(offset)
    }
  })
})
