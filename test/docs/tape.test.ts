import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi/katcp'
import { ST_DONE, ST_MORE } from '../../assembly/abi/status'
import { scan } from '../katcp/kernels'
import { type Side, scriptSide, wasmSide } from '../lib/side'
import { fromHex } from '../vectors'
import { blocksOf } from './pages'

/*
 * The blocks `tape` of docs/guides/tape.md are what katcpScan really writes: their first line is the input, the others are printed
 * here anew, on both backends.
 */
const PAGE = 'docs/guides/tape.md'
const SIDES = { wasm: wasmSide(), js: scriptSide() }

const wordsOf = (hex: string): number[] => [...new Uint32Array(fromHex(hex).slice().buffer)]

const FIELDS = ['code', 'start', 'nameEnd', 'id', 'count', 'end', 'name', 'flags'] as const
const FLAGS: readonly (readonly [number, string])[] = [
  [abi.KF_NON_ASCII, 'not ASCII'],
  [abi.KF_ESCAPED, 'escaped'],
  [abi.KF_BLANKS, 'blanks'],
]
const TYPES = ['', 'request', 'reply', 'inform']
const PHASES = Object.entries(abi).filter(([name]) => name.startsWith('KP_'))

function recordText(record: readonly number[], i: number): string {
  const cells = FIELDS.map((field, k) => {
    const value = record[k]!
    if (field === 'code') return `code ${value === 0 ? 0 : `0x${value.toString(16)}`}`
    if (field !== 'flags') return `${field} ${value}`
    const names = FLAGS.filter(([bit]) => value & bit).map(([, name]) => name)
    return `flags ${[TYPES[value & abi.KF_TYPE], ...names].filter(Boolean).join(' + ') || 0}`
  })
  return `line ${i}   ${cells.join(', ')}`
}

/** What the kernel has written, as the page prints it. */
function printed(side: Side, input: string): string[] {
  const { status, lines, words, state } = scan(side, new TextEncoder().encode(input), [abi.KP_START, 0], 100, 100)
  const records = wordsOf(lines)
  const text = [`status   ${status === ST_DONE ? 'ST_DONE' : status === ST_MORE ? 'ST_MORE' : status}`]
  for (let at = 0; at < records.length; at += FIELDS.length) {
    // The record of a bad line says its code and where; the rest of it means nothing.
    const record = records.slice(at, at + FIELDS.length)
    text.push(recordText(record, at / FIELDS.length))
  }
  const positions = wordsOf(words).map((word) => `${word & abi.KW_POSITION}${word & abi.KW_ESCAPED ? ' escaped' : ''}`)
  text.push(`words    ${positions.join(', ') || 'none'}`)
  const [phase = 0, base, line, nameEnd] = state
  const name = PHASES.find(([, value]) => value === phase)![0]
  text.push(`state    phase ${name}${phase === abi.KP_START ? '' : `, base ${base}, line ${line}, nameEnd ${nameEnd}`}`)
  return text
}

describe(PAGE, () => {
  const blocks = blocksOf(PAGE).filter(({ language }) => language === 'tape')

  it('has tapes', () => {
    expect(blocks.length).toBeGreaterThan(1)
  })

  it.each(
    blocks.flatMap(({ code, line }) => Object.entries(SIDES).map(([name, side]) => [line, name, side, code] as const)),
  )('line %i shows what %s writes', (_, __, side, code) => {
    const [first = '', ...rest] = code.trimEnd().split('\n')
    expect(printed(side, JSON.parse(first.replace(/^input\s+/, '')))).toEqual(rest)
  })
})
