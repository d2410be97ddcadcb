import { attachHeap } from 'lib/mem'
import { L_ARENA, L_READ, L_STATE } from '../../assembly/abi/layout'
import * as portable from '../../assembly/katcp/index'
import { coresOf, scriptCoreOf } from '../../bindings/engine/load'
import type { Memory } from '../../bindings/engine/memory'
import { on } from './oracle'

const select = coresOf(portable)
let linear: Memory | undefined

/** The memories of both backends, which all codecs of the thread share. */
export function memories(): readonly Memory[] {
  linear ??= on('wasm', () => select(1 << 20, 0).memory)
  return [linear, scriptCoreOf(portable).memory]
}

/**
 * Where kernels read and write for inputs of at most MAX_INPUT: the beginning of the arena, and what the bindings lay out behind
 * a window of 64 KiB, 124 KiB or more of input.
 */
const PLACES = [0, 0x2000, 0x10000, 0x12000, 0x1f000, 0x20000, 0x29000, 0x2f000, 0x40000] as const
const PLACE_BYTES = 0x1400

/** Overwrites what a call may have left, each backend's memory with another byte; names stay, since ids of them are held. */
export function poison(): void {
  for (const { u8, poison } of poisoned()) {
    u8.fill(poison, L_STATE, L_READ)
    for (const place of PLACES) u8.fill(poison, L_ARENA + place, L_ARENA + place + PLACE_BYTES)
  }
}

function poisoned() {
  const [linear, heap] = memories()
  return [
    { u8: linear!.u8, poison: 0xa7 },
    { u8: heap!.u8, poison: 0x93 },
  ]
}

/** The JavaScript kernels work on the heap attached last: that of the bindings, again. */
export const attach = (): void => attachHeap(memories()[1]!.u8)
