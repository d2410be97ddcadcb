import { toBase64 } from './base64'
import { usageError } from './errors'
import { jsonError, pathStep } from './json_error'
import { type JsonForm, jsonForm, NUMBER_ARRAYS, OWN_TAGS } from './json_form'

/**
 * The JSON form of anything that the codecs return: one line of JSON, which `fromJson` reads back. What JSON has no word for
 * is an object with one key that starts with `$`:
 *
 * | value | form |
 * | --- | --- |
 * | string, boolean, null, finite number | as in JSON; negative zero is `-0.0` |
 * | NaN, Infinity, -Infinity | `{"$number":"NaN"}` |
 * | bigint | `{"$bigint":"-12"}` |
 * | Uint8Array, Buffer, Uint8ClampedArray, DataView, ArrayBuffer | `{"$bytes":"AQID"}` (base64), read back as Uint8Array |
 * | Float64Array and the like | `{"$float64Array":[1.5,"NaN"]}`, `$int8Array`, `$uint16Array` … by the name of the class |
 * | BigInt64Array, BigUint64Array | `{"$bigInt64Array":["1","-2"]}` |
 * | Date | `{"$date":"2025-01-31T12:00:00.000Z"}`; null where it is invalid |
 * | Map | `{"$map":[[key,value],…]}` |
 * | undefined | `{"$undefined":true}`, but a property that is undefined is left out |
 * | array | array; a hole is undefined |
 * | object | object of its own enumerable properties; a key that starts with `$` gets a second one, `{"$$key":1}` |
 * | an object with a method `[jsonForm]` | what the method returns; with a tag, `{"$tag":value}` |
 *
 * Control characters and line separators are escaped in strings, so that a form is always one line and safe to print.
 * Objects may nest as deep as memory allows. Throws WT_JSON, with the path of the value, for a function, a symbol, a value
 * that contains itself, and an iterable that is none of the above and has no `[jsonForm]`; and whatever a `[jsonForm]` throws.
 */
export function toJson(value: unknown): string {
  const text = new Writer().write(value)
  return UNPRINTABLE.test(text) ? text.replace(UNPRINTABLE_ALL, escapeOf) : text
}

/** What JSON.stringify leaves as it is although terminals obey it or programs end a line there. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029]/
const UNPRINTABLE_ALL = new RegExp(UNPRINTABLE, 'g')
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A value that is being written: an object with `keys`, or `values` in a row. */
interface Frame {
  readonly source: object
  readonly keys: readonly string[] | undefined
  readonly values: readonly unknown[]
  readonly count: number
  readonly close: string
  /** Adds a step to the path of what is below. */
  readonly step: boolean
  next: number
  written: boolean
}

/** A value cannot contain itself without being deeper than this: looking for it earlier would cost every small value. */
const SHALLOW = 8

const NO_VALUES: readonly unknown[] = []

class Writer {
  readonly #frames: Frame[] = []
  #open: Set<object> | undefined
  #text = ''

  write(value: unknown): string {
    this.#value(value)
    const frames = this.#frames
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!
      if (frame.next < frame.count) this.#advance(frame)
      else {
        this.#text += frame.close
        frames.pop()
        if (frames.length >= SHALLOW) this.#open?.delete(frame.source)
      }
    }
    return this.#text
  }

  #advance(frame: Frame): void {
    if (!frame.keys) {
      if (frame.written) this.#text += ','
      frame.written = true
      this.#value(frame.values[frame.next++])
      return
    }
    const key = frame.keys[frame.next++]!
    const value = (frame.source as Readonly<Record<string, unknown>>)[key]
    if (value === undefined) return
    this.#text += frame.written ? `,${keyText(key)}` : keyText(key)
    frame.written = true
    this.#value(value)
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#text += JSON.stringify(value)
        break
      case 'number':
        this.#text += Number.isFinite(value) ? numberText(value) : `{"$number":"${value}"}`
        break
      case 'boolean':
        this.#text += value ? 'true' : 'false'
        break
      case 'bigint':
        this.#text += `{"$bigint":"${value}"}`
        break
      case 'undefined':
        this.#text += '{"$undefined":true}'
        break
      case 'object':
        if (value === null) this.#text += 'null'
        else this.#object(value)
        break
      default:
        throw this.#error(`a ${typeof value} has no JSON form`)
    }
  }

  #object(value: object): void {
    const form = (value as { readonly [jsonForm]?: unknown })[jsonForm]
    if (typeof form === 'function') this.#form(value, form.call(value) as JsonForm)
    else if (Array.isArray(value)) this.#array(value)
    else if (ArrayBuffer.isView(value)) this.#view(value)
    else this.#other(value)
  }

  #form(source: object, { tag, value }: JsonForm): void {
    if (tag === undefined) {
      this.#enter(source, undefined, [value], '', '', false)
      return
    }
    if (!/^[A-Za-z][\w.-]*$/.test(tag) || OWN_TAGS.has(tag)) throw usageError('json', `${tag} cannot be a tag`)
    this.#enter(source, undefined, [value], `{"$${tag}":`, '}', false)
  }

  #array(value: readonly unknown[]): void {
    if (allPlain(value) && !('toJSON' in value)) this.#text += JSON.stringify(value)
    else this.#enter(value, undefined, value, '[', ']', true)
  }

  #view(view: ArrayBufferView): void {
    const name = (view as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? ''
    const tag = name.slice(0, 1).toLowerCase() + name.slice(1)
    if (!Object.hasOwn(NUMBER_ARRAYS, tag)) {
      if (!/^(Uint8|Uint8Clamped)Array$|^DataView$/.test(name)) throw this.#error(`a ${name} has no JSON form`)
      this.#bytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
      return
    }
    let text = ''
    for (const element of view as unknown as Iterable<number | bigint>) {
      if (text) text += ','
      if (typeof element === 'number' && Number.isFinite(element)) text += numberText(element)
      else text += `"${element}"`
    }
    this.#text += `{"$${tag}":[${text}]}`
  }

  #bytes(bytes: Uint8Array): void {
    this.#text += `{"$bytes":"${toBase64(bytes)}"}`
  }

  #other(value: object): void {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) {
      switch (Object.prototype.toString.call(value)) {
        case '[object ArrayBuffer]':
        case '[object SharedArrayBuffer]':
          this.#bytes(new Uint8Array(value as ArrayBuffer))
          return
        case '[object Map]':
          this.#enter(value, undefined, [...(value as Map<unknown, unknown>)], '{"$map":[', ']}', true)
          return
        case '[object Date]': {
          const date = value as Date
          this.#text += `{"$date":${Number.isNaN(date.getTime()) ? 'null' : `"${date.toISOString()}"`}}`
          return
        }
      }
      if (Symbol.iterator in value) throw this.#error('an iterable without [jsonForm] has no JSON form')
    }
    this.#enter(value, Object.keys(value), NO_VALUES, '{', '}', true)
  }

  #enter(
    source: object,
    keys: readonly string[] | undefined,
    values: readonly unknown[],
    open: string,
    close: string,
    step: boolean,
  ): void {
    if (this.#frames.length >= SHALLOW) {
      this.#open ??= new Set()
      if (this.#open.has(source)) throw this.#error('the value contains itself')
      this.#open.add(source)
    }
    this.#text += open
    const count = keys ? keys.length : values.length
    this.#frames.push({ source, keys, values, count, close, step, next: 0, written: false })
  }

  #error(detail: string) {
    let path = ''
    for (const { keys, next, step } of this.#frames) if (step) path += pathStep(keys ? keys[next - 1]! : next - 1)
    return jsonError(detail, path)
  }
}

const keyTexts = new Map<string, string>()
const KEPT_KEYS = 512

/** A key with its colon. Most objects of a stream have the same few keys. */
function keyText(key: string): string {
  const kept = keyTexts.get(key)
  if (kept !== undefined) return kept
  const text = `${JSON.stringify(key.startsWith('$') ? `$${key}` : key)}:`
  if (keyTexts.size < KEPT_KEYS && key.length <= 64) keyTexts.set(key, text)
  return text
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0.0' : String(value))

/** Whether JSON.stringify writes it as this form does. */
function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    default:
      return value === null
  }
}

/** A loop, because `every` passes over holes. */
function allPlain(values: readonly unknown[]): boolean {
  for (let i = 0; i < values.length; i++) if (!isPlain(values[i])) return false
  return true
}
