import { usageError } from '../core/errors'
import type { Bytes } from '../core/options'
import type { Arguments } from './arguments'
import { katcpError } from './errors'
import { parseFloatText, quote, shown } from './numbers'
import type { ArgumentInput } from './types'

/**
 * How a value stands in an argument. `decode` reads the arguments from `i` on and says how many it has used.
 * Make one of your own for what a device invents.
 */
export interface ArgumentType<T> {
  /** For error texts: `float`, `discrete set, add`. */
  readonly name: string
  /** How many arguments it reads: one, one if it is there, or all that are left. Default 'one'. */
  readonly count?: 'one' | 'optional' | 'rest'
  /** Throws WT_KATCP_VALUE where argument `i` is no such value. */
  decode(args: Arguments, i: number): T
  /** The argument that stands for a value. Throws WT_KATCP_VALUE where there is none. */
  encode(value: T): ArgumentInput
}

/** The values that a list of types reads. */
export type TypedValues<T extends readonly ArgumentType<unknown>[]> = {
  -readonly [K in keyof T]: T[K] extends ArgumentType<infer V> ? V : never
}

/** An Internet address: `host` as it is written without brackets. */
export interface Address {
  /** IPv4, or IPv6 without brackets. */
  readonly host: string
  /** 0 … 65535. */
  readonly port?: number | undefined
}

const invalid = (i: number, name: string, text: string) =>
  katcpError('value', { path: `args[${i}]`, detail: `${name} expected, got ${quote(text)}` })

const unwritable = (name: string, value: unknown) =>
  katcpError('value', { detail: `${name} expected, got ${shown(value)}` })

/** A float as Python's repr writes it, which both Python peers send: the shortest digits, `1.0`, `1e-05`, `1e+16`, `inf`. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (value === Number.POSITIVE_INFINITY) return 'inf'
  if (value === Number.NEGATIVE_INFINITY) return '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 && magnitude < 1e16) {
    // Here String() never takes an exponent (it does from 1e21 and below 1e-6 on).
    const text = String(value)
    return Number.isInteger(value) ? `${text}.0` : text
  }
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  const sign = exponent[0]!
  return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`
}

const one = <T>(
  name: string,
  read: (text: string) => T | undefined,
  encode: (value: T) => ArgumentInput,
): ArgumentType<T> => ({
  name,
  decode(args, i) {
    const text = args.text(i, 'latin1')!
    const value = read(text)
    if (value === undefined) throw invalid(i, name, text)
    return value
  },
  encode,
})

const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** Digits that always are a safe integer. */
const SAFE_DIGITS = 15

/** A whole number: a number where it is safe, a bigint beyond 2^53. No sign but `-`, no leading zeros, as printf's %d writes it. */
export const integer: ArgumentType<number | bigint> = one(
  'integer',
  (text) => {
    if (text.length > SAFE_DIGITS) {
      if (!INTEGER.test(text)) return undefined
      const value = BigInt(text)
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : value
    }
    return INTEGER.test(text) ? Number(text) + 0 : undefined
  },
  (value) => {
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw unwritable('a safe integer or a bigint', value)
    return String(value)
  },
)

/** A float as C's strtod reads decimals; `nan` and `inf` in any case. */
export const float: ArgumentType<number> = one('float', parseFloatText, (value) => {
  if (typeof value !== 'number') throw unwritable('a number', value)
  return floatText(value)
})

/** `1` or `0`. */
export const boolean: ArgumentType<boolean> = one(
  'boolean',
  (text) => (text === '1' ? true : text === '0' ? false : undefined),
  (value) => {
    if (typeof value !== 'boolean') throw unwritable('a boolean', value)
    return value ? '1' : '0'
  },
)

/** Any text, as UTF-8. Throws WT_KATCP_UTF8 where the bytes are none. */
export const string: ArgumentType<string> = {
  name: 'string',
  decode: (args, i) => args.at(i)!,
  encode: (value) => value,
}

/** The exact bytes. */
export const bytes: ArgumentType<Uint8Array> = {
  name: 'bytes',
  decode: (args, i): Bytes => args.bytes(i)!,
  encode: (value) => value,
}

/** How timestamps are written. */
export interface TimestampOptions {
  /** Of the protocol. Version 5 (default) writes seconds, version 4 whole milliseconds. */
  readonly version?: 4 | 5
}

/**
 * Seconds since 1970-01-01 UTC. Reading takes any float, as both Python peers do. Throws WT_KATCP_VALUE where the argument is
 * none.
 */
export function timestamp({ version = 5 }: TimestampOptions = {}): ArgumentType<number> {
  const scale = version === 4 ? 1000 : 1
  return one(
    'timestamp',
    (text) => {
      const value = parseFloatText(text)
      return value === undefined ? undefined : value / scale
    },
    (value) => {
      if (typeof value !== 'number') throw unwritable('a number of seconds', value)
      if (version !== 4) return floatText(value)
      if (!Number.isFinite(value)) throw unwritable('a finite number of seconds', value)
      return String(BigInt(Math.trunc(value * scale)))
    },
  )
}

/** A timestamp, or the word `now` for a request to be done at once. */
export function timestampOrNow(options?: TimestampOptions): ArgumentType<number | 'now'> {
  const time = timestamp(options)
  return {
    name: 'timestamp or now',
    decode: (args, i) => (args.text(i, 'latin1') === 'now' ? 'now' : time.decode(args, i)),
    encode: (value) => (value === 'now' ? value : time.encode(value)),
  }
}

/** One of a few words, exactly. Throws WT_KATCP_VALUE where the argument is none. */
export function discrete<const W extends string>(...words: readonly W[]): ArgumentType<W> {
  const all: ReadonlySet<string> = new Set(words)
  const name = `one of ${words.join(', ')}`
  return one(
    name,
    (text) => (all.has(text) ? (text as W) : undefined),
    (value) => {
      if (!all.has(value)) throw unwritable(name, value)
      return value
    },
  )
}

const PORT = /^(?:0|[1-9]\d{0,4})$/
const OCTET = /^(?:0|[1-9]\d{0,2})$/

function isIpv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255)
}

/** The eight groups of an IPv6 address; undefined: it is none (RFC 4291, 2.2). */
function ipv6Groups(text: string): number[] | undefined {
  let rest = text
  const tail: number[] = []
  const dot = rest.lastIndexOf('.')
  if (dot >= 0) {
    const colon = rest.lastIndexOf(':')
    const ipv4 = rest.slice(colon + 1)
    if (colon < 0 || !isIpv4(ipv4)) return undefined
    const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number]
    tail.push((a << 8) | b, (c << 8) | d)
    rest = rest.slice(0, colon)
    if (rest.endsWith(':')) rest += ':'
    else if (rest === '') return undefined
  }
  const halves = rest.split('::')
  if (halves.length > 2) return undefined
  const groups = (half: string) => (half === '' ? [] : half.split(':'))
  const left = groups(halves[0]!)
  const right = halves.length === 2 ? groups(halves[1]!) : []
  const all = [...left, ...right]
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const missing = 8 - tail.length - all.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const numbers = (half: string[]) => half.map((group) => Number.parseInt(group, 16))
  return [...numbers(left), ...new Array<number>(halves.length === 2 ? missing : 0).fill(0), ...numbers(right), ...tail]
}

/** Lower case, the longest run of two or more zero groups as `::` (RFC 5952, 4); never with dots, as aiokatcp sends it. */
function ipv6Text(groups: readonly number[]): string {
  let best = -1
  let bestLength = 1
  for (let i = 0; i < 8; i++) {
    let length = 0
    while (i + length < 8 && groups[i + length] === 0) length++
    if (length > bestLength) {
      best = i
      bestLength = length
    }
    i += length
  }
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':')
  if (best < 0) return text(groups)
  return `${text(groups.slice(0, best))}::${text(groups.slice(best + bestLength))}`
}

function readAddress(text: string): Address | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/s.exec(text)
  if (!match) return undefined
  const [, six, four, port] = match
  if (port !== undefined && (!PORT.test(port) || Number(port) > 65535)) return undefined
  let host = four!
  if (six !== undefined) {
    const groups = ipv6Groups(six)
    if (!groups) return undefined
    host = ipv6Text(groups)
  } else if (!isIpv4(host)) return undefined
  return port === undefined ? { host } : { host, port: Number(port) }
}

/** `a.b.c.d`, `a.b.c.d:port`, `[v6]` or `[v6]:port`; an IPv6 host is given and written in its shortest form. */
export const address: ArgumentType<Address> = one('address', readAddress, ({ host, port }) => {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65535)) throw unwritable('a port', port)
  const end = port === undefined ? '' : `:${port}`
  if (isIpv4(host)) return host + end
  const groups = ipv6Groups(host)
  if (!groups) throw unwritable('an IP address', host)
  return `[${ipv6Text(groups)}]${end}`
})

/** A value that may be missing at the end. */
export const optional = <T>(type: ArgumentType<T>): ArgumentType<T | undefined> => ({
  name: `optional ${type.name}`,
  count: 'optional',
  decode: (args, i) => (i < args.length ? type.decode(args, i) : undefined),
  encode: (value) => {
    if (value === undefined) throw unwritable(type.name, value)
    return type.encode(value)
  },
})

/** All arguments that are left; for `float` without strings in between. */
export function rest<T>(type: ArgumentType<T>): ArgumentType<T[]> {
  return {
    name: `any number of ${type.name}`,
    count: 'rest',
    decode(args, i) {
      if ((type as ArgumentType<unknown>) === float && i < args.length) return Array.from(args.toFloat64Array(i)) as T[]
      const all: T[] = []
      for (let k = i; k < args.length; k++) all.push(type.decode(args, k))
      return all
    },
    encode: () => {
      throw unwritable('one argument', type.name)
    },
  }
}

/** Reads all arguments by a list of types, of which only the last ones may do without; see Arguments.read. */
export function readTyped<const T extends readonly ArgumentType<unknown>[]>(args: Arguments, types: T): TypedValues<T> {
  const last = types.at(-1)?.count
  let required = 0
  types.forEach(({ count = 'one' }, i) => {
    const before = types[i - 1]?.count ?? 'one'
    if (before === 'rest' || (before === 'optional' && count === 'one')) {
      throw usageError('katcp', `an argument after ${types[i - 1]!.name} is never reached`)
    }
    if (count === 'one') required++
  })
  if (args.length < required || (last !== 'rest' && args.length > types.length)) {
    const expected =
      last === 'rest' ? `at least ${required}` : required === types.length ? required : `${required} to ${types.length}`
    throw katcpError('argumentCount', { detail: `${expected} expected, got ${args.length}` })
  }
  return types.map((type, i) => type.decode(args, i)) as TypedValues<T>
}
