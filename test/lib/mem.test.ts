import * as twins from 'lib/mem'
import { describe, expect, it } from 'vitest'
import { ARENA, backends, POISON, place, random, untouched } from './backends'

const runs = backends(twins)
const AT = ARENA + 1024

describe.each(runs)('$backend', (run) => {
  it.each([
    ['8', 1, true],
    ['16', 2, true],
    ['16be', 2, false],
    ['32', 4, true],
    ['32be', 4, false],
  ] as const)('get%s and put%s at every alignment', (name, size, little) => {
    const next = random(8)
    for (let shift = 0; shift < 16; shift++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff, 0x8000, 0xffff, 0x80000000, 0xffffffff, next(), next()]) {
        const at = AT + shift
        place(run.u8, at, [], size)
        run.call(`put${name}`, at, value)
        const bytes = Array.from({ length: size }, (_, i) => (value >>> (8 * (little ? i : size - 1 - i))) & 0xff)
        expect([...run.u8.subarray(at, at + size)]).toEqual(bytes)
        expect(untouched(run.u8, at - 80, at) && untouched(run.u8, at + size, at + size + 80)).toBe(true)
        expect(run.call(`get${name}`, at)).toBe(size === 4 ? value : value % 2 ** (8 * size))
      }
    }
  })

  it('word and setWord at aligned addresses', () => {
    const next = random(13)
    for (let i = 0; i < 64; i += 4) {
      const value = next()
      place(run.u8, AT + i, [], 4)
      run.call('setWord', AT + i, value)
      expect(run.view.getUint32(AT + i, true)).toBe(value)
      expect(run.call('word', AT + i)).toBe(value)
      expect(untouched(run.u8, AT + i - 80, AT + i) && untouched(run.u8, AT + i + 4, AT + i + 84)).toBe(true)
    }
  })

  it('multiplies modulo 2^32', () => {
    const next = random(9)
    for (let i = 0; i < 1000; i++) {
      const [a, b] = [next(), next()]
      expect(run.call('mul', a, b)).toBe(Number((BigInt(a) * BigInt(b)) & 0xffffffffn))
    }
  })

  it('copies regions that overlap, either way', () => {
    const next = random(10)
    for (let length = 0; length <= 70; length++) {
      const bytes = new Uint8Array(length).map(next)
      const to = AT + (next() % 41) - 20
      place(run.u8, AT, bytes)
      run.call('copy', to, AT, length)
      expect(Buffer.compare(run.u8.subarray(to, to + length), bytes)).toBe(0)
      expect(untouched(run.u8, AT - 80, Math.min(to, AT))).toBe(true)
    }
  })

  it('fills its bytes and no other', () => {
    for (let length = 0; length <= 70; length++) {
      place(run.u8, AT, [], length)
      run.call('fill', AT, 0x5a, length)
      expect(run.u8.subarray(AT, AT + length).every((b) => b === 0x5a)).toBe(true)
      expect(run.u8[AT - 1] === POISON && run.u8[AT + length] === POISON).toBe(true)
    }
  })
})
