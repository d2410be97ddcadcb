/** What a connection may cost; see docs/limits.md. */
export interface Limits {
  /** Bytes of a message, over all its fragments: on the wire, where a frame header says so, and inflated. */
  readonly maxMessageBytes: number
  /** Payload bytes of one data frame, as its header says. */
  readonly maxFrameBytes: number
  /** Frames of one message, empty ones included. A fragment costs no more memory than its payload. */
  readonly maxFragments: number
  /** Bytes that a Decoder holds: chunks not read yet and the payload of the unfinished message. */
  readonly maxBufferedBytes: number
  /** How many bytes one byte of a compressed message may become. The default is what DEFLATE can reach at most. */
  readonly maxInflateRatio: number
}

/** What holds where `limits` says nothing. Frozen. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxMessageBytes: 16_777_216,
  maxFrameBytes: 16_777_216,
  maxFragments: 131_072,
  maxBufferedBytes: 33_554_432,
  maxInflateRatio: 1_032,
})
