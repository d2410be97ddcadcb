import { type Imports, instantiateSync } from '@assemblyscript/loader'
import { coreSource } from '#core'
import { L_READ, L_TABLES, L_WINDOW } from '../../assembly/abi/layout'
import { HeapMemory, type Memory, WasmMemory } from './memory'
import { Names } from './names'

/** Which implementation of the kernels answers: WebAssembly, or the same source as JavaScript. */
export type Backend = 'wasm' | 'js'
/** What `useBackend` takes: a backend, or 'auto', which chooses at each call. */
export type BackendChoice = 'auto' | Backend

/** One backend as a format sees it: its kernels, the memory they work in and the names interned there. */
export interface Core<K> {
  readonly backend: Backend
  readonly kernels: K
  readonly memory: Memory
  readonly names: Names
}

interface WasmCore {
  readonly exports: Readonly<Record<string, unknown>>
  readonly memory: WasmMemory
  readonly names: Names
}

let choice: BackendChoice = 'auto'
let wasm: WasmCore | undefined
let failed = false
let reason: unknown
let script: { readonly memory: HeapMemory; readonly names: Names } | undefined

function adopt(instance: WebAssembly.Instance): void {
  const { memory, heapBase } = instance.exports as { memory?: unknown; heapBase?: unknown }
  if (!(memory instanceof WebAssembly.Memory) || typeof heapBase !== 'function' || heapBase() > L_TABLES) {
    throw new Error('not the kernel module of this version of wiretape')
  }
  const linear = new WasmMemory(memory)
  wasm = { exports: instance.exports, memory: linear, names: new Names(linear) }
  failed = false
  reason = undefined
}

function instantiate(source: WebAssembly.Module | BufferSource): void {
  // The loader wraps every export in a closure; kernels are called too often for that, so only its instance is used.
  adopt(instantiateSync(source as WebAssembly.Module, {} as Imports).instance)
}

function loadWasm(): WasmCore | undefined {
  if (wasm || failed) return wasm
  try {
    instantiate(coreSource())
  } catch (error) {
    failed = true
    reason = error
  }
  return wasm
}

function scriptCore() {
  if (!script) {
    const memory = new HeapMemory()
    script = { memory, names: new Names(memory) }
  }
  return script
}

/** Which backend answers now. Loads the module at the first call; never throws. */
export function backend(): Backend {
  return choice !== 'js' && loadWasm() ? 'wasm' : 'js'
}

/**
 * Why 'js' answers although 'wasm' was not ruled out: the error of decoding, compiling or instantiating the module, which is loaded
 * for that where it was not yet. undefined: nothing has failed. Never throws.
 */
export function backendReason(): unknown {
  if (choice !== 'js') loadWasm()
  return reason
}

/**
 * Chooses for the whole thread: 'auto' (default) takes JavaScript where the input is so short that a call into
 * WebAssembly costs more than it saves, 'wasm' and 'js' always take that one. 'wasm' throws the kept reason where it
 * cannot be had. Decoders in use go on with the new choice.
 */
export function useBackend(next: BackendChoice): Backend {
  if (next !== 'auto' && next !== 'wasm' && next !== 'js') throw new TypeError("backend must be 'auto', 'wasm' or 'js'")
  if (next === 'wasm' && !loadWasm()) throw reason
  choice = next
  return backend()
}

/**
 * Optional: hands over the kernel module where the built-in one cannot be used or should not be: a Module, its bytes, a
 * Response or a promise of one of them. Never needed on Node, Deno, Bun, browsers or Cloudflare Workers. Returns which backend
 * answers then. Never throws: what is no module of this version changes nothing where there is one already; else JavaScript
 * answers, with the error in `backendReason()`.
 */
export async function initCore(source: object | Promise<object>): Promise<Backend> {
  try {
    const given = (await source) as Partial<Response>
    // Known by its method: where WebAssembly is missing, Node ends the process when the name Response is touched.
    const module = typeof given.arrayBuffer === 'function' ? await given.arrayBuffer() : given
    instantiate(module as WebAssembly.Module | BufferSource)
  } catch (error) {
    if (!wasm) {
      failed = true
      reason = error
    }
  }
  return backend()
}

let pins = 0

/**
 * The window of linear memory that sockets read into; undefined where JavaScript answers. Until it is given back, as often as it was taken,
 * the memory does not grow: the system holds its address.
 */
export function takeReadWindow(): Uint8Array<ArrayBuffer> | undefined {
  const loaded = choice === 'js' ? undefined : loadWasm()
  if (!loaded) return undefined
  pins++
  loaded.memory.growable = false
  return new Uint8Array(loaded.memory.u8.buffer, L_READ, L_WINDOW)
}

export function giveBackReadWindow(): void {
  pins--
  if (pins === 0 && wasm) wasm.memory.growable = true
}

/** Picks the backend for one call: by the bytes that it works on and the kernel's crossover; see thresholds.ts. */
export type Select<K> = (bytes: number, crossover: number) => Core<K>

/** A format hands its portable kernels over; the engine itself knows none, so that no subpath carries those of the others. */
export function coresOf<K extends object>(portable: K): Select<K> {
  let linear: (Core<K> & { readonly source: WasmCore }) | undefined
  let heap: Core<K> | undefined
  return (bytes, crossover) => {
    if (choice !== 'js' && (bytes >= crossover || choice === 'wasm')) {
      const loaded = wasm ?? loadWasm()
      if (loaded) {
        if (linear?.source !== loaded) {
          const { exports, memory, names } = loaded
          linear = { backend: 'wasm', kernels: exports as unknown as K, memory, names, source: loaded }
        }
        return linear
      }
    }
    heap ??= { backend: 'js', kernels: portable, ...scriptCore() }
    return heap
  }
}

/** The JavaScript backend, whatever the choice: for units that are larger than linear memory may grow. */
export function scriptCoreOf<K extends object>(portable: K): Core<K> {
  return { backend: 'js', kernels: portable, ...scriptCore() }
}
