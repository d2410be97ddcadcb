import { describe, expect, it } from 'vitest'
import { checkText } from '../../scripts/check_portable.mjs'

/** Statements that a kernel must not have, with a word of what is said about them. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['let a: u32 = b / c', 'operator'],
  ['let a: u32 = b * c', 'operator'],
  ['let a: u32 = b % c', 'operator'],
  ['a |= b', 'operator'],
  ['a >>>= 1', 'operator'],
  ['if (a == b) return', 'operator'],
  ['let a: u32 = b | c', 'wrap'],
  ['let a: u32 = b << 3', 'wrap'],
  ['let a: u32 = (b ^ c) + 1', 'wrap'],
  ['let a: u32 = b & c', 'wrap'],
  ['let a: u32 = b >> 3', 'shift right'],
  ['let a: u32 = ~b >>> 0', 'no ~'],
  ['let a: u32 = -b', 'no ~'],
  ['let a = b', 'every variable'],
  ['let a: i32 = 1', 'only u32'],
  ['let a: u32 = b as u32', 'no casts'],
  ['let a: u32 = b!', 'no casts'],
  ["say('x')", 'no strings'],
  ['let a: u32 = load(b)', 'lib/mem'],
]

const ACCEPTED = [
  'let a: u32 = (b | c) >>> 0',
  'let a: u32 = (b << 3) >>> 0',
  'let a: u32 = b & 0xff',
  'let a: u32 = b >>> 3',
  'let a: u32 = ((b << 8) | c) >>> 0',
  'if ((a & b) !== 0) return',
  'let a: bool = b === c',
  'a = a + 1',
]

const inFunction = (statement: string) => `function f(a: u32, b: u32, c: u32): void {\n  ${statement}\n}\n`

describe('the portable subset', () => {
  it.each(REFUSED)('refuses %s', (statement, word) => {
    expect(checkText('kernel.ts', inFunction(statement)).join('\n')).toContain(word)
  })

  it.each(ACCEPTED)('accepts %s', (statement) => {
    expect(checkText('kernel.ts', inFunction(statement))).toEqual([])
  })

  it('refuses state, classes and foreign imports', () => {
    expect(checkText('kernel.ts', 'let a: u32 = 1\n').join()).toContain('no state')
    expect(checkText('kernel.ts', 'class A {}\n').join()).toContain('no classes')
    expect(checkText('kernel.ts', "import { x } from '../dbus/x'\n").join()).toContain('imports')
    expect(
      checkText('kernel.ts', "import { x } from '../abi/x'\nimport { y } from 'lib/y'\nimport { z } from './z'\n"),
    ).toEqual([])
  })
})
