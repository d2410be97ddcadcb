import type { Limits } from './limits'

/**
 * A field of a decoded header list. With `charset: 'latin1'` (default) a string has one character for each octet, so that no
 * octet is ever lost; `octets(text)` gives them. Fields that came from or went into the table are shared and frozen.
 */
export interface HeaderField {
  /** As it came, in lower case where the peer keeps to HTTP/2. */
  readonly name: string
  /** As it came. */
  readonly value: string
  /** It came as a never-indexed literal, and must be sent as one (RFC 7541, 6.2.3); `encode` does so. */
  readonly sensitive: boolean
}

/** A field to encode: `[name, value]`, or an object, such as a decoded field. */
export type HeaderInput =
  | readonly [name: string, value: string]
  | {
      /** In lower case, as HTTP/2 wants it; not looked at. */
      readonly name: string
      /** One character for each octet, or text with `charset: 'utf8'`. */
      readonly value: string
      /** Never indexed, by no one on the way (RFC 7541, 6.2.3). Default: `neverIndex` decides. */
      readonly sensitive?: boolean | undefined
      /** Whether it goes into the table. Default: the encoder's choice, see `noIndex`. */
      readonly index?: boolean | undefined
    }

/** How strings and octets correspond: one character for each octet, or UTF-8. */
export type Charset = 'latin1' | 'utf8'

/** When strings are Huffman-coded: where that makes them shorter, always, or never. */
export type HuffmanMode = 'shorter' | 'always' | 'never'

/** Names (lower case), or a function that says so of a field. */
export type FieldPolicy = readonly string[] | ((name: string, value: string) => boolean)

/** How header blocks are read. */
export interface DecodeOptions {
  /** Some of them to be other than `DEFAULT_LIMITS`. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
  /** Default 'latin1', which reads any octets. With 'utf8', what is not UTF-8 is a fault (WT_HPACK_UTF8), since no text would encode to it again. */
  readonly charset?: Charset | undefined
  /**
   * A list above `maxListSize` or `maxFields`: 'throw' (default) is a fault, and the connection ends. 'skip' leaves out the
   * fields that are too many and keeps the table in step, so that the connection may go on: see `skipped`.
   */
  readonly onTooLarge?: 'throw' | 'skip' | undefined
}

/** How header lists are written. */
export interface EncodeOptions {
  /** Only `maxTableSize` matters to an encoder. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
  /** Default 'latin1': a character above U+00FF has no octet and throws WT_HPACK_TEXT. With 'utf8', half of a surrogate pair does. */
  readonly charset?: Charset | undefined
  /** Default 'shorter': a string is Huffman-coded only where that makes it shorter. */
  readonly huffman?: HuffmanMode | undefined
  /**
   * Fields that are sent as never-indexed literals, besides those with `sensitive`: default are authorization,
   * proxy-authorization, and cookie and set-cookie below 20 octets. What you give is added to that.
   */
  readonly neverIndex?: FieldPolicy | undefined
  /**
   * Fields that are not put into the table because they seldom come again: default are :path, age, content-length, etag,
   * if-none-match, location and set-cookie, and fields that would fill three quarters of the table. What you
   * give is added to that; a field with `index: true` goes in all the same.
   */
  readonly noIndex?: FieldPolicy | undefined
  /** Default false. Sends `a=1; b=2` of a cookie as two fields (RFC 9113, 8.2.3), each of which can be in the table. */
  readonly splitCookies?: boolean | undefined
}
