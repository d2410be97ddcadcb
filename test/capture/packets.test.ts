import { describe, expect, it } from 'vitest'
import { CaptureFault, CaptureReader, isCapture } from '../../bindings/capture/packets'
import { dbus } from '../../bindings/cli/formats/dbus'
import { WireError } from '../../bindings/core/error'
import { toJson } from '../../bindings/core/json'
import { encode, signal } from '../../bindings/dbus/index'

const LINK = 231
const MOST = 0x10000000

/** Numbers of a file: [bytes, value] in one order. */
function words(little: boolean, ...parts: readonly (readonly [2 | 4, number] | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  for (const part of parts) {
    if (part instanceof Uint8Array) bytes.push(...part)
    else {
      const [size, value] = part
      const view = new DataView(new ArrayBuffer(4))
      if (size === 2) view.setUint16(0, value, little)
      else view.setUint32(0, value, little)
      bytes.push(...new Uint8Array(view.buffer, 0, size))
    }
  }
  return Uint8Array.from(bytes)
}
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const padded = (bytes: Uint8Array) => joined(bytes, new Uint8Array(-bytes.length & 3))

const pcapHeader = (little: boolean, { nano = false, link = LINK } = {}) =>
  words(little, [4, nano ? 0xa1b23c4d : 0xa1b2c3d4], [2, 2], [2, 4], [4, 0], [4, 0], [4, 0x40000], [4, link])
const pcapPacket = (little: boolean, data: Uint8Array, seconds: number, fraction: number, length = data.length) =>
  words(little, [4, seconds], [4, fraction], [4, data.length], [4, length], data)

const block = (little: boolean, type: number, body: Uint8Array) =>
  words(little, [4, type], [4, body.length + 12], body, [4, body.length + 12])
const section = (little: boolean) =>
  block(little, 0x0a0d0d0a, words(little, [4, 0x1a2b3c4d], [2, 1], [2, 0], [4, 0xffffffff], [4, 0xffffffff]))
const device = (little: boolean, options = new Uint8Array(0), link = LINK) =>
  block(little, 1, words(little, [2, link], [2, 0], [4, 4096], options))
const enhanced = (little: boolean, data: Uint8Array, stamp: bigint, source = 0, length = data.length) =>
  block(
    little,
    6,
    words(
      little,
      [4, source],
      [4, Number(stamp >> 32n)],
      [4, Number(stamp & 0xffffffffn)],
      [4, data.length],
      [4, length],
      padded(data),
    ),
  )

type Seen = [data: number[], time: string | undefined, offset: number, missing: number]
function read(file: Uint8Array, size = file.length): Seen[] {
  const reader = new CaptureReader(LINK, MOST)
  const seen: Seen[] = []
  for (let at = 0; at < file.length; at += size) {
    reader.push(file.slice(at, at + size), ({ bytes, time, offset, missing }) =>
      seen.push([[...bytes], time, offset, missing]),
    )
  }
  reader.end()
  return seen
}
function faultOf(file: Uint8Array): [number, string] {
  try {
    read(file)
  } catch (error) {
    expect(error).toBeInstanceOf(CaptureFault)
    return [(error as CaptureFault).offset, (error as CaptureFault).message]
  }
  throw new Error('no fault')
}

const one = Uint8Array.of(1, 2, 3)
const two = Uint8Array.of(4)

describe.each([true, false])('little-endian: %s', (little) => {
  it.each([
    [false, 123_456, '2001-09-09T01:46:40.123456Z'],
    [true, 123_456_789, '2001-09-09T01:46:40.123456789Z'],
  ])('pcap, nanoseconds: %s', (nano, fraction, time) => {
    const file = joined(
      pcapHeader(little, { nano }),
      pcapPacket(little, one, 1_000_000_000, fraction),
      pcapPacket(little, two, 0, 0, 9),
    )
    const expected = [
      [[...one], time, 40, 0],
      [[...two], '1970-01-01T00:00:00.000000Z', 59, 8],
    ]
    for (let size = 1; size <= file.length; size++) expect(read(file, size)).toEqual(expected)
    expect(isCapture(file)).toBe(true)
  })

  it('pcapng: sections, resolutions, simple packets, and blocks that are not known', () => {
    const nano = words(little, [2, 1], [2, 3], padded(two), [2, 9], [2, 1], Uint8Array.of(9, 0, 0, 0), [4, 0])
    const binary = words(little, [2, 9], [2, 1], Uint8Array.of(0x8a, 0, 0, 0))
    const file = joined(
      section(little),
      device(little),
      device(little, nano),
      device(little, binary),
      block(little, 0xbad, one.slice(0, 0)),
      enhanced(little, one, 1_000_000_000_123_456n),
      enhanced(little, two, 1_000_000_000_123_456_789n, 1),
      enhanced(little, two, 1_000_000_000n * 1024n + 512n, 2, 5),
      block(little, 3, words(little, [4, 3], padded(one))),
      section(!little),
      device(!little),
      enhanced(!little, two, 0n),
    )
    const seen = read(file)
    expect(seen.map(([data, time, , missing]) => [data, time, missing])).toEqual([
      [[...one], '2001-09-09T01:46:40.123456Z', 0],
      [[...two], '2001-09-09T01:46:40.123456789Z', 0],
      [[...two], '2001-09-09T01:46:40.500000Z', 4],
      [[...one], undefined, 0],
      [[...two], '1970-01-01T00:00:00.000000Z', 0],
    ])
    for (const [data, , offset] of seen) expect([...file.subarray(offset, offset + data.length)]).toEqual(data)
    for (let size = 1; size <= file.length; size += 7) expect(read(file, size)).toEqual(seen)
  })

  it('names what is wrong with a file, and where', () => {
    const start = pcapHeader(little)
    expect(faultOf(pcapHeader(little, { link: 1 }))).toEqual([20, 'link type 1, not 231'])
    expect(faultOf(joined(start, words(little, [4, 0], [4, 0], [4, 0x10000001], [4, 0])))[0]).toBe(32)
    expect(faultOf(joined(start, pcapPacket(little, one, 0, 0).slice(0, -1)))).toEqual([
      42,
      'the file ends inside of a record',
    ])
    const head = joined(section(little), device(little))
    expect(faultOf(joined(section(little), device(little, one.slice(0, 0), 1)))[0]).toBe(36)
    expect(faultOf(joined(head, enhanced(little, one, 0n, 1)))).toEqual([56, 'there is no interface 1'])
    expect(faultOf(joined(section(little), block(little, 3, words(little, [4, 0]))))[0]).toBe(28)
    expect(faultOf(joined(head, block(little, 6, new Uint8Array(16))))[0]).toBe(52)
    expect(faultOf(joined(head, words(little, [4, 6], [4, 14], [4, 0], [4, 0])))[0]).toBe(52)
    expect(faultOf(joined(head, words(little, [4, 9], [4, 12], [4, 16])))[0]).toBe(56)
    const long = enhanced(little, one, 0n)
    long.set(words(little, [4, 5]), 20)
    expect(faultOf(joined(head, long))[0]).toBe(68)
    const odd = section(little)
    odd[8] = 0
    expect(faultOf(odd)[0]).toBe(8)
  })
})

it('tells captures from streams by four bytes', () => {
  expect(isCapture(Uint8Array.of(0xd4, 0xc3, 0xb2))).toBeUndefined()
  expect(isCapture(encode(signal({ serial: 1, path: '/', interface: 'a.b', member: 'c' })))).toBe(false)
  expect(faultOf(new Uint8Array(24))).toEqual([0, 'neither pcap nor pcapng'])
})

describe('captures of D-Bus', () => {
  const message = (serial: number) => encode(signal({ serial, path: '/', interface: 'a.b', member: 'c' }, 's', ['x']))
  const bad = message(2)
  bad[bad.length - 1] = 1
  const unknown = message(9)
  unknown[1] = 77
  const file = joined(
    pcapHeader(true),
    pcapPacket(true, message(1), 0, 7),
    pcapPacket(true, unknown, 0, 8),
    pcapPacket(true, bad, 0, 8),
    pcapPacket(true, message(3).slice(0, -4), 0, 9, message(3).length),
    pcapPacket(true, joined(message(4), one), 0, 9),
    pcapPacket(true, message(5), 0, 9),
  )
  const records = (length: number) => 24 + length * (16 + bad.length)

  function units(keepGoing: boolean, bytes: Uint8Array, size: number): { units: unknown[]; fault: unknown } {
    const reader = dbus.decoder({ limits: dbus.limits, options: {}, keepGoing })
    const all: unknown[] = []
    try {
      for (let at = 0; at < bytes.length; at += size) {
        reader.push(bytes.slice(at, at + size))
        all.push(...reader.readAll())
      }
      reader.end()
      for (;;) {
        const some = reader.readAll()
        if (some.length === 0) return { units: all, fault: undefined }
        all.push(...some)
      }
    } catch (fault) {
      return { units: all, fault }
    }
  }
  const shown = (unit: unknown) =>
    WireError.is(unit)
      ? [unit.code, unit.offset]
      : JSON.parse(toJson(unit)).time.slice(-3) + JSON.parse(toJson(unit)).serial

  it.each([1, 5, 100, 10_000])('reads messages and faults, chunks of %i bytes', (size) => {
    const all = units(true, file, size)
    expect(all.fault).toBeUndefined()
    expect(all.units.map(shown)).toEqual([
      '07Z1',
      ['WT_DBUS_STRING_NUL', records(3) - 1],
      ['WT_TRUNCATED', records(4) - 4],
      ['WT_TRAILING_BYTES', records(5) - 4],
      '09Z5',
    ])
    const first = units(false, file, size)
    expect(first.units.map(shown)).toEqual(['07Z1'])
    expect(shown(first.fault)).toEqual(['WT_DBUS_STRING_NUL', records(3) - 1])
  })

  it('reports a broken file', () => {
    const { units: good, fault } = units(true, file.slice(0, records(1) + 5), 50)
    expect(good.map(shown)).toEqual(['07Z1'])
    expect(shown(fault)).toEqual(['WT_DBUS_CAPTURE', records(1) + 5])
  })

  it.each([1, 3, 1000])('still reads plain streams, and short ones, chunks of %i bytes', (size) => {
    const stream = joined(message(1), message(2))
    expect(units(true, stream, size).units).toHaveLength(2)
    const { fault } = units(true, stream.slice(0, 3), size)
    expect(shown(fault)).toEqual(['WT_TRUNCATED', 3])
    expect(units(true, new Uint8Array(0), size)).toEqual({ units: [], fault: undefined })
  })
})
