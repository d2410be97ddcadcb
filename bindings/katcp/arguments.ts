import { KF_BLANKS, KF_ESCAPED, KF_NON_ASCII, KW_ESCAPED, KW_POSITION } from '../../assembly/abi/katcp'
import { usageError } from '../core/errors'
import { type JsonForm, jsonForm } from '../core/json_form'
import { type Bytes, copyOf, viewOf } from '../core/options'
import { asciiText, latin1Text, TEXT_PIECE, utf8Text } from '../core/text'
import { katcpError } from './errors'
import { fitting, Lines, OUT, WORDS } from './lines'
import { complexArray, floatArray } from './numbers'
import { type ArgumentType, readTyped, type TypedValues } from './typed'
import { plainText, unescapedBytes, unescapeSome } from './unescape'

/** How the bytes of an argument become a string. */
export type Charset = 'utf8' | 'latin1'

/**
 * The arguments of a message from the wire, read on demand: nothing is decoded before it is asked for.
 * They hold on to the bytes of the chunk that they came in; keep a `detach()`ed copy where they are long-lived.
 */
export class Arguments implements Iterable<string> {
  /** Number of arguments. */
  readonly length: number
  private readonly lines: Lines
  private readonly first: number
  private readonly flags: number

  /** @internal Whether arguments were made by a decoder: an object of their class need not have been. */
  static are(args: Arguments): boolean {
    return #made in args
  }

  readonly #made = true

  /** @internal */
  constructor(lines: Lines, first: number, length: number, flags: number) {
    this.lines = lines
    this.first = first
    this.length = length
    this.flags = flags
  }

  /** Argument `i` as a string; undefined where there is none. Throws WT_KATCP_UTF8 where its bytes are not UTF-8. */
  at(i: number): string | undefined {
    return this.text(i, 'utf8')
  }

  /**
   * Argument `i` as a string by the given charset ('latin1': one character a byte, never fails). Default 'utf8'. With 'utf8'
   * throws WT_KATCP_UTF8 where its bytes are none.
   */
  text(i: number, charset: Charset = 'utf8'): string | undefined {
    if (charset !== 'utf8' && charset !== 'latin1') throw usageError('katcp', "charset must be 'utf8' or 'latin1'")
    if (!(i >= 0 && i < this.length)) return undefined
    const word = this.lines.words[this.first + i]
    if (word === undefined) return undefined
    const start = word & KW_POSITION
    const end = this.end(i, start)
    const { lines } = this
    if (word & KW_ESCAPED) {
      const bytes = unescapedBytes(lines, start, end)
      return this.decode(bytes, 0, bytes.length, charset, i)
    }
    if (lines.text !== undefined) return lines.text.substring(start, end)
    return this.decode(lines.bytes, lines.origin + start, lines.origin + end, charset, i)
  }

  /** Argument `i` as exact bytes; undefined where there is none. A copy, or with `bytes: 'view'` part of the chunk where it has no escape. */
  bytes(i: number): Bytes | undefined {
    if (!(i >= 0 && i < this.length)) return undefined
    const word = this.lines.words[this.first + i]
    if (word === undefined) return undefined
    const start = word & KW_POSITION
    const end = this.end(i, start)
    if (word & KW_ESCAPED) return unescapedBytes(this.lines, start, end)
    const { bytes, origin, view } = this.lines
    return (view ? viewOf : copyOf)(bytes, origin + start, origin + end)
  }

  /** All arguments as strings. Throws WT_KATCP_UTF8 where one is not UTF-8. */
  toArray(): string[] {
    const all = new Array<string>(this.length)
    if (this.length === 0) return all
    if (this.flags & KF_ESCAPED) this.unescapedTexts(all)
    else if (this.flags & KF_NON_ASCII) this.texts(all, 0)
    else this.asciiTexts(all)
    return all
  }

  /**
   * The arguments [from, to), by default all, as numbers, without strings in between. Throws WT_KATCP_VALUE where one is no
   * number.
   */
  toFloat64Array(from = 0, to = this.length): Float64Array<ArrayBuffer> {
    return floatArray(this, from, to)
  }

  /**
   * The arguments [from, to), by default all, as complex numbers (`1.5-0.25j`) in pairs: real, imaginary, real … Throws
   * WT_KATCP_VALUE where one is none.
   */
  toComplexArray(from = 0, to = this.length): Float64Array<ArrayBuffer> {
    return complexArray(this, from, to)
  }

  /**
   * The arguments as a tuple of typed values: `args.read(string, discrete('set', 'add'), rest(float))`.
   * Throws WT_KATCP_VALUE or WT_KATCP_ARGUMENT_COUNT with a text fit for the `invalid` reply of a device.
   */
  read<const T extends readonly ArgumentType<unknown>[]>(...types: T): TypedValues<T> {
    return readTyped(this, types)
  }

  /** The same arguments in memory of their own: what is kept for long should not hold a whole chunk. */
  detach(): Arguments {
    const { first, length, lines } = this
    const count = length === 0 ? 0 : length + 1
    const words = lines.words.slice(first, first + count)
    const start = length === 0 ? 0 : words[0]! & KW_POSITION
    const end = length === 0 ? 0 : (words[length]! & KW_POSITION) - 1
    for (let i = 0; i < count; i++) words[i]! -= start
    const bytes = new Uint8Array(end - start)
    lines.copyTo(bytes, 0, start, end - start)
    return new Arguments(new Lines(words, 0, count, bytes, 0, false), 0, length, this.flags)
  }

  /** The arguments as strings, one after the other. Throws WT_KATCP_UTF8 where one is not UTF-8. */
  *[Symbol.iterator](): Generator<string, void, undefined> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!
  }

  /** For console.log and the like in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return jsonArguments(this)
  }

  /** @internal What `toJson` writes: strings, and bytes where an argument is not UTF-8. */
  [jsonForm](): JsonForm {
    return { value: jsonArguments(this) }
  }

  /** @internal Where the arguments stand on the wire, escapes and all. */
  span(): { readonly start: number; readonly end: number } {
    const { lines, first, length } = this
    if (length === 0) return { start: 0, end: 0 }
    const last = lines.words[first + length - 1]! & KW_POSITION
    return { start: lines.words[first]! & KW_POSITION, end: this.end(length - 1, last) }
  }

  /** @internal Positions and bytes for the number kernels. */
  source(): { readonly lines: Lines; readonly first: number } {
    return { lines: this.lines, first: this.first }
  }

  private end(i: number, start: number): number {
    let end = (this.lines.words[this.first + i + 1]! & KW_POSITION) - 1
    if (this.flags & KF_BLANKS) {
      const { bytes, origin } = this.lines
      while (end > start && (bytes[origin + end - 1] === 0x20 || bytes[origin + end - 1] === 9)) end--
    }
    return end
  }

  private decode(bytes: Uint8Array, start: number, end: number, charset: Charset, i: number): string {
    if (!(this.flags & KF_NON_ASCII)) return asciiText(bytes, start, end)
    if (charset === 'latin1') return latin1Text(bytes, start, end)
    const text = utf8Text(bytes, start, end)
    if (text === undefined) throw katcpError('utf8', { path: `args[${i}]` })
    return text
  }

  private texts(all: string[], from: number): void {
    for (let i = from; i < this.length; i++) all[i] = this.at(i)!
  }

  /** One decode for a whole region, then a cut for each argument: a string of its own would cost twenty times as much. */
  private asciiTexts(all: string[]): void {
    const { lines, first, length } = this
    if (lines.text !== undefined) {
      this.cutPlain(all, 0, length, lines.text, 0)
      return
    }
    const { bytes, origin, words } = lines
    for (let i = 0; i < length; ) {
      const start = words[first + i]! & KW_POSITION
      const to = Math.max(fitting(words, first + i, first + length, TEXT_PIECE) - first, i + 1)
      const end = (words[first + to]! & KW_POSITION) - 1
      this.cutPlain(all, i, to, asciiText(bytes, origin + start, origin + end), start)
      i = to
    }
  }

  /** Strings of arguments [from, to) from the text of their region, which starts at position `base`. */
  private cutPlain(all: string[], from: number, to: number, text: string, base: number): void {
    const { first, lines } = this
    const { words } = lines
    if (this.flags & KF_BLANKS) {
      for (let i = from; i < to; i++) {
        const start = words[first + i]!
        all[i] = text.substring(start - base, this.end(i, start) - base)
      }
      return
    }
    let start = words[first + from]! - base
    for (let i = from; i < to; i++) {
      const next = words[first + i + 1]! - base
      all[i] = text.substring(start, next - 1)
      start = next
    }
  }

  private unescapedTexts(all: string[]): void {
    const { lines, first, length } = this
    const plain = plainText(lines)
    if (plain) {
      const at = first - lines.first
      cut(all, 0, length, plain.text, at > 0 ? plain.ends[at - 1]! : 0, plain.ends, at)
      return
    }
    for (let i = 0; i < length; ) {
      const { next, u8, u32, end } = unescapeSome(lines, first, i, length)
      if (next === i) {
        all[i] = this.at(i)!
        i++
        continue
      }
      if (this.flags & KF_NON_ASCII) {
        let start = OUT
        for (let k = i; k < next; k++) {
          const stop = OUT + u32[(WORDS >>> 2) + k - i]!
          all[k] = this.decode(u8, start, stop, 'utf8', k)
          start = stop
        }
      } else cut(all, i, next, asciiText(u8, OUT, end), 0, u32, WORDS >>> 2)
      i = next
    }
  }
}

/** Strings of arguments [from, to) from their text: the first starts at `start`, each ends at the next of `ends[at …]`. */
function cut(
  all: string[],
  from: number,
  to: number,
  text: string,
  start: number,
  ends: Int32Array | Uint32Array,
  at: number,
): void {
  let begin = start
  for (let i = from; i < to; i++) {
    const end = ends[at + i - from]!
    all[i] = text.substring(begin, end)
    begin = end
  }
}

/** Strings, and bytes where an argument is not UTF-8. */
function jsonArguments(args: Arguments): (string | Uint8Array)[] {
  try {
    return args.toArray()
  } catch {
    return Array.from({ length: args.length }, (_, i) => {
      const bytes = args.bytes(i)!
      return utf8Text(bytes, 0, bytes.length) ?? bytes
    })
  }
}
