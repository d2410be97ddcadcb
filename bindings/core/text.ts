const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Known ASCII needs no check, and is decoded somewhat faster without. */
const ascii = new TextDecoder('utf-8', { ignoreBOM: true })

/** A longer string goes to V8's large-object space, where it costs twenty times as much; decode in pieces of at most this. */
export const TEXT_PIECE = 65_536

const { fromCharCode } = String

/** Node and Bun make strings of bytes without a view and without a check; works on every Uint8Array. */
const nativeLatin1 = (
  globalThis as { Buffer?: { prototype?: { latin1Slice?: (this: Uint8Array, start: number, end: number) => string } } }
).Buffer?.prototype?.latin1Slice

/** The text of ASCII bytes. A region of at most TEXT_PIECE bytes is decoded at once; cut it with `substring`. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  switch (end - start) {
    case 0:
      return ''
    case 1:
      return fromCharCode(bytes[start]!)
    case 2:
      return fromCharCode(bytes[start]!, bytes[start + 1]!)
    case 3:
      return fromCharCode(bytes[start]!, bytes[start + 1]!, bytes[start + 2]!)
    case 4:
      return fromCharCode(bytes[start]!, bytes[start + 1]!, bytes[start + 2]!, bytes[start + 3]!)
    case 5:
    case 6:
    case 7:
    case 8:
      return asciiText(bytes, start, start + 4) + asciiText(bytes, start + 4, end)
    default:
      return nativeLatin1 ? nativeLatin1.call(bytes, start, end) : ascii.decode(bytes.subarray(start, end))
  }
}

/** The text of UTF-8 bytes, a byte order mark kept; undefined where they are not UTF-8. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return utf8.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

/** The text of UTF-8 bytes, however many: decoded in pieces, cut between characters. Throws a TypeError where they are not UTF-8. */
export function validText(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; ) {
    let to = Math.min(at + TEXT_PIECE, end)
    if (to < end) for (let back = 0; back < 3 && (bytes[to]! & 0xc0) === 0x80; back++) to--
    text += utf8.decode(bytes.subarray(at, to))
    at = to
  }
  return text
}

/** One character for each byte. (TextDecoder's "latin1" is windows-1252, which changes 0x80–0x9f.) */
export function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  if (nativeLatin1) return nativeLatin1.call(bytes, start, end)
  let text = ''
  for (let at = start; at < end; at += 4096) {
    text += fromCharCode(...bytes.subarray(at, Math.min(at + 4096, end)))
  }
  return text
}
