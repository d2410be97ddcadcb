import { katcpError } from './errors'
import { quote, shown } from './numbers'
import { type ArgumentType, string, timestamp } from './typed'
import type { ArgumentInput, Message, MessageInput } from './types'

/**
 * A request to be written, `?name[id] args`. `args` default to none, `id` to no id. What is wrong with it shows when it is
 * encoded.
 */
export const request = (name: string, args: Iterable<ArgumentInput> = [], id?: number): MessageInput => ({
  type: 'request',
  name,
  id,
  args,
})

/** @inline */
type Asked = Pick<Message, 'name' | 'id'>

/** The reply to a request, with its name and id: `reply(request, ['ok', 4096])`. */
export const reply = ({ name, id }: Asked, args: Iterable<ArgumentInput>): MessageInput => ({
  type: 'reply',
  name,
  id,
  args,
})

/** An inform: one of the informs that come before the reply to a request (with its name and id), or by name one that nobody asked for. */
export const inform = (about: string | Asked, args: Iterable<ArgumentInput> = []): MessageInput =>
  typeof about === 'string'
    ? { type: 'inform', name: about, args }
    : { type: 'inform', name: about.name, id: about.id, args }

const time = timestamp()

/** What a sensor can be in (guidelines rev 5.1, 4.2). */
export const SENSOR_STATUSES = ['unknown', 'nominal', 'warn', 'error', 'failure', 'unreachable', 'inactive'] as const
/** One of `SENSOR_STATUSES`. */
export type SensorStatus = (typeof SENSOR_STATUSES)[number]

/** What one sensor says. */
export interface Reading<T = string> {
  /** Of the sensor. */
  readonly name: string
  /** Whether its value can be relied on. */
  readonly status: SensorStatus
  /** As text, or by the type that was given. */
  readonly value: T
}

/** The readings of one `#sensor-status` or `#sensor-value`: all were taken at `timestamp`, in seconds since 1970. */
export interface Readings<T = string> {
  /** Seconds since 1970-01-01 UTC. */
  readonly timestamp: number
  /** One for each sensor. */
  readonly readings: readonly Reading<T>[]
}

/**
 * `#sensor-status ts n (name status value)…`, or, with the `?sensor-value` request that it answers, `#sensor-value[id] …`.
 * Throws WT_KATCP_VALUE for a status that there is not, or a time that is no number.
 */
export function sensorInform(
  { timestamp: seconds, readings: list }: Readings<ArgumentInput>,
  asked?: Asked,
): MessageInput {
  const args: ArgumentInput[] = [time.encode(seconds), list.length]
  list.forEach(({ name, status, value }, i) => {
    if (!SENSOR_STATUSES.includes(status))
      throw katcpError('value', { path: `readings[${i}].status`, detail: shown(status) })
    args.push(name, status, value)
  })
  return inform(asked ?? 'sensor-status', args)
}

/**
 * Reads a `#sensor-status` or `#sensor-value` inform; values as text, or by `type`: `readings(message, float)`.
 * Throws WT_KATCP_READINGS where the count, or a status, is none; WT_KATCP_VALUE where a value is not of the type.
 */
export function readings(message: Pick<Message, 'args'>): Readings
export function readings<T>(message: Pick<Message, 'args'>, type: ArgumentType<T>): Readings<T>
export function readings(message: Pick<Message, 'args'>, type: ArgumentType<unknown> = string): Readings<unknown> {
  const { args } = message
  if (args.length < 2) throw katcpError('readings', { detail: 'a time and a count expected' })
  const count = args.text(1, 'latin1')!
  if (!/^(?:0|[1-9]\d*)$/.test(count) || Number(count) !== (args.length - 2) / 3) {
    throw katcpError('readings', { detail: `count ${quote(count)}, but ${args.length - 2} arguments of readings` })
  }
  const list: Reading<unknown>[] = []
  for (let i = 2; i < args.length; i += 3) {
    const status = args.text(i + 1, 'latin1') as SensorStatus
    if (!SENSOR_STATUSES.includes(status))
      throw katcpError('readings', { path: `args[${i + 1}]`, detail: `status ${quote(status)}` })
    list.push({ name: args.at(i)!, status, value: type.decode(args, i + 2) })
  }
  return { timestamp: time.decode(args, 0), readings: list }
}

/** What `#version-connect katcp-protocol 5.1-IMB` says. */
export interface ProtocolVersion {
  /** 5 in `5.1-IMB`. */
  readonly major: number
  /** 1 in `5.1-IMB`. */
  readonly minor: number
  /** Letters, sorted, each once: M several clients, I message ids, T timeout hints, B bulk sensor sampling; unknown ones are kept. */
  readonly flags: string
}

/** Flags that came with a later version than 1.0 (guidelines rev 5.1, 7). */
const SINCE: Readonly<Record<string, readonly [number, number]>> = { I: [5, 0], T: [5, 1], B: [5, 1] }

/**
 * Reads a protocol version, `5.1-IMB`; undefined where the text is none. Throws WT_KATCP_VERSION_FLAG where a flag is newer
 * than the version.
 */
export function versionFlags(text: string): ProtocolVersion | undefined {
  const match = /^(\d+)\.(\d+)(?:-([^\n]*))?\n?$/.exec(text)
  if (!match) return undefined
  const major = Number(match[1])
  const minor = Number(match[2])
  const flags = [...new Set(match[3] ?? '')].sort().join('')
  for (const flag of flags) {
    const since = Object.hasOwn(SINCE, flag) ? SINCE[flag] : undefined
    if (since && (major < since[0] || (major === since[0] && minor < since[1]))) {
      throw katcpError('versionFlag', { detail: `${flag} needs ${since.join('.')}, the version is ${major}.${minor}` })
    }
  }
  return { major, minor, flags }
}
