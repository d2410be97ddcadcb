import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { attachHeap } from 'lib/mem'
import { L_ARENA } from '../../assembly/abi/layout'

/*
 * The primitives on both backends. The module that ships does not export them, so one that does is compiled from
 * assembly/lib/index.ts with the flags of asconfig.json.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const path = (name: string) => `${root}${name}`

function compile(): Uint8Array<ArrayBuffer> {
  const wasm = path('build/lib.wasm')
  const sources = ['assembly/lib', 'assembly/abi'].flatMap((folder) =>
    readdirSync(path(folder)).map((name) => path(`${folder}/${name}`)),
  )
  const newest = Math.max(...[...sources, path('asconfig.json')].map((file) => statSync(file).mtimeMs))
  if (!existsSync(wasm) || statSync(wasm).mtimeMs < newest) {
    const { options, targets } = JSON.parse(readFileSync(path('asconfig.json'), 'utf8'))
    const { outFile: _, ...release } = targets.release
    const flags = Object.entries({ ...options, ...release }).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : value === false ? [] : [`--${name}`, String(value)],
    )
    // Test files run in workers of their own: each writes a file of its own, then puts it in place.
    const own = path(`build/lib.${process.pid}.${Math.random().toString(36).slice(2)}.wasm`)
    const asc = path('node_modules/assemblyscript/bin/asc.js')
    const args = [asc, 'assembly/lib/index.ts', '--config', 'none', '--outFile', own, ...flags]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`asc: ${stdout}${stderr}`)
    renameSync(own, wasm)
  }
  return new Uint8Array(readFileSync(wasm))
}

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(compile()))
const linear = new Uint8Array((exports['memory'] as WebAssembly.Memory).buffer)
const heap = new Uint8Array(linear.length)
attachHeap(heap)

/** First address of the tests' own memory. */
export const ARENA = L_ARENA
/** What stands around every region before a call: no valid UTF-8, no digit, no blank. */
export const POISON = 0xa5

type Primitive = (...args: number[]) => unknown
export interface Run {
  readonly backend: 'wasm' | 'js'
  /** Calls a primitive; results are unsigned, as a kernel sees them. */
  readonly call: (name: string, ...args: number[]) => number
  readonly u8: Uint8Array<ArrayBuffer>
  readonly view: DataView<ArrayBuffer>
}

/** Both backends over the twins given. */
export function backends(twins: object): readonly [Run, Run] {
  const run = (backend: Run['backend'], table: object, u8: Uint8Array<ArrayBuffer>): Run => ({
    backend,
    call: (name, ...args) => {
      const primitive = (table as Record<string, Primitive | undefined>)[name]
      if (!primitive) throw new Error(`${backend} has no ${name}`)
      return Number(primitive(...args) ?? 0) >>> 0
    },
    u8,
    view: new DataView(u8.buffer),
  })
  return [run('wasm', exports, linear), run('js', twins, heap)]
}

/** Where [from, to) differs between the backends; -1: nowhere. */
export function difference(from: number, to: number): number {
  if (Buffer.compare(linear.subarray(from, to), heap.subarray(from, to)) === 0) return -1
  for (let i = from; ; i++) if (linear[i] !== heap[i]) return i
}

/** Whether [from, to) still holds nothing but poison. */
export function untouched(u8: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (u8[i] !== POISON) return false
  return true
}

/** Puts `bytes` at `at`, with poison for 80 bytes on either side. */
export function place(u8: Uint8Array, at: number, bytes: ArrayLike<number>, room = bytes.length): void {
  u8.fill(POISON, at - 80, at + room + 80)
  u8.set(bytes, at)
}

/** Numbers below 2^32 that are the same at every run. */
export function random(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
}

/** Bytes of a vector's hex, in which `(6162*3)` stands for 61 62 three times. */
export function unhex(text: string): Uint8Array {
  return new Uint8Array(
    Buffer.from(
      text.replace(/\(([0-9a-f]+)\*(\d+)\)/g, (_, hex: string, count: string) => hex.repeat(Number(count))),
      'hex',
    ),
  )
}

export function vectors<T>(file: string): T {
  return JSON.parse(readFileSync(path(`test/vectors/${file}`), 'utf8')) as T
}
