import type { Variant } from './variant'

/*
 * The JavaScript types of a signature literal: what `body` of that signature is with the default options. Where a signature
 * is not known to the compiler, everything is `unknown`.
 */

interface Basics {
  y: number
  b: boolean
  n: number
  q: number
  i: number
  u: number
  x: bigint
  t: bigint
  d: number
  s: string
  o: string
  g: string
  h: number
  v: Variant
}
interface Arrays {
  y: Uint8Array
  n: Int16Array
  q: Uint16Array
  i: Int32Array
  u: Uint32Array
  x: BigInt64Array
  t: BigUint64Array
  d: Float64Array
  h: Uint32Array
}
type Basic = keyof Basics

/** @internal [type of the first complete type, the rest of the signature] */
type First<S extends string> = S extends `a{${infer K extends Basic}${infer R}`
  ? First<R> extends [infer V, `}${infer Rest}`]
    ? [Map<Basics[K], V>, Rest]
    : never
  : S extends `a${infer E}`
    ? E extends `${infer N extends keyof Arrays}${infer Rest}`
      ? [Arrays[N], Rest]
      : First<E> extends [infer V, infer Rest]
        ? [V[], Rest]
        : never
    : S extends `(${infer R}`
      ? Fields<R>
      : S extends `${infer B extends Basic}${infer Rest}`
        ? [Basics[B], Rest]
        : never

type Fields<S extends string, T extends unknown[] = []> = S extends `)${infer Rest}`
  ? [T, Rest]
  : First<S> extends [infer V, infer Rest extends string]
    ? Fields<Rest, [...T, V]>
    : never

/** @internal The types of all complete types. */
type All<S extends string, T extends unknown[] = []> = S extends ''
  ? T
  : First<S> extends [infer V, infer Rest extends string]
    ? All<Rest, [...T, V]>
    : unknown[]

/** What one complete type is: `ValueOf<'a{sv}'>` is `Map<string, Variant>`. */
export type ValueOf<S extends string> = string extends S ? unknown : First<S> extends [infer V, ''] ? V : unknown

/** What a body of that signature is: `Body<'sa{sv}as'>` is `[string, Map<string, Variant>, string[]]`. */
export type Body<S extends string> = string extends S ? unknown[] : All<S>
