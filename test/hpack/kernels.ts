import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { attachHeap } from 'lib/mem'
import * as abi from '../../assembly/abi/hpack'
import { L_ARENA, L_STATE } from '../../assembly/abi/layout'
import * as portable from '../../assembly/hpack/index'

/*
 * The kernels of both backends, side by side on memory of their own, so that every octet that they write can be compared.
 */
const wasm = fileURLToPath(new URL('../../build/core.wasm', import.meta.url))
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)))
const linear = new Uint8Array((exports['memory'] as WebAssembly.Memory).buffer)
const heap = new Uint8Array(linear.length)

export type Side = 'wasm' | 'js'
export const SIDES: readonly Side[] = ['wasm', 'js']
const sideOf = {
  wasm: { kernels: exports as unknown as typeof portable, u8: linear },
  js: { kernels: portable, u8: heap },
}

export const TAPE = L_ARENA
export const IN = L_ARENA + 0x2000
export const OUT = IN + 0x8000
/** Behind what may be written. */
const ARENA_END = OUT + 0x40000
/** What an earlier call may have left. */
const POISON = 0xaa
/** What a kernel may overwrite behind its text and output. */
const SLACK = 16

function prepare(side: Side, input: Uint8Array, poison: number): { view: DataView; u8: Uint8Array } {
  attachHeap(heap)
  const { u8 } = sideOf[side]
  u8.fill(poison, L_STATE, ARENA_END)
  u8.set(input, IN)
  return { view: new DataView(u8.buffer), u8 }
}

function checkAround(u8: Uint8Array, end: number, poison: number): void {
  for (let at = end + SLACK; at < ARENA_END; at++)
    if (u8[at] !== poison) throw new Error(`written at ${at - OUT} of the output`)
}

export interface DecodeState {
  readonly maxString: number
  readonly tableLimit: number
  readonly phase: number
  readonly lowWater: number
  readonly records: number
}

/** Everything that hpackDecode says. */
export function decodeBy(side: Side, input: Uint8Array, state: DecodeState, poison = POISON) {
  const { view, u8 } = prepare(side, input, poison)
  view.setUint32(abi.PS_MAX_STRING, state.maxString, true)
  view.setUint32(abi.PS_TABLE_LIMIT, state.tableLimit, true)
  view.setUint32(abi.PS_PHASE, state.phase, true)
  view.setUint32(abi.PS_LOW_WATER, state.lowWater, true)
  const end = TAPE + state.records * abi.PR_BYTES
  const status = sideOf[side].kernels.hpackDecode(IN, IN + input.length, TAPE, end, OUT)
  const word = (at: number) => view.getUint32(at, true)
  const tapeEnd = word(abi.PS_TAPE_AT)
  const textEnd = word(abi.PS_TEXT_AT)
  // A bad string, or an interned name, leaves octets behind the text; never more than the input can stand for.
  checkAround(u8, OUT + Math.ceil((input.length * 8) / 5), poison)
  // An indexed field has two words, the others hold nothing.
  const tape: number[] = []
  for (let at = TAPE; at < tapeEnd; at += abi.PR_BYTES) {
    const kind = word(at) & abi.PR_KIND
    const words = kind === abi.PK_INDEXED || kind === abi.PK_UPDATE ? 2 : 4
    for (let i = 0; i < words; i++) tape.push(word(at + 4 * i))
  }
  return {
    status,
    tape,
    text: u8.slice(OUT, textEnd),
    read: word(abi.PS_INPUT_AT) - IN,
    phase: word(abi.PS_PHASE),
    lowWater: word(abi.PS_LOW_WATER),
    nonAscii: word(abi.PS_NON_ASCII),
    index: word(abi.PS_INDEX),
    need: status === 1 ? word(abi.PS_NEED) - IN : 0,
    faultAt: status >= 0x100 ? word(abi.PS_FAULT_AT) - IN : 0,
  }
}

/** What hpackUnfinished says of octets that end inside a field. */
export function unfinishedBy(side: Side, input: Uint8Array) {
  const { view } = prepare(side, input, POISON)
  view.setUint32(abi.PS_MAX_STRING, 0x3fffffff, true)
  const status = sideOf[side].kernels.hpackUnfinished(IN, IN + input.length)
  return { status, at: status === 0 ? 0 : view.getUint32(abi.PS_FAULT_AT, true) - IN }
}

/** What hpackEncode writes for records and their text. */
export function encodeBy(
  side: Side,
  records: readonly number[],
  text: Uint8Array,
  mode: number,
  poison = POISON,
): Uint8Array {
  const { view, u8 } = prepare(side, text, poison)
  records.forEach((word, i) => {
    view.setUint32(TAPE + i * 4, word, true)
  })
  const end = sideOf[side].kernels.hpackEncode(TAPE, TAPE + records.length * 4, IN, OUT, mode)
  return u8.slice(OUT, end)
}
