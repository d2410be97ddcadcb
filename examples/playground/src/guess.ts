import type { CaptureFormatName } from 'wiretape/capture'

export interface Guess {
  readonly format: CaptureFormatName
  readonly options: Readonly<Record<string, string | boolean>>
}

const PREFACE = new TextEncoder().encode('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const startsWith = (bytes: Uint8Array, start: Uint8Array) => start.every((byte, i) => bytes[i] === byte)
const PACKETS = [0xa1b2c3d4, 0xa1b23c4d, 0xd4c3b2a1, 0x4d3cb2a1, 0x0a0d0d0a]

/** Whether it is a file of packets, pcap or pcapng. */
export function isPackets(bytes: Uint8Array): boolean {
  return bytes.length >= 24 && PACKETS.includes(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0))
}

/** How HPACK blocks stand in a file that begins so. */
export function framingOf(bytes: Uint8Array, option: unknown): string {
  if (typeof option === 'string' && option !== 'auto') return option
  if (startsWith(bytes, PREFACE)) return 'http2'
  return bytes.subarray(0, PREFACE.length).every((byte) => /[\da-f\s]/i.test(String.fromCharCode(byte)))
    ? 'hex'
    : 'length'
}

/** Endings of names that say it. */
const ENDINGS: readonly (readonly [ending: RegExp, guess: Guess])[] = [
  [/\.katcp$/, { format: 'katcp', options: {} }],
  [/\.(pcap|pcapng|dbus)$/, { format: 'dbus', options: {} }],
  [/\.http2$/, { format: 'hpack', options: { framing: 'http2' } }],
  [/\.hpack$/, { format: 'hpack', options: {} }],
  [/\.opack$/, { format: 'hds', options: { unit: 'value', profile: 'opack' } }],
  [/\.hds$/, { format: 'hds', options: {} }],
]

/** What a capture of that name, which begins so, most likely is: by its first bytes where they say it, else by its name. */
export function guess(bytes: Uint8Array, name: string): Guess {
  const [first = 0, second = 0, , fourth = 0] = bytes
  if (isPackets(bytes)) return { format: 'dbus', options: {} }
  if (startsWith(bytes, PREFACE)) return { format: 'hpack', options: { framing: 'http2' } }
  const named = ENDINGS.find(([ending]) => ending.test(name.toLowerCase()))
  if (named) return named[1]
  if ((first === 0x6c || first === 0x42) && second >= 1 && second <= 4 && fourth === 1 && bytes.length >= 16) {
    return { format: 'dbus', options: {} }
  }
  const text = String.fromCharCode(...bytes.subarray(0, 64))
  if (/^[?!#][A-Za-z][\w-]*(\[\d+\])?([ \t\r\n]|$)/.test(text)) return { format: 'katcp', options: {} }
  if (/^[\da-f]{2,}[\r\n]*/i.test(text) && /^[\da-f\s]*$/i.test(text))
    return { format: 'hpack', options: { framing: 'hex' } }
  if ((second & 0xf0) === 0xe0 && first > 0 && first < bytes.length) return { format: 'hds', options: {} }
  if ((first & 0x30) === 0 && [0, 1, 2, 8, 9, 10].includes(first & 15) && first >= 1) {
    const deflate = first & 0x40 ? { deflate: true } : {}
    return { format: 'websocket', options: { role: second & 0x80 ? 'server' : 'client', ...deflate } }
  }
  return { format: 'websocket', options: { role: 'server' } }
}
