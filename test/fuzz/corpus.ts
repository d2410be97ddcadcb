import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { repository, toHex } from '../vectors'
import type { Mode } from './registry'

/** An input worth keeping: it once showed a fault, or it reaches a part of the code that few do. */
export interface Kept {
  readonly mode: Mode
  /** Of the choices that are not in the input. */
  readonly seed: number
  readonly hex: string
  /** What it once showed. */
  readonly found?: string
}

const pathOf = (format: string): string => repository(`test/fuzz/corpus/${format}.json`)

export function readCorpus(format: string): Kept[] {
  return existsSync(pathOf(format)) ? (JSON.parse(readFileSync(pathOf(format), 'utf8')) as Kept[]) : []
}

/** One input a line, in an order of its own: two runs of the same inputs write the same file. */
export function writeCorpus(format: string, kept: readonly Kept[]): void {
  const lines = new Set(kept.map((each) => JSON.stringify(each)))
  writeFileSync(pathOf(format), `[\n${[...lines].sort().join(',\n')}\n]\n`)
}

export const keep = (mode: Mode, seed: number, input: Uint8Array, found?: string): Kept => ({
  mode,
  seed,
  hex: toHex(input),
  ...(found !== undefined && { found }),
})
