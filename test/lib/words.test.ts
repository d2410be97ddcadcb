import fc from 'fast-check'
import * as twins from 'lib/words'
import { describe, expect, it } from 'vitest'
import {
  KF_BLANKS,
  KF_ESCAPED,
  KF_NON_ASCII,
  KF_WORD_ESCAPED,
  KS_COUNT,
  KS_FLAGS,
  KS_WORD,
  KS_WORDS_AT,
  KW_ESCAPED,
} from '../../assembly/abi/katcp'
import { L_SLACK } from '../../assembly/abi/layout'
import { ARENA, backends, place, random, untouched } from './backends'

const runs = backends(twins)
type Run = (typeof runs)[number]
const AT = ARENA + 4096
const OUT = ARENA + 16384
const BASE = 1000

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const MEANING: Readonly<Record<string, string>> = {
  '\\': '\\',
  _: ' ',
  '0': '\0',
  n: '\n',
  r: '\r',
  e: '\x1b',
  t: '\t',
  '@': '',
}
const LETTER = new Map(Object.entries(MEANING).map(([letter, byte]) => [byte, letter]))

/** What scanWords has to say of `text`: by the grammar as an expression, then split at blanks. */
function words(text: string) {
  const good = /^(?:[^\0\n\r\x1b\\]|\\[\\_0nret@])*/.exec(text)![0]
  const parts = good.split(/[ \t]/)
  const last = parts.pop()!
  const positions: number[] = []
  let at = BASE
  let flags = 0
  for (const part of parts) {
    if (part === '') flags |= KF_BLANKS
    else positions.push(part.includes('\\') ? (at | KW_ESCAPED) >>> 0 : at)
    at += part.length + 1
  }
  if (/[\x80-\xff]/.test(good)) flags |= KF_NON_ASCII
  if (good.includes('\\')) flags |= KF_ESCAPED
  if (last.includes('\\')) flags |= KF_WORD_ESCAPED
  return { stop: good.length, positions, word: at, flags }
}

/** Scans `text` on a tape of `room` words, emptied whenever it is full, and with more bytes coming at the cuts. */
function scan(run: Run, text: string, room: number, cuts: readonly number[], shift = 0): ReturnType<typeof words> {
  const at = AT + shift
  const bytes = latin1(text)
  place(run.u8, at, bytes)
  run.view.setUint32(KS_WORD, BASE, true)
  run.view.setUint32(KS_FLAGS, 0, true)
  const positions: number[] = []
  let p = at
  for (const cut of [...cuts, bytes.length]) {
    const end = at + cut
    while (p < end || cut === bytes.length) {
      place(run.u8, OUT, [], room * 4)
      const stop = run.call('scanWords', p, end, at, BASE, OUT, OUT + room * 4)
      const to = run.view.getUint32(KS_WORDS_AT, true)
      if (to > OUT + room * 4 || !untouched(run.u8, OUT - 80, OUT)) expect.fail('left the tape')
      if (!untouched(run.u8, OUT + room * 4 + 4, OUT + room * 4 + 80)) expect.fail('wrote behind the tape')
      for (let q = OUT; q < to; q += 4) positions.push(run.view.getUint32(q, true))
      p = stop
      const full = to === OUT + room * 4 && p < end && (run.u8[p] === 0x20 || run.u8[p] === 9)
      if (!full) break
    }
  }
  return { stop: p - at, positions, word: run.view.getUint32(KS_WORD, true), flags: run.view.getUint32(KS_FLAGS, true) }
}

const next = random(12)
const PIECES = [
  ' ',
  ' ',
  ' ',
  '  ',
  '\t',
  'a',
  'gain',
  '1.5',
  'input0-x',
  '\\_',
  '\\\\',
  '\\@',
  '\\n',
  'é',
  '\x80ÿ',
  '!',
  '~',
]
const RARE = ['\\', '\\x', '\n', '\r', '\0', '\x1b', '\x01', '\\\xe9']
function line(length: number, wild: number): string {
  let text = ''
  const kinds = 2 + (next() % (PIECES.length - 1))
  while (text.length < length) {
    text +=
      next() % 100 < wild
        ? RARE[next() % RARE.length]
        : (PIECES[(next() % kinds) + (next() % 3 ? 0 : next() % (PIECES.length - kinds + 1))] ?? 'z')
  }
  return text.slice(0, length)
}

describe.each(runs)('$backend', (run) => {
  it('splits lines at all lengths and alignments as the grammar says', () => {
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const text = line(length, shift % 3)
        if (JSON.stringify(scan(run, text, 100, [], shift)) !== JSON.stringify(words(text))) {
          expect(scan(run, text, 100, [], shift), JSON.stringify(text)).toEqual(words(text))
        }
      }
    }
  })

  it('goes on after a full tape and after every cut', () => {
    for (let i = 0; i < 2000; i++) {
      const text = line(next() % 300, i % 2)
      const cuts = [next() % (text.length + 1), next() % (text.length + 1)].sort((a, b) => a - b)
      const room = 1 + (next() % 40)
      if (JSON.stringify(scan(run, text, room, cuts)) !== JSON.stringify(words(text))) {
        expect(scan(run, text, room, cuts), JSON.stringify({ text, room, cuts })).toEqual(words(text))
      }
    }
  })

  it('splits any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 90 }),
      fc.array(fc.constantFrom(32, 32, 97, 92, 95, 0x80), { maxLength: 90 }),
    )
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 90 }), (codes, room) => {
        const text = String.fromCharCode(...codes)
        expect(scan(run, text, room, [])).toEqual(words(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('knows the escapes', () => {
    for (let b = 0; b < 256; b++) expect(run.call('isEscape', b)).toBe(Number(String.fromCharCode(b) in MEANING))
  })

  it('finds the end of names and lines', () => {
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const at = AT + shift
        place(run.u8, at, new Uint8Array(length).fill(0x2d))
        run.u8[at + length] = 10
        expect(run.call('skipLine', at, at + length)).toBe(at + length)
        expect(run.call('skipName', at, at + length)).toBe(at + length)
        if (length === 0) continue
        const bad = next() % length
        run.u8[at + bad] = shift & 1 ? 10 : 13
        expect(run.call('skipLine', at, at + length)).toBe(at + bad)
        expect(run.call('skipName', at, at + length)).toBe(at + bad)
      }
    }
    for (let b = 0; b < 256; b++) {
      place(run.u8, AT, [b])
      expect(run.call('skipName', AT, AT + 1) - AT).toBe(/[A-Za-z0-9-]/.test(String.fromCharCode(b)) ? 1 : 0)
      expect(run.call('skipLine', AT, AT + 1) - AT).toBe(b === 10 || b === 13 ? 0 : 1)
    }
  })

  it('writes escapes and takes them back, all lengths and alignments', () => {
    for (let length = 0; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const special = next() % 3 ? 4 : 1
        const text = Array.from({ length }, () =>
          next() % special ? 'x' : [...' \\\n\r\t\0\x1b@é\x80'][next() % 10],
        ).join('')
        const at = AT + shift
        place(run.u8, at, latin1(text))
        run.view.setUint32(KS_COUNT, 0, true)
        run.view.setUint32(KS_WORD, 0, true)
        const expected = latin1(text.replace(/[ \\\n\r\t\0\x1b]/g, (c) => `\\${LETTER.get(c)}`))
        place(run.u8, OUT, [], 2 * length)
        const end = run.call('escapeWords', at, at + length, OUT, 0)
        expect(Buffer.compare(run.u8.subarray(OUT, end), expected)).toBe(0)
        expect(untouched(run.u8, OUT - 80, OUT) && untouched(run.u8, OUT + 2 * length, OUT + 2 * length + 80)).toBe(
          true,
        )
        place(run.u8, at, expected)
        place(run.u8, OUT, [], length)
        // With bytes behind the word that may be read, and without.
        for (const readable of [0, 40]) {
          const end = at + expected.length
          const back = run.call('unescapeWord', at, end, end + readable, OUT)
          expect(Buffer.compare(run.u8.subarray(OUT, back), latin1(text))).toBe(0)
          expect(untouched(run.u8, OUT - 80, OUT) && untouched(run.u8, back + L_SLACK, back + 80)).toBe(true)
        }
      }
    }
  })

  it('writes nothing for the escape of an empty argument', () => {
    place(run.u8, AT, latin1('\\@a\\@b\\@'))
    expect(run.call('unescapeWord', AT, AT + 8, AT + 8, OUT)).toBe(OUT + 2)
    expect([...run.u8.subarray(OUT, OUT + 2)]).toEqual([0x61, 0x62])
  })

  it('writes arguments that NUL separates, in one call or in pieces', () => {
    for (let i = 0; i < 2000; i++) {
      const args = Array.from({ length: 1 + (next() % 12) }, () =>
        Array.from({ length: next() % 4 ? next() % 20 : 0 }, () =>
          next() % 8 ? 'y' : [...' \\\n\té'][next() % 5],
        ).join(''),
      )
      const bytes = latin1(args.join('\0'))
      const cut = next() % (bytes.length + 1)
      run.view.setUint32(KS_COUNT, 5, true)
      run.view.setUint32(KS_WORD, 0, true)
      place(run.u8, AT, bytes)
      place(run.u8, OUT, [], 2 * bytes.length + 2)
      const middle = run.call('escapeWords', AT, AT + cut, OUT, 1)
      const end = run.call('escapeWords', AT + cut, AT + bytes.length, middle, 1)
      const escaped = args.map((arg) => arg.replace(/[ \\\n\t]/g, (c) => `\\${LETTER.get(c)}`))
      const last = escaped.pop()!
      const expected = latin1([...escaped.map((arg) => arg || '\\@'), last].join(' '))
      if (Buffer.compare(run.u8.subarray(OUT, end), expected) !== 0) expect.fail(JSON.stringify({ args, cut }))
      expect(run.view.getUint32(KS_COUNT, true)).toBe(5 + args.length - 1)
      expect(run.view.getUint32(KS_WORD, true)).toBe(last === '' ? 0 : 1)
    }
  })
})
