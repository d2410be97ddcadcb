import { KS_COUNT, KS_WORD } from '../../assembly/abi/katcp'
import { arrayLength, isBytes, viewName } from '../core/brands'
import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument, iterableArgument, objectArgument, viewOf } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import { Arguments } from './arguments'
import { katcpError } from './errors'
import { ARENA_BYTES, copyIn, IN, OUT, selectCore } from './lines'
import { floatText } from './typed'
import type { ArgumentInput, MessageInput } from './types'

const NAME = /^[A-Za-z][A-Za-z0-9-]*$/
const LONE_SURROGATE = /\p{Surrogate}/u
const SIGILS = { request: '?', reply: '!', inform: '#' } as const
const LF = 10
const SP = 32
/** Bytes that one call escapes: twice as many must fit between OUT and the words. */
const ESCAPE_PIECE = 0xffc0
/** A longer head is written by itself: with its message it would not fit one call. */
const LONGEST_HEAD = 1024

const utf8 = new TextEncoder()

/** `?name[id]`. Throws where the type, the name or the id cannot stand on the wire: it could smuggle in a second message. */
function headText(message: MessageInput): string {
  objectArgument('katcp', 'message', message)
  const { type } = message
  const sigil = typeof type === 'string' && Object.hasOwn(SIGILS, type) ? SIGILS[type] : undefined
  if (sigil === undefined) throw katcpError('type', { path: 'type', detail: "'request', 'reply' or 'inform' expected" })
  const { name, id } = message
  if (typeof name !== 'string' || !NAME.test(name)) throw katcpError('name', { path: 'name' })
  if (id === undefined) return sigil + name
  if (typeof id !== 'number' || !Number.isInteger(id)) throw katcpError('id', { path: 'id' })
  if (id < 1 || id > 0x7fffffff) throw katcpError('idRange', { path: 'id' })
  return `${sigil}${name}[${id}]`
}

/** Encoded bytes: in the kernels' memory, good until the next call (`own` false), or in an array of their own. */
interface Encoded {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly own: boolean
}

/** Bytes of unknown number, appended piece by piece. */
class Growing {
  #bytes = new Uint8Array(256)
  length = 0

  append(bytes: Uint8Array, start: number, end: number): void {
    const total = this.length + end - start
    if (total > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(total, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, this.length))
      this.#bytes = grown
    }
    copyIn(this.#bytes, this.length, bytes, start, end - start)
    this.length = total
  }

  finish(): Bytes {
    return this.#bytes.slice(0, this.length)
  }
}

const ownBytes = (bytes: Bytes): Encoded => ({ bytes, start: 0, end: bytes.length, own: true })

function assemble(message: MessageInput): Encoded {
  const head = headText(message)
  const { args } = message
  if (args instanceof Arguments) return relayed(head, wireArguments(args))
  if (args === undefined) return mixed(head, [], 0)
  if (typeof args === 'string' || typeof (args as Iterable<ArgumentInput> | null)?.[Symbol.iterator] !== 'function') {
    throw usageError('katcp', 'args must be an iterable of arguments')
  }
  const list = Array.isArray(args) ? (args as readonly ArgumentInput[]) : listOf(args)
  const count = arrayLength(list)
  if (count === undefined) throw usageError('katcp', 'args must be an iterable of arguments')
  const parts = texts(list, count)
  return (parts && head.length <= LONGEST_HEAD ? joined(head, parts, list) : undefined) ?? mixed(head, list, count)
}

/** The arguments of an iterable, up to the first that is none: it may have no end. */
function listOf(args: Iterable<ArgumentInput>): readonly ArgumentInput[] {
  const list: ArgumentInput[] = []
  for (const arg of args) {
    if (!isBytes(arg) && !isFloats(arg)) argumentText(arg, list.length)
    list.push(arg)
  }
  return list
}

/** Refuses what has the class of arguments from the wire and is none. */
function wireArguments(args: Arguments): Arguments {
  if (!Arguments.are(args)) throw usageError('katcp', 'args must be an iterable of arguments')
  return args
}

/** Which of `args` the part `i` of their text comes from: an array of floats has a part for each. */
function argumentOf(args: readonly ArgumentInput[], i: number): number {
  let parts = 0
  return args.findIndex((arg) => {
    parts += isFloats(arg) ? arg.length : 1
    return i < parts
  })
}

const isFloats = (arg: unknown): arg is Float64Array => viewName(arg) === 'Float64Array'

/** The arguments as text, each looked at once; undefined: some are bytes. */
function texts(args: readonly ArgumentInput[], count: number): readonly string[] | undefined {
  const parts: string[] = []
  for (let i = 0; i < count; i++) {
    const arg = args[i]!
    if (isBytes(arg)) return undefined
    if (isFloats(arg)) for (const value of arg) parts.push(floatText(value))
    else parts.push(argumentText(arg, i))
  }
  return parts
}

/** A relayed message: new head, the arguments as they came. */
function relayed(head: string, args: Arguments): Encoded {
  const { start, end } = args.span()
  const blank = end > start ? 1 : 0
  const line = new Uint8Array(head.length + blank + end - start + 1)
  utf8.encodeInto(head, line)
  if (blank) {
    line[head.length] = SP
    args.source().lines.copyTo(line, head.length + 1, start, end - start)
  }
  line[line.length - 1] = LF
  return ownBytes(line)
}

/**
 * A message of text alone: its parts joined by NUL, escaped together. undefined: some part has a NUL of its own, so that
 * the separators are ambiguous.
 */
function joined(head: string, parts: readonly string[], args: readonly ArgumentInput[]): Encoded | undefined {
  if (parts.length === 0) return mixed(head, [], 0)
  let rest = parts.join('\0')
  let prefix = head.length + 1
  let output: Growing | undefined
  let separators = 0
  let begun = 0
  for (;;) {
    const { kernels, memory } = selectCore(prefix + rest.length, THRESHOLDS.katcpEscape)
    memory.reserve(ARENA_BYTES)
    const { u8, u32 } = memory
    // The head goes in front of the first piece, not of the string: that would copy all of it.
    for (let i = 0; i < prefix; i++) u8[IN + i] = i < head.length ? head.charCodeAt(i) : 0
    const { read, written } = utf8.encodeInto(rest, u8.subarray(IN + prefix, IN + ESCAPE_PIECE))
    // A replacement character may stand for half a surrogate pair, which has no bytes.
    if (read !== written && LONE_SURROGATE.test(rest.substring(0, read))) {
      const i = parts.findIndex((part) => LONE_SURROGATE.test(part))
      throw loneSurrogate(argumentOf(args, i))
    }
    u32[KS_COUNT >>> 2] = separators
    u32[KS_WORD >>> 2] = begun
    let end = kernels.katcpEscape(IN, IN + prefix + written, OUT, 1)
    prefix = 0
    separators = u32[KS_COUNT >>> 2]!
    begun = u32[KS_WORD >>> 2]!
    const last = read === rest.length
    if (last) {
      if (separators !== parts.length) return undefined
      if (begun === 0) {
        u8[end++] = BACKSLASH
        u8[end++] = AT
      }
      u8[end++] = LF
      if (!output) return { bytes: u8, start: OUT, end, own: false }
    }
    output ??= new Growing()
    output.append(u8, OUT, end)
    if (last) return ownBytes(output.finish())
    rest = rest.substring(read)
  }
}

/** A message with byte arguments, or with NUL in its text: each argument is escaped by itself. */
function mixed(head: string, args: readonly ArgumentInput[], count: number): Encoded {
  const output = new Growing()
  const append = (bytes: Uint8Array) => output.append(bytes, 0, bytes.length)
  append(utf8.encode(head))
  for (let i = 0; i < count; i++) {
    const arg = args[i]!
    const values = isFloats(arg) ? Array.from(arg, floatText) : [arg]
    for (const value of values) {
      const text = isBytes(value) ? undefined : argumentText(value, i)
      if (text !== undefined && LONE_SURROGATE.test(text)) throw loneSurrogate(i)
      append(SEPARATOR)
      const bytes = text === undefined ? (value as Uint8Array) : utf8.encode(text)
      if (bytes.length === 0) append(EMPTY)
      for (let at = 0; at < bytes.length; at += ESCAPE_PIECE) {
        const length = Math.min(ESCAPE_PIECE, bytes.length - at)
        const { kernels, memory } = selectCore(length, THRESHOLDS.katcpEscape)
        memory.reserve(ARENA_BYTES)
        copyIn(memory.u8, IN, bytes, at, length)
        output.append(memory.u8, OUT, kernels.katcpEscape(IN, IN + length, OUT, 0))
      }
    }
  }
  append(LINE_END)
  return ownBytes(output.finish())
}

const BACKSLASH = 0x5c
const AT = 0x40
const SEPARATOR = Uint8Array.of(SP)
const EMPTY = Uint8Array.of(BACKSLASH, AT)
const LINE_END = Uint8Array.of(LF)

function loneSurrogate(i: number): Error {
  return katcpError('value', { path: `args[${i}]`, detail: 'a string with half a surrogate pair has no UTF-8' })
}

/** The text of one argument: whole numbers as digits, other numbers as Python's repr, booleans as 1 and 0. */
function argumentText(value: unknown, i: number): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : floatText(value)
    case 'bigint':
      return String(value)
    case 'boolean':
      return value ? '1' : '0'
    default:
      throw katcpError('value', { path: `args[${i}]`, detail: 'string, number, bigint, boolean or bytes expected' })
  }
}

/**
 * One message as a line in canonical form: one blank between arguments, LF at the end. Memory of its own.
 * Throws a WireError where the name, the id or an argument cannot stand on the wire; what can is always escaped.
 */
export function encode(message: MessageInput): Bytes {
  const { bytes, start, end, own } = assemble(message)
  return own ? (bytes as Bytes) : (bytes.slice(start, end) as Bytes)
}

/** Messages one after the other in one array. Throws like `encode`, where one of them cannot stand on the wire. */
export function encodeAll(messages: Iterable<MessageInput>): Bytes {
  iterableArgument('katcp', 'messages', messages)
  const output = new Growing()
  for (const message of messages) {
    const { bytes, start, end } = assemble(message)
    output.append(bytes, start, end)
  }
  return output.finish()
}

/** Bytes that `encode` gives for this message. Throws like it. */
export function encodedLength(message: MessageInput): number {
  const { start, end } = assemble(message)
  return end - start
}

/**
 * Encodes into `target` from `offset` on (default 0) and returns the end offset.
 * Throws WT_TARGET_TOO_SMALL where it does not fit; the target is then unchanged.
 */
export function encodeInto(message: MessageInput, target: Uint8Array, offset = 0): number {
  bytesArgument('katcp', 'target', target)
  if (!Number.isInteger(offset) || offset < 0) throw usageError('katcp', 'offset must be a place in the target')
  const { bytes, start, end } = assemble(message)
  const after = offset + end - start
  if (after > target.length) {
    throw commonError('katcp', 'target', {
      detail: `${end - start} bytes, ${Math.max(0, target.length - offset)} free`,
    })
  }
  target.set(bytes.subarray(start, end), offset)
  return after
}

/** Below this, pieces cost more than a copy. */
const CHUNK_BYTES = 4096

/**
 * The message in pieces to be written one after the other: long relayed arguments are not copied, but the memory they came in.
 * Throws like `encode`.
 */
export function encodeChunks(message: MessageInput): Uint8Array[] {
  const { args } = message
  if (!(args instanceof Arguments) || !Arguments.are(args)) return [encode(message)]
  const { start, end } = args.span()
  if (end - start < CHUNK_BYTES) return [encode(message)]
  const { bytes, origin } = args.source().lines
  return [utf8.encode(`${headText(message)} `), viewOf(bytes, origin + start, origin + end), LINE_END.slice()]
}
