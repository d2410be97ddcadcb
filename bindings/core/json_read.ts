import { fromBase64 } from './base64'
import type { WireError } from './error'
import { jsonError, pathStep } from './json_error'
import { NUMBER_ARRAYS, NUMBER_WORDS, OWN_TAGS } from './json_form'

/** How `fromJson` makes classes again. */
export interface FromJsonOptions {
  /**
   * For each tag of a class (`JsonForm.tag`) the function that makes the class from what was written under it.
   * A format with such classes exports its own as `revive`; spread them together for several formats.
   */
  readonly revive?: Readonly<Record<string, (value: unknown) => unknown>> | undefined
}

/**
 * Reads what `toJson` writes (the table is there), and any other JSON whose keys do not start with `$`. Objects have no prototype,
 * so that a key such as `__proto__` or `constructor` is a property like others; bytes come as a Uint8Array of their own.
 * Numbers are read as JSON.parse does: an integer beyond 2^53 has to be a `$bigint`.
 *
 * Objects may nest as deep as memory allows. Throws WT_JSON, with the path of the value, for a text that is not JSON, a tag
 * that is neither built in nor in `revive`, and a tag's value of the wrong type; and whatever a function of `revive` throws.
 */
export function fromJson(text: string, options: FromJsonOptions = {}): unknown {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (cause) {
    throw jsonError(cause instanceof Error ? cause.message : 'not JSON', '', cause)
  }
  return new Reader(options.revive ?? {}).read(root)
}

type Properties = Record<string, unknown>

/** A container whose contents are being read: an object, an array, or with a tag the one value below it. */
interface Frame {
  readonly source: Readonly<Properties>
  readonly target: Properties
  /** Keys of source; undefined: indexes. */
  readonly keys: readonly string[] | undefined
  readonly count: number
  readonly tag: string | undefined
  next: number
}

class Reader {
  readonly #revive: Readonly<Record<string, (value: unknown) => unknown>>
  readonly #frames: Frame[] = []
  /** The value that `#start` has read, where it was not a container. */
  #value: unknown

  constructor(revive: Readonly<Record<string, (value: unknown) => unknown>>) {
    this.#revive = revive
  }

  read(root: unknown): unknown {
    if (this.#start(root)) return this.#value
    for (;;) {
      const frame = this.#frames[this.#frames.length - 1]!
      if (frame.next < frame.count) {
        const key = frame.keys ? frame.keys[frame.next]! : frame.next
        frame.next++
        if (this.#start(frame.source[key])) store(frame, this.#value)
        continue
      }
      const value = frame.tag === undefined ? frame.target : this.#finish(frame.tag, frame.target[0])
      this.#frames.pop()
      const parent = this.#frames[this.#frames.length - 1]
      if (!parent) return value
      store(parent, value)
    }
  }

  /** True where the value is there at once, in #value; else its frame is pushed. */
  #start(value: unknown): boolean {
    this.#value = value
    if (typeof value !== 'object' || value === null) return true
    if (Array.isArray(value)) {
      // JSON.parse has made the array for us alone, so it is completed in place.
      if (!value.some((element) => typeof element === 'object' && element !== null)) return true
      const properties = value as unknown as Properties
      this.#push(properties, properties, undefined, value.length, undefined)
      return false
    }
    const keys = Object.keys(value)
    const tag = keys.find(isTag)
    if (tag === undefined) {
      this.#push(value as Properties, Object.create(null) as Properties, keys, keys.length, undefined)
      return false
    }
    if (keys.length > 1) throw this.#error(`${tag} must be the only key of its object`)
    return this.#tagged(tag.slice(1), (value as Properties)[tag])
  }

  #tagged(tag: string, payload: unknown): boolean {
    if (tag !== 'map' && OWN_TAGS.has(tag)) {
      this.#value = this.#builtIn(tag, payload)
      return true
    }
    if (tag !== 'map' && !Object.hasOwn(this.#revive, tag)) {
      throw this.#error(`nothing is known of the tag $${tag}; name it in \`revive\``)
    }
    this.#push([payload] as unknown as Properties, [] as unknown as Properties, undefined, 1, tag)
    return false
  }

  #builtIn(tag: string, payload: unknown): unknown {
    switch (tag) {
      case 'bytes': {
        const bytes = typeof payload === 'string' ? fromBase64(payload) : undefined
        return bytes ?? this.#wrong(tag, 'base64')
      }
      case 'bigint':
        return wholeNumber(payload) ?? this.#wrong(tag, 'a string of decimal digits')
      case 'number':
        return wordNumber(payload) ?? this.#wrong(tag, '"NaN", "Infinity" or "-Infinity"')
      case 'undefined':
        return payload === true ? undefined : this.#wrong(tag, 'true')
      case 'date':
        return date(payload) ?? this.#wrong(tag, 'a UTC time, 2025-01-31T12:00:00.000Z, or null')
      default:
        return this.#numbers(tag as keyof typeof NUMBER_ARRAYS, payload)
    }
  }

  #numbers(tag: keyof typeof NUMBER_ARRAYS, payload: unknown): unknown {
    if (!Array.isArray(payload)) return this.#wrong(tag, 'an array')
    const array = new NUMBER_ARRAYS[tag](payload.length) as unknown as (number | bigint)[]
    const isBig = tag === 'bigInt64Array' || tag === 'bigUint64Array'
    const isFloat = tag === 'float32Array' || tag === 'float64Array'
    for (let i = 0; i < payload.length; i++) {
      const given: unknown = payload[i]
      const number = isBig ? wholeNumber(given) : typeof given === 'number' ? given : wordNumber(given)
      if (number === undefined) return this.#wrong(tag, `a number as element ${i}`)
      array[i] = number
      if (!isFloat && array[i] !== number) return this.#wrong(tag, `a number in range as element ${i}`)
    }
    return array
  }

  #finish(tag: string, payload: unknown): unknown {
    if (tag !== 'map') return this.#revive[tag]!(payload)
    if (!Array.isArray(payload)) return this.#wrong(tag, 'an array')
    const map = new Map<unknown, unknown>()
    for (const entry of payload as unknown[]) {
      if (!Array.isArray(entry) || entry.length !== 2) return this.#wrong(tag, 'pairs [key, value]')
      map.set(entry[0], entry[1])
    }
    return map
  }

  #push(
    source: Readonly<Properties>,
    target: Properties,
    keys: readonly string[] | undefined,
    count: number,
    tag: string | undefined,
  ): void {
    this.#frames.push({ source, target, keys, count, tag, next: 0 })
  }

  #wrong(tag: string, what: string): never {
    throw this.#error(`$${tag} needs ${what}`)
  }

  #error(detail: string): WireError {
    let path = ''
    for (const { keys, next, tag } of this.#frames) {
      if (tag === undefined && next > 0) path += pathStep(keys ? keys[next - 1]! : next - 1)
    }
    return jsonError(detail, path)
  }
}

/** Whether a key is a tag: a `$` that was not doubled. */
const isTag = (key: string): boolean => key.charCodeAt(0) === 0x24 && key.charCodeAt(1) !== 0x24

function store(frame: Frame, value: unknown): void {
  const at = frame.next - 1
  if (!frame.keys) {
    frame.target[at] = value
    return
  }
  const key = frame.keys[at]!
  frame.target[key.startsWith('$') ? key.slice(1) : key] = value
}

const wholeNumber = (payload: unknown): bigint | undefined =>
  typeof payload === 'string' && /^-?[0-9]+$/.test(payload) ? BigInt(payload) : undefined

const wordNumber = (payload: unknown): number | undefined =>
  typeof payload === 'string' && Object.hasOwn(NUMBER_WORDS, payload) ? NUMBER_WORDS[payload] : undefined

function date(payload: unknown): Date | undefined {
  if (payload === null) return new Date(Number.NaN)
  if (typeof payload !== 'string' || !ISO.test(payload)) return undefined
  const time = new Date(payload)
  return Number.isNaN(time.getTime()) ? undefined : time
}

const ISO = /^(?:[0-9]{4}|[+-][0-9]{6})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3})?Z$/
