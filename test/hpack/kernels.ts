import * as abi from '../../assembly/abi/hpack'
import { L_ARENA } from '../../assembly/abi/layout'
import { fresh, type Side, untouched } from '../lib/side'

const TAPE = L_ARENA
const IN = L_ARENA + 0x2000
const OUT = IN + 0x8000
/** What a kernel may overwrite behind its text and output. */
const SLACK = 16
/** Looked at behind that. */
const GUARD = 256

/** Poison in all places that so many octets of input and output can reach. */
function ready(side: Side, input: Uint8Array, outBytes: number): Side {
  fresh(side, IN + input.length - L_ARENA)
  side.u8.fill(side.poison, OUT, OUT + outBytes + SLACK + GUARD)
  side.u8.set(input, IN)
  return side
}

function checkAround(side: Side, end: number): void {
  if (!untouched(side, end + SLACK, end + SLACK + GUARD)) throw new Error('written behind the output')
}

export interface DecodeState {
  readonly maxString: number
  readonly tableLimit: number
  readonly phase: number
  readonly lowWater: number
  readonly records: number
}

/** Octets that `length` of Huffman code stand for at most: the shortest code has 5 bits. */
const decoded = (length: number): number => Math.ceil((length * 8) / 5)

/** Everything that hpackDecode says. */
export function decodeBy(given: Side, input: Uint8Array, state: DecodeState) {
  const side = ready(given, input, decoded(input.length))
  const { u32, u8, kernels } = side
  const set = (at: number, value: number) => {
    u32[at >>> 2] = value
  }
  set(abi.PS_MAX_STRING, state.maxString)
  set(abi.PS_TABLE_LIMIT, state.tableLimit)
  set(abi.PS_PHASE, state.phase)
  set(abi.PS_LOW_WATER, state.lowWater)
  const status = kernels.hpackDecode(IN, IN + input.length, TAPE, TAPE + state.records * abi.PR_BYTES, OUT) >>> 0
  const word = (at: number): number => u32[at >>> 2]!
  const textEnd = word(abi.PS_TEXT_AT)
  // A bad string, or an interned name, leaves octets behind the text; never more than the input can stand for.
  checkAround(side, OUT + decoded(input.length))
  // An indexed field has two words, the others hold nothing.
  const tape: number[] = []
  for (let at = TAPE; at < word(abi.PS_TAPE_AT); at += abi.PR_BYTES) {
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
export function unfinishedBy(given: Side, input: Uint8Array) {
  const { kernels, u32 } = ready(given, input, 0)
  u32[abi.PS_MAX_STRING >>> 2] = 0x3fffffff
  const status = kernels.hpackUnfinished(IN, IN + input.length) >>> 0
  return { status, at: status === 0 ? 0 : u32[abi.PS_FAULT_AT >>> 2]! - IN }
}

/** What hpackEncode writes for records and their text. */
export function encodeBy(given: Side, records: readonly number[], text: Uint8Array, mode: number): Uint8Array {
  const most = text.length * 4 + records.length * 8
  const side = ready(given, text, most)
  side.u32.set(records, TAPE >>> 2)
  const end = side.kernels.hpackEncode(TAPE, TAPE + records.length * 4, IN, OUT, mode) >>> 0
  checkAround(side, OUT + most)
  return side.u8.slice(OUT, end)
}

/** What the kernels of the code alone make of octets: their code, and what they are the code of. */
export function huffmanBy(given: Side, input: Uint8Array) {
  const most = input.length * 4
  const side = ready(given, input, most)
  const { kernels, u8, u32 } = side
  const coded = u8.slice(OUT, kernels.hpackHuffmanEncode(IN, IN + input.length, OUT) >>> 0)
  const end = kernels.hpackHuffmanDecode(IN, IN + input.length, OUT) >>> 0
  checkAround(side, OUT + most)
  if (end < OUT) return { coded, fault: end, at: u32[abi.PS_FAULT_AT >>> 2]! - IN }
  return { coded, text: u8.slice(OUT, end) }
}
