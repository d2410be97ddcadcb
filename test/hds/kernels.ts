import * as abi from '../../assembly/abi/hds'
import { L_ARENA } from '../../assembly/abi/layout'
import { fresh, hexOf, namesOf, type Side, untouched } from '../lib/side'

const TEXT = L_ARENA + 0x6000
const TAPE = L_ARENA + 0xa000
export const TAPE_BYTES = 0x10000

export const ALL_FLAGS = abi.HF_REFERENCES | abi.HF_LONG_REFERENCES | abi.HF_ANY_KEYS | abi.HF_TERMINATED_DATA
export const FLAGS: readonly number[] = [
  abi.HF_TERMINATED_DATA | abi.HF_RUNS,
  ALL_FLAGS,
  abi.HF_UNSIGNED | abi.HF_SHORT_LENGTHS | abi.HF_LOOSE_TEXT | abi.HF_HEADER | abi.HF_RUNS,
]

function ready(side: Side, length: number): Side {
  fresh(side, abi.H_INPUT + length - L_ARENA)
  side.u8.fill(side.poison, TEXT, TEXT + length + 256)
  side.u8.fill(side.poison, TAPE, TAPE + 8 * length + 512)
  return side
}

/** Everything that a scan says, through a window of so many bytes. */
export function scan(
  side: Side,
  bytes: Uint8Array,
  flags: number,
  window: number,
  tapeBytes = TAPE_BYTES,
  maxDepth = 32,
  maxItems = 10_000,
) {
  const { kernels, u8, u32, poison } = ready(side, bytes.length)
  u8.fill(poison, TAPE + tapeBytes, TAPE + tapeBytes + 64)
  const set = (at: number, value: number) => {
    u32[at >>> 2] = value
  }
  set(abi.HS_FLAGS, flags)
  set(abi.HS_MAX_DEPTH, maxDepth)
  set(abi.HS_LEFT, maxItems)
  set(abi.HS_BASE, 0)
  set(abi.HS_TEXT, TEXT)
  set(abi.HS_TEXT_AT, TEXT)
  set(abi.HS_TAPE_AT, TAPE)
  set(abi.HS_TOP, abi.H_STACK)
  set(abi.HS_KIND, abi.HK_TOP)
  set(abi.HS_SEEN, 0)
  set(abi.HS_WANT, 1)
  set(abi.HS_HEAD, 0)
  const steps: number[][] = []
  let base = 0
  let size = Math.min(window, bytes.length)
  const input = abi.H_INPUT
  for (;;) {
    u8.fill(poison, input, input + bytes.length + 64)
    u8.set(bytes.subarray(base, base + size), input)
    const last = input + bytes.length - base
    const tapeAt = u32[abi.HS_TAPE_AT >>> 2]!
    const status = kernels.hdsScan(input, input + size, last, tapeAt, TAPE + tapeBytes) >>> 0
    const need = u32[abi.HS_NEED >>> 2]!
    const at = u32[abi.HS_BASE >>> 2]!
    if (status !== 1) {
      const done = status === 0
      return {
        status,
        place: status >= 0x100 ? u32[abi.HS_AT >>> 2]! : 0,
        need: status === abi.E_HDS_TRUNCATED || status === abi.E_HDS_UNTERMINATED ? need : 0,
        end: done ? at : 0,
        tape: done ? hexOf(side, TAPE, u32[abi.HS_TAPE_AT >>> 2]!) : '',
        text: done ? hexOf(side, TEXT, u32[abi.HS_TEXT_AT >>> 2]!) : '',
        names: namesOf(side),
        untouched:
          untouched(side, TAPE + tapeBytes, TAPE + tapeBytes + 64) &&
          untouched(side, input + size, input + bytes.length + 64),
        steps,
      }
    }
    steps.push([at, need])
    const next = Math.min(bytes.length - at, Math.max(window, need))
    if (at < base || (at === base && next <= size)) throw new Error(`no progress at ${at}`)
    base = at
    size = next
  }
}

/** The integers that hdsPackInts writes. */
export function pack(side: Side, list: readonly number[], flags: number): string {
  const { kernels, u32 } = ready(side, list.length * 4)
  u32.set(Uint32Array.from(list), abi.H_INPUT >>> 2)
  return hexOf(side, TAPE, kernels.hdsPackInts(abi.H_INPUT, list.length, TAPE, flags) >>> 0)
}
