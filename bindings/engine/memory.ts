import { attachHeap } from 'lib/mem'
import { L_ARENA } from '../../assembly/abi/layout'

/** What a backend works in. Views are renewed when it grows, so read them from here after `reserve`, never keep them. */
export interface Memory {
  u8: Uint8Array<ArrayBuffer>
  u32: Uint32Array<ArrayBuffer>
  /** Makes sure that `bytes` are there from L_ARENA on; false where this memory may not grow that far. */
  reserve(bytes: number): boolean
  /** Gives back what one large unit needed. */
  release(): void
}

const PAGE = 0x10000

/** Linear memory: grows in whole pages up to its maximum and never shrinks. Only this class grows it. */
export class WasmMemory implements Memory {
  readonly #memory: WebAssembly.Memory
  #growable = true
  u8: Uint8Array<ArrayBuffer>
  u32: Uint32Array<ArrayBuffer>

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory
    this.u8 = new Uint8Array(memory.buffer as ArrayBuffer)
    this.u32 = new Uint32Array(memory.buffer as ArrayBuffer)
  }

  /** While false, `reserve` refuses to grow: someone outside holds a raw pointer into the memory. */
  set growable(value: boolean) {
    this.#growable = value
  }

  reserve(bytes: number): boolean {
    const missing = L_ARENA + bytes - this.u8.length
    if (missing <= 0) return true
    if (!this.#growable) return false
    try {
      this.#memory.grow(Math.ceil(missing / PAGE))
    } catch {
      return false
    }
    this.u8 = new Uint8Array(this.#memory.buffer as ArrayBuffer)
    this.u32 = new Uint32Array(this.#memory.buffer as ArrayBuffer)
    return true
  }

  release(): void {}
}

const HEAP_BYTES = 16 * PAGE
const HEAP_KEPT = 32 * PAGE

/** The JavaScript backend's stand-in for linear memory, with the same map. */
export class HeapMemory implements Memory {
  u8!: Uint8Array<ArrayBuffer>
  u32!: Uint32Array<ArrayBuffer>

  constructor() {
    this.#replace(HEAP_BYTES)
  }

  reserve(bytes: number): boolean {
    const needed = L_ARENA + bytes
    if (needed > this.u8.length) this.#replace(Math.ceil(Math.max(needed, this.u8.length * 1.5) / PAGE) * PAGE)
    return true
  }

  release(): void {
    if (this.u8.length > HEAP_KEPT) this.#replace(HEAP_BYTES)
  }

  /** Tables and interned names move along; the arena is scratch and does not. */
  #replace(bytes: number): void {
    const next = new Uint8Array(bytes)
    if (this.u8) next.set(this.u8.subarray(0, L_ARENA))
    this.u8 = next
    this.u32 = new Uint32Array(next.buffer)
    attachHeap(next)
  }
}
