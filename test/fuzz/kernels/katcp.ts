import * as abi from '../../../assembly/abi/katcp'
import { diagnose, escapeBy, MAX_LINES, numbers, scan, unescapeBy } from '../../katcp/kernels'
import { fromHex, vectorJson } from '../../vectors'
import { Input, inputOf } from '../input'
import { demand, type KernelTarget } from './target'

const utf8 = new TextEncoder()
const FILES = ['messages', 'escapes', 'errors', 'mids', 'whitespace']
/** Words of the state. */
const BASE = 1
const LINE = 2
const NAME_END = 3
const WORD = 6
const BLANK = 0x20
const BACKSLASH = 0x5c

/** Positions of the pieces between blanks, and one past the end, as the scanner writes them. */
function positionsOf(bytes: Uint8Array): number[] {
  const positions = [0]
  let escaped = false
  bytes.forEach((byte, i) => {
    if (byte === BACKSLASH) escaped = true
    if (byte !== BLANK) return
    if (escaped) positions[positions.length - 1]! |= abi.KW_ESCAPED
    escaped = false
    positions.push(i + 1)
  })
  if (escaped) positions[positions.length - 1]! |= abi.KW_ESCAPED
  positions.push(bytes.length + 1)
  return positions
}

/** A stream in pieces, the state of an unfinished line carried on as the decoder does. */
function pieces(input: Input, side: Parameters<typeof scan>[0]): unknown {
  const maxLine = input.pick([1000, 1000, 20, 64])
  const maxArguments = input.pick([1000, 1000, 0, 1, 3])
  const maxLines = input.pick([MAX_LINES, MAX_LINES, 1, 3])
  const cut = input.byte()
  const bytes = input.rest()
  const said: unknown[] = []
  let state: number[] = [abi.KP_START, 0]
  /** Bytes of the unfinished line that wait. */
  let held = 0
  for (let at = 0; at < bytes.length; ) {
    const end = cut < 128 ? bytes.length : Math.min(bytes.length, at + 1 + (cut & 63))
    const told = scan(side, bytes.subarray(at, end), state, maxLine, maxArguments, maxLines)
    said.push(told)
    demand(told.consumed > 0 && told.consumed <= end - at, 'katcpScan makes no progress, or read beyond its input')
    const next = at + told.consumed
    if (told.state[0] === abi.KP_START) {
      state = [abi.KP_START, 0]
      held = 0
    } else {
      // What waits stands before the input: positions go on from the first byte of its line.
      state = [...told.state]
      const line = state[LINE]!
      let from = at
      if (line >= held) {
        from = at + line - held
        held = 0
        state[LINE] = 0
        state[NAME_END] = Math.max(0, state[NAME_END]! - line)
        state[WORD] = Math.max(0, state[WORD]! - line)
      }
      const added = next - from
      held += state[0] === abi.KP_OVER ? Math.min(added, Math.max(maxLine, 1) - held) : added
      state[BASE] = held
    }
    at = next
  }
  return said
}

export const target: KernelTarget = {
  exported: ['katcpScan', 'katcpUnescape', 'katcpEscape', 'katcpDiagnose', 'katcpFloats', 'katcpComplexes'],
  tokens: [
    '\\_',
    '\\\\',
    '\\@',
    '\\n',
    ' ',
    '\t',
    '\r\n',
    '?a',
    '[1]',
    '[2147483648]',
    '1e-7',
    '.5',
    '+2j',
    'nan',
    '\0',
    'é',
  ].map((text) => utf8.encode(text)),
  seeds: () => {
    const lines = FILES.flatMap((name) =>
      vectorJson<{ cases: { line?: string }[] }>(`katcp/${name}.json`).cases.flatMap(({ line }) =>
        line ? [fromHex(line)] : [],
      ),
    ).filter(({ length }) => length <= 1000)
    return [
      ...lines.map((line) => inputOf([0, 0, 0, 0, 0], line)),
      ...lines.slice(0, 60).flatMap((line) => [1, 2, 3].map((kernel) => inputOf([kernel, 0], line))),
      ...[
        '1 2.5 1e5',
        '1427043968.954353 0.30000000000000004 -0',
        '12345678901234567890 .5 5. e',
        '1+2j -1.5-2.25j 3j nan',
      ].flatMap((text) => [4, 5].map((kernel) => inputOf([kernel], utf8.encode(text)))),
    ]
  },
  run: (side, bytes) => {
    const input = new Input(bytes)
    switch (input.below(6)) {
      case 0:
        return pieces(input, side)
      case 1: {
        const split = input.below(2) === 1 ? 1 : 0
        const told = escapeBy(side, input.rest(), split, 5, bytes.length & 1)
        demand(told.behind, 'katcpEscape wrote where it must not')
        return told
      }
      case 2: {
        // It is asked of arguments that the scanner has found good.
        const text = input.rest()
        const told = unescapeBy(side, text, positionsOf(text))
        demand(told.behind, 'katcpUnescape wrote where it must not')
        return told
      }
      case 3:
        return diagnose(
          side,
          input.rest().filter((byte) => byte !== 10 && byte !== 13),
        )
      default: {
        const complex = (bytes[0]! & 1) === 1
        const text = input.rest()
        return numbers(side, text, positionsOf(text), complex)
      }
    }
  },
}
