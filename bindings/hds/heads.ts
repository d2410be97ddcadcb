import type { ValueWriter } from './write'

/*
 * Headers that recur: those of one topic differ in id and status alone. They are known by their bytes, so that a header seen
 * before is compared, and written, as a whole.
 *
 *   event      length E2 "protocol" … "event" …
 *   request    length E3 "protocol" … "request" …  "id" 33 | 8 bytes
 *   response   length E4 "protocol" … "response" … "id" 33 | 8 bytes | "status" 33 | 8 bytes
 */
export type MessageType = 'event' | 'request' | 'response'

export interface Head {
  readonly type: MessageType
  readonly protocol: string
  readonly topic: string
  /** From the byte of the length on: all of the header of an event, else up to the id. */
  readonly start: Uint8Array
  /** Bytes of the header with that of its length. */
  readonly end: number
  /** Values in the header, keys among them. */
  readonly items: number
}

const FIELDS = { event: 2, request: 3, response: 4 } as const
const WIDE = 8
/** Between id and status of a response. */
const STATUS = Uint8Array.of(0x46, 0x73, 0x74, 0x61, 0x74, 0x75, 0x73, 0x33)
const MOST_HEADS = 16
/** A header with its length byte has at most so many bytes. */
const MOST_BYTES = 256

const heads: Head[] = []
let next = 0

/** The bytes of a header, remembered for the next message; `writer` is left as it was. Throws where a name cannot be written. */
export function makeHead(writer: ValueWriter, type: MessageType, protocol: string, topic: string): Head {
  const { buffer } = writer
  const from = buffer.at
  buffer.room(2)
  buffer.byte(0)
  buffer.byte(0xe0 + FIELDS[type])
  writer.name('protocol')
  writer.value(protocol, 'protocol')
  writer.name(type)
  writer.value(topic, 'topic')
  if (type !== 'event') {
    writer.name('id')
    buffer.room(1)
    buffer.byte(0x33)
  }
  const start = buffer.u8.slice(from, buffer.at)
  buffer.at = from
  const end = start.length + (type === 'event' ? 0 : type === 'request' ? WIDE : WIDE + STATUS.length + WIDE)
  start[0] = end - 1
  const head = { type, protocol, topic, start, end, items: 1 + 2 * FIELDS[type] }
  if (end > MOST_BYTES) return head
  heads[next] = head
  next = (next + 1) % MOST_HEADS
  return head
}

/** The remembered header of a topic. */
export function headOf(type: MessageType, protocol: string, topic: string): Head | undefined {
  for (let i = 0; i < heads.length; i++) {
    const head = heads[i]!
    if (head.topic === topic && head.protocol === protocol && head.type === type) return head
  }
  return undefined
}

/** The remembered header that bytes [from, to) begin with. */
export function headAt(bytes: Uint8Array, from: number, to: number): Head | undefined {
  const length = bytes[from]! + 1
  if (to - from < length) return undefined
  for (let i = 0; i < heads.length; i++) {
    const head = heads[i]!
    if (head.end === length && isHead(head, bytes, from)) return head
  }
  return undefined
}

function isHead({ type, start }: Head, bytes: Uint8Array, from: number): boolean {
  // From behind: the beginnings are all alike.
  for (let i = start.length - 1; i > 0; i--) if (start[i] !== bytes[from + i]) return false
  if (type === 'response') {
    const at = from + start.length + WIDE
    for (let i = 0; i < STATUS.length; i++) if (STATUS[i] !== bytes[at + i]) return false
  }
  return true
}

/** Writes a header. */
export function writeHead(writer: ValueWriter, { type, start }: Head, id: unknown, status: unknown): void {
  const { buffer } = writer
  buffer.room(MOST_BYTES)
  buffer.u8.set(start, buffer.at)
  buffer.at += start.length
  if (type === 'event') return
  writer.wide(id, 'id')
  if (type === 'request') return
  const { u8, at } = buffer
  for (let i = 0; i < STATUS.length; i++) u8[at + i] = STATUS[i]!
  buffer.at = at + STATUS.length
  writer.wide(status, 'status')
}

/** Place of the id in a header, and of the status. */
export const idAt = ({ start }: Head): number => start.length
export const statusAt = ({ start }: Head): number => start.length + WIDE + STATUS.length

/** 32 bits, signed, little-endian. */
const wordAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)

/** 64 bits, signed: a number where that is exact. */
export function wideAt(bytes: Uint8Array, at: number): number | bigint {
  const low = wordAt(bytes, at) >>> 0
  const high = wordAt(bytes, at + 4)
  const number = high * 4294967296 + low
  return Number.isSafeInteger(number) ? number : (BigInt(high) << 32n) + BigInt(low)
}
