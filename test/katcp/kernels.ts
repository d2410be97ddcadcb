import * as abi from '../../assembly/abi/katcp'
import * as layout from '../../assembly/abi/layout'
import { fresh, hexOf, type Side, untouched, wordsOf } from '../lib/side'

const INPUT = layout.L_ARENA
const LINES = INPUT + layout.L_WINDOW + layout.L_SLACK
export const MAX_LINES = 2048
const WORDS = LINES + MAX_LINES * abi.KR_BYTES
/** Of the kernels that work on arguments. */
const OUT = INPUT + 0x20000
const POSITIONS = INPUT + 0x50000

/** Poison in all places that an input of so many bytes can reach. */
function ready(side: Side, input: Uint8Array): Side {
  const { length } = input
  fresh(side, length)
  const { u8, poison } = side
  u8.fill(poison, LINES, LINES + Math.min(MAX_LINES, length + 1) * abi.KR_BYTES)
  u8.fill(poison, WORDS, WORDS + 4 * length + 64)
  u8.fill(poison, OUT, OUT + 16 * length + 256)
  u8.fill(poison, POSITIONS, POSITIONS + 4 * length + 64)
  u8.set(input, INPUT)
  return side
}

/** Everything that one call of katcpScan says: status, state, line tape, word tape. */
export function scan(
  side: Side,
  bytes: Uint8Array,
  state: readonly number[],
  maxLine: number,
  maxArguments: number,
  maxLines = MAX_LINES,
) {
  const { kernels, u32 } = ready(side, bytes)
  state.forEach((value, i) => {
    u32[(abi.KS_PHASE >>> 2) + i] = value
  })
  u32[abi.KS_MAX_LINE >>> 2] = maxLine
  u32[abi.KS_MAX_ARGUMENTS >>> 2] = maxArguments
  const status = kernels.katcpScan(INPUT, INPUT + bytes.length, LINES, LINES + maxLines * abi.KR_BYTES, WORDS) >>> 0
  const words = u32[abi.KS_WORDS_AT >>> 2]!
  const lines = u32[abi.KS_LINES_AT >>> 2]!
  const phase = u32[abi.KS_PHASE >>> 2]!
  return {
    status,
    consumed: u32[abi.KS_INPUT_AT >>> 2]! - INPUT,
    // Between lines the rest of the state means nothing.
    state: phase === abi.KP_START ? [phase] : wordsOf(side, abi.KS_PHASE, abi.KS_STATE_WORDS),
    lines: hexOf(side, LINES, lines),
    words: hexOf(side, WORDS, words),
  }
}

/** The text and ends that katcpUnescape makes of arguments at the given positions. */
export function unescapeBy(side: Side, bytes: Uint8Array, positions: readonly number[]) {
  const { kernels, u32 } = ready(side, bytes)
  positions.forEach((position, i) => {
    u32[(POSITIONS >>> 2) + i] = position
  })
  const end = kernels.katcpUnescape(INPUT, positions[0]! & abi.KW_POSITION, POSITIONS, positions.length - 1, OUT)
  return {
    text: hexOf(side, OUT, end),
    ends: hexOf(side, POSITIONS, POSITIONS + 4 * (positions.length - 1)),
    behind: untouched(side, end + 64, end + 128),
  }
}

export function escapeBy(side: Side, bytes: Uint8Array, split: 0 | 1, count: number, begun: number) {
  const { kernels, u32 } = ready(side, bytes)
  u32[abi.KS_COUNT >>> 2] = count
  u32[abi.KS_WORD >>> 2] = begun
  const end = kernels.katcpEscape(INPUT, INPUT + bytes.length, OUT, split)
  return {
    text: hexOf(side, OUT, end),
    count: u32[abi.KS_COUNT >>> 2],
    begun: u32[abi.KS_WORD >>> 2],
    behind: untouched(side, end + 64, end + 128),
  }
}

export function diagnose(side: Side, bytes: Uint8Array) {
  const { kernels, u32 } = ready(side, bytes)
  u32[abi.KS_BAD >>> 2] = 1234
  u32[abi.KS_BAD_AT >>> 2] = 77
  return { code: kernels.katcpDiagnose(INPUT, INPUT + bytes.length), at: u32[abi.KS_BAD_AT >>> 2] }
}

export function numbers(side: Side, bytes: Uint8Array, positions: readonly number[], complex: boolean) {
  const { kernels, u32 } = ready(side, bytes)
  positions.forEach((position, i) => {
    u32[(POSITIONS >>> 2) + i] = position
  })
  const kernel = complex ? kernels.katcpComplexes : kernels.katcpFloats
  const done = kernel(INPUT, positions[0]! & abi.KW_POSITION, POSITIONS, positions.length - 1, OUT)
  return { done, values: hexOf(side, OUT, OUT + done * (complex ? 16 : 8)) }
}
