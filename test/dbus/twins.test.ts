import { describe, expect, it } from 'vitest'
import { scriptSide, wasmSide } from '../lib/side'
import { Random } from '../random'
import { fromHex, toHex, vectorJson } from '../vectors'
import { names, scan, walk } from './kernels'

const wasm = wasmSide()
const js = scriptSide()
const utf8 = new TextEncoder()

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
      const first = scan(wasm, whole, copied)
      expect(scan(js, whole, copied)).toStrictEqual(first)
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
      const first = walk(wasm, utf8.encode(signature), body, big, tape)
      expect(walk(js, utf8.encode(signature), body, big, tape)).toStrictEqual(first)
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
    const parts = new TextEncoder().encode('ab1_.-:/./:a')
    for (let i = 0; i < 3000; i++) {
      const signature = random.bytes(random.below(20), letters)
      const name = random.bytes(random.below(12), parts)
      for (const bytes of [signature, name]) expect(names(js, bytes)).toEqual(names(wasm, bytes))
    }
  })
})
