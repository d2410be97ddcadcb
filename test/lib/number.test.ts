import fc from 'fast-check'
import * as twins from 'lib/number'
import { describe, expect, it } from 'vitest'
import { NUMBER_INEXACT, NUMBER_MALFORMED, NUMBER_STORED } from '../../assembly/abi/number'
import { ARENA, backends, difference, POISON, place, random, untouched } from './backends'

const runs = backends(twins)
const [wasm, js] = runs
const AT = ARENA + 1024
const OUT = ARENA + 4096
const encoder = new TextEncoder()
const bits = new BigUint64Array(new Float64Array(1).buffer)
const floats = new Float64Array(bits.buffer)
const bitsOf = (value: number) => {
  floats[0] = value
  return bits[0]
}

/** The grammar of C's strtod without hexadecimal numbers and blanks, whole words. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const SPECIAL = /^[+-]?(inf|infinity|nan)$/i

function parse(run: (typeof runs)[number], text: string, at = AT, name = 'parseDecimal') {
  const { length } = text
  place(run.u8, at, [], length)
  encoder.encodeInto(text, run.u8.subarray(at, at + length))
  place(run.u8, OUT, [], 16)
  const status = run.call(name, at, at + length, OUT)
  return { status, bits: run.view.getBigUint64(OUT, true), second: run.view.getBigUint64(OUT + 8, true) }
}

/** Fails unless `text` is read as Number() reads it or, where `inexact` allows, left to it. */
function check(text: string, inexact: boolean, at = AT): number {
  const [a, b] = [parse(wasm, text, at), parse(js, text, at)]
  const good = DECIMAL.test(text)
  const statuses = good
    ? [NUMBER_STORED, ...(inexact ? [NUMBER_INEXACT] : [])]
    : [SPECIAL.test(text) ? NUMBER_INEXACT : NUMBER_MALFORMED]
  const stored = a.status === NUMBER_STORED
  const right = stored ? a.bits === bitsOf(Number(text)) : a.bits === b.bits && untouched(wasm.u8, OUT, OUT + 8)
  if (a.status !== b.status || a.bits !== b.bits || !statuses.includes(a.status) || !right) {
    expect.fail(
      `'${text}': wasm ${a.status} ${a.bits.toString(16)}, js ${b.status} ${b.bits.toString(16)}, Number ${Number(text)}`,
    )
  }
  return a.status
}

const next = random(5)
const digit = () => String.fromCharCode(48 + (next() % 10))
const digits = (count: number) => {
  let text = ''
  while (text.length < count) text += digit()
  return text
}
const SIGNS = ['', '', '-', '+']
const unit = () => next() / 2 ** 32 + next() / 2 ** 64

/** Decimals as devices and their peers write them, and as they might. */
const FORMS: Readonly<Record<string, () => string>> = {
  short: () => `${SIGNS[next() & 3]}${digits(next() % 4)}.${digits(1 + (next() % 8))}`,
  fixed: () => `${SIGNS[next() & 3]}${(unit() * 10 ** (next() % 6)).toFixed(1 + (next() % 9))}`,
  integer: () => `${SIGNS[next() & 3]}${digits(1 + (next() % 15))}`,
  exponent: () =>
    `${SIGNS[next() & 3]}${digits(1)}.${digits(next() % 8)}${next() & 1 ? 'e' : 'E'}${SIGNS[next() & 3]}${next() % 16}`,
}

describe('parseDecimal', () => {
  it('equals Number() bit by bit over a million decimals of up to 15 digits, and never leaves one to it', () => {
    const forms = Object.values(FORMS)
    for (let i = 0; i < 1_000_000; i++) check(forms[i & 3]!(), false)
  })

  it('equals Number() for shortest forms of any float64 between 1e-6 and 1e16, and leaves few to it', () => {
    let left = 0
    for (let i = 0; i < 200_000; i++) {
      left += check(`${(next() & 1 ? -1 : 1) * Number(`${1 + 9 * unit()}e${(next() % 22) - 6}`)}`, true)
      left += check(((1 + 9 * unit()) * 1e-3).toPrecision(16 + (next() & 1)), true)
    }
    expect(left).toBeLessThan(20)
  })

  it('equals Number() for any digits and exponents', () => {
    for (let i = 0; i < 200_000; i++) {
      check(
        `${SIGNS[next() & 3]}${digits(next() % 22)}.${digits(next() % 22)}e${SIGNS[next() & 3]}${next() % 40}`,
        true,
      )
      check(`0.${'0'.repeat(next() % 24)}${digits(1 + (next() % 19))}`, true)
    }
  })

  it('leaves what stands halfway between two float64, and rounds its neighbours', () => {
    for (let i = 0; i < 20_000; i++) {
      const even = 2n ** 53n + BigInt(next() % 2 ** 31) * 2n ** 21n + BigInt(next() % 2 ** 20) * 2n
      const half = even + 1n
      check(`${even}`, false)
      check(`${half}.0`, true)
      check(`${half}.5`, true)
      check(`${even}000000.${'0'.repeat(next() % 30)}`, false)
      check(`${half}e-${next() % 23}`, true)
      check(`${half}e${next() % 23}`, true)
    }
    expect(parse(wasm, `${2n ** 53n + 1n}`).status).toBe(NUMBER_INEXACT)
    expect(parse(wasm, `${2n ** 53n}`).status).toBe(NUMBER_STORED)
  })

  it.each([
    ['-0', NUMBER_STORED],
    ['-0.0', NUMBER_STORED],
    ['+0', NUMBER_STORED],
    ['0e999999999999', NUMBER_STORED],
    ['-.0e-999', NUMBER_STORED],
    ['5.', NUMBER_STORED],
    ['.5', NUMBER_STORED],
    ['-.5e1', NUMBER_STORED],
    ['5.e-3', NUMBER_STORED],
    ['1e22', NUMBER_STORED],
    ['1e-22', NUMBER_STORED],
    ['1e23', NUMBER_INEXACT],
    ['1e-23', NUMBER_INEXACT],
    ['123456789012345678', NUMBER_STORED],
    ['1234567890123456789', NUMBER_INEXACT],
    ['000000000000000000000000000000123', NUMBER_STORED],
    ['9007199254740993', NUMBER_INEXACT],
    ['1e99999999999999999999', NUMBER_INEXACT],
    ['inf', NUMBER_INEXACT],
    ['-INF', NUMBER_INEXACT],
    ['+Infinity', NUMBER_INEXACT],
    ['NaN', NUMBER_INEXACT],
    ['-nan', NUMBER_INEXACT],
    ['', NUMBER_MALFORMED],
    ['.', NUMBER_MALFORMED],
    ['+', NUMBER_MALFORMED],
    ['-.', NUMBER_MALFORMED],
    ['e5', NUMBER_MALFORMED],
    ['.e5', NUMBER_MALFORMED],
    ['1e', NUMBER_MALFORMED],
    ['1e+', NUMBER_MALFORMED],
    ['1e5.', NUMBER_MALFORMED],
    ['1.2.3', NUMBER_MALFORMED],
    ['+-1', NUMBER_MALFORMED],
    ['1-', NUMBER_MALFORMED],
    ['0x10', NUMBER_MALFORMED],
    ['1_000', NUMBER_MALFORMED],
    [' 1', NUMBER_MALFORMED],
    ['1 ', NUMBER_MALFORMED],
    ['1\n', NUMBER_MALFORMED],
    ['1\0', NUMBER_MALFORMED],
    ['infin', NUMBER_MALFORMED],
    ['infinityx', NUMBER_MALFORMED],
    ['.inf', NUMBER_MALFORMED],
    ['1inf', NUMBER_MALFORMED],
    ['nan(1)', NUMBER_MALFORMED],
    ['1,5', NUMBER_MALFORMED],
    ['1/2', NUMBER_MALFORMED],
    ['1:2', NUMBER_MALFORMED],
    ['\x10\x11', NUMBER_MALFORMED],
    ['1234567/', NUMBER_MALFORMED],
    ['12345678:', NUMBER_MALFORMED],
    ['123456789012345678:', NUMBER_MALFORMED],
  ])('%j: %i', (text, status) => {
    expect(check(text, true)).toBe(status)
  })

  it('gives a large exponent and as many digits their due', () => {
    for (const zeros of [30, 1000, 50_000]) {
      const text = `0.${'0'.repeat(zeros)}125e${zeros + 2}`
      const at = AT + 8192
      for (const run of runs) {
        run.u8.set(encoder.encode(text), at)
        expect(run.call('parseDecimal', at, at + text.length, OUT)).toBe(NUMBER_STORED)
        expect(run.view.getFloat64(OUT, true)).toBe(12.5)
      }
    }
  })

  it('reads every length at every alignment, whatever stands around the word', () => {
    for (let length = 1; length <= 70; length++) {
      for (let shift = 0; shift < 16; shift++) {
        const point = next() % length
        const text = length === 1 ? digit() : `${digits(point)}.${digits(length - point - 1)}`
        for (const around of [0x30, 0x39, 0x2e, 0x2d, 0x65]) {
          const answers = runs.map((run) => {
            run.u8.fill(around, AT - 80, AT + 160)
            encoder.encodeInto(text, run.u8.subarray(AT + shift, AT + shift + length))
            place(run.u8, OUT, [], 8)
            const status = run.call('parseDecimal', AT + shift, AT + shift + length, OUT)
            if (!untouched(run.u8, OUT - 80, OUT) || !untouched(run.u8, OUT + 8, OUT + 88))
              expect.fail('wrote too much')
            return status === NUMBER_STORED ? run.view.getBigUint64(OUT, true) : status
          })
          const expected = answers[0] === NUMBER_INEXACT ? NUMBER_INEXACT : bitsOf(Number(text))
          if (answers.some((answer) => answer !== expected)) expect.fail(`${text}: ${answers}, not ${expected}`)
        }
      }
    }
  })

  it('takes no other text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'00123459..+-eEinfaty/:'), maxLength: 24 }),
        fc.nat(15),
        (text, shift) => void check(text, true, AT + shift),
      ),
      { numRuns: 30_000 },
    )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
        (text) => void check(text, true),
      ),
      { numRuns: 5000 },
    )
  })
})

describe('parseComplex', () => {
  const part = '[+-]?(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?|inf|infinity|nan)'
  const COMPLEX = new RegExp(`^(?:(${part})(?=$|[+-]))?(?:(${part})[jJ])?$`, 'i')

  /** Fails unless both backends read `text` as the parts that the expression finds. */
  function checkComplex(text: string, at = AT): number {
    const [a, b] = [parse(wasm, text, at, 'parseComplex'), parse(js, text, at, 'parseComplex')]
    const match = text === '' ? null : COMPLEX.exec(text)
    let expected = NUMBER_MALFORMED
    if (match) {
      const [real, imaginary] = [match[1] ?? '0', match[2] ?? '0']
      expected = Math.max(parse(js, real).status, parse(js, imaginary).status)
      if (expected === NUMBER_STORED && (a.bits !== bitsOf(Number(real)) || a.second !== bitsOf(Number(imaginary))))
        expect.fail(text)
    }
    if (a.status !== expected || b.status !== expected || a.bits !== b.bits || a.second !== b.second) {
      expect.fail(`'${text}': wasm ${a.status}, js ${b.status}, not ${expected}`)
    }
    return expected
  }

  it.each([
    ['1+2j', 1, 2],
    ['1-2j', 1, -2],
    ['-1.5', -1.5, 0],
    ['2.5j', 0, 2.5],
    ['-2J', 0, -2],
    ['+1+1j', 1, 1],
    ['1e-3-2e+4j', 0.001, -20000],
    ['1E5J', 0, 1e5],
    ['-0-0j', -0, -0],
    ['0.12345678901234568-0.9876543210987654j', 0.12345678901234568, -0.9876543210987654],
    ['1e-5j', 0, 1e-5],
    ['.5+5.j', 0.5, 5],
  ])('%s', (text, real, imaginary) => {
    expect(checkComplex(text)).toBe(NUMBER_STORED)
    parse(js, text, AT, 'parseComplex')
    expect([js.view.getFloat64(OUT, true), js.view.getFloat64(OUT + 8, true)]).toEqual([real, imaginary])
  })

  it.each([
    ['inf+nanj', NUMBER_INEXACT],
    ['-infj', NUMBER_INEXACT],
    ['1e30+1j', NUMBER_INEXACT],
    ['', NUMBER_MALFORMED],
    ['j', NUMBER_MALFORMED],
    ['+j', NUMBER_MALFORMED],
    ['1+j', NUMBER_MALFORMED],
    ['1+2', NUMBER_MALFORMED],
    ['(1+2j)', NUMBER_MALFORMED],
    ['1+2jj', NUMBER_MALFORMED],
    ['1j+2', NUMBER_MALFORMED],
    ['1 +2j', NUMBER_MALFORMED],
    ['1+-2j', NUMBER_MALFORMED],
    ['x+1e40j', NUMBER_MALFORMED],
    ['1e40+xj', NUMBER_MALFORMED],
  ])('%j: %i', (text, status) => {
    expect(checkComplex(text)).toBe(status)
  })

  it('equals Number() part by part', () => {
    const forms = Object.values(FORMS)
    for (let i = 0; i < 100_000; i++) {
      const imaginary = forms[next() & 3]!()
      const real = next() % 8 ? forms[next() & 3]!() : ''
      checkComplex(
        `${real}${/^[+-]/.test(imaginary) || real === '' ? '' : '+'}${imaginary}${next() % 16 ? 'j' : ''}`,
        AT + (i & 15),
      )
      checkComplex(`${(unit() - 0.5).toPrecision(17)}${next() & 1 ? '-' : '+'}${unit()}j`)
    }
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'00123459..+-eEjJinfa'), maxLength: 40 }),
        fc.nat(15),
        (text, shift) => void checkComplex(text, AT + shift),
      ),
      { numRuns: 30_000 },
    )
  })

  it('writes 16 bytes and no other', () => {
    for (const run of runs) {
      parse(run, '1.5-2.5j', AT, 'parseComplex')
      expect(untouched(run.u8, OUT - 80, OUT) && untouched(run.u8, OUT + 16, OUT + 96)).toBe(true)
      expect(run.u8[OUT - 1]).toBe(POISON)
    }
    expect(difference(OUT - 80, OUT + 96)).toBe(-1)
  })
})
