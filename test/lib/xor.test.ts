import * as twins from 'lib/xor'
import { describe, expect, it } from 'vitest'
import { ARENA, backends, place, random, unhex, untouched, vectors } from './backends'

const runs = backends(twins)
const AT = ARENA + 1024
const TO = ARENA + 4096

const masked = (bytes: Uint8Array, key: Uint8Array, phase: number) => bytes.map((b, i) => b ^ key[(i + phase) & 3]!)
const wireKey = (key: Uint8Array) => new DataView(key.buffer, key.byteOffset).getUint32(0, true)
const same = (run: (typeof runs)[number], at: number, bytes: Uint8Array) =>
  Buffer.compare(run.u8.subarray(at, at + bytes.length), bytes) === 0

describe.each(runs)('$backend', (run) => {
  it('agrees with the vectors', () => {
    interface Case {
      payload: string
      key: string
      phase: number
      masked: string
    }
    const { cases } = vectors<{ cases: Case[] }>('websocket/kernel-mask.json')
    expect(cases.length).toBeGreaterThan(70)
    for (const one of cases) {
      const [payload, key, expected] = [unhex(one.payload), unhex(one.key), unhex(one.masked)]
      place(run.u8, AT, payload)
      run.call('xorMask', AT, AT + payload.length, wireKey(key), one.phase)
      expect(same(run, AT, expected), JSON.stringify(one)).toBe(true)
      run.call('xorMask', AT, AT + payload.length, wireKey(key), one.phase)
      expect(same(run, AT, payload)).toBe(true)
    }
  })

  it('writes these bytes and no other, at all lengths, alignments and phases', () => {
    const next = random(3)
    for (let length = 0; length <= 140; length += length < 70 ? 1 : 7) {
      for (let shift = 0; shift < 16; shift++) {
        const bytes = new Uint8Array(length).map(next)
        const key = new Uint8Array(4).map(next)
        const phase = next() & 3
        const expected = masked(bytes, key, phase)
        const at = AT + shift
        place(run.u8, at, bytes)
        run.call('xorMask', at, at + length, wireKey(key), phase)
        const kept =
          same(run, at, expected) && untouched(run.u8, at - 80, at) && untouched(run.u8, at + length, at + length + 80)
        if (!kept) expect.fail(`xorMask ${length} ${shift} ${phase}`)
        const to = TO + (next() & 15)
        place(run.u8, at, bytes)
        place(run.u8, to, [], length)
        run.call('xorCopy', at, at + length, to, wireKey(key), phase)
        const copied =
          same(run, to, expected) &&
          same(run, at, bytes) &&
          untouched(run.u8, to - 80, to) &&
          untouched(run.u8, to + length, to + length + 80)
        if (!copied) expect.fail(`xorCopy ${length} ${shift} ${phase}`)
      }
    }
  })

  it('says of what it copies whether all of it is ASCII', () => {
    const next = random(5)
    for (let length = 0; length <= 140; length += length < 70 ? 1 : 7) {
      for (let high = -1; high < length; high++) {
        const text = new Uint8Array(length).map(() => next() & 0x7f)
        if (high >= 0) text[high] = text[high]! | 0x80
        const key = new Uint8Array(4).map(next)
        const phase = next() & 3
        const at = AT + (next() & 15)
        const to = high & 1 ? at - (next() & 15) : TO + (next() & 15)
        place(run.u8, at, masked(text, key, phase))
        if (to > at) place(run.u8, to, [], length)
        const ascii = run.call('xorText', at, at + length, to, wireKey(key), phase)
        if (Boolean(ascii) !== high < 0) expect.fail(`${length} ${high} ${phase}: ${ascii}`)
        if (!same(run, to, text)) expect.fail(`${length} ${high} ${phase}: other bytes`)
        if (to > at && !untouched(run.u8, to + length, to + length + 80)) expect.fail(`${length} ${high}: more bytes`)
      }
    }
  })

  it('copies towards lower addresses over its own source', () => {
    const next = random(4)
    for (let gap = 0; gap < 80; gap++) {
      const bytes = new Uint8Array(200 + gap).map(next)
      const key = new Uint8Array(4).map(next)
      place(run.u8, AT, bytes)
      run.call('xorCopy', AT, AT + bytes.length, AT - gap, wireKey(key), gap & 3)
      expect(same(run, AT - gap, masked(bytes, key, gap & 3))).toBe(true)
    }
  })

  it('copies as it is under a key of 0', () => {
    const bytes = new Uint8Array(50).map((_, i) => i)
    place(run.u8, AT, bytes)
    place(run.u8, TO, [], 50)
    run.call('xorCopy', AT, AT + 50, TO, 0, 2)
    expect(same(run, TO, bytes)).toBe(true)
    run.call('xorMask', AT, AT + 50, 0, 2)
    expect(same(run, AT, bytes)).toBe(true)
  })
})
