import * as portable from '../../assembly/dbus/index'
import { coresOf, scriptCoreOf } from '../engine/load'

/** The kernels of the backend that is best for so many bytes. */
export const selectCore = coresOf(portable)

/** The JavaScript kernels, for what is larger than linear memory may grow. */
export const scriptCore = () => scriptCoreOf(portable)

/** Above this, a unit's memory is given back after the call. */
export const LARGE = 0x100000

export const align8 = (n: number): number => (n + 7) & ~7

/** Copies bytes. A typed array's `set` is quick for whole arrays; for a few bytes of one, `subarray` costs more than a loop. */
export function copyIn(u8: Uint8Array, to: number, from: Uint8Array, start: number, length: number): void {
  if (start === 0 && length === from.length && length > 0) u8.set(from, to)
  else if (length <= 24) for (let i = 0; i < length; i++) u8[to + i] = from[start + i]!
  else u8.set(from.subarray(start, start + length), to)
}
