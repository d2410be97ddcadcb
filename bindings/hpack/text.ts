import { usageError } from '../core/errors'
import type { Bytes } from '../core/options'
import { latin1Text } from '../core/text'
import { hpackError } from './errors'

const utf8 = new TextEncoder()
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const NON_ASCII = /[^\0-\x7f]/
const LONE_SURROGATE = /\p{Surrogate}/u

/** Shorter strings are written faster by a loop than by a call into the runtime. */
const SHORT = 64

/** Where a string has half of a surrogate pair, which UTF-8 cannot say; -1: nowhere. */
export const loneSurrogate = (text: string): number => text.search(LONE_SURROGATE)

/** What an error says of the character at `at`. */
export const characterDetail = (text: string, at: number): string =>
  `U+${text.codePointAt(at)!.toString(16).toUpperCase().padStart(4, '0')}`

/** The UTF-8 of a string, one character for each octet; undefined: it has half of a surrogate pair. */
export function octetText(text: string): string | undefined {
  if (!NON_ASCII.test(text)) return text
  if (LONE_SURROGATE.test(text)) return undefined
  const bytes = utf8.encode(text)
  return latin1Text(bytes, 0, bytes.length)
}

/** The text of UTF-8 that `octetText` has made. */
export const textOf = (text: string): string => (NON_ASCII.test(text) ? utf8Decoder.decode(octets(text)) : text)

/** Writes one octet for each character; false: some character has none. At least as many bytes must be free behind. */
export function writeOctets(bytes: Uint8Array, at: number, text: string): boolean {
  const { length } = text
  if (length > SHORT) {
    const { read, written } = utf8.encodeInto(text, bytes.subarray(at, at + length))
    // All characters, in as many bytes: only ASCII does that.
    if (read === length && written === length) return true
  }
  let all = 0
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    all |= code
    bytes[at + i] = code
  }
  return all <= 0xff
}

/** The octets of a decoded name or value (`charset: 'latin1'`). Throws WT_HPACK_TEXT where a character is above U+00FF. */
export function octets(text: string): Bytes {
  if (typeof text !== 'string') throw usageError('hpack', 'octets of what is no string')
  const bytes = new Uint8Array(text.length)
  if (!writeOctets(bytes, 0, text)) throw hpackError('text')
  return bytes
}
