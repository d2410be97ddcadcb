import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/hds'
import { scriptSide, wasmSide } from '../lib/side'
import { Random } from '../random'
import { toHex, vectorJson } from '../vectors'
import { FLAGS, pack, scan, TAPE_BYTES } from './kernels'
import { bytesOf, type Case } from './words'

const wasm = wasmSide()
const js = scriptSide()

const FILES = [
  'bugs',
  'containers',
  'data',
  'errors',
  'opack',
  'random-values',
  'references',
  'scalars',
  'strings',
  'tags',
]
const inputs = FILES.flatMap((name) => vectorJson<{ cases: Case[] }>(`hds/${name}.json`).cases)
  .filter((vector) => vector.hex !== undefined || vector.hexParts !== undefined)
  .map((vector) => bytesOf(vector))
  .filter(({ length }) => length <= 0x3000)

function same(bytes: Uint8Array, flags: number, window: number, tapeBytes = TAPE_BYTES) {
  const first = scan(wasm, bytes, flags, window, tapeBytes)
  const second = scan(js, bytes, flags, window, tapeBytes)
  if (JSON.stringify(first) !== JSON.stringify(second))
    expect({ bytes: toHex(bytes), ...first }).toEqual({ bytes: toHex(bytes), ...second })
  return first
}

describe('the kernels of HDS are the same on both backends', () => {
  it('scans every vector, in one window and in small ones', () => {
    for (const bytes of inputs) {
      for (const flags of FLAGS) {
        const whole = same(bytes, flags, 0x10000, TAPE_BYTES)
        expect(whole.untouched).toBe(true)
        if (bytes.length > 1000) continue
        for (const window of [16, 61]) {
          const cut = same(bytes, flags, window, TAPE_BYTES)
          // A run of integers ends with its window; everything else is the same whatever the window.
          const tape = flags & abi.HF_RUNS ? '' : whole.tape
          expect({ ...cut, steps: [], tape: flags & abi.HF_RUNS ? '' : cut.tape }).toEqual({
            ...whole,
            steps: [],
            tape,
          })
        }
      }
    }
  })

  it('scans random bytes and mutated vectors', () => {
    const random = new Random(20260801)
    const short = inputs.filter(({ length }) => length > 0 && length < 200)
    const tags = [
      1, 2, 3, 4, 7, 9, 0x27, 0x30, 0x31, 0x32, 0x33, 0x41, 0x43, 0x61, 0x72, 0x91, 0xa0, 0xd2, 0xdf, 0xe1, 0xef,
    ]
    for (let i = 0; i < 600; i++) {
      const bytes = i % 3 === 0 ? random.bytes(random.below(60), tags) : random.mutate(random.pick(short), tags)
      same(bytes, random.pick(FLAGS), random.pick([8, 24, 1000]))
    }
  })

  it('says where the tape is full, at every length of it', () => {
    const bytes = inputs.find(({ length }) => length > 100 && length < 300)!
    for (let tape = 16; tape < 600; tape += 4) expect(same(bytes, FLAGS[0]!, 1000, tape).untouched).toBe(true)
  })

  it('packs integers', () => {
    const random = new Random(3)
    const edges = [0, -1, 1, 38, 39, 40, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647]
    const list = [
      ...edges,
      ...edges.map((n) => -n - 1),
      ...Array.from({ length: 300 }, () => random.next() >> random.below(31)),
    ]
    for (const flags of [0, abi.HF_UNSIGNED]) {
      expect(pack(js, list, flags)).toBe(pack(wasm, list, flags))
    }
  })
})
