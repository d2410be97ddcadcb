import { afterEach, describe, expect, it } from 'vitest'
import { useBackend } from '../../bindings/engine/load'
import { formats } from '../../scripts/folders.mjs'
import { fromHex } from '../vectors'
import { readCorpus } from './corpus'
import { experiment } from './experiment'
import { disagreement, shippedSides } from './kernels'
import { FORMATS } from './registry'

describe.each(formats)('what fuzzing has found in %s stays found', (name) => {
  const format = FORMATS[name]!
  const corpus = readCorpus(name)

  afterEach(() => {
    useBackend('auto')
  })

  it('kernels: both backends say the same of every input kept', () => {
    const kept = corpus.filter(({ mode }) => mode === 'kernels')
    expect(kept.length).toBeGreaterThan(10)
    const sides = shippedSides()
    const faults = kept.flatMap(({ hex }) => disagreement(format.kernels, sides, fromHex(hex)) ?? [])
    expect(faults).toEqual([])
  })

  it('bindings: every promise is kept for every input that once broke one, and for new ones', () => {
    const kept = corpus.filter(({ mode }) => mode !== 'kernels')
    for (const { mode, hex, seed } of kept) expect(experiment(format, mode, fromHex(hex), seed)).toBeUndefined()
    const seeds = format.bindings.seeds()
    for (let i = 0; i < 60; i++) {
      expect(experiment(format, 'bindings', seeds[(i * 37) % seeds.length]!, i)).toBeUndefined()
    }
  })
})
