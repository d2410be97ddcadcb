import fc from 'fast-check'
import * as twins from 'lib/bytes'
import { describe, expect, it } from 'vitest'
import { ARENA, backends, place, random, untouched } from './backends'

const runs = backends(twins)
const A = ARENA + 1024
const B = ARENA + 4096

describe.each(runs)('$backend', (run) => {
  it('compares all bytes and no other, at all lengths and alignments', () => {
    const next = random(6)
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const bytes = new Uint8Array(length).map(next)
        const [a, b] = [A + shift, B + (next() & 15)]
        place(run.u8, a, bytes)
        place(run.u8, b, bytes)
        run.u8[a - 1] = 1
        run.u8[b + length] = 1
        if (run.call('equalBytes', a, b, length) !== 1) expect.fail(`${length} ${shift}`)
        for (let i = 0; i < length; i++) {
          run.u8[b + i]! ^= 1 << (i & 7)
          if (run.call('equalBytes', a, b, length) !== 0) expect.fail(`${length} ${shift} ${i}`)
          run.u8[b + i]! ^= 1 << (i & 7)
        }
      }
    }
  })

  it.each([16, 32, 64])('turns words of %i bits, and nothing around them', (size) => {
    const next = random(7)
    const step = size >>> 3
    for (let length = 0; length <= 140; length += step) {
      for (let shift = 0; shift < 16; shift++) {
        const bytes = new Uint8Array(length).map(next)
        const expected = bytes.slice()
        for (let i = 0; i < length; i += step) expected.subarray(i, i + step).reverse()
        const at = A + shift
        place(run.u8, at, bytes)
        run.call(`swap${size}`, at, at + length)
        expect(Buffer.compare(run.u8.subarray(at, at + length), expected)).toBe(0)
        expect(untouched(run.u8, at - 80, at) && untouched(run.u8, at + length, at + length + 80)).toBe(true)
        run.call(`swap${size}`, at, at + length)
        expect(Buffer.compare(run.u8.subarray(at, at + length), bytes)).toBe(0)
      }
    }
  })

  it('says of any two regions what Buffer.compare says', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), (a, b) => {
        const length = Math.min(a.length, b.length)
        place(run.u8, A, a)
        place(run.u8, B, b)
        expect(run.call('equalBytes', A, B, length)).toBe(
          Number(Buffer.compare(a.subarray(0, length), b.subarray(0, length)) === 0),
        )
      }),
    )
  })
})
