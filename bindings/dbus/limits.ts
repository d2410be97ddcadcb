/** What a message may cost; see docs/limits.md. */
export interface Limits {
  /** Bytes of a message, header and body, judged by its first 16 bytes. The default is the specification's, which is also the most. */
  readonly maxMessageBytes: number
  /** Bytes that a Decoder holds: chunks not read yet and the unfinished message. */
  readonly maxBufferedBytes: number
  /** Values in one body; an array of numbers counts as one. A few bytes on the wire can become an object each. */
  readonly maxValues: number
  /** Containers open at once: arrays, structs, dict entries and variants. At most 64, as the specification has it. */
  readonly maxDepth: number
}

/** What holds where `limits` says nothing. Frozen. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxMessageBytes: 134_217_728,
  maxBufferedBytes: 134_217_728,
  maxValues: 16_777_216,
  maxDepth: 64,
})
