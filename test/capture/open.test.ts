import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type CaptureFormatName, FORMATS, openCapture, unitLine } from '../../bindings/capture/index'
import { WireError } from '../../bindings/core/error'
import { fflateDeflate } from '../../bindings/fflate/index'
import { useBackend } from '../../bindings/index'
import { nobleCipher } from '../../bindings/noble/index'
import samples from '../../examples/samples.json'
import { faultOf } from '../fault'
import { fromHex, vectorJson } from '../vectors'

afterEach(() => {
  useBackend('auto')
})

const fileBytes = (path: string) => new Uint8Array(readFileSync(new URL(`../../examples/${path}`, import.meta.url)))

/** The lines of a capture in pieces of `size`, and the fault at its end. */
function read(
  format: CaptureFormatName,
  bytes: Uint8Array,
  size: number,
  options: Readonly<Record<string, string>> = {},
): { lines: string[]; fault: WireError | undefined } {
  const reader = openCapture(format, { options, deflate: fflateDeflate, cipher: nobleCipher })
  const lines: string[] = []
  const take = () => {
    for (let units = reader.readAll(); units.length > 0; units = reader.readAll())
      for (const unit of units) lines.push(unitLine(unit) as string)
  }
  try {
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.slice(at, at + size))
      take()
    }
    reader.end()
    take()
  } catch (error) {
    if (!WireError.is(error)) throw error
    return { lines, fault: error }
  }
  return { lines, fault: undefined }
}

describe.each(samples)('the sample $file', ({ file, format, options }) => {
  const name = format as CaptureFormatName
  const given = options as unknown as Readonly<Record<string, string>>
  const bytes = fileBytes(file)
  const whole = read(name, bytes, bytes.length, given)

  it('has units and no fault', () => {
    expect(whole.fault).toBeUndefined()
    expect(whole.lines.length).toBeGreaterThan(5)
  })

  it.each(['wasm', 'js'] as const)('gives the same in all chunkings, and cut short, with %s', (backend) => {
    useBackend(backend)
    for (const size of [1, 7, 4096]) expect(read(name, bytes, size, given)).toEqual(whole)
    const cut = bytes.subarray(0, -1)
    const { lines, fault } = read(name, cut, cut.length, given)
    expect(fault).toMatchObject({
      code: file.endsWith('.pcap') ? 'WT_DBUS_CAPTURE' : 'WT_TRUNCATED',
      offset: cut.length,
    })
    expect(lines).toEqual(whole.lines.slice(0, lines.length))
    for (const size of [1, 7, 4096]) expect(read(name, cut, size, given)).toEqual({ lines, fault })
  })
})

describe('the samples of examples/', () => {
  it('of HDS and OPACK are made of the vectors', () => {
    type Case = { readonly id: string; readonly op: string; readonly payload: { hex: string }; readonly hex: string }
    const cases = (path: string) => vectorJson<{ cases: Case[] }>(path).cases
    const join = (texts: readonly string[]) => fromHex(texts.join(''))
    const ids = read('hds', fileBytes('hds/session.bin'), 1 << 16).lines
    const payloads = cases('hds/messages.json').flatMap(({ op, payload }) =>
      op === 'message' && payload.hex ? [payload.hex] : [],
    )
    const session = Buffer.from(fileBytes('hds/session.bin')).toString('hex')
    expect(ids.length).toBe(11)
    // Every message of it is one of them.
    let rest = session
    while (rest !== '') {
      const next = payloads.find((hex) => rest.startsWith(hex))
      expect(next).toBeDefined()
      rest = rest.slice(next!.length)
    }
    const values = cases('hds/opack.json').filter(({ id, op }) => op === 'roundtrip' && id !== 'opack-dict-bool-keys')
    expect(Buffer.compare(fileBytes('opack/values.bin'), join(values.map(({ hex }) => hex)))).toBe(0)
  })
})

describe('openCapture', () => {
  const usage = (run: () => unknown) => {
    const fault = faultOf(run)
    expect(fault.kind).toBe('usage')
    return fault.message
  }

  it('knows the formats', () => {
    expect(Object.keys(FORMATS)).toEqual(['dbus', 'hds', 'hpack', 'katcp', 'websocket'])
    expect(() => openCapture('telnet' as 'katcp')).toThrow(TypeError)
    expect(() => openCapture('toString' as 'katcp')).toThrow(TypeError)
  })

  it('refuses what is no option, limit or value of one', () => {
    expect(usage(() => openCapture('websocket'))).toContain('the option role is needed: server or client')
    expect(usage(() => openCapture('websocket', { options: { role: 'both' } }))).toContain('role must be')
    expect(usage(() => openCapture('websocket', { options: { role: true } }))).toContain('role needs a value')
    expect(usage(() => openCapture('katcp', { options: { role: 'server' } }))).toContain('no option role')
    expect(usage(() => openCapture('hds', { options: { tagged: 'yes' } }))).toContain('tagged is a switch')
    expect(usage(() => openCapture('hds', { options: { key: '00' } }))).toContain('64 hexadecimal digits')
    expect(usage(() => openCapture('hds', { options: { key: '0'.repeat(64), counter: '-1' } }))).toContain('counter')
    expect(usage(() => openCapture('katcp', { limits: { maxNonsense: 1 } }))).toContain('maxNonsense')
    expect(usage(() => openCapture('hds', { limits: { maxItems: -1 } }))).toContain('maxItems')
    expect(usage(() => openCapture('hpack', { keepGoing: true }))).toContain('cannot go on')
    expect(usage(() => openCapture('katcp', 1 as unknown as object))).toContain('settings must be an object')
    openCapture('hds', { options: { tagged: true, unit: undefined, key: undefined } })
    openCapture('websocket', { options: { role: 'server', deflate: false } })
  })

  it('asks for an adapter where the runtime has none', () => {
    const options = { role: 'client', deflate: true }
    expect(usage(() => openCapture('websocket', { options }))).toContain('wiretape/fflate')
    // `Hello`, compressed, of RFC 7692, section 7.2.3.1.
    const reader = openCapture('websocket', { options, deflate: fflateDeflate })
    reader.push(Uint8Array.of(0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00))
    expect(reader.readAll()).toEqual([{ type: 'text', data: 'Hello' }])
  })

  it('goes on after bad units where it is asked to', () => {
    const reader = openCapture('katcp', { keepGoing: true })
    reader.push(new TextEncoder().encode('?a\n1bad\n?b\n'))
    const [first, bad, last] = reader.readAll().map(unitLine)
    expect([first, last]).toEqual(['a', 'b'].map((name) => `{"type":"request","name":"${name}","args":[]}`))
    expect(bad).toMatchObject({ code: 'WT_KATCP_BAD_TYPE', offset: 3 })
  })
})

describe('what waits for the rest of a unit', () => {
  it('is bounded by the limits, whatever a record of packets claims', () => {
    const file = fileBytes('dbus/session.pcap').slice(0, 24 + 16)
    new DataView(file.buffer).setUint32(24 + 8, 100_000_000, true)
    const reader = openCapture('dbus', { limits: { maxBufferedBytes: 1 << 20, maxMessageBytes: 1 << 20 } })
    reader.push(file)
    expect(faultOf(() => reader.readAll())).toMatchObject({ code: 'WT_DBUS_CAPTURE', offset: 24 + 8 })
  })

  it('is bounded by the longest block, where a line of digits has no end', () => {
    const reader = openCapture('hpack', { options: { framing: 'hex' } })
    const digits = new Uint8Array(1 << 24).fill(0x38)
    for (let i = 0; i < 2; i++) reader.push(digits)
    expect(reader.readAll()).toEqual([])
    reader.push(digits)
    expect(faultOf(() => reader.readAll())).toMatchObject({ code: 'WT_HPACK_FRAMING', offset: 0 })
  })

  it('is counted from the start of the capture, in HDS too', () => {
    const bytes = fileBytes('hds/session.bin')
    const bad = Uint8Array.from([...bytes, ...bytes.subarray(0, 46)])
    bad[bytes.length + 1] = 0
    for (const size of [1, 50, 10_000]) {
      const { lines, fault } = read('hds', bad, size)
      expect(lines).toHaveLength(11)
      expect(fault).toMatchObject({ code: 'WT_HDS_TAG', offset: bytes.length + 1 })
    }
  })
})
