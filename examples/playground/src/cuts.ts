// Where units end in a capture. Decoders give the same units however the bytes are cut, so each unit's bytes are pushed by themselves:
// what comes out then stands there. A cut in a wrong place would make a range too long or short, never a unit wrong.
import { decodeAt, decodeMessageAt, type Profile } from 'wiretape/hds'
import { framingOf, isPackets } from './guess'
import type { Reading } from './protocol'

/**
 * The bytes up to `end` are the next part of a unit, or a unit by themselves that may stand inside another ('own'), or are between
 * units ('outside'). `body`: where what the format itself counts from begins.
 */
export interface Cut {
  readonly end: number
  readonly kind: 'part' | 'own' | 'outside'
  readonly body?: number
}

/** The next cut behind `at`. */
export type Cutter = (at: number) => Cut

/** No cut is longer, so that bytes that never end a unit are pushed in pieces too. */
const MOST = 1 << 16

export function cutter(bytes: Uint8Array, { format, options }: Reading): Cutter {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const part = (end: number): Cut => ({ end, kind: 'part' })
  /** Where a head is not all there: the reader says what is wrong. */
  const rest: Cutter = (at) => part(Math.min(bytes.length, at + MOST))
  const has = (at: number, count: number) => at + count <= bytes.length

  switch (format) {
    case 'katcp':
      return lineCutter(bytes, [10, 13])
    case 'websocket':
      return (at) => {
        if (!has(at, 2)) return rest(at)
        const opcode = bytes[at]! & 15
        const code = bytes[at + 1]! & 127
        const wide = code === 127 ? 8 : code === 126 ? 2 : 0
        const head = 2 + wide + (bytes[at + 1]! & 128 ? 4 : 0)
        if (!has(at, head)) return rest(at)
        const length = wide === 8 ? Number(view.getBigUint64(at + 2)) : wide === 2 ? view.getUint16(at + 2) : code
        const alone = opcode >= 8 || (options['emit'] ?? 'messages') !== 'messages'
        return { end: at + head + length, kind: alone ? 'own' : 'part' }
      }
    case 'dbus':
      return isPackets(bytes) ? packetCutter(bytes, view) : messageCutter(bytes, view, rest)
    case 'hpack': {
      const framing = framingOf(bytes, options['framing'])
      if (framing === 'hex') return lineCutter(bytes, [10])
      if (framing === 'length') {
        return (at) => (has(at, 4) ? { ...part(at + 4 + view.getUint32(at)), body: at + 4 } : rest(at))
      }
      return frameCutter(bytes, rest)
    }
    case 'hds': {
      if (options['key'] !== undefined) {
        return (at) => (has(at, 4) ? part(at + 4 + (view.getUint32(at) & 0xffffff) + 16) : rest(at))
      }
      // Nothing but a unit itself says where it ends.
      const how = { profile: (options['profile'] ?? 'hds') as Profile, bytes: 'view' } as const
      const read = options['unit'] === 'value' ? decodeAt : decodeMessageAt
      return (at) => {
        try {
          return part(read(bytes, at, how)?.end ?? bytes.length)
        } catch {
          return part(bytes.length)
        }
      }
    }
  }
}

/** Behind the next of these bytes. */
function lineCutter(bytes: Uint8Array, ends: readonly number[]): Cutter {
  const next = ends.map(() => -1)
  return (at) => {
    for (const [i, byte] of ends.entries()) {
      if (next[i]! >= at) continue
      const found = bytes.indexOf(byte, at)
      next[i] = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return { end: Math.min(...next) + 1, kind: 'part', body: at }
  }
}

/** Behind a D-Bus message. */
function messageCutter(bytes: Uint8Array, view: DataView, rest: Cutter): Cutter {
  return (at) => {
    if (at + 16 > bytes.length) return rest(at)
    const little = bytes[at] === 0x6c
    const fields = view.getUint32(at + 12, little)
    return { end: at + 16 + Math.ceil(fields / 8) * 8 + view.getUint32(at + 4, little), kind: 'part' }
  }
}

/** Behind a record of pcap or pcapng, and before its packet. */
function packetCutter(bytes: Uint8Array, view: DataView): Cutter {
  const next = view.getUint32(0) === 0x0a0d0d0a
  let little = next ? view.getUint32(8, true) === 0x1a2b3c4d : bytes[3] === 0xa1
  /** End of the packet whose record has begun. */
  let packet = 0
  return (at) => {
    if (at < packet) return { end: packet, kind: 'part' }
    if (next) {
      if (at + 12 > bytes.length) return { end: bytes.length, kind: 'outside' }
      if (view.getUint32(at) === 0x0a0d0d0a) little = view.getUint32(at + 8, true) === 0x1a2b3c4d
      const type = view.getUint32(at, little)
      const end = at + Math.max(12, view.getUint32(at + 4, little))
      // The packet comes out once its block is whole: head, packet and the length behind it are one.
      return { end, kind: type === 3 || type === 6 ? 'part' : 'outside' }
    }
    if (at === 0) return { end: 24, kind: 'outside' }
    if (at + 16 > bytes.length) return { end: bytes.length, kind: 'outside' }
    packet = at + 16 + view.getUint32(at + 8, little)
    return { end: at + 16, kind: 'outside' }
  }
}

const HEADERS = [1, 5, 9]

/** Behind a frame of HTTP/2. */
function frameCutter(bytes: Uint8Array, rest: Cutter): Cutter {
  return (at) => {
    if (at === 0 && bytes[0] === 0x50) return { end: 24, kind: 'outside' }
    if (at + 9 > bytes.length) return rest(at)
    const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    const [type, flags] = [bytes[at + 3]!, bytes[at + 4]!]
    const before = (flags & 8 && type !== 9 ? 1 : 0) + (type === 5 ? 4 : type === 1 && flags & 32 ? 5 : 0)
    return { end: at + 9 + length, kind: HEADERS.includes(type) ? 'part' : 'outside', body: at + 9 + before }
  }
}
