import { usageError } from '../core/errors'
import { octetText, textOf } from './text'
import type { FieldPolicy } from './types'

/* What an encoder does with fields of a name, as bits. */
/** Never indexed, by anyone. */
export const NEVER = 1
/** Never indexed where the value is short, so that it could be guessed (RFC 7541, 7.1.3). */
export const NEVER_SHORT = 2
/** Not put into the table: it seldom comes again. */
export const NO_INDEX = 4

/** A value below this is short. */
export const SHORT_VALUE = 20

const DEFAULTS: ReadonlyMap<string, number> = new Map([
  ['authorization', NEVER],
  ['proxy-authorization', NEVER],
  ['cookie', NEVER_SHORT],
  ['set-cookie', NEVER_SHORT | NO_INDEX],
  ...[':path', 'age', 'content-length', 'etag', 'if-none-match', 'location'].map((name) => [name, NO_INDEX] as const),
])

type Test = (name: string, value: string) => boolean

/** The policies of one encoder: the defaults, and what its options add. */
export class Policy {
  readonly #names: ReadonlyMap<string, number>
  /** Functions of the options; undefined: none. */
  readonly neverIndex: Test | undefined
  readonly noIndex: Test | undefined

  /** `utf8`: fields come as UTF-8, one character for each octet; callers think of them as text. */
  constructor(neverIndex: FieldPolicy | undefined, noIndex: FieldPolicy | undefined, utf8: boolean) {
    let names: Map<string, number> | undefined
    const add = (option: string, policy: FieldPolicy | undefined, bit: number): Test | undefined => {
      if (typeof policy === 'function') return utf8 ? (name, value) => policy(textOf(name), textOf(value)) : policy
      if (policy === undefined) return undefined
      if (!Array.isArray(policy) || ![...policy].every((name) => typeof name === 'string')) {
        throw usageError('hpack', `${option} must be a list of names or a function`)
      }
      names ??= new Map(DEFAULTS)
      for (const name of policy as readonly string[]) {
        const lower = (utf8 ? (octetText(name) ?? name) : name).toLowerCase()
        names.set(lower, (names.get(lower) ?? 0) | bit)
      }
      return undefined
    }
    this.neverIndex = add('neverIndex', neverIndex, NEVER)
    this.noIndex = add('noIndex', noIndex, NO_INDEX)
    this.#names = names ?? DEFAULTS
  }

  /** The bits of a name. HTTP/2 has lower-case names only, but a secret is one in any case. */
  of(name: string): number {
    return this.#names.get(name) ?? this.#names.get(name.toLowerCase()) ?? 0
  }
}
