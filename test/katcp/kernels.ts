import * as abi from '../../assembly/abi/katcp'
import * as layout from '../../assembly/abi/layout'
import type * as portable from '../../assembly/katcp/index'
import { type Backend, useBackend } from '../../bindings/engine/load'
import { selectCore } from '../../bindings/katcp/lines'
import { toHex } from '../vectors'

/** One backend with its memory poisoned from the state block on, so that a stale byte would show. */
export function poisoned(backend: Backend) {
  useBackend(backend)
  const { kernels, memory } = selectCore(1 << 20, 0)
  memory.u8.fill(0xa5, layout.L_STATE)
  return { kernels: kernels as typeof portable, u8: memory.u8, u32: memory.u32 }
}

const INPUT = layout.L_ARENA
const LINES = INPUT + layout.L_WINDOW + layout.L_SLACK
const WORDS = LINES + 2048 * abi.KR_BYTES

/** Everything that one call of katcpScan says: status, state, line tape, word tape. */
export function scan(
  backend: Backend,
  bytes: Uint8Array,
  state: readonly number[],
  maxLine: number,
  maxArguments: number,
) {
  const { kernels, u8, u32 } = poisoned(backend)
  u8.set(bytes, INPUT)
  state.forEach((value, i) => {
    u32[(abi.KS_PHASE >>> 2) + i] = value
  })
  u32[abi.KS_MAX_LINE >>> 2] = maxLine
  u32[abi.KS_MAX_ARGUMENTS >>> 2] = maxArguments
  const status = kernels.katcpScan(INPUT, INPUT + bytes.length, LINES, LINES + 2048 * abi.KR_BYTES, WORDS) >>> 0
  const words = u32[abi.KS_WORDS_AT >>> 2]!
  const lines = u32[abi.KS_LINES_AT >>> 2]!
  const phase = u32[abi.KS_PHASE >>> 2]!
  return {
    status,
    consumed: u32[abi.KS_INPUT_AT >>> 2]! - INPUT,
    // Between lines the rest of the state means nothing.
    state:
      phase === abi.KP_START ? [phase] : [...u32.slice(abi.KS_PHASE >>> 2, (abi.KS_PHASE >>> 2) + abi.KS_STATE_WORDS)],
    lines: toHex(u8.slice(LINES, lines)),
    words: toHex(u8.slice(WORDS, words)),
  }
}

/** The text and ends that katcpUnescape makes of arguments at the given positions. */
export function unescapeBy(backend: Backend, bytes: Uint8Array, positions: readonly number[]) {
  const { kernels, u8, u32 } = poisoned(backend)
  const out = INPUT + 0x20000
  const words = INPUT + 0x50000
  u8.set(bytes, INPUT)
  positions.forEach((position, i) => {
    u32[(words >>> 2) + i] = position
  })
  const end = kernels.katcpUnescape(INPUT, positions[0]!, words, positions.length - 1, out)
  return {
    text: toHex(u8.slice(out, end)),
    ends: toHex(u8.slice(words, words + 4 * (positions.length - 1))),
    behind: u8.slice(end + 64, end + 128),
  }
}

export function escapeBy(backend: Backend, bytes: Uint8Array, split: 0 | 1, count: number, begun: number) {
  const { kernels, u8, u32 } = poisoned(backend)
  const out = INPUT + 0x20000
  u8.set(bytes, INPUT)
  u32[abi.KS_COUNT >>> 2] = count
  u32[abi.KS_WORD >>> 2] = begun
  const end = kernels.katcpEscape(INPUT, INPUT + bytes.length, out, split)
  return {
    text: toHex(u8.slice(out, end)),
    count: u32[abi.KS_COUNT >>> 2],
    begun: u32[abi.KS_WORD >>> 2],
    behind: u8.slice(end + 64, end + 128),
  }
}

export function diagnose(backend: Backend, bytes: Uint8Array) {
  const { kernels, u8, u32 } = poisoned(backend)
  u8.set(bytes, INPUT)
  u32[abi.KS_BAD >>> 2] = 1234
  u32[abi.KS_BAD_AT >>> 2] = 77
  return { code: kernels.katcpDiagnose(INPUT, INPUT + bytes.length), at: u32[abi.KS_BAD_AT >>> 2] }
}

export function numbers(backend: Backend, bytes: Uint8Array, positions: readonly number[], complex: boolean) {
  const { kernels, u8, u32 } = poisoned(backend)
  const out = INPUT + 0x20000
  const words = INPUT + 0x50000
  u8.set(bytes, INPUT)
  positions.forEach((position, i) => {
    u32[(words >>> 2) + i] = position
  })
  const kernel = complex ? kernels.katcpComplexes : kernels.katcpFloats
  const done = kernel(INPUT, positions[0]!, words, positions.length - 1, out)
  return { done, values: toHex(u8.slice(out, out + done * (complex ? 16 : 8))) }
}
