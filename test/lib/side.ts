import { readFileSync } from 'node:fs'
import { attachHeap } from 'lib/mem'
import { I_BYTES, I_COUNT, I_ENTRIES, I_ENTRY, I_FREE, I_SLOT_COUNT, I_SLOTS } from '../../assembly/abi/intern'
import { L_ARENA, L_INTERN, L_READ, L_SLACK, L_STATE } from '../../assembly/abi/layout'
import * as dbus from '../../assembly/dbus/index'
import * as hds from '../../assembly/hds/index'
import * as hpack from '../../assembly/hpack/index'
import * as katcp from '../../assembly/katcp/index'
import * as websocket from '../../assembly/websocket/index'
import { repository, toHex } from '../vectors'

/*
 * The kernels of both backends side by side, each on memory of its own, without the bindings: whatever they write can be compared.
 */
export type Kernels = typeof dbus & typeof hds & typeof hpack & typeof katcp & typeof websocket

export interface Side {
  readonly name: string
  readonly kernels: Kernels
  readonly u8: Uint8Array<ArrayBuffer>
  readonly u32: Uint32Array<ArrayBuffer>
  /** What stands wherever nothing was written. Sides that differ in it differ in their results where a kernel reads stale bytes. */
  poison: number
  /** The JavaScript kernels work on the heap attached last. */
  readonly attach: () => void
}

const MEMORY_BYTES = 0x100000

/** Kernels of a compiled module, on its linear memory. */
export function moduleSide(
  name: string,
  module: Uint8Array<ArrayBuffer>,
  poison: number,
  imports: WebAssembly.Imports = {},
): Side {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), imports)
  const { buffer } = exports['memory'] as WebAssembly.Memory
  const u8 = new Uint8Array(buffer as ArrayBuffer)
  return {
    name,
    kernels: exports as unknown as Kernels,
    u8,
    u32: new Uint32Array(u8.buffer),
    poison,
    attach: () => {},
  }
}

/** The module that ships. */
export function wasmSide(poison = 0xa5): Side {
  return moduleSide('wasm', new Uint8Array(readFileSync(repository('build/core.wasm'))), poison)
}

export function scriptSide(poison = 0x5a): Side {
  const u8 = new Uint8Array(MEMORY_BYTES)
  const kernels = { ...dbus, ...hds, ...hpack, ...katcp, ...websocket }
  return { name: 'js', kernels, u8, u32: new Uint32Array(u8.buffer), poison, attach: () => attachHeap(u8) }
}

/** Poison from the state block on and in the first `bytes` of the arena, and no names. */
export function fresh(side: Side, bytes: number): Side {
  side.attach()
  const { u8, u32 } = side
  u8.fill(side.poison, L_STATE, L_READ)
  u8.fill(side.poison, L_ARENA, L_ARENA + bytes + 4 * L_SLACK)
  u8.fill(0, L_INTERN, I_SLOTS)
  u32.fill(0, I_SLOTS >>> 2, (I_SLOTS >>> 2) + I_SLOT_COUNT)
  return side
}

/** The interned names, and which followed which. */
export function namesOf({ u8, u32 }: Side): string {
  const count = u32[I_COUNT >>> 2]!
  if (count === 0) return ''
  const entries = toHex(u8.subarray(I_ENTRIES, I_ENTRIES + count * I_ENTRY))
  return `${entries} ${toHex(u8.subarray(I_BYTES, u32[I_FREE >>> 2]!))}`
}

/** Whether [from, to) still holds nothing but poison. */
export function untouched({ u8, poison }: Side, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (u8[at] !== poison) return false
  return true
}

export const hexOf = ({ u8 }: Side, from: number, to: number): string => toHex(u8.subarray(from, to))

/** Words of a state block; one that was not written is NOT_WRITTEN on each side, whatever its poison. */
export function wordsOf({ u32, poison }: Side, at: number, count: number): number[] {
  const stale = Math.imul(poison, 0x01010101) >>> 0
  return Array.from(u32.subarray(at >>> 2, (at >>> 2) + count), (word) => (word === stale ? NOT_WRITTEN : word))
}
const NOT_WRITTEN = 0xffffffff
