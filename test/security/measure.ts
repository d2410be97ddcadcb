import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, vi } from 'vitest'
import { type Backend, coresOf, initCore, useBackend } from '../../bindings/engine/load'
import { countingModule } from '../fuzz/coverage'

/*
 * What an attack costs, counted instead of timed.
 *
 * A step is one pass through a block: an arm, a turn of a loop, a call. V8 counts those of the bindings and of the JavaScript kernels
 * (its precise coverage), a module that counts its own blocks stands for the WebAssembly kernels. What the engine does at a stroke,
 * copying and decoding, is a step for every 16 bytes.
 */
const BYTES_A_STEP = 16

export const backends: readonly Backend[] = ['wasm', 'js']

let steps: WebAssembly.Global | undefined

/** Puts the counting module in the place of the one that ships, and chooses the backend. */
export async function count(backend: Backend): Promise<void> {
  if (!steps) {
    await initCore(countingModule())
    useBackend('wasm')
    steps = (coresOf({})(0, 0).kernels as { steps: WebAssembly.Global }).steps
  }
  useBackend(backend)
}

const session = new Session()
session.connect()

interface Block {
  readonly count: number
}
interface Script {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly Block[] }[]
}

function post(method: string, params?: object): unknown {
  let answer: unknown
  session.post(method, params, (error, result) => {
    if (error) throw error
    answer = result
  })
  return answer
}

/** Steps in the codecs while `run` runs. */
export function work(run: () => void): number {
  let bytes = 0
  const spies = spiesOn((moved) => {
    bytes += moved
  })
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  steps!.value = 0
  let scripts: readonly Script[]
  try {
    run()
  } finally {
    scripts = (post('Profiler.takePreciseCoverage') as { result: readonly Script[] }).result
    post('Profiler.stopPreciseCoverage')
    post('Profiler.disable')
    for (const spy of spies) spy.mockRestore()
  }
  const blocks = scripts
    .filter(({ url }) => /[\\/](?:bindings|assembly)[\\/]/.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
  return blocks + ((steps!.value as number) >>> 0) + bytes / BYTES_A_STEP
}

/** Everything that moves many bytes at once. */
function spiesOn(moved: (bytes: number) => void) {
  const arrays = [Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array, BigUint64Array]
  const sets = arrays.map((type) => {
    const { set } = type.prototype as Uint8Array
    return vi.spyOn(type.prototype as Uint8Array, 'set').mockImplementation(function (this: Uint8Array, from, at) {
      moved((from as Uint8Array).byteLength ?? from.length)
      set.call(this, from, at)
    })
  })
  const slices = arrays.map((type) => {
    const { slice } = type.prototype as Uint8Array
    return vi.spyOn(type.prototype as Uint8Array, 'slice').mockImplementation(function (this: Uint8Array, from, to) {
      const made = slice.call(this, from, to)
      moved(made.byteLength)
      return made
    })
  })
  const { copyWithin } = Uint8Array.prototype
  const within = vi.spyOn(Uint8Array.prototype, 'copyWithin').mockImplementation(function (
    this: Uint8Array,
    to,
    from,
    end = this.length,
  ) {
    moved(end - from)
    return copyWithin.call(this, to, from, end)
  })
  const { decode } = TextDecoder.prototype
  const texts = vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
    this: TextDecoder,
    input,
    options,
  ) {
    moved(input?.byteLength ?? 0)
    return decode.call(this, input, options)
  })
  const { encodeInto } = TextEncoder.prototype
  const written = vi.spyOn(TextEncoder.prototype, 'encodeInto').mockImplementation(function (
    this: TextEncoder,
    text,
    target,
  ) {
    moved(text.length)
    return encodeInto.call(this, text, target)
  })
  return [...sets, ...slices, within, texts, written]
}

/**
 * Measures an attack of `size` and one of four times the size. Fails where a byte of the second costs twice as much as one of the
 * first (four times, where work grows with the square), or more than `stepsAByte`.
 */
export function expectLinear<A extends { readonly bytes: number }>(
  size: number,
  stepsAByte: number,
  make: (size: number) => A,
  run: (attack: A) => void,
): void {
  const cost = (times: number) => {
    const attack = make(size * times)
    return { bytes: attack.bytes, steps: work(() => run(attack)) }
  }
  // What is made once, such as tables, does not belong to either.
  run(make(size))
  const small = cost(1)
  const large = cost(4)
  expect(large.steps / large.bytes).toBeLessThan(2 * (small.steps / small.bytes))
  expect(large.steps / large.bytes).toBeLessThan(stepsAByte)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that each of `count` things keeps alive, of heap and buffers, once what can be collected was. */
export function retained(count: number, make: (i: number) => unknown): number {
  const held = (): number => {
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  make(0)
  const kept: unknown[] = new Array(count)
  const before = held()
  for (let i = 0; i < count; i++) kept[i] = make(i)
  const after = held()
  expect(kept.length).toBe(count)
  return (after - before) / count
}
