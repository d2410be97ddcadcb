import { attachHeap } from 'lib/mem'
import { expect, it } from 'vitest'
import { PS_FAULT_AT, PS_NEXT } from '../../assembly/abi/hpack'
import { L_ARENA } from '../../assembly/abi/layout'
import { readInteger, writeInteger } from '../../assembly/hpack/integer'
import { fromHex, toHex, vectorJson } from '../vectors'

const heap = new Uint8Array(L_ARENA + 0x1000)
attachHeap(heap)
const word = (at: number) => new DataView(heap.buffer).getUint32(at, true)

it('reads and writes the integers of every prefix', () => {
  const { vectors } = vectorJson<{ vectors: { prefix: number; value: number; hex: string }[] }>('hpack/integers.json')
  expect(vectors.length).toBe(85)
  for (const { prefix, value, hex } of vectors) {
    const max = 2 ** prefix - 1
    const octets = fromHex(hex)
    expect(toHex(heap.slice(L_ARENA, writeInteger(L_ARENA, 0, max, value)))).toBe(hex)
    if (value < max) continue
    heap.set(octets, L_ARENA)
    expect(readInteger(L_ARENA + 1, L_ARENA + octets.length, max), hex).toBe(value)
    expect(word(PS_NEXT)).toBe(L_ARENA + octets.length)
    for (let end = 1; end < octets.length; end++) {
      readInteger(L_ARENA + 1, L_ARENA + end, max)
      expect(word(PS_NEXT), `${hex} cut to ${end}`).toBe(0)
    }
  }
})

it('takes values below 2^32 in five octets', () => {
  const read = (hex: string, prefix: number) => {
    const octets = fromHex(hex)
    heap.set(octets, L_ARENA)
    const value = readInteger(L_ARENA, L_ARENA + octets.length, prefix)
    return word(PS_NEXT) === 1 ? `bad at ${word(PS_FAULT_AT) - L_ARENA}` : value
  }
  expect(read('80ffffff0f', 127)).toBe(0xffffffff)
  expect(read('81ffffff0f', 127)).toBe('bad at 4')
  expect(read('80ffffff10', 127)).toBe('bad at 4')
  expect(read('8080808000', 31)).toBe(31)
  expect(read('808080808000', 31)).toBe('bad at 4')
})
