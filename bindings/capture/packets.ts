import { Accumulator } from '../core/accumulator'

/** One recorded packet. */
export interface Packet {
  readonly bytes: Uint8Array
  /** Of its first byte in the file. */
  readonly offset: number
  /** When it was seen, UTC: `2026-01-31T12:00:00.123456Z`. */
  readonly time: string | undefined
  /** Bytes that the recorder left out at its end. */
  readonly missing: number
}

/** What is wrong with a file of packets, and where. */
export class CaptureFault extends Error {
  readonly offset: number
  constructor(offset: number, text: string) {
    super(text)
    this.offset = offset
  }
}

/** Link type of messages as they stand on the wire, see https://www.tcpdump.org/linktypes.html. */
export const LINKTYPE_DBUS = 231

/** pcap: microseconds, or nanoseconds; by the order of these bytes the order of all others is known. */
const PCAP_MICRO = 0xa1b2c3d4
const PCAP_NANO = 0xa1b23c4d
const PCAP_HEADER = 24
const PCAP_RECORD = 16

/* pcapng: blocks of a type, their length before and behind the body (draft-ietf-opsawg-pcapng). */
const SECTION = 0x0a0d0d0a
const SECTION_ORDER = 0x1a2b3c4d
const INTERFACE = 1
const SIMPLE_PACKET = 3
const ENHANCED_PACKET = 6
const BLOCK_OVERHEAD = 12
const OPTION_END = 0
const OPTION_RESOLUTION = 9

interface Interface {
  readonly snapLength: number
  /** Units of a time stamp in a second. */
  readonly perSecond: bigint
}

/** Whether a file that begins so is pcap or pcapng; undefined: four bytes are needed to tell. */
export function isCapture(start: Uint8Array): boolean | undefined {
  if (start.length < 4) return undefined
  const view = new DataView(start.buffer, start.byteOffset)
  return [true, false].some((little) => [PCAP_MICRO, PCAP_NANO, SECTION].includes(view.getUint32(0, little)))
}

function timeOf(stamp: bigint, perSecond: bigint): string {
  const seconds = stamp / perSecond
  const fraction = ((stamp % perSecond) * 1_000_000_000n) / perSecond
  const digits = String(fraction).padStart(9, '0').replace(/000$/, '')
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? `${seconds}.${digits}` : date.toISOString().replace(/\.000Z$/, `.${digits}Z`)
}

/** Packets of a pcap or pcapng file, in any chunking. All must be of one link type. */
export class CaptureReader {
  readonly #linkType: number
  readonly #maxRecord: number
  readonly #waiting = new Accumulator()
  #need = 4
  /** Of the first byte that waits. */
  #offset = 0
  #little = true
  #kind: 'pcap' | 'pcapng' | undefined
  #interfaces: Interface[] = []

  /** A record is held until it is whole; one that claims to be longer than `maxRecord` bytes is none. */
  constructor(linkType: number, maxRecord: number) {
    this.#linkType = linkType
    this.#maxRecord = maxRecord
  }

  /** Takes a chunk and hands every packet that is whole to `sink`. Throws a CaptureFault. */
  push(chunk: Uint8Array, sink: (packet: Packet) => void): void {
    this.#waiting.append(chunk)
    if (this.#waiting.length < this.#need) return
    const bytes = this.#waiting.take()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let from = 0
    for (;;) {
      const left = bytes.length - from
      const need = this.#record(bytes, view, from, left, sink)
      if (need > left) {
        this.#need = need
        this.#waiting.append(bytes, from)
        this.#offset += from
        return
      }
      from += need
    }
  }

  /** Throws where the file ends inside of a record; an empty file has no packets. */
  end(): void {
    const { length } = this.#waiting
    if (length > 0) throw new CaptureFault(this.#offset + length, 'the file ends inside of a record')
  }

  /** Bytes of the record at `at`; more than there are where it is not whole, and nothing was done then. */
  #record(bytes: Uint8Array, view: DataView, at: number, left: number, sink: (packet: Packet) => void): number {
    if (this.#kind === 'pcap') return this.#packet(bytes, view, at, left, sink)
    if (this.#kind === 'pcapng') return this.#block(bytes, view, at, left, sink)
    if (left < 4) return 4
    if (view.getUint32(at) === SECTION) {
      this.#kind = 'pcapng'
      return this.#block(bytes, view, at, left, sink)
    }
    if (left < PCAP_HEADER) return PCAP_HEADER
    this.#little = [PCAP_MICRO, PCAP_NANO].includes(view.getUint32(at, true))
    const magic = view.getUint32(at, this.#little)
    if (magic !== PCAP_MICRO && magic !== PCAP_NANO) this.#fault(at, 'neither pcap nor pcapng')
    this.#kind = 'pcap'
    this.#interface(at + 20, view.getUint32(at + 20, this.#little) & 0xffff, 0, magic === PCAP_NANO ? 9 : 6)
    return PCAP_HEADER
  }

  #packet(bytes: Uint8Array, view: DataView, at: number, left: number, sink: (packet: Packet) => void): number {
    if (left < PCAP_RECORD) return PCAP_RECORD
    const word = (place: number): number => view.getUint32(at + place, this.#little)
    const length = word(8)
    if (length > this.#maxRecord) this.#fault(at + 8, `a packet of ${length} bytes`)
    const end = PCAP_RECORD + length
    if (left < end) return end
    const { perSecond } = this.#interfaces[0]!
    const stamp = BigInt(word(0)) * perSecond + BigInt(word(4))
    this.#emit(bytes, at + PCAP_RECORD, length, word(12), timeOf(stamp, perSecond), sink)
    return end
  }

  #block(bytes: Uint8Array, view: DataView, at: number, left: number, sink: (packet: Packet) => void): number {
    if (left < BLOCK_OVERHEAD) return BLOCK_OVERHEAD
    if (view.getUint32(at) === SECTION) {
      this.#little = view.getUint32(at + 8, true) === SECTION_ORDER
      if (view.getUint32(at + 8, this.#little) !== SECTION_ORDER) this.#fault(at + 8, 'no byte order of pcapng')
      this.#interfaces = []
    }
    const word = (place: number): number => view.getUint32(at + place, this.#little)
    const type = word(0)
    const total = word(4)
    if (total < BLOCK_OVERHEAD || total > this.#maxRecord || total % 4 !== 0)
      this.#fault(at + 4, `a block of ${total} bytes`)
    if (left < total) return total
    if (word(total - 4) !== total) this.#fault(at + total - 4, 'the lengths before and behind a block differ')
    const least = (body: number): void => {
      if (total < BLOCK_OVERHEAD + body) this.#fault(at + 4, `a block of ${total} bytes is too short for its type`)
    }
    if (type === INTERFACE) {
      least(8)
      const resolution = this.#resolution(view, at + 16, at + total - 4)
      this.#interface(at + 8, view.getUint16(at + 8, this.#little), word(12), resolution)
    } else if (type === ENHANCED_PACKET) {
      least(20)
      const source = this.#interfaces[word(8)]
      if (source === undefined) return this.#fault(at + 8, `there is no interface ${word(8)}`)
      const length = word(20)
      if (length > total - BLOCK_OVERHEAD - 20) this.#fault(at + 20, 'a packet is longer than its block')
      const stamp = (BigInt(word(12)) << 32n) | BigInt(word(16))
      this.#emit(bytes, at + 28, length, word(24), timeOf(stamp, source.perSecond), sink)
    } else if (type === SIMPLE_PACKET) {
      least(4)
      const source = this.#interfaces[0]
      if (source === undefined) return this.#fault(at, 'there is no interface 0')
      const length = Math.min(word(8), source.snapLength || word(8))
      if (length > total - BLOCK_OVERHEAD - 4) this.#fault(at + 8, 'a packet is longer than its block')
      this.#emit(bytes, at + 12, length, word(8), undefined, sink)
    }
    return total
  }

  /** The exponent that the options of an interface give its time stamps: of ten, or where negative of two. */
  #resolution(view: DataView, from: number, end: number): number {
    for (let at = from; at + 4 <= end; ) {
      const code = view.getUint16(at, this.#little)
      const length = view.getUint16(at + 2, this.#little)
      if (code === OPTION_END) break
      if (code === OPTION_RESOLUTION && length === 1 && at + 4 < end) {
        const value = view.getUint8(at + 4)
        return value < 0x80 ? value : -(value & 0x7f)
      }
      at += 4 + ((length + 3) & ~3)
    }
    return 6
  }

  #interface(at: number, linkType: number, snapLength: number, resolution: number): void {
    if (linkType !== this.#linkType) this.#fault(at, `link type ${linkType}, not ${this.#linkType}`)
    const perSecond = resolution < 0 ? 2n ** BigInt(-resolution) : 10n ** BigInt(resolution)
    this.#interfaces.push({ snapLength, perSecond })
  }

  #emit(
    bytes: Uint8Array,
    at: number,
    length: number,
    original: number,
    time: string | undefined,
    sink: (packet: Packet) => void,
  ): void {
    sink({
      bytes: bytes.subarray(at, at + length),
      offset: this.#offset + at,
      time,
      missing: Math.max(0, original - length),
    })
  }

  #fault(at: number, text: string): never {
    throw new CaptureFault(this.#offset + at, text)
  }
}
