import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/katcp'
import { scriptSide, wasmSide } from '../lib/side'
import { Random } from '../random'
import { fromHex, vectorJson } from '../vectors'
import { diagnose, escapeBy, numbers, scan, unescapeBy } from './kernels'

const ALPHABET = new TextEncoder().encode('?!#ab-[]10 9\t \\\\_0nret@x\r\n\n\0\x1b\x01é.+-eEjinf')
const lines = ['messages', 'escapes', 'errors', 'mids', 'whitespace'].flatMap((name) =>
  vectorJson<{ cases: { line?: string }[] }>(`katcp/${name}.json`).cases.flatMap(({ line }) =>
    line ? [fromHex(line)] : [],
  ),
)

/** Positions of the pieces between blanks, and one past the end, as the scanner writes them. */
function positionsOf(bytes: Uint8Array): number[] {
  const positions = [0]
  bytes.forEach((byte, i) => {
    if (byte === 0x20) positions.push(i + 1)
  })
  positions.push(bytes.length + 1)
  return positions
}

const wasm = wasmSide()
const js = scriptSide()

describe('both backends write the same tape', () => {
  it('katcpScan on vectors, mutations and random bytes, at every state of a line', () => {
    const random = new Random(1)
    let scans = 0
    for (let i = 0; i < 6000; i++) {
      const line = random.pick(lines)
      const source =
        i % 3 === 0 ? random.bytes(random.below(120), ALPHABET) : i % 3 === 1 ? random.mutate(line, ALPHABET) : line
      const bytes = new Uint8Array([...source, 10, ...random.pick(lines)])
      const maxLine = random.pick([20, 64, 1000])
      const maxArguments = random.pick([0, 1, 3, 1000])
      const cut = random.below(bytes.length + 1)
      const first = scan(wasm, bytes.subarray(0, cut), [abi.KP_START, 0], maxLine, maxArguments)
      expect(scan(js, bytes.subarray(0, cut), [abi.KP_START, 0], maxLine, maxArguments)).toStrictEqual(first)
      if (first.state[0] === abi.KP_START) continue
      // What waits stands before the input: positions go on from there.
      const state = [...first.state]
      const line0 = state[2]!
      state[1] = Math.min(cut - line0, maxLine)
      state[2] = 0
      state[3] = Math.max(0, state[3]! - line0)
      state[6] = Math.max(0, state[6]! - line0)
      const rest = scan(wasm, bytes.subarray(cut), state, maxLine, maxArguments)
      expect(scan(js, bytes.subarray(cut), state, maxLine, maxArguments)).toStrictEqual(rest)
      scans++
    }
    expect(scans).toBeGreaterThan(1000)
  })

  it('katcpScan stops at a full line tape', () => {
    const bytes = new TextEncoder().encode('?a\n'.repeat(3000))
    const result = scan(wasm, bytes, [abi.KP_START, 0], 100, 100)
    expect(result.lines.length).toBe(2 * 2048 * abi.KR_BYTES)
    expect(result.consumed).toBe(2048 * 3)
    expect(scan(js, bytes, [abi.KP_START, 0], 100, 100)).toStrictEqual(result)
  })

  it('katcpUnescape', () => {
    const random = new Random(2)
    const pieces = ['\\\\', '\\_', '\\0', '\\n', '\\r', '\\e', '\\t', '\\@', 'a', 'bcd', '0123456789abcdefgh', ' ', 'é']
    for (let i = 0; i < 3000; i++) {
      const text = Array.from({ length: random.below(60) }, () => random.pick(pieces)).join('')
      const bytes = new TextEncoder().encode(text)
      const result = unescapeBy(wasm, bytes, positionsOf(bytes))
      const twin = unescapeBy(js, bytes, positionsOf(bytes))
      expect(twin.text).toStrictEqual(result.text)
      expect(twin.ends).toStrictEqual(result.ends)
      expect(result.behind).toBe(true)
    }
  })

  it('katcpEscape', () => {
    const random = new Random(3)
    for (let i = 0; i < 3000; i++) {
      const alphabet = random.pick([
        ALPHABET,
        new TextEncoder().encode('abc123\0'),
        new TextEncoder().encode('abcdefghijklmnop \\\0'),
      ])
      const bytes = random.bytes(random.below(200), alphabet)
      for (const split of [0, 1] as const) {
        const begun = random.below(2)
        const result = escapeBy(wasm, bytes, split, 5, begun)
        const twin = escapeBy(js, bytes, split, 5, begun)
        expect({ ...twin, behind: 0 }).toStrictEqual({ ...result, behind: 0 })
        expect(result.behind).toBe(true)
      }
    }
  })

  it('katcpDiagnose', () => {
    const random = new Random(4)
    for (let i = 0; i < 5000; i++) {
      const bytes = random.mutate(random.pick(lines), ALPHABET).filter((byte) => byte !== 10 && byte !== 13)
      expect(diagnose(js, bytes)).toStrictEqual(diagnose(wasm, bytes))
    }
  })

  it('katcpFloats and katcpComplexes', () => {
    const random = new Random(5)
    const good = [
      '1',
      '-2.5',
      '1e5',
      '0.1234',
      '+7',
      '.5',
      '5.',
      '1e-30',
      '12345678901234567',
      'nan',
      'x',
      '',
      '1+2j',
      '-1.5-2.25j',
      '3j',
    ]
    for (let i = 0; i < 3000; i++) {
      const bytes = new TextEncoder().encode(
        Array.from({ length: 1 + random.below(20) }, () => random.pick(good)).join(' '),
      )
      for (const complex of [false, true]) {
        expect(numbers(js, bytes, positionsOf(bytes), complex)).toStrictEqual(
          numbers(wasm, bytes, positionsOf(bytes), complex),
        )
      }
    }
  })
})
