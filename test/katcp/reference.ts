import { type Arguments, decode, encode, type Message, type MessageInput, WireError } from '../../bindings/katcp/index'
import type { Random } from '../random'
import { fromHex, toHex, vectorJson, vectorLines } from '../vectors'

export const ascii = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Arguments with exactly these bytes, as they come from the wire. */
export const argsOf = (...args: readonly (string | Uint8Array)[]): Arguments =>
  decode(encode({ type: 'request', name: 'x', args })).args

/** Runs with errors that have no stack: they cost a tenth, where a test makes many thousands. */
export function withoutStacks(run: () => void): void {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes; undefined: they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** A message of the wire: what is written, and what it means. */
export interface Sample {
  readonly line: Uint8Array<ArrayBuffer>
  readonly input: MessageInput & { readonly args: readonly Uint8Array<ArrayBuffer>[] }
  /** Whether argument i has an escape. */
  readonly escaped: readonly boolean[]
}

const ESCAPES: readonly (readonly [string, string])[] = [
  ['\\\\', '\\'],
  ['\\_', ' '],
  ['\\0', '\0'],
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\e', '\x1b'],
  ['\\t', '\t'],
  ['\\@', ''],
]
/** Bytes that stand for themselves, as latin-1 text; the last lists are not ASCII. */
const PLAIN = ['a', '0', '-1.5', 'nominal', '?', '!#[]', '\x01\x7f\x0b', '0123456789abcdef0123456789abcdef']
const HIGH = [...PLAIN, '\xc3\xa9', '\xe2\x82\xac', '\xf0\x9f\x98\x80', '\xef\xbb\xbf']
const BROKEN = [...HIGH, '\xff', '\xc3', '\xed\xa0\x80', '\x80\x9f']
const BLANKS = [' ', ' ', ' ', '\t', '  ', ' \t ', '     ']

export interface Style {
  readonly escapes: boolean
  readonly blanks: boolean
  /** 0: ASCII, 1: UTF-8, 2: any bytes. */
  readonly high: 0 | 1 | 2
}

/** A random message of `count` arguments of at most `pieces` pieces each; one piece in three is an escape where the style has them. */
export function sample(random: Random, count: number, pieces: number, style: Style): Sample {
  const plain = [PLAIN, HIGH, BROKEN][style.high]!
  const type = random.pick(['request', 'reply', 'inform'] as const)
  const name = random.pick(['gain', 'a', 'sensor-value', 'n'.repeat(80), 'X-1'])
  const id = random.below(2) ? 1 + random.below(0x7fffffff) : undefined
  let line = { request: '?', reply: '!', inform: '#' }[type] + name + (id === undefined ? '' : `[${id}]`)
  const args: Uint8Array<ArrayBuffer>[] = []
  const escaped: boolean[] = []
  const blank = () => (style.blanks ? random.pick(BLANKS) : ' ')
  for (let i = 0; i < count; i++) {
    let raw = ''
    let meaning = ''
    let any = false
    for (let k = 1 + random.below(pieces); k > 0; k--) {
      if (style.escapes && random.below(3) === 0) {
        const [written, meant] = random.pick(ESCAPES)
        raw += written
        meaning += meant
        any = true
      } else {
        const text = random.pick(plain)
        raw += text
        meaning += text
      }
    }
    line += blank() + raw
    args.push(new Uint8Array(Buffer.from(meaning, 'latin1')))
    escaped.push(any)
  }
  if (style.blanks) line += random.pick(['', ' ', '\t '])
  return {
    line: new Uint8Array(Buffer.from(`${line}${random.pick(['\n', '\r', '\r\n'])}`, 'latin1')),
    input: { type, name, id, args },
    escaped,
  }
}

export const randomStyle = (random: Random): Style => ({
  escapes: random.below(2) === 1,
  blanks: random.below(2) === 1,
  high: random.pick([0, 0, 1, 2] as const),
})

interface VectorLine {
  readonly line?: string
  readonly expect?: unknown
  readonly ok?: unknown
  readonly leftToRight?: unknown
}

/** Lines of all vector files, without line ends: those that are messages, and those that are not. */
export function vectorLinesOf(): { readonly good: Uint8Array<ArrayBuffer>[]; readonly bad: Uint8Array<ArrayBuffer>[] } {
  const files = ['messages', 'names', 'mids', 'whitespace', 'escapes', 'errors', 'bug-reports']
  const cases = [
    ...files.flatMap((name) => vectorJson<{ cases: VectorLine[] }>(`katcp/${name}.json`).cases),
    ...vectorLines<VectorLine>('katcp/differential-lines.jsonl.gz'),
  ].filter(({ line }) => line !== undefined)
  const bytesOf = (good: boolean) =>
    cases
      .filter((each) => (each.expect !== undefined || each.ok !== undefined) === good)
      .map(({ line }) => fromHex(line!))
  return { good: bytesOf(true), bad: bytesOf(false) }
}

/** A unit as one short text that can be compared: a message with its exact bytes, or an error with code and offset. */
export function told(unit: Message | WireError, shift = 0): string {
  if (unit instanceof WireError) return `${unit.code} ${unit.offset + shift}`
  const args = Array.from({ length: unit.args.length }, (_, i) => toHex(unit.args.bytes(i)!))
  return `${unit.type} ${unit.name} ${unit.id} ${args.join(' ')}`
}
