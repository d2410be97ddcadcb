/** The error words of the HPACK vectors → our codes; see test/vectors/hpack/README.md. */
export const CODE_OF = {
  'index-zero': 'WT_HPACK_INDEX_ZERO',
  'index-out-of-range': 'WT_HPACK_INDEX_RANGE',
  'integer-overflow': 'WT_HPACK_INTEGER_OVERFLOW',
  truncated: 'WT_TRUNCATED',
  'string-too-long': 'WT_HPACK_STRING_TOO_LONG',
  'huffman-eos': 'WT_HPACK_HUFFMAN_EOS',
  'huffman-padding-too-long': 'WT_HPACK_HUFFMAN_LONG_PADDING',
  'huffman-padding-not-eos': 'WT_HPACK_HUFFMAN_PADDING',
  'size-update-too-large': 'WT_HPACK_UPDATE_TOO_LARGE',
  'size-update-not-at-start': 'WT_HPACK_UPDATE_NOT_AT_START',
  'size-update-missing': 'WT_HPACK_UPDATE_MISSING',
  'header-list-too-large': 'WT_HPACK_LIST_TOO_LARGE',
} as const

export type Word = keyof typeof CODE_OF

export type Pair = readonly [name: string, value: string]

export interface Step {
  readonly settings?: number
  readonly hex?: string
  readonly headers?: readonly Pair[]
  readonly never?: readonly number[]
  readonly error?: string
  readonly tooLarge?: boolean
  readonly tableSize?: number
  readonly tableCount?: number
  readonly table?: readonly Pair[]
  readonly sensitive?: readonly number[]
  readonly startsWith?: readonly string[]
  readonly softMaxBytes?: number
}

export interface Vector {
  readonly id: string
  readonly about: string
  readonly policy?: string
  readonly options?: { readonly maxHeaderListSize?: number; readonly onTooLarge?: 'skip' }
  readonly steps: readonly Step[]
}

/** Connection vectors where peers differ and we take the stricter side that the vector's `policy` allows. */
export const STRICTER: ReadonlyMap<string, string> = new Map([['table-size-s14', 'WT_HPACK_TOO_MANY_UPDATES']])

/** COMPRESSION_ERROR for all but a list that is too large. */
export const statusOf = (code: string): number => (code === 'WT_HPACK_LIST_TOO_LARGE' ? 11 : 9)

export const kindOf = (code: string): string =>
  code === 'WT_TRUNCATED'
    ? 'truncated'
    : code === 'WT_HPACK_LIST_TOO_LARGE' || code === 'WT_HPACK_STRING_TOO_LONG'
      ? 'limit'
      : 'malformed'
