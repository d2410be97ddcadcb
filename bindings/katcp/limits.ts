/** What a line may cost; see docs/limits.md. */
export interface Limits {
  /** Bytes of a line, its line end included. The default is katcp-python's. */
  readonly maxLineBytes: number
  /** Arguments of one line. */
  readonly maxArguments: number
  /** Bytes that a Decoder holds: chunks not read yet and the unfinished line. */
  readonly maxBufferedBytes: number
}

/** What holds where `limits` says nothing. Frozen. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxLineBytes: 2_097_152,
  maxArguments: 131_072,
  maxBufferedBytes: 16_777_216,
})
