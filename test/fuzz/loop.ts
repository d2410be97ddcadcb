import { Random } from '../random'
import { type Kept, keep } from './corpus'
import { loadCoverage } from './coverage'
import { experiment } from './experiment'
import { minimise, mutate } from './input'
import { isolate } from './isolate'
import { disagreement, shippedSides } from './kernels'
import type { Format, Mode } from './registry'

export interface Outcome {
  readonly mode: Mode
  readonly executions: number
  readonly seconds: number
  readonly findings: readonly Kept[]
  readonly blocks?: { readonly reached: number; readonly all: number }
  /** The fewest inputs that were met and reach all of those blocks, as far as taking the best one each time finds them. */
  readonly distilled: readonly Kept[]
}

/** A loop that has found so many faults of different kinds has found enough to begin with. */
const MAX_FINDINGS = 10

/** Mutates inputs of the kernels, and keeps those that reach what none did before. */
export function fuzzKernels(format: Format, corpus: readonly Uint8Array[], seed: number, seconds: number): Outcome {
  const target = format.kernels
  const coverage = loadCoverage()
  const sides = [coverage.side, ...shippedSides()]
  const random = new Random(seed)
  const pool: { input: Uint8Array; blocks: readonly number[] }[] = []
  const findings = new Map<string, Kept>()
  let executions = 0
  const run = (input: Uint8Array): void => {
    executions++
    coverage.start()
    const fault = disagreement(target, sides, input)
    if (fault !== undefined && !findings.has(fault)) {
      const small = minimise(input, (bytes) => disagreement(target, sides, bytes) === fault)
      findings.set(fault, keep('kernels', 0, small, fault))
    }
    if (coverage.isNew(true)) pool.push({ input, blocks: coverage.met() })
  }
  for (const input of [...corpus, ...target.seeds()]) run(input)
  const begin = performance.now()
  const end = begin + seconds * 1000
  const inputs = pool.map(({ input }) => input)
  while (performance.now() < end && findings.size < MAX_FINDINGS) {
    for (let i = 0; i < 50; i++) {
      // The latest ones as often as all others: they lead somewhere.
      const from = random.below(2) ? Math.max(0, inputs.length - 32) : 0
      const base = inputs[from + random.below(inputs.length - from)]!
      const before = pool.length
      run(mutate(base, random, target.tokens, inputs))
      for (let k = before; k < pool.length; k++) inputs.push(pool[k]!.input)
    }
  }
  const all = coverage.blocksOf(target.exported)
  return {
    mode: 'kernels',
    executions,
    seconds: (performance.now() - begin) / 1000,
    findings: [...findings.values()],
    blocks: { reached: all.filter((id) => coverage.seen.has(id)).length, all: all.length },
    distilled: distil(pool).map((input) => keep('kernels', 0, input)),
  }
}

function distil(pool: readonly { input: Uint8Array; blocks: readonly number[] }[]): Uint8Array[] {
  const missing = new Set(pool.flatMap(({ blocks }) => blocks))
  const chosen: Uint8Array[] = []
  const left = [...pool].sort((a, b) => a.input.length - b.input.length)
  while (missing.size > 0) {
    let best = left[0]!
    let most = 0
    for (const each of left) {
      const count = each.blocks.reduce((sum, id) => sum + (missing.has(id) ? 1 : 0), 0)
      if (count > most) {
        most = count
        best = each
      }
    }
    for (const id of best.blocks) missing.delete(id)
    chosen.push(best.input)
  }
  return chosen
}

/** Mutates vectors into the decoders, or makes up values for the encoders. */
export function fuzzBindings(
  format: Format,
  mode: 'bindings' | 'values',
  corpus: readonly Uint8Array[],
  seed: number,
  seconds: number,
  trace: boolean,
): Outcome {
  const { bindings } = format
  const random = new Random(seed)
  const seeds = [...corpus, ...bindings.seeds()]
  const findings = new Map<string, Kept>()
  const isolation = isolate()
  let executions = 0
  const begin = performance.now()
  const end = begin + seconds * 1000
  while (performance.now() < end && findings.size < MAX_FINDINGS) {
    for (let i = 0; i < 20; i++) {
      executions++
      const choices = random.next()
      const input =
        mode === 'values'
          ? new Uint8Array(0)
          : executions <= seeds.length
            ? seeds[executions - 1]!
            : mutate(random.pick(seeds), random, bindings.tokens, seeds)
      if (trace) process.stderr.write(`${JSON.stringify(keep(mode, choices, input))}\n`)
      const fault = experiment(format, mode, input, choices)
      if (fault === undefined || findings.has(kindOf(fault))) continue
      const small = minimise(input, (bytes) => kindOf(experiment(format, mode, bytes, choices) ?? '') === kindOf(fault))
      findings.set(kindOf(fault), keep(mode, choices, small, fault))
    }
    isolation.check()
  }
  isolation.end(executions)
  return {
    mode,
    executions,
    seconds: (performance.now() - begin) / 1000,
    findings: [...findings.values()],
    distilled: [],
  }
}

/** Numbers differ from input to input; the rest of the text tells kinds of faults apart. */
const kindOf = (fault: string): string => fault.replace(/[0-9a-f]{6,}|\d+/g, '#').slice(0, 120)
