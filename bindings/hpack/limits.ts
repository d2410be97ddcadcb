/** What a header list may cost; see docs/limits.md. Exceeding one ends the connection, see `onTooLarge` for the exception. */
export interface Limits {
  /** Octets of the dynamic table (RFC 7541, 4.1) at the start: what we allow the peer (Decoder), or use at most whatever the peer allows (Encoder). */
  readonly maxTableSize: number
  /** Size of one header list: octets of all names and values, and 32 for each field (RFC 9113, 6.5.2). */
  readonly maxListSize: number
  /** Fields of one header list. */
  readonly maxFields: number
  /** Octets of one name or value as it stands on the wire; Huffman-coded ones stand for up to 1.6 times as many. */
  readonly maxStringBytes: number
}

/** What holds where `limits` says nothing. Frozen. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxTableSize: 4_096,
  maxListSize: 65_536,
  maxFields: 2_048,
  maxStringBytes: 65_536,
})
