import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { backendReason, useBackend } from '../../bindings/index'
import { Decoder, decode, encode, type Message, type MessageInput, WireError } from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson, vectorLines } from '../vectors'
import { withoutStacks } from './reference'
import { CODE_OF, type Expected, TYPE_OF, type WireFault, type WireMessage } from './words'

interface LineCase {
  readonly line: string
  readonly expect?: WireMessage
  readonly encoded?: string
  readonly katcpPython?: Expected | 'ignored'
  readonly leftToRight?: Expected | 'ignored'
}
interface Segment {
  readonly hex: string
  readonly repeat: number
}
interface StreamCase {
  readonly stream?: string
  readonly segments?: readonly Segment[]
  readonly limit?: number
  readonly expect: readonly Expected[]
  readonly pendingBytes?: number
}

const file = <T>(name: string) => vectorJson<{ cases: T[] }>(`katcp/${name}.json`).cases
const lineFiles = ['messages', 'names', 'mids', 'whitespace', 'escapes', 'errors']
const lineCases: LineCase[] = lineFiles.flatMap((name) => file<LineCase>(name)).filter(({ line }) => line !== undefined)
lineCases.push(...file<LineCase>('bug-reports').filter(({ line }) => line !== undefined))
for (const record of vectorLines<LineCase & { ok?: [WireMessage['type'], string, number | null, string[]] }>(
  'katcp/differential-lines.jsonl.gz',
)) {
  const { ok } = record
  lineCases.push(ok ? { ...record, expect: { type: ok[0], name: ok[1], mid: ok[2], args: ok[3] } } : record)
}
const streamCases: StreamCase[] = [
  ...file<StreamCase>('streams'),
  ...file<StreamCase>('bug-reports').filter(({ stream }) => stream !== undefined),
  ...vectorLines<StreamCase>('katcp/differential-streams.jsonl.gz'),
]

const join = (segments: readonly Segment[]) => fromHex(segments.map(({ hex, repeat }) => hex.repeat(repeat)).join(''))

function digest(args: Message['args']): string {
  const hash = createHash('sha256')
  const length = new Uint8Array(4)
  for (let i = 0; i < args.length; i++) {
    const bytes = args.bytes(i)!
    new DataView(length.buffer).setUint32(0, bytes.length, true)
    hash.update(length).update(bytes)
  }
  return hash.digest('hex')
}

const SIGIL_OF = { request: '?', reply: '!', inform: '#' } as const

/** What was decoded in the words of the vectors; of an error the offset in its line, found from where the line started. */
const neutral = (message: Message, big = false) => {
  const { type, name, id = null, args } = message
  const head = { type: SIGIL_OF[type], name, mid: id }
  if (big) return { ...head, argc: args.length, argsDigest: digest(args) }
  return { ...head, args: Array.from({ length: args.length }, (_, i) => toHex(args.bytes(i)!)) }
}

const input = ({ type, name, mid, args = [] }: WireMessage): MessageInput => ({
  type: TYPE_OF[type],
  name,
  id: mid ?? undefined,
  args: args.map(fromHex),
})

describe.each(['wasm', 'js'] as const)('KATCP vectors, %s', (backend) => {
  it('really run on that backend', () => {
    expect(useBackend(backend), String(backendReason())).toBe(backend)
  })

  it('decode good lines, and encode them canonically', () => {
    useBackend(backend)
    let good = 0
    for (const { line, expect: message, encoded } of lineCases) {
      if (!message) continue
      good++
      for (const ending of ['', '0a', '0d', '0d0a']) {
        expect(neutral(decode(fromHex(line + ending))), line).toEqual(message)
      }
      if (encoded) {
        expect(toHex(encode(input(message))), line).toBe(encoded)
        const decoded = decode(fromHex(line))
        expect(
          toHex(
            encode({ ...decoded, args: Array.from({ length: decoded.args.length }, (_, i) => decoded.args.bytes(i)!) }),
          ),
          line,
        ).toBe(encoded)
      }
    }
    expect(good).toBeGreaterThan(1500)
  })

  it('strings, whole lists and single arguments agree', () => {
    useBackend(backend)
    for (const { line, expect: message } of lineCases) {
      if (!message) continue
      const { args } = decode(fromHex(line))
      const latin1 = message.args!.map((hex) => Buffer.from(hex, 'hex').toString('latin1'))
      expect(latin1.map((_, i) => args.text(i, 'latin1'))).toEqual(latin1)
      const texts = message.args!.map((hex) => {
        try {
          return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromHex(hex))
        } catch {
          return undefined
        }
      })
      texts.forEach((text, i) => {
        if (text === undefined) expect(faultOf(() => args.at(i)).code).toBe('WT_KATCP_UTF8')
        else expect(args.at(i)).toBe(text)
      })
      if (texts.includes(undefined)) expect(faultOf(() => args.toArray()).code).toBe('WT_KATCP_UTF8')
      else expect(args.toArray()).toEqual(texts)
    }
  })

  it('name the first offending byte of bad lines', () => {
    useBackend(backend)
    let bad = 0
    for (const { line, leftToRight } of lineCases) {
      if (leftToRight === undefined) continue
      const fault =
        leftToRight === 'ignored' || !('error' in leftToRight) ? ({ error: 'empty-line' } as WireFault) : leftToRight
      if (leftToRight !== 'ignored' && !('error' in leftToRight)) {
        expect(neutral(decode(fromHex(line))), line).toEqual(leftToRight)
        continue
      }
      bad++
      for (const ending of ['', '0a']) {
        const error = faultOf(() => decode(fromHex(line + ending)))
        expect(error.code, line).toBe(CODE_OF[fault.error])
        expect(error.protocol).toBe('katcp')
        if (fault.offset !== undefined) expect(error.offset, line).toBe(fault.offset)
        if (fault.char !== undefined) expect(error.message, line).toContain(`byte 0x${fault.char}`)
      }
    }
    expect(bad).toBeGreaterThan(1000)
  })

  it('name the error that katcp-python names', () => {
    useBackend(backend)
    let compared = 0
    for (const { line, katcpPython, leftToRight } of lineCases) {
      if (katcpPython === undefined || katcpPython === 'ignored' || leftToRight === 'ignored') continue
      if (!('error' in katcpPython)) continue
      if (leftToRight === undefined || !('error' in leftToRight)) continue
      compared++
      const error = faultOf(() => decode(fromHex(line), { errorOrder: 'katcp-python' }))
      // katcp-python has one word for a bad name and a bad id.
      const code =
        katcpPython.error === 'bad-name' && error.code === 'WT_KATCP_BAD_ID' ? error.code : CODE_OF[katcpPython.error]
      // An id above the range passes there; where an argument is bad too, that is what it names.
      if (!(leftToRight.error === 'mid-out-of-range' && error.code === 'WT_KATCP_ID_RANGE')) {
        expect(error.code, line).toBe(code)
      }
      if (katcpPython.char !== undefined) expect(error.message, line).toContain(`byte 0x${katcpPython.char}`)
    }
    expect(compared).toBeGreaterThan(1000)
  })

  it('count arguments', () => {
    useBackend(backend)
    for (const { segments, argc, argsDigest } of file<{ segments: Segment[]; argc: number; argsDigest: string }>(
      'argcounts',
    )) {
      const { args } = decode(join(segments))
      expect(args.length).toBe(argc)
      expect(digest(args)).toBe(argsDigest)
      expect(
        args
          .toArray()
          .map((text, i) => text === args.at(i))
          .every(Boolean),
      ).toBe(true)
    }
  })

  /** Feeds the bytes in the given pieces; errors get the offset in their line. */
  function run(bytes: Uint8Array, cuts: readonly number[], limit: number | undefined, big: boolean) {
    const decoder = new Decoder(limit === undefined ? {} : { limits: { maxLineBytes: limit } })
    const units: unknown[] = []
    let from = 0
    for (const to of [...cuts, bytes.length]) {
      const piece = bytes.slice(from, to)
      decoder.push(piece)
      // The decoder owns what it gives out: what becomes of the chunk is the caller's business.
      piece.fill(0x5c)
      for (const unit of decoder) {
        if (!(unit instanceof WireError)) units.push(neutral(unit, big))
        else {
          let start = unit.offset
          while (start > 0 && !(bytes[start - 1] === 10 || bytes[start - 1] === 13)) start--
          units.push({ code: unit.code, offset: unit.offset - start })
        }
      }
      from = to
    }
    return { units, pending: decoder.buffered, taken: decoder.offset + decoder.buffered }
  }
  const wanted = (expected: readonly Expected[]) =>
    expected.map((unit) => ('error' in unit ? { code: CODE_OF[unit.error], offset: unit.offset } : unit))

  it('give the same units under any chunking', () => {
    useBackend(backend)
    let runs = 0
    withoutStacks(() => {
      for (const { stream, limit, expect: expected, pendingBytes } of streamCases) {
        const bytes = fromHex(stream!)
        const whole = run(bytes, [], limit, false)
        expect(whole.units, stream).toEqual(wanted(expected))
        expect(whole.taken).toBe(bytes.length)
        if (pendingBytes !== undefined) expect(whole.pending, stream).toBe(pendingBytes)
        const text = JSON.stringify(whole)
        const same = (cuts: readonly number[]) => {
          const pieces = run(bytes, cuts, limit, false)
          // A matcher for each of so many would take most of the time.
          if (JSON.stringify(pieces) !== text) expect(pieces, `${stream} cut at ${cuts}`).toEqual(whole)
          runs++
        }
        same(Array.from(bytes, (_, i) => i))
        const step = bytes.length > 400 ? 13 : 1
        for (let cut = 1; cut < bytes.length; cut += step) same([cut])
      }
    })
    expect(runs).toBeGreaterThan(20_000)
  })

  it('keep the limits', () => {
    useBackend(backend)
    for (const { segments, limit, expect: expected, pendingBytes } of file<StreamCase>('limits')) {
      const bytes = join(segments!)
      // A long name stands there by its length: "996 bytes".
      const units = (expected as readonly WireMessage[]).map((unit) => {
        const length = 'name' in unit && /^(\d+) bytes$/.exec(unit.name)?.[1]
        return length ? { ...unit, name: 'n'.repeat(Number(length)) } : unit
      })
      const big = units.some((unit) => 'argsDigest' in unit)
      const whole = run(bytes, [], limit, big)
      expect(whole.units).toEqual(wanted(units))
      expect(whole.taken).toBe(bytes.length)
      if (pendingBytes !== undefined) expect(whole.pending).toBe(pendingBytes)
      if (bytes.length < 5000)
        expect(
          run(
            bytes,
            Array.from(bytes, (_, i) => i),
            limit,
            big,
          ),
        ).toEqual(whole)
    }
  })

  it('encode what the peers encode', () => {
    useBackend(backend)
    const records = vectorLines<WireMessage & { encoded: string }>('katcp/differential-encode.jsonl.gz')
    expect(records.length).toBe(480)
    for (const record of records) {
      expect(toHex(encode(input(record)))).toBe(record.encoded)
      const latin1 = record.args!.map((hex) => Buffer.from(hex, 'hex'))
      if (latin1.every((bytes) => bytes.every((byte) => byte < 0x80))) {
        expect(toHex(encode({ ...input(record), args: latin1.map((bytes) => bytes.toString('latin1')) }))).toBe(
          record.encoded,
        )
      }
    }
  })

  it('refuse what must not be encoded', () => {
    useBackend(backend)
    interface Refused {
      readonly type: string
      readonly name: string
      readonly mid: number | null
      readonly katcpPython: string
      readonly katcpCodec: string
    }
    for (const { type, name, mid, katcpPython, katcpCodec } of file<Refused>('encode-errors')) {
      const message = { type: TYPE_OF[type as '?'] ?? type, name, id: mid ?? undefined } as MessageInput
      if (katcpPython === 'accepted' && katcpCodec === 'accepted') {
        expect(encode(message).length).toBeGreaterThan(0)
        continue
      }
      const error = faultOf(() => encode(message))
      const words = [katcpPython, katcpCodec].filter((word) => word !== 'accepted')
      // A negative id is out of range for one peer and malformed for the other.
      expect(words.map((word) => CODE_OF[word as keyof typeof CODE_OF])).toContain(error.code)
      expect(error.offset).toBe(-1)
      expect(error.path).toMatch(/^(type|name|id)$/)
    }
  })

  it('read the recorded session', () => {
    useBackend(backend)
    const records = vectorLines<{ stream: string; expect?: readonly Expected[]; messages?: readonly Expected[] }>(
      'katcp/captured-session.jsonl.gz',
    )
    expect(records.length).toBeGreaterThan(0)
    for (const record of records) {
      const bytes = fromHex(record.stream)
      const { units } = run(bytes, [], undefined, false)
      expect(units.length).toBeGreaterThan(10)
      const expected = record.expect ?? record.messages
      if (expected) expect(units).toEqual(wanted(expected))
      // Both peers write canonically, but for a CR or two before LF: encoding gives their bytes back.
      const again = [...new Decoder().push(bytes)].flatMap((unit) =>
        unit instanceof WireError ? [] : [...encode(unit)],
      )
      expect(toHex(Uint8Array.from(again))).toBe(toHex(bytes.filter((byte) => byte !== 13)))
    }
  })
})
