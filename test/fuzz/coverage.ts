import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import binaryen from 'binaryen'
import { moduleSide, type Side } from '../lib/side'
import { repository } from '../vectors'

/*
 * The kernels as a module that says where it is: `asc --target coverage` has Binaryen's log-execution put a call at the start of
 * each function, loop and return; here each arm of an `if` gets one as well. Not optimised, so that no arm is merged with another.
 */

/** An edge is hashed into that many counters. */
const EDGES = 0x10000
/** How often a block or an edge was met, in powers of two: a loop that turns once, twice, four times … is something new. */
const bucketOf = Uint8Array.from({ length: 256 }, (_, count) =>
  count === 0 ? 0 : 1 << Math.min(7, 31 - Math.clz32(count)),
)

export interface Coverage {
  readonly side: Side
  /** Blocks that the kernels of one format can reach. */
  readonly blocksOf: (exported: readonly string[]) => readonly number[]
  readonly start: () => void
  /** Whether the run since `start` met what none before did. `keep` remembers it. */
  readonly isNew: (keep: boolean) => boolean
  /** Blocks met by all runs that were remembered. */
  readonly seen: ReadonlySet<number>
  /** Blocks met since `start`. */
  readonly met: () => number[]
}

const LOG = '$fimport$0'

/** The kernels that log where they are, compiled where the sources are newer; `flags` go to asc. */
function compile(name = 'build/core.coverage.wasm', flags: readonly string[] = []): Uint8Array<ArrayBuffer> {
  const wasm = repository(name)
  const sources = readdirSync(repository('assembly'), { recursive: true, encoding: 'utf8' })
  const changed = Math.max(...[...sources.map((name) => `assembly/${name}`), 'asconfig.json'].map(timeOf))
  if (!existsSync(wasm) || statSync(wasm).mtimeMs < changed) {
    const asc = repository('node_modules/assemblyscript/bin/asc.js')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [asc, '--target', 'coverage', '--outFile', name, ...flags],
      {
        cwd: repository(''),
        encoding: 'utf8',
      },
    )
    if (status !== 0) throw new Error(`asc: ${stdout}${stderr}`)
  }
  return new Uint8Array(readFileSync(wasm))
}
const timeOf = (path: string): number => statSync(repository(path)).mtimeMs

/** Calls at the arms of `if`, numbered on from those that are there; and the text of each function by name. */
function instrument(text: string): { text: string; functions: Map<string, string>; exported: Map<string, string> } {
  let next =
    Math.max(...Array.from(text.matchAll(/\(call \$fimport\$0\s+\(i32\.const (\d+)\)/g), ([, id]) => Number(id))) + 1
  const withArms = text.replace(/\((then|else)\n/g, (arm) => `${arm} (call ${LOG} (i32.const ${next++}))\n`)
  const functions = new Map<string, string>()
  for (const part of withArms.split(/\n(?= \(func )/)) {
    const [, name] = /^ \(func (\S+)/.exec(part) ?? []
    if (name !== undefined) functions.set(name, part)
  }
  const exported = new Map(
    Array.from(withArms.matchAll(/\(export "([^"]+)" \(func (\S+?)\)\)/g), ([, name, func]) => [name!, func!]),
  )
  return { text: withArms, functions, exported }
}

function textOf(wasm: Uint8Array): string {
  const module = binaryen.readBinary(wasm)
  module.setFeatures(binaryen.Features.All)
  const text = module.emitText()
  module.dispose()
  return text
}

function binaryOf(text: string): Uint8Array<ArrayBuffer> {
  const module = binaryen.parseText(text)
  module.setFeatures(binaryen.Features.All)
  const wasm = new Uint8Array(module.emitBinary())
  module.dispose()
  return wasm
}

/**
 * The kernels as a module that imports nothing and counts its blocks in the exported global `steps`. Memory is copied and filled by
 * loops, which count as well.
 */
export function countingModule(): Uint8Array<ArrayBuffer> {
  const { text } = instrument(textOf(compile('build/core.counting.wasm', ['--disable', 'bulk-memory'])))
  const counted = text
    .replace(/\n \(import "env" "log_execution" [^\n]*/, '')
    .replace(
      /\(call \$fimport\$0\s*\(i32\.const \d+\)\s*\)/g,
      '(global.set $steps (i32.add (global.get $steps) (i32.const 1)))',
    )
    .replace(/\n (?=\(export )/, '\n (global $steps (mut i32) (i32.const 0))\n (export "steps" (global $steps))\n ')
  return binaryOf(counted)
}

export function loadCoverage(): Coverage {
  const { text, functions, exported } = instrument(textOf(compile()))
  const wasm = binaryOf(text)

  const counts = new Uint8Array(EDGES)
  const known = new Uint8Array(EDGES)
  const blockCounts = new Uint8Array(EDGES)
  const seen = new Set<number>()
  let touched: number[] = []
  let blocks: number[] = []
  let before = 0
  const log = (id: number) => {
    const edge = (Math.imul(before, 0x9e5) ^ Math.imul(id, 0x61)) & (EDGES - 1)
    before = id + 1
    if (counts[edge] === 0) touched.push(edge)
    if (counts[edge]! < 255) counts[edge]!++
    if (blockCounts[id] === 0) blocks.push(id)
    if (blockCounts[id]! < 255) blockCounts[id]!++
  }
  return {
    side: moduleSide('coverage', wasm, 0x3c, { env: { log_execution: log } }),
    seen,
    blocksOf: (names) => {
      const ids = new Set<number>()
      const waiting = names.map((name) => exported.get(name)!)
      const done = new Set<string>()
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        if (done.has(name)) continue
        done.add(name)
        for (const [, callee, id] of functions.get(name)!.matchAll(/\(call (\S+?)(?:\s+\(i32\.const (\d+)\)|[\s)])/g)) {
          if (callee === LOG) ids.add(Number(id))
          else waiting.push(callee!)
        }
      }
      return [...ids]
    },
    start: () => {
      for (const edge of touched) counts[edge] = 0
      for (const id of blocks) blockCounts[id] = 0
      touched = []
      blocks = []
      before = 0
    },
    isNew: (keep) => {
      let fresh = false
      for (const edge of touched) {
        const bucket = bucketOf[counts[edge]!]!
        if ((known[edge]! & bucket) !== 0) continue
        fresh = true
        if (keep) known[edge]! |= bucket
      }
      if (fresh && keep) for (const id of blocks) seen.add(id)
      return fresh
    },
    met: () => [...blocks],
  }
}
