import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/hds'
import * as layout from '../../assembly/abi/layout'
import type * as portable from '../../assembly/hds/index'
import { type Backend, useBackend } from '../../bindings/engine/load'
import { selectCore } from '../../bindings/hds/kernels'
import { Random } from '../random'
import { toHex, vectorJson } from '../vectors'
import { bytesOf, type Case } from './words'

const TEXT = layout.L_ARENA + 0x6000
const TAPE = layout.L_ARENA + 0xa000
const TAPE_BYTES = 0x10000
const POISON = 0xa5

/** One backend with its memory poisoned from the state block on and no names, so that a stale byte would show. */
function poisoned(backend: Backend) {
  useBackend(backend)
  const { kernels, memory } = selectCore(1 << 20, 0)
  memory.reserve(0x1c000)
  memory.u8.fill(POISON, layout.L_STATE, layout.L_READ)
  memory.u8.fill(POISON, layout.L_ARENA, layout.L_ARENA + 0x1b000)
  memory.u8.fill(0, layout.L_INTERN, layout.L_INTERN_END)
  return { kernels: kernels as typeof portable, u8: memory.u8, u32: memory.u32 }
}

/** Everything that a scan says, through a window of so many bytes. */
function scan(backend: Backend, bytes: Uint8Array, flags: number, window: number, tapeBytes: number) {
  const { kernels, u8, u32 } = poisoned(backend)
  const set = (at: number, value: number) => {
    u32[at >>> 2] = value
  }
  set(abi.HS_FLAGS, flags)
  set(abi.HS_MAX_DEPTH, 32)
  set(abi.HS_LEFT, 10_000)
  set(abi.HS_BASE, 0)
  set(abi.HS_TEXT, TEXT)
  set(abi.HS_TEXT_AT, TEXT)
  set(abi.HS_TAPE_AT, TAPE)
  set(abi.HS_TOP, abi.H_STACK)
  set(abi.HS_KIND, abi.HK_TOP)
  set(abi.HS_SEEN, 0)
  set(abi.HS_WANT, 1)
  set(abi.HS_HEAD, 0)
  const steps: number[][] = []
  let base = 0
  let size = Math.min(window, bytes.length)
  for (;;) {
    u8.fill(POISON, abi.H_INPUT, TEXT)
    u8.set(bytes.subarray(base, base + size), abi.H_INPUT)
    const input = abi.H_INPUT
    const last = input + bytes.length - base
    const tapeAt = u32[abi.HS_TAPE_AT >>> 2]!
    const status = kernels.hdsScan(input, input + size, last, tapeAt, TAPE + tapeBytes) >>> 0
    const need = u32[abi.HS_NEED >>> 2]!
    const at = u32[abi.HS_BASE >>> 2]!
    if (status !== 1) {
      const done = status === 0
      const tapeEnd = u32[abi.HS_TAPE_AT >>> 2]!
      const textEnd = u32[abi.HS_TEXT_AT >>> 2]!
      return {
        status,
        place: status >= 0x100 ? u32[abi.HS_AT >>> 2] : 0,
        need: status === abi.E_HDS_TRUNCATED || status === abi.E_HDS_UNTERMINATED ? need : 0,
        end: done ? at : 0,
        tape: done ? toHex(u8.slice(TAPE, tapeEnd)) : '',
        text: done ? toHex(u8.slice(TEXT, textEnd)) : '',
        names: namesOf(u8),
        untouched: u8.slice(TAPE + tapeBytes, TAPE + tapeBytes + 64).every((byte) => byte === POISON),
        steps,
      }
    }
    steps.push([at, need])
    expect(at).toBeGreaterThanOrEqual(base)
    base = at
    size = Math.min(bytes.length - base, Math.max(window, need))
  }
}

function namesOf(u8: Uint8Array): string {
  const region = u8.subarray(layout.L_INTERN, layout.L_INTERN_END)
  let end = region.length
  while (end > 0 && region[end - 1] === 0) end--
  return toHex(region.slice(0, end))
}

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

const ALL = abi.HF_REFERENCES | abi.HF_LONG_REFERENCES | abi.HF_ANY_KEYS | abi.HF_TERMINATED_DATA
const FLAGS = [
  abi.HF_TERMINATED_DATA | abi.HF_RUNS,
  ALL,
  abi.HF_UNSIGNED | abi.HF_SHORT_LENGTHS | abi.HF_LOOSE_TEXT | abi.HF_HEADER | abi.HF_RUNS,
]

function same(bytes: Uint8Array, flags: number, window: number, tapeBytes = TAPE_BYTES) {
  const wasm = scan('wasm', bytes, flags, window, tapeBytes)
  const js = scan('js', bytes, flags, window, tapeBytes)
  if (JSON.stringify(wasm) !== JSON.stringify(js))
    expect({ bytes: toHex(bytes), ...wasm }).toEqual({ bytes: toHex(bytes), ...js })
  return wasm
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
      const [wasm, js] = (['wasm', 'js'] as const).map((backend) => {
        const { kernels, u8, u32 } = poisoned(backend)
        u32.set(Uint32Array.from(list), abi.H_INPUT >>> 2)
        const end = kernels.hdsPackInts(abi.H_INPUT, list.length, TAPE, flags) >>> 0
        return toHex(u8.slice(TAPE, end))
      })
      expect(wasm).toBe(js)
    }
  })
})
