/** What a payload may cost; see docs/limits.md. */
export interface Limits {
  /** Bytes of one payload: the value, or header and body of a message. The default is the most that peers accept in a frame. */
  readonly maxPayloadBytes: number
  /** Containers inside each other, both when reading and when writing. At most 500. */
  readonly maxDepth: number
  /** Values in one payload, keys among them: a byte on the wire can become an object. */
  readonly maxItems: number
  /** Bytes that references stand for in one payload. */
  readonly maxExpandedBytes: number
  /** Bytes of a frame's payload before the first frame of a connection was verified. */
  readonly maxUnauthenticatedBytes: number
  /** Bytes that a Decoder holds: chunks not read yet and the unfinished frame. */
  readonly maxBufferedBytes: number
}

/** What holds where `limits` says nothing. Frozen. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxPayloadBytes: 1_048_575,
  maxDepth: 32,
  maxItems: 1_048_575,
  maxExpandedBytes: 16_777_216,
  maxUnauthenticatedBytes: 4096,
  maxBufferedBytes: 4_194_304,
})
