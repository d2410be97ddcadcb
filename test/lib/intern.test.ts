import * as twins from 'lib/intern'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  I_BYTES,
  I_END,
  I_MAX_BYTES,
  I_MAX_NAMES,
  I_MAX_PROBES,
  I_SLOT_COUNT,
  I_SLOTS,
} from '../../assembly/abi/intern'
import { L_INTERN, L_INTERN_END } from '../../assembly/abi/layout'
import { ARENA, backends, difference, place, untouched } from './backends'

const runs = backends(twins)
const AT = ARENA + 1024
const ascii = (text: string) => new TextEncoder().encode(text)

beforeEach(() => {
  for (const { u8 } of runs) u8.fill(0, L_INTERN, L_INTERN_END)
})

/** Interns on both backends, which have to agree on the id and on every byte of the table. */
function intern(name: Uint8Array, at = AT): number {
  const [a, b] = runs.map((run) => {
    place(run.u8, at, name)
    const id = run.call('intern', at, name.length)
    if (Buffer.compare(run.u8.subarray(at, at + name.length), name) !== 0) expect.fail('the name was written to')
    if (!untouched(run.u8, at + name.length, at + name.length + 80)) expect.fail('wrote behind the name')
    return id
  })
  expect(a).toBe(b)
  return a!
}

/** The slot where a name is looked for first: the one that it takes in an empty table. */
function slot(name: Uint8Array): number {
  const [{ u8, view, call }] = runs
  u8.fill(0, L_INTERN, L_INTERN_END)
  place(u8, AT, name)
  call('intern', AT, name.length)
  for (let i = 0; i < I_SLOT_COUNT; i++) if (view.getUint32(I_SLOTS + 4 * i, true)) return i
  expect.fail('not interned')
}

describe('intern', () => {
  it('numbers names from 1 and knows them again, wherever they stand', () => {
    const names = ['gain', 'sensor-list', 'org.freedesktop.DBus', 'x', '__proto__', 'constructor', 'gai', 'gains']
    names.forEach((name, i) => {
      expect(intern(ascii(name), AT + i)).toBe(i + 1)
    })
    for (let turn = 0; turn < 3; turn++) {
      names.forEach((name, i) => {
        expect(intern(ascii(name), AT + 7 * turn)).toBe(i + 1)
      })
    }
    expect(difference(L_INTERN, L_INTERN_END)).toBe(-1)
  })

  it('takes any bytes for what they are', () => {
    const ids = new Set<number>()
    for (let b = 0; b < 256; b++) ids.add(intern(Uint8Array.of(b)))
    ids.add(intern(Uint8Array.of(0, 0)))
    ids.add(intern(new Uint8Array(I_MAX_BYTES)))
    for (let i = 0; i < I_MAX_BYTES; i++) {
      const name = new Uint8Array(I_MAX_BYTES).fill(0x61)
      name[i] = 0xe1
      ids.add(intern(name))
    }
    expect(ids.size).toBe(258 + I_MAX_BYTES)
    expect(ids.has(0)).toBe(false)
  })

  it('leaves empty and long names alone', () => {
    expect(intern(new Uint8Array(0))).toBe(0)
    expect(intern(new Uint8Array(I_MAX_BYTES + 1).fill(0x61))).toBe(0)
    expect(intern(new Uint8Array(I_MAX_BYTES).fill(0x61))).toBe(1)
  })

  it('tells names apart that are chosen to fall into one slot', () => {
    const target = slot(ascii('first'))
    const names: Uint8Array[] = []
    for (let i = 0; names.length < 40; i++) {
      const name = ascii(`n${i.toString(36)}`)
      if (slot(name) === target) names.push(name)
    }
    runs[0].u8.fill(0, L_INTERN, L_INTERN_END)
    // Those that find no place near by stay what they are, and cost no more than the places that were looked at.
    const idOf = (i: number) => (i < I_MAX_PROBES ? i + 1 : 0)
    names.forEach((name, i) => {
      expect(intern(name)).toBe(idOf(i))
    })
    names.reverse().forEach((name, i) => {
      expect(intern(name)).toBe(idOf(names.length - 1 - i))
    })
  })

  it('spreads names that only their numbers tell apart', () => {
    for (const named of ['name-', 'org.example.Name', '/org/bluez/hci0/dev_00_11_22_', ' '.repeat(I_MAX_BYTES - 4)]) {
      for (const { u8 } of runs) u8.fill(0, L_INTERN, L_INTERN_END)
      for (let i = 0; i < 700; i++) expect(intern(ascii(named + i))).toBe(i + 1)
    }
  })

  it('answers 0 when it is full of names, and still knows those it has', () => {
    for (let i = 0; i < I_MAX_NAMES; i++) expect(intern(ascii(`name-${i}`))).toBe(i + 1)
    expect(intern(ascii('one-more'))).toBe(0)
    expect(intern(ascii('name-0'))).toBe(1)
    expect(intern(ascii(`name-${I_MAX_NAMES - 1}`))).toBe(I_MAX_NAMES)
    expect(difference(L_INTERN, L_INTERN_END)).toBe(-1)
  })

  it('answers 0 when it is full of bytes, and writes none behind its region', () => {
    for (const { u8 } of runs) u8.fill(0xa5, I_END, I_END + 256)
    const room = Math.floor((I_END - I_BYTES) / I_MAX_BYTES)
    expect(room).toBeLessThan(I_MAX_NAMES)
    for (let i = 0; i < room; i++) expect(intern(ascii(`${i}`.padStart(I_MAX_BYTES)))).toBe(i + 1)
    expect(intern(ascii('x'.repeat(I_MAX_BYTES)))).toBe(0)
    const left = I_END - I_BYTES - room * I_MAX_BYTES
    if (left > 0) expect(intern(ascii('y'.repeat(left)))).toBe(room + 1)
    expect(intern(ascii('z'))).toBe(0)
    for (const { u8 } of runs) expect(untouched(u8, I_END, I_END + 256)).toBe(true)
    expect(intern(ascii('0'.padStart(I_MAX_BYTES)))).toBe(1)
  })
})
