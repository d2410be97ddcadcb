import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CaptureFormatName, openCapture, unitLine } from '../../bindings/capture/index'
import { encodeAll as encodeDbus, signal } from '../../bindings/dbus/index'
import { fflateDeflate } from '../../bindings/fflate/index'
import { Encoder as HpackEncoder } from '../../bindings/hpack/index'
import { nobleCipher } from '../../bindings/noble/index'
import { Encoder, encodeAll } from '../../bindings/websocket/index'
import { guess } from '../../examples/playground/src/guess'
import type { Range, Reading } from '../../examples/playground/src/protocol'
import { Session } from '../../examples/playground/src/session'
import { Lines, Places } from '../../examples/playground/src/store'
import list from '../../examples/samples.json'

const ADAPTERS = { deflate: fflateDeflate, cipher: nobleCipher }
const samples = list.map(({ file, format, options }) => ({
  file,
  reading: {
    format: format as CaptureFormatName,
    options: options as unknown as Readonly<Record<string, string>>,
    keepGoing: false,
  } satisfies Reading,
}))
const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(`../../examples/${file}`, import.meta.url)))

/** A session that has decoded all, a little at a time. */
function session(bytes: Uint8Array, reading: Reading): Session {
  const made = new Session(bytes, reading, ADAPTERS)
  while (!made.progress.done) made.step(() => true)
  return made
}
const lines = (made: Session) => Array.from({ length: made.progress.units }, (_, i) => made.line(i))
const ranges = (made: Session) => Array.from({ length: made.progress.units }, (_, i) => made.unit(i).ranges)
const bytesAt = (bytes: Uint8Array, places: readonly Range[]) =>
  Uint8Array.from(places.flatMap(([from, to]) => [...bytes.subarray(from, to)]))

/** What the library says of all of it at once. */
function whole(bytes: Uint8Array, { format, options, keepGoing }: Reading): unknown[] {
  const reader = openCapture(format, { ...ADAPTERS, options, keepGoing })
  reader.push(bytes.slice())
  const units = [...reader.readAll()]
  reader.end()
  return [...units, ...reader.readAll()].map(unitLine)
}

describe.each(samples)('the playground on $file', ({ file, reading }) => {
  const bytes = bytesOf(file)
  const made = session(bytes, reading)

  it('has the units of the library', () => {
    expect(made.progress).toMatchObject({ fault: undefined, bad: 0, position: bytes.length })
    expect(lines(made)).toEqual(whole(bytes, reading))
  })

  it('knows where each of them stands', () => {
    const places = ranges(made)
    // No byte is of two units, and they follow each other.
    const flat = places.flat().sort((a, b) => a[0] - b[0])
    for (const [i, [from, to]] of flat.entries()) {
      expect(from).toBeLessThan(to)
      expect(from).toBeGreaterThanOrEqual(flat[i - 1]?.[1] ?? 0)
    }
    // What does not depend on what went before says the same by itself.
    if (reading.format === 'hpack' || reading.options['key']) return
    for (const [i, place] of places.entries()) {
      const alone = whole(bytesAt(bytes, place), reading) as string[]
      const time = /"time":"[^"]+",/
      expect([i, ...alone.map((line) => line.replace(time, ''))]).toEqual([i, made.line(i).replace(time, '')])
    }
  })

  it('finds a unit by any of its bytes', () => {
    for (const [i, place] of ranges(made).entries()) {
      for (const [from, to] of place) for (const offset of [from, to - 1]) expect(made.find(offset)).toBe(i)
    }
  })

  it('has a row for each', () => {
    for (let i = 0; i < made.progress.units; i++) {
      const { kind, text, size, bad } = made.row(i)
      expect(bad).toBe(false)
      expect(kind).toMatch(/^[a-z0-9 ]+$/)
      expect(text.length).toBeGreaterThan(0)
      expect(size).toBe(bytesAt(bytes, made.unit(i).ranges).length)
    }
  })

  it('ends with the fault of what is cut', () => {
    const cut = bytes.subarray(0, -1)
    const broken = session(cut, reading)
    const { units, fault } = broken.progress
    expect(fault).toMatchObject({ offset: cut.length })
    expect(broken.row(units - 1)).toMatchObject({ bad: true, kind: fault!.kind })
    expect(lines(broken).slice(0, -1)).toEqual(lines(made).slice(0, units - 1))
  })

  it('is guessed, all but what is sealed', () => {
    const guessed = guess(bytes, reading.options['unit'] ? 'x.opack' : 'capture')
    const framing = reading.format === 'hpack' ? { framing: 'http2' } : {}
    if (reading.options['key'] === undefined) {
      expect(guessed).toEqual({ format: reading.format, options: { ...reading.options, ...framing } })
    }
  })
})

describe('the playground', () => {
  const katcp = (keepGoing: boolean): Reading => ({ format: 'katcp', options: {}, keepGoing })
  const text = (value: string) => new TextEncoder().encode(value)

  it('goes on behind bad units where it is told to', () => {
    const bytes = text('?a\r\n\n1bad\n#b\n')
    const made = session(bytes, katcp(true))
    expect(made.progress).toMatchObject({ units: 3, bad: 1, fault: undefined })
    expect(made.unit(1).fault).toMatchObject({ code: 'WT_KATCP_BAD_TYPE', offset: 5 })
    expect(bytesAt(bytes, made.unit(1).ranges).at(-1)).toBe(10)
    expect(session(bytes, katcp(false)).progress).toMatchObject({ units: 2, fault: { offset: 5 } })
  })

  it('highlights the pieces of a message around what stands between them', () => {
    const mask = { role: 'client' } as const
    const encoder = new Encoder(mask)
    const frames = [
      { opcode: 1, fin: false, payload: text('one ') },
      { opcode: 9, fin: true, payload: text('ping') },
      { opcode: 0, fin: true, payload: text('two') },
    ] as const
    const pieces = frames.map((frame) => encoder.encode(frame as Parameters<Encoder['encode']>[0]))
    const bytes = Uint8Array.from(pieces.flatMap((piece) => [...piece]))
    const reading = { format: 'websocket', options: { role: 'server' }, keepGoing: false } as const
    const made = session(bytes, reading)
    const [first, second] = [pieces[0]!.length, pieces[0]!.length + pieces[1]!.length]
    expect(ranges(made)).toEqual([
      [[first, second]],
      [
        [0, first],
        [second, bytes.length],
      ],
    ])
    expect(made.find(second)).toBe(1)
    const inFrames = session(bytes, { ...reading, options: { role: 'server', emit: 'frames' } })
    expect(ranges(inFrames)).toHaveLength(3)
    expect(guess(bytes, 'x')).toEqual({ format: 'websocket', options: { role: 'server' } })
    expect(guess(encodeAll([{ type: 'ping' }], { role: 'server' }), 'x').options).toEqual({ role: 'client' })
  })

  it.each(['hex', 'length'])('places the faults of header blocks in the file, %s', (framing) => {
    const encoder = new HpackEncoder()
    const good = encoder.encode([[':status', '200']])
    const bad = Uint8Array.of(0x88, 0xff, 0xff, 0x03)
    const hex = (block: Uint8Array) => text(`${Buffer.from(block).toString('hex')}\n`)
    const counted = (block: Uint8Array) => Uint8Array.of(0, 0, 0, block.length, ...block)
    const write = framing === 'hex' ? hex : counted
    const bytes = Uint8Array.from([...write(good), ...write(bad)])
    const reading: Reading = { format: 'hpack', options: { framing }, keepGoing: false }
    const before = write(good).length
    expect(session(bytes, reading).progress.fault).toMatchObject({
      code: 'WT_HPACK_INDEX_RANGE',
      offset: framing === 'hex' ? before + 2 : before + 4 + 1,
    })
    expect(guess(bytes, 'x.hpack').format).toBe('hpack')
    if (framing === 'hex') expect(guess(bytes, 'x')).toEqual({ format: 'hpack', options: { framing: 'hex' } })
  })

  it('reads D-Bus from a socket as well', () => {
    const messages = [1, 2, 3].map((serial) =>
      signal({ serial, path: '/a', interface: 'a.b', member: 'C' }, 's', ['x']),
    )
    const bytes = encodeDbus(messages)
    const guessed = { ...guess(bytes, 'x'), keepGoing: false }
    expect(guessed.format).toBe('dbus')
    const made = session(bytes, guessed)
    expect(ranges(made)).toEqual([0, 1, 2].map((i) => [[i * (bytes.length / 3), (i + 1) * (bytes.length / 3)]]))
  })

  it('reads nothing, and junk of every format', () => {
    const junk = Uint8Array.from({ length: 5000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255)
    for (const { reading } of samples) {
      expect(session(new Uint8Array(0), reading).progress).toMatchObject({ units: 0, done: true, fault: undefined })
      const { fault, position } = session(junk, reading).progress
      expect(fault).toBeDefined()
      expect(position).toBeLessThanOrEqual(junk.length)
    }
  })
})

describe('the stores of the playground', () => {
  it('keep lines of all lengths', () => {
    const store = new Lines()
    const texts = [
      '',
      'ünï😀',
      'x'.repeat(3 << 20),
      'y',
      ...Array.from({ length: 5000 }, (_, i) => `line ${i} ${'é'.repeat(i % 700)}`),
    ]
    for (const line of texts) store.add(line)
    expect(store.length).toBe(texts.length)
    for (const [i, line] of texts.entries()) expect(store.get(i) === line, `line ${i}`).toBe(true)
  })

  it('find places, between units too', () => {
    const places = new Places()
    expect(places.find(0)).toBe(-1)
    places.add([[10, 20]])
    places.add([[25, 30]])
    expect([0, 10, 19, 22, 29, 99].map((offset) => places.find(offset))).toEqual([0, 0, 0, 1, 1, 1])
  })
})
