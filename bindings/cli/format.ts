/** What the command knows of a format: one file in `formats/`, whose export has the name of the format. */
export interface Format {
  /** What is encoded and decoded, for the help: a few words. */
  readonly about: string
  /** The limits that `--limit` can change, with their defaults. */
  readonly limits: Readonly<Record<string, number>>
  /** Options of this format alone. */
  readonly options?: readonly FormatOption[]
  /** Whether decoding can go on after a bad unit: bad units then come as WireErrors among the others. */
  readonly keepsGoing?: boolean
  /** For `fromJson`: what makes the classes of the format again. */
  readonly revive?: Readonly<Record<string, (value: unknown) => unknown>>
  /** Throws a WireError of kind 'usage' where an option or limit is wrong. */
  decoder(settings: DecodeSettings): UnitReader
  /** A function that encodes one unit in the form that `fromJson` gives; it throws where the value is none. */
  encoder(settings: Settings): (unit: unknown) => Uint8Array | readonly Uint8Array[]
  /** The input as text for people, in pieces: offsets, bytes and what they mean. Only where the format has such a form. */
  dump?(bytes: Uint8Array, settings: Settings): Iterable<string>
}

export interface FormatOption {
  /** As commander writes them: `--role <side>`. */
  readonly flags: string
  readonly about: string
  readonly choices?: readonly string[]
  readonly default?: string
  /** The command cannot do without it. */
  readonly required?: boolean
}

export interface Settings {
  /** Values of the format's own options, by their names in camel case. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface DecodeSettings extends Settings {
  readonly limits: Readonly<Record<string, number>>
  /** Only where the format `keepsGoing`. */
  readonly keepGoing: boolean
}

/** The part of a streaming decoder that the command uses; chunks are handed over and never change. */
export interface UnitReader {
  push(chunk: Uint8Array): unknown
  readAll(): readonly unknown[]
  end(): unknown
}
