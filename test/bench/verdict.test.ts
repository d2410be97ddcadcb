import { describe, expect, it } from 'vitest'
import { grown, overall, steepest, verdictOf } from '../../bench/verdict.mjs'

const points = (sizes: readonly number[], cost: (size: number) => number) =>
  sizes.map((size) => ({ size, ns: cost(size) }))
const DECADES = [10, 100, 1_000, 10_000, 100_000]

describe('the verdict on a revision', () => {
  const rounds = (ratio: number, noise: readonly number[]) =>
    noise.map((part) => ({ base: 100, again: 100 * (1 + part), head: 100 * Math.sqrt(1 + part) * ratio }))

  it('passes what costs the same, less, or up to a twentieth more', () => {
    for (const ratio of [0.5, 1, 1.049]) expect(verdictOf(rounds(ratio, [0, 0, 0])).slower).toBe(false)
    expect(verdictOf(rounds(1, [0, 0, 0])).change).toBeCloseTo(0)
  })

  it('fails what costs more than that', () => {
    const { change, noise, slower } = verdictOf(rounds(1.06, [0, 0, 0]))
    expect(change).toBeCloseTo(0.06)
    expect(noise).toBeCloseTo(0)
    expect(slower).toBe(true)
  })

  it('takes what the revision differs by from itself for noise, in either direction', () => {
    for (const part of [0.1, -0.1]) {
      expect(verdictOf(rounds(1.1, [0, part, 0])).slower).toBe(false)
      expect(verdictOf(rounds(1.3, [0, part, 0])).slower).toBe(true)
    }
  })

  it('takes rounds that contradict each other for noise', () => {
    const contradicting = [0.8, 1.07, 1.4].map((ratio) => ({ base: 100, again: 100, head: 100 * ratio }))
    expect(verdictOf(contradicting).slower).toBe(false)
  })
})

describe('the verdict on a line', () => {
  it('knows proportion, fixed cost and squares apart', () => {
    const line = points(DECADES, (size) => 7 * size)
    expect(overall(line)).toBeCloseTo(1)
    expect(steepest(line)).toBeCloseTo(1)
    const fixed = points(DECADES, (size) => 10_000 + size)
    expect(overall(fixed)).toBeLessThan(1)
    const square = points(DECADES, (size) => size * size)
    expect(overall(square)).toBeCloseTo(2)
    expect(steepest(square)).toBeCloseTo(2)
  })

  it('sees a square that only the largest sizes show', () => {
    const late = points(DECADES, (size) => 1_000 * size + size * size)
    expect(overall(late)).toBeGreaterThan(1.2)
    expect(steepest(late)).toBeGreaterThan(1.7)
  })

  it('looks at the last powers of ten', () => {
    const line = points([1, ...DECADES], (size) => (size === 1 ? 1e-9 : size))
    expect(overall(line)).toBeCloseTo(1)
    expect(overall(line, 5)).toBeGreaterThan(2)
  })
})

describe('growth', () => {
  it('is from the first to the least of the last values', () => {
    expect(grown([100, 500, 100, 900, 120])).toBe(0)
    expect(grown([100, 200, 300, 400, 500])).toBe(200)
  })
})
