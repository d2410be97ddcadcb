import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/hpack'
import { scriptSide, wasmSide } from '../lib/side'
import { Random } from '../random'
import { fromHex, vectorJson } from '../vectors'
import { type DecodeState, decodeBy, encodeBy, unfinishedBy } from './kernels'
import type { Vector } from './words'

const blocks = [
  'rfc7541-examples',
  'decode-valid',
  'captured',
  'decode-malformed',
  'huffman-valid',
  'huffman-malformed',
  'table-size',
]
  .flatMap((name) => vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors)
  .flatMap(({ steps }) => steps.flatMap(({ hex }) => (hex && hex.length < 4000 ? [fromHex(hex)] : [])))
/** Octets that begin fields and strings, and long codes. */
const ALPHABET = [
  0x00, 0x10, 0x1f, 0x20, 0x3f, 0x40, 0x41, 0x7f, 0x80, 0x82, 0x84, 0xbe, 0xff, 0xfe, 0x03, 0x85, 0x61, 0x00, 0x01,
]

const stateOf = (random: Random): DecodeState => ({
  maxString: random.pick([5, 40, 65536]),
  tableLimit: random.pick([0, 100, 4096]),
  phase: random.pick([0, 1, 2, abi.PP_FIELDS]),
  lowWater: random.pick([abi.PS_NO_UPDATE, abi.PS_NO_UPDATE, 50]),
  records: random.pick([1, 3, 500]),
})

const wasm = wasmSide()
const js = scriptSide()

describe('both backends write the same', () => {
  it('hpackDecode on vectors, mutations, random octets, and every crop', () => {
    const random = new Random(1)
    const statuses = new Set<number>()
    for (let i = 0; i < 1500; i++) {
      const block = random.pick(blocks)
      const input =
        i % 3 === 0 ? random.bytes(random.below(60), ALPHABET) : i % 3 === 1 ? random.mutate(block, ALPHABET) : block
      const bytes = input.subarray(0, i % 2 ? input.length : random.below(input.length + 1))
      const state = stateOf(random)
      const told = decodeBy(wasm, bytes, state)
      expect(decodeBy(js, bytes, state)).toStrictEqual(told)
      statuses.add(told.status)
    }
    // All that can be said has been said.
    expect(statuses.size).toBeGreaterThan(11)
  }, 120_000)

  it('hpackDecode gives away nothing of what was in memory', () => {
    const random = new Random(2)
    for (let i = 0; i < 150; i++) {
      const bytes = random.mutate(random.pick(blocks), ALPHABET)
      const state = stateOf(random)
      for (const make of [wasmSide, scriptSide]) {
        const [zeros, ones] = [make(0x00), make(0xff)]
        expect(decodeBy(zeros, bytes, state)).toStrictEqual(decodeBy(ones, bytes, state))
      }
    }
  })

  it('hpackUnfinished on every crop', () => {
    let faults = 0
    for (const block of blocks.filter(({ length }) => length < 60)) {
      for (let length = 1; length <= block.length; length++) {
        const crop = block.subarray(0, length)
        const told = unfinishedBy(wasm, crop)
        expect(unfinishedBy(js, crop)).toStrictEqual(told)
        if (told.status !== 0) faults++
      }
    }
    expect(faults).toBeGreaterThan(10)
  })

  it('hpackEncode on fields of every kind', () => {
    const random = new Random(3)
    for (let i = 0; i < 400; i++) {
      const records: number[] = []
      const text: number[] = []
      for (let n = random.below(8); n > 0; n--) {
        const kind = random.below(5)
        const index = random.pick([0, 1, 14, 15, 16, 30, 31, 32, 62, 63, 64, 126, 127, 128, 300, 70000, 0xffffffff])
        if (kind === abi.PK_INDEXED || kind === abi.PK_UPDATE) {
          records.push(kind | (n << 3), index, 0, 0)
          continue
        }
        const string = () =>
          text.push(
            ...random.bytes(
              random.pick([0, 1, 7, 30, 126, 127, 128, 200]),
              random.below(3) ? [97, 98, 48, 65] : undefined,
            ),
          )
        if (index === 0) string()
        const name = text.length
        string()
        records.push(kind | (n << 3), index, name, text.length)
      }
      for (const mode of [abi.PH_SHORTER, abi.PH_ALWAYS, abi.PH_NEVER]) {
        const written = encodeBy(wasm, records, Uint8Array.from(text), mode)
        expect(Buffer.compare(encodeBy(js, records, Uint8Array.from(text), mode), written)).toBe(0)
      }
    }
  })
})
