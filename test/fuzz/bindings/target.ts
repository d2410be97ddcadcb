import type { Random } from '../../random'

/** The public API of one format under bytes and values that nobody would send on purpose. */
export interface BindingsTarget {
  readonly seeds: () => Uint8Array[]
  readonly tokens: readonly Uint8Array[]
  /** One experiment with bytes from the wire; throws where a promise is broken. */
  readonly decode: (input: Uint8Array, random: Random) => void
  /** One experiment with values for the encoders. */
  readonly encode: (random: Random) => void
}
