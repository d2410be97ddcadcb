import type { Adapters, CaptureFormat } from '../capture/format'

export type { CaptureOption, UnitReader } from '../capture/format'

/** What the command knows of a format: one file in `formats/`, whose export has the name of the format. */
export interface Format extends CaptureFormat {
  /** For `fromJson`: what makes the classes of the format again. */
  readonly revive?: Readonly<Record<string, (value: unknown) => unknown>>
  /** A function that encodes one unit in the form that `fromJson` gives; it throws where the value is none. */
  encoder(settings: Settings): (unit: unknown) => Uint8Array | readonly Uint8Array[]
  /** The input as text for people, in pieces: offsets, bytes and what they mean. Only where the format has such a form. */
  dump?(bytes: Uint8Array, settings: Settings): Iterable<string>
}

export interface Settings extends Adapters {
  /** Values of the format's own options, by their names. */
  readonly options: Readonly<Record<string, unknown>>
}
