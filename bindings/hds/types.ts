import type { BytesMode, DictMode, Int64Mode, TypesMode } from '../core/options'
import type { Limits } from './limits'
import type { Float32, Float64, Int, Pairs, Timestamp, Uuid } from './wrappers'

/**
 * Which dialect is written and read.
 *
 * - `hds`: what every HomeKit peer reads, byte for byte that of HAP-python. No references.
 * - `hap-nodejs`: what HAP-NodeJS reads without loss (data with a length, containers counted up to 12), and its references, in
 *   the numbering of its writer, when reading.
 * - `opack`: OPACK as pyatv has it: integers of up to 32 bits unsigned, 39 in one byte, lengths of strings of 1 to 4 bytes, any
 *   keys, references both ways.
 */
export type Profile = 'hds' | 'hap-nodejs' | 'opack'

/** A dictionary that was read with `dict: 'object'`: it has no prototype. */
export interface Dict {
  [key: string]: Value
}

/** What `decode` gives. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Uuid
  | Timestamp
  | Int
  | Float32
  | Float64
  | Value[]
  | Int32Array
  | Dict
  | Map<Value, Value>
  | Pairs<Value, Value>

/**
 * What `encode` takes: null, booleans, numbers (whole and safe ones are integers, -0 and all others floats of 64 bits), bigints,
 * strings, bytes (ArrayBuffer and any view), Date, the wrappers, arrays, Map, objects. A property that is undefined is left out.
 */
export type Input = null | boolean | number | bigint | string | object

/** How values are read. */
export interface DecodeOptions {
  /** Default `hds`. What it implies for the options below can be changed by them. */
  readonly profile?: Profile | undefined
  /** `view`: data are views of the bytes given. Default `copy`. */
  readonly bytes?: BytesMode | undefined
  /** Default `auto`: a bigint only where a number is not exact. `number` throws WT_HDS_UNSAFE_INTEGER there. */
  readonly int64?: Int64Mode | undefined
  /** `tagged`: integers and floats keep their width as `Int`, `Float32` and `Float64`. Default `plain`. */
  readonly types?: TypesMode | undefined
  /** Default `object`. An object puts keys that look like whole numbers first; a Map keeps the order. */
  readonly dict?: DictMode | undefined
  /** `typed`: an array of nothing but integers of up to 32 bits is an Int32Array. Default `list`. */
  readonly numbers?: 'list' | 'typed' | undefined
  /**
   * How references are counted, `hap-nodejs` as its writer does; `reject` (default of hds) refuses them with WT_HDS_REFERENCE.
   */
  readonly references?: 'reject' | 'hap-nodejs' | 'opack' | undefined
  /** What becomes of strings that are not UTF-8: an error (`strict`, default) or U+FFFD. */
  readonly utf8?: 'strict' | 'replace' | undefined
  /** `any` (default of opack) allows other scalars as keys, where `dict` is not `object`. */
  readonly keys?: 'string-only' | 'any' | undefined
  /** Tag 9F: bytes up to 03 (`raw`, default of hds and hap-nodejs) or an error. */
  readonly terminatedData?: 'raw' | 'reject' | undefined
  /** Bytes after the value: an error (`reject`, default) or ignored. */
  readonly trailing?: 'reject' | 'allow' | undefined
  /** Some of them to be other than `DEFAULT_LIMITS`. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
}

/** How values are written. */
export interface EncodeOptions {
  /** Default `hds`. */
  readonly profile?: Profile | undefined
  /** OPACK alone: values that were written before are written as references. Default `opack` there. */
  readonly references?: 'reject' | 'opack' | undefined
  /** Half a surrogate pair in a string: an error (`strict`, default) or U+FFFD. */
  readonly utf8?: 'strict' | 'replace' | undefined
  /** Of these, `maxDepth` bounds what is written, and `maxPayloadBytes` messages. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
}
