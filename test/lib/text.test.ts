import fc from 'fast-check'
import * as twins from 'lib/text'
import { describe, expect, it } from 'vitest'
import { ARENA, backends, place, random, unhex, vectors } from './backends'

const runs = backends(twins)
const AT = ARENA + 1024
const STATE = ARENA

/** RFC 3629 by the table of its section 4, a byte at a time: the set of byte ranges that may still follow. */
const TABLE: readonly (readonly (readonly [number, number])[])[] = [
  [[0x00, 0x7f]],
  [
    [0xc2, 0xdf],
    [0x80, 0xbf],
  ],
  [
    [0xe0, 0xe0],
    [0xa0, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xe1, 0xec],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xed, 0xed],
    [0x80, 0x9f],
    [0x80, 0xbf],
  ],
  [
    [0xee, 0xef],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xf0, 0xf0],
    [0x90, 0xbf],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xf1, 0xf3],
    [0x80, 0xbf],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xf4, 0xf4],
    [0x80, 0x8f],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
]

/** Index of the first byte after which no completion is good, the length where only the end is missing, -1 if good. */
function badAt(bytes: ArrayLike<number>, least = 0): number {
  let i = 0
  while (i < bytes.length) {
    let rows = TABLE.filter((row) => bytes[i]! >= Math.max(row[0]![0], least) && bytes[i]! <= row[0]![1])
    if (rows.length === 0) return i
    const { length } = rows[0]!
    for (let k = 1; k < length; k++) {
      if (i + k === bytes.length) return bytes.length
      rows = rows.filter((row) => bytes[i + k]! >= row[k]![0] && bytes[i + k]! <= row[k]![1])
      if (rows.length === 0) return i + k
    }
    i += length
  }
  return -1
}

/** Scans `bytes` in the pieces that `cuts` makes, from place to place in memory; the index of the bad byte as above. */
function scan(run: (typeof runs)[number], bytes: Uint8Array, cuts: readonly number[], at = AT): number {
  run.view.setUint32(STATE, 0, true)
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    place(run.u8, at, bytes.subarray(from, cut))
    const stop = run.call('utf8Scan', at, at + cut - from, STATE)
    if (stop !== at + cut - from) return from + stop - at
    from = cut
  }
  return run.view.getUint32(STATE, true) === 0 ? -1 : bytes.length
}

function fault(run: (typeof runs)[number], bytes: Uint8Array, least: number, at = AT): number {
  place(run.u8, at, bytes)
  const bad = run.call('utf8Fault', at, at + bytes.length, least)
  return bad === 0 ? -1 : bad - at
}

const SAMPLES = ['a', 'é', 'Я', '€', '汉', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}', '\0', ' ']
function sample(next: () => number, bytes: number): Uint8Array {
  let text = ''
  const plain = next() % 3
  while (text.length < bytes) text += next() % 4 < plain ? 'plain text' : SAMPLES[next() % SAMPLES.length]
  const out = new Uint8Array(new TextEncoder().encode(text).subarray(0, bytes))
  for (let hits = next() % 3; hits > 0 && bytes > 0; hits--) if (next() % 2) out[next() % bytes] = next()
  return out
}

describe.each(runs)('$backend', (run) => {
  it('copies as far as there is plain text, and little more', () => {
    const to = AT + 4096
    for (let length = 0; length <= 70; length++) {
      const at = AT + (length & 15)
      const text = Uint8Array.from({ length }, (_, i) => 1 + ((i * 7) % 127))
      place(run.u8, at, text)
      run.u8.fill(0xa5, to - 16, to + 128)
      expect(run.call('plainCopy', at, at + length, to)).toBe(at + length)
      expect(run.u8.slice(to, to + length)).toEqual(text)
      expect(run.u8.slice(to - 16, to).every((byte) => byte === 0xa5)).toBe(true)
      expect(run.u8.slice(to + length + 16, to + 128).every((byte) => byte === 0xa5)).toBe(true)
      for (let bad = 0; bad < length; bad++) {
        for (const byte of [0, 0x80, 0xff]) {
          run.u8[at + bad] = byte
          if (run.call('plainCopy', at, at + length, to) !== at + bad) expect.fail(`${length} ${bad} ${byte}`)
        }
        run.u8[at + bad] = text[bad]!
      }
    }
  })

  it('copies text word by word', () => {
    const to = AT + 4096
    for (let length = 0; length <= 70; length++) {
      const at = AT + (length & 12)
      const text = Uint8Array.from({ length }, (_, i) => 1 + ((i * 5) % 127))
      place(run.u8, at, text)
      run.u8.fill(0xa5, to - 16, to + 128)
      expect(run.call('plainWords', at, at + length, to)).toBe(at + length)
      expect(run.u8.slice(to, to + length)).toEqual(text)
      const aligned = to + ((length + 3) & ~3)
      expect(run.u8.slice(to + length, aligned).every((byte) => byte === 0)).toBe(true)
      expect(run.u8.slice(aligned + 16, to + 128).every((byte) => byte === 0xa5)).toBe(true)
      for (let bad = 0; bad < length; bad++) {
        for (const byte of [0, 0x80, 0xff]) {
          run.u8[at + bad] = byte
          if (run.call('plainWords', at, at + length, to) !== at + bad) expect.fail(`${length} ${bad} ${byte}`)
        }
        run.u8[at + bad] = text[bad]!
      }
    }
  })

  it('finds the first byte that is not ASCII, and with plainPrefix NUL', () => {
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const at = AT + shift
        place(run.u8, at, new Uint8Array(length).fill(0x7f))
        expect(run.call('asciiPrefix', at, at + length)).toBe(at + length)
        expect(run.call('plainPrefix', at, at + length)).toBe(at + length)
        for (let bad = length - 1; bad >= 0; bad -= 1 + (shift & 3)) {
          run.u8[at + bad] = 0x80
          if (run.call('asciiPrefix', at, at + length) !== at + bad) expect.fail(`${length} ${shift} ${bad}`)
          if (run.call('plainPrefix', at, at + length) !== at + bad) expect.fail(`${length} ${shift} ${bad}`)
          run.u8[at + bad] = 0
          if (run.call('asciiPrefix', at, at + length) < at + length) {
            expect(run.call('asciiPrefix', at, at + length)).toBeGreaterThan(at + bad)
          }
          if (run.call('plainPrefix', at, at + length) !== at + bad) expect.fail(`${length} ${shift} ${bad}`)
          run.u8[at + bad] = bad & 1 ? 1 : 0x80
        }
      }
    }
  })

  it('agrees with the vectors, whole, byte by byte and at every split', () => {
    interface Case {
      bytes: string
      valid: boolean
      badAt: number
    }
    const { cases } = vectors<{ cases: Case[] }>('websocket/kernel-utf8.json')
    expect(cases.length).toBeGreaterThan(300)
    for (const one of cases) {
      const bytes = unhex(one.bytes)
      expect(badAt(bytes), one.bytes).toBe(one.badAt)
      expect(fault(run, bytes, 0), one.bytes).toBe(one.badAt)
      expect(scan(run, bytes, [...bytes.keys()]), one.bytes).toBe(one.badAt)
      for (let cut = 0; cut <= bytes.length; cut++) {
        if (scan(run, bytes, [cut]) !== one.badAt) expect.fail(`${one.bytes} cut at ${cut}`)
      }
    }
  })

  it('knows every pair and every first three bytes of a character', () => {
    const bytes = new Uint8Array(32).fill(0x61)
    const place3 = (a: number, b: number, c: number, d: number) => {
      for (const at of [3, 14]) {
        bytes.fill(0x61).set([a, b, c, d], at)
        const expected = badAt(bytes)
        if (fault(run, bytes, 0) !== expected || scan(run, bytes, []) !== expected) {
          expect.fail(Buffer.from(bytes).toString('hex'))
        }
      }
    }
    for (let a = 0; a < 256; a++) for (let b = 0; b < 256; b++) place3(a, b, 0x80, a < 0xf0 ? 0x20 : 0xbf)
    for (const a of [0xc3, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4]) {
      for (let c = 0; c < 256; c++)
        for (const d of [0x20, 0x7f, 0x80, 0xbf, 0xc0, 0xff])
          place3(a, a === 0xe0 ? 0xa0 : a === 0xf0 ? 0x90 : 0x80, c, d)
    }
  })

  it('finds the fault at all lengths and alignments, and nothing behind the end', () => {
    const next = random(1)
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const bytes = sample(next, length)
        const cuts = [next() % (length + 1), next() % (length + 1)].sort((a, b) => a - b)
        const got = [
          scan(run, bytes, [], AT + shift),
          scan(run, bytes, cuts, AT + shift),
          fault(run, bytes, 0, AT + shift),
          fault(run, bytes, 1, AT + shift),
        ]
        const whole = badAt(bytes)
        if (`${got}` !== `${[whole, whole, whole, badAt(bytes, 1)]}`) {
          expect.fail(`${Buffer.from(bytes).toString('hex')} ${cuts}: ${got}, not ${whole}`)
        }
      }
    }
  })

  it('leaves the state word alone on a fault', () => {
    run.view.setUint32(STATE, 5, true)
    place(run.u8, AT, [0xa0])
    expect(run.call('utf8Scan', AT, AT + 1, STATE)).toBe(AT)
    expect(run.view.getUint32(STATE, true)).toBe(5)
  })

  it('agrees with the reference on any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => new TextEncoder().encode(text)),
        ),
        fc.nat(15),
        fc.nat(),
        (bytes, shift, cut) => {
          const expected = badAt(bytes)
          expect(scan(run, new Uint8Array(bytes), [cut % (bytes.length + 1)], AT + shift)).toBe(expected)
          expect(fault(run, new Uint8Array(bytes), 0, AT + shift)).toBe(expected)
          expect(fault(run, new Uint8Array(bytes), 1, AT + shift)).toBe(badAt(bytes, 1))
        },
      ),
      { numRuns: 2000 },
    )
  })
})

it.each(runs)('counts the UTF-16 code units of good text, $backend', (run) => {
  const next = random(3)
  for (let i = 0; i < 500; i++) {
    let text = ''
    for (let parts = next() % 20; parts > 0; parts--)
      text += ['a', 'plain text', 'é', '€uro', '😀', '\u0800', '\uffff'][next() % 7]
    const bytes = new TextEncoder().encode(text)
    const at = AT + (next() & 15)
    place(run.u8, at, bytes)
    expect(run.call('utf16Length', at, at + bytes.length)).toBe(text.length)
  }
})

it('has the same state after every prefix on both backends', () => {
  const next = random(2)
  for (let i = 0; i < 500; i++) {
    const bytes = sample(next, next() % 60)
    const states = runs.map((run) => {
      run.view.setUint32(STATE, 0, true)
      place(run.u8, AT, bytes)
      const stop = run.call('utf8Scan', AT, AT + bytes.length, STATE)
      return [stop, run.view.getUint32(STATE, true)]
    })
    expect(states[0]).toEqual(states[1])
  }
})
