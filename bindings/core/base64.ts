interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array
  from(buffer: ArrayBufferLike, start: number, length: number): { toString(encoding: 'base64'): string }
}

const node = (globalThis as { Buffer?: NodeBuffer }).Buffer

/** Characters of one call of fromCharCode: many arguments overflow the stack. */
const PIECE = 8192

/** Base64 with padding (RFC 4648, section 4), by the fastest way that the runtime has. */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as { toBase64?: () => string }).toBase64
  if (native) return native.call(bytes)
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}

/** The bytes of a base64 text; undefined where it is none. Padding is required, white space is not allowed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(padding ? text.slice(0, -padding) : text)) return undefined
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64
  if (native) return native.call(Uint8Array, text)
  // A small Buffer is part of a pool, so what leaves here is a copy.
  if (node) return new Uint8Array(node.from(text, 'base64'))
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
