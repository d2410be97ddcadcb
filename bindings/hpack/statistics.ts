/** What a decoder has done since it was made or reset. */
export interface DecoderStatistics {
  /** Blocks that have ended. */
  readonly blocks: number
  /** Fields of their lists, those skipped included. */
  readonly fields: number
  /** Octets taken. */
  readonly octets: number
  /** Size of the lists that ended: names, values, and 32 for each field. */
  readonly listOctets: number
  /** Entries put into the table. */
  readonly inserted: number
  /** Entries pushed out of it. */
  readonly evicted: number
}

/** What an encoder has done since it was made or reset. */
export interface EncoderStatistics {
  /** Blocks made. */
  readonly blocks: number
  /** Fields in them. */
  readonly fields: number
  /** How many of those are one index. */
  readonly indexed: number
  /** Octets of the blocks. */
  readonly octets: number
  /** Size of the lists: names, values, and 32 for each field. */
  readonly listOctets: number
  /** Entries put into the table. */
  readonly inserted: number
  /** Entries pushed out of it. */
  readonly evicted: number
}
