import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/dbus'
import * as layout from '../../assembly/abi/layout'
import type * as portable from '../../assembly/dbus/index'
import { selectCore } from '../../bindings/dbus/kernels'
import { type Backend, useBackend } from '../../bindings/engine/load'
import { Random } from '../random'
import { fromHex, toHex, vectorJson } from '../vectors'

const RECORDS = layout.L_ARENA + 0x20000
const TEXT = layout.L_ARENA + 0x30000
const WIDE = TEXT + 0x8000
const TAPE = layout.L_ARENA + 0x50000
const POISON = 0xa5

/** One backend with its memory poisoned from the state block on and no names, so that a stale byte would show. */
function poisoned(backend: Backend) {
  useBackend(backend)
  const { kernels, memory } = selectCore(1 << 20, 0)
  memory.reserve(0x90000)
  memory.u8.fill(POISON, layout.L_STATE)
  memory.u8.fill(0, layout.L_INTERN, layout.L_INTERN_END)
  return { kernels: kernels as typeof portable, u8: memory.u8, u32: memory.u32 }
}

function limits(u32: Uint32Array) {
  u32[abi.DS_MAX_MESSAGE >>> 2] = abi.D_MAX_MESSAGE
  u32[abi.DS_MAX_DEPTH >>> 2] = 64
  u32[abi.DS_MAX_VALUES >>> 2] = 100_000
  u32[abi.DS_FDS >>> 2] = 0
}

/** The interned names, as far as there are any. */
function namesOf(u8: Uint8Array): string {
  const region = u8.subarray(layout.L_INTERN, layout.L_INTERN_END)
  let end = region.length
  while (end > 0 && region[end - 1] === 0) end--
  return toHex(region.slice(0, end))
}

/** Everything that one call of dbusScan says. */
function scan(backend: Backend, bytes: Uint8Array, copied: number) {
  const { kernels, u8, u32 } = poisoned(backend)
  limits(u32)
  const input = abi.D_INPUT
  u8.set(bytes.subarray(0, copied), input)
  const status =
    kernels.dbusScan(input, input + copied, input + bytes.length, RECORDS, RECORDS + 4 * abi.DR_BYTES) >>> 0
  const end = u32[abi.DS_RECORDS_AT >>> 2]!
  const records: unknown[] = []
  for (let r = RECORDS; r < end; r += abi.DR_BYTES) {
    const words = [...u32.subarray(r >>> 2, (r + abi.DR_BYTES) >>> 2)]
    // Of an error, and of fields that are not there, the rest means nothing.
    const fields = words[8]!
    const texts = [1, 2, 3, 4, 6, 7, 8].map((code, i) =>
      words[0] === 0 && fields & (1 << code) ? words.slice(9 + 2 * i, 11 + 2 * i) : [],
    )
    records.push(words[0] === 0 ? [words.slice(0, 9), texts] : words.slice(0, 4))
  }
  return {
    status,
    need: u32[abi.DS_NEED >>> 2],
    at: u32[abi.DS_INPUT_AT >>> 2],
    records,
    names: namesOf(u8),
    behind: u8.slice(end + 64, end + 96).every((byte) => byte === POISON),
  }
}

/** Everything that one call of dbusWalk says. */
function walk(backend: Backend, signature: string, body: Uint8Array, big: boolean, tapeBytes: number) {
  const { kernels, u8, u32 } = poisoned(backend)
  limits(u32)
  u32[abi.DS_BIG >>> 2] = big ? 1 : 0
  u32[abi.DS_BASE >>> 2] = abi.D_INPUT
  u32[abi.DS_KEEP >>> 2] = 1
  u32[abi.DS_WIDE_AT >>> 2] = WIDE
  u8[abi.D_SIGNATURE - 1] = 0
  u8.set(new TextEncoder().encode(signature), abi.D_SIGNATURE)
  u8.set(body, abi.D_INPUT)
  const status =
    kernels.dbusWalk(
      abi.D_INPUT,
      abi.D_INPUT + body.length,
      abi.D_SIGNATURE,
      abi.D_SIGNATURE + signature.length,
      0,
      1,
      abi.D_STACK,
      TAPE,
      TAPE + tapeBytes,
      TEXT,
    ) >>> 0
  if (status !== 0) return { status, at: status >= 0x100 ? u32[abi.DS_AT >>> 2]! - abi.D_INPUT : 0 }
  const tapeEnd = u32[abi.DS_TAPE_AT >>> 2]!
  const textEnd = u32[abi.DS_TEXT_AT >>> 2]!
  const wideEnd = u32[abi.DS_WIDE_AT >>> 2]!
  return {
    status,
    at: u32[abi.DS_INPUT_AT >>> 2]! - abi.D_INPUT,
    tape: toHex(u8.slice(TAPE, tapeEnd)),
    text: toHex(u8.slice(TEXT, textEnd)),
    wide: toHex(u8.slice(WIDE, wideEnd)),
    body: toHex(u8.slice(abi.D_INPUT, abi.D_INPUT + body.length)),
    names: namesOf(u8),
    behind: [textEnd, wideEnd].every((end) => u8.slice(end + 16, end + 64).every((byte) => byte === POISON)),
  }
}

const messages = ['messages', 'malformed-header', 'malformed-body', 'issues', 'depth'].flatMap((name) =>
  vectorJson<{ vectors: { hex: string }[] }>(`dbus/${name}.json`).vectors.map(({ hex }) => fromHex(hex)),
)
const values = vectorJson<{ vectors: { sig: string; le: string; be: string }[] }>('dbus/values.json').vectors

describe('both backends write the same', () => {
  it('dbusScan on vectors, mutations and crops', () => {
    const random = new Random(11)
    for (let i = 0; i < 600; i++) {
      const base = random.pick(messages)
      const bytes = i % 3 === 0 ? base : random.mutate(base)
      const whole = bytes.subarray(0, i % 2 ? bytes.length : random.below(bytes.length + 1))
      const copied = i % 5 === 0 ? random.below(whole.length + 1) : whole.length
      const first = scan('wasm', whole, copied)
      expect(scan('js', whole, copied)).toStrictEqual(first)
      expect(first.behind).toBe(true)
    }
  })

  it('dbusWalk on vectors, mutations, random bytes, and with short tapes', () => {
    const random = new Random(12)
    const signatures = values.map(({ sig }) => sig)
    let good = 0
    for (let i = 0; i < 2500; i++) {
      const { sig, le, be } = random.pick(values)
      const big = random.below(2) === 1
      const base = fromHex(big ? be : le)
      const body = i % 3 === 0 ? base : i % 3 === 1 ? random.mutate(base) : random.bytes(random.below(100))
      const signature = i % 7 === 0 ? random.pick(signatures) : sig
      const tape = i % 11 === 0 ? random.below(8) * 4 : 0x4000
      const first = walk('wasm', signature, body, big, tape)
      expect(walk('js', signature, body, big, tape)).toStrictEqual(first)
      if (first.status === 0) {
        good++
        expect(first.behind).toBe(true)
        // No word of the tape and no byte of the text is what was there before.
        expect(first.tape!.includes('a5a5a5a5')).toBe(toHex(body).includes('a5a5a5a5'))
      }
    }
    expect(good).toBeGreaterThan(700)
  })

  it('dbusSignature and dbusName on anything', () => {
    const random = new Random(13)
    const letters = new TextEncoder().encode('ybnqiuxtdsogvha(){}(a{sr')
    const names = new TextEncoder().encode('ab1_.-:/./:a')
    for (let i = 0; i < 3000; i++) {
      const signature = random.bytes(random.below(20), letters)
      const name = random.bytes(random.below(12), names)
      const say = (backend: Backend) => {
        const { kernels, u8, u32 } = poisoned(backend)
        u8.set(signature, abi.D_INPUT)
        const fault = kernels.dbusSignature(abi.D_INPUT, abi.D_INPUT + signature.length) >>> 0
        const at = fault === 0 ? 0 : u32[abi.DS_AT >>> 2]
        u8.set(name, abi.D_INPUT)
        const kinds = [abi.DN_PATH, abi.DN_INTERFACE, abi.DN_MEMBER, abi.DN_ERROR, abi.DN_BUS]
        return [fault, at, kinds.map((kind) => kernels.dbusName(kind, abi.D_INPUT, abi.D_INPUT + name.length))]
      }
      expect(say('js')).toEqual(say('wasm'))
    }
  })
})
