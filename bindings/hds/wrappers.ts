import { dateTime, viewName } from '../core/brands'
import { type JsonForm, jsonForm } from '../core/json_form'
import { hdsError } from './errors'

/** Bits of a sized integer: tags 30, 31, 32 and 33. */
export type Width = 8 | 16 | 32 | 64

/** An integer of a certain width on the wire. Made by `int8`, `int16`, `int32` and `int64`, and read with `types: 'tagged'`. */
export class Int<W extends Width = Width> {
  /** Bits on the wire. */
  readonly width: W
  /** A number while it is safe, else a bigint; of 64 bits, what the option `int64` says. */
  readonly value: number | bigint

  /** @internal Use the functions, which check the value. */
  constructor(width: W, value: number | bigint) {
    this.width = width
    this.value = value
  }

  /** The value, so that it can be reckoned with. */
  valueOf(): number | bigint {
    return this.value
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: `int${this.width}`, value: this.value }
  }
}

/** A float of 32 bits on the wire, tag 35. */
export class Float32 {
  /** Rounded to what 32 bits hold. */
  readonly value: number

  constructor(value: number) {
    if (typeof value !== 'number') throw hdsError('value', { detail: 'float32 needs a number' })
    this.value = Math.fround(value)
  }

  /** The value, so that it can be reckoned with. */
  valueOf(): number {
    return this.value
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'float32', value: this.value }
  }
}

/** A float of 64 bits on the wire, tag 36: for a whole number that must not become an integer. */
export class Float64 {
  /** Any number. */
  readonly value: number

  constructor(value: number) {
    if (typeof value !== 'number') throw hdsError('value', { detail: 'float64 needs a number' })
    this.value = value
  }

  /** The value, so that it can be reckoned with. */
  valueOf(): number {
    return this.value
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'float64', value: this.value }
  }
}

/** A UUID as `Uuid` keeps it. */
export const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** A UUID, tag 05. */
export class Uuid {
  /** In lower case, with dashes. */
  readonly text: string

  constructor(text: string) {
    const lower = typeof text === 'string' ? text.toLowerCase() : ''
    if (!UUID.test(lower)) throw hdsError('value', { detail: 'a UUID has 32 hexadecimal digits in five groups' })
    this.text = lower
  }

  /** The text, in lower case. */
  toString(): string {
    return this.text
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'uuid', value: this.text }
  }
}

/** Milliseconds between 1970 and 2001, where dates on the wire begin. */
const EPOCH = 978_307_200_000

/** Seconds of a date on the wire, from the milliseconds of a Date. */
export const sinceEpoch = (time: number): number => (time - EPOCH) / 1000

/** A date, tag 06: exact, which a Date of whole milliseconds is not. */
export class Timestamp {
  /** Since 2001-01-01T00:00:00Z, with fractions. */
  readonly seconds: number

  constructor(seconds: number) {
    if (typeof seconds !== 'number') throw hdsError('value', { detail: 'a date needs a number of seconds' })
    this.seconds = seconds
  }

  /** The nearest Date; an invalid one where none is in its range. */
  toDate(): Date {
    return new Date(Math.round(this.seconds * 1000) + EPOCH)
  }

  /** The seconds, so that dates can be compared. */
  valueOf(): number {
    return this.seconds
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'timestamp', value: this.seconds }
  }
}

/** What a typed array is wrapped in to become an array of numbers: alone it would be bytes. Made by `numbers`. */
export class Numbers {
  /** The numbers; not copied. */
  readonly array: NumberArray

  /** @internal Use `numbers`. */
  constructor(array: NumberArray) {
    this.array = array
  }
}

/** A typed array of numbers, as `numbers` takes it. */
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

/** Pairs of key and value in the order of the wire, duplicates and all: `dict: 'pairs'`. It is written as a dictionary. */
export class Pairs<K = unknown, V = unknown> extends Array<[K, V]> {
  /** What `map`, `filter` and the like make is an ordinary array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'pairs', value: Array.from(this) }
  }
}

function sized<W extends Width>(width: W, value: number | bigint): Int<W> {
  const whole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  if (!whole) throw hdsError('value', { detail: `int${width} needs a bigint or a safe integer` })
  // OPACK takes 8 to 32 bits as unsigned, HDS as signed: which of them it is shows when it is written.
  const wide = BigInt(value)
  const least = -(1n << BigInt(width - 1))
  const most = width === 64 ? 1n << 63n : 1n << BigInt(width)
  if (wide < least || wide >= most) throw hdsError('range', { detail: `${wide} does not fit int${width}` })
  return new Int(width, value)
}

/**
 * An integer of 8 bits on the wire, whatever its value: HDS has -128 … 127, OPACK 0 … 255.
 * Throws WT_HDS_RANGE.
 */
export const int8 = (value: number): Int<8> => sized(8, value)
/** An integer of 16 bits on the wire: HDS has -32768 … 32767, OPACK 0 … 65535. Throws WT_HDS_RANGE. */
export const int16 = (value: number): Int<16> => sized(16, value)
/** An integer of 32 bits on the wire: HDS has -2^31 … 2^31 - 1, OPACK 0 … 2^32 - 1. Throws WT_HDS_RANGE. */
export const int32 = (value: number): Int<32> => sized(32, value)
/** An integer of 64 bits on the wire, as ids and status of messages are: -2^63 … 2^63 - 1. Throws WT_HDS_RANGE. */
export const int64 = (value: number | bigint): Int<64> => sized(64, value)
/** A float of 32 bits on the wire: the number is rounded to it. Throws WT_HDS_VALUE where it is no number. */
export const float32 = (value: number): Float32 => new Float32(value)
/** A float of 64 bits on the wire, also where the number is whole. Throws WT_HDS_VALUE where it is no number. */
export const float64 = (value: number): Float64 => new Float64(value)
/** A UUID: `uuid('12345678-1234-5678-1234-567812345678')`. Throws WT_HDS_VALUE where the text is none. */
export const uuid = (text: string): Uuid => new Uuid(text)
/** A date: a Date, or seconds since 2001-01-01T00:00:00Z. */
export function date(when: Date | number): Timestamp {
  if (typeof when === 'number') return new Timestamp(when)
  const time = dateTime(when)
  if (time === undefined || Number.isNaN(time)) throw hdsError('value', { detail: 'a valid Date or seconds expected' })
  return new Timestamp(sinceEpoch(time))
}

/**
 * The numbers of a typed array as an array on the wire: whole ones as integers, floats as floats of 64 bits. Throws
 * WT_HDS_VALUE where it is no typed array.
 */
export function numbers(array: NumberArray): Numbers {
  if (viewName(array) === undefined) throw hdsError('value', { detail: 'a typed array expected' })
  return new Numbers(array)
}
