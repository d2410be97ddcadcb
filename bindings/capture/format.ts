import type { Cipher } from '../hds'
import type { Deflate, DeflateParams } from '../websocket'

/** What is known of the captures of a format: one file in `formats/`, whose export has the name of the format. */
export interface CaptureFormat {
  /** What a capture holds: a few words. */
  readonly about: string
  /** The limits that can be changed, with their defaults. */
  readonly limits: Readonly<Record<string, number>>
  /** Options of this format alone. */
  readonly options?: readonly CaptureOption[]
  /** Whether decoding can go on after a bad unit: bad units then come as WireErrors among the others. */
  readonly keepsGoing?: boolean
  /** Throws a WireError of kind 'usage' where an option or limit is wrong. */
  decoder(settings: ReaderSettings): UnitReader
}

/** An option that a format has for its captures alone. */
export interface CaptureOption {
  /** As it is written, `role`. */
  readonly name: string
  /** What is to be given, in a word: `hex`. An option without it is a switch. */
  readonly value?: string
  /** The value may be left out; the option is `true` then. */
  readonly optional?: boolean
  /** What it says, in a few words. */
  readonly about: string
  /** The values that it can have. Default: any. */
  readonly choices?: readonly string[]
  /** Where it is not given. Default: nothing. */
  readonly default?: string
  /** A capture cannot be read without it. */
  readonly required?: boolean
}

/** What the formats cannot bring along, since each runtime has its own. */
export interface Adapters {
  /** permessage-deflate of WebSocket: `nodeDeflate` or `fflateDeflate`. */
  readonly deflate?: ((params: DeflateParams) => Deflate) | undefined
  /** The cipher of HomeKit Data Stream: `nodeCipher` or `nobleCipher`. Default: that of the runtime, where it has one. */
  readonly cipher?: Cipher | undefined
}

export interface ReaderSettings extends Adapters {
  /** Values of the format's own options, by their names, with the defaults of those that were not given. */
  readonly options: Readonly<Record<string, unknown>>
  /** Limits that are to be other than their defaults. */
  readonly limits: Readonly<Record<string, number>>
  /** Only where the format `keepsGoing`. */
  readonly keepGoing: boolean
}

/** A capture that is being read. */
export interface UnitReader {
  /** Takes the next bytes of the capture; the chunk is handed over and must not change. */
  push(chunk: Uint8Array): unknown
  /** The units that are there. Throws the WireError of a fault once the units before it are out. */
  readAll(): readonly unknown[]
  /** Says that no more bytes come. */
  end(): unknown
}
