/**
 * Name of the method by which a class says what `toJson` writes for its instances: `[jsonForm](): JsonForm`.
 * It is the same symbol in every copy of the package.
 */
export const jsonForm: unique symbol = Symbol.for('wiretape.jsonForm')

/** What the method `[jsonForm]` returns. */
export interface JsonForm {
  /**
   * Name by which `fromJson` is told how to make the class again (its option `revive`): a letter, then letters, digits,
   * `.`, `_` or `-`. Without it the value alone is written, and read back as what it is.
   */
  readonly tag?: string | undefined
  /** Anything that has a JSON form itself. */
  readonly value: unknown
}

/** Typed arrays of numbers and how their elements are written; bytes have a form of their own. */
export const NUMBER_ARRAYS = {
  int8Array: Int8Array,
  int16Array: Int16Array,
  uint16Array: Uint16Array,
  int32Array: Int32Array,
  uint32Array: Uint32Array,
  float32Array: Float32Array,
  float64Array: Float64Array,
  bigInt64Array: BigInt64Array,
  bigUint64Array: BigUint64Array,
} as const

/** Tags that a class cannot take. */
export const OWN_TAGS: ReadonlySet<string> = new Set([
  ...['bytes', 'bigint', 'number', 'undefined', 'date', 'map'],
  ...Object.keys(NUMBER_ARRAYS),
])

/** Numbers that JSON has no literal for, as they stand in a string. */
export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}
