import { beforeEach, describe, expect, it } from 'vitest'
import {
  type DecodeOptions,
  decode,
  decodeAt,
  encode,
  encodeChunks,
  encodedLength,
  encodeInto,
  int8,
  WireError,
} from '../../bindings/hds/index'
import { type Backend, backend, useBackend } from '../../bindings/index'
import { toHex, vectorJson } from '../vectors'
import { bytesOf, type Case, codeOf, inputOf, neutralOf, optionsOf, spelled } from './words'

const FILES = [
  ...['bugs', 'containers', 'data', 'encode-ints', 'errors', 'floats-dates-uuids', 'messages', 'opack'],
  ...['random-values', 'references', 'scalars', 'strings', 'tags'],
]
const cases = FILES.flatMap((name) => vectorJson<{ cases: Case[] }>(`hds/${name}.json`).cases)
const of = (...ops: string[]) => cases.filter(({ op }) => ops.includes(op))

/** What a call throws, or what it gives. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (!WireError.is(error)) throw error
    return error
  }
}

/** The modes that a case holds in: where it says nothing about references, their tags need a mode that has them. */
function modesOf(vector: Case): DecodeOptions[] {
  const options = optionsOf(vector)
  if (vector.error !== 'bad-reference' || options.references) return [options]
  return [
    { ...options, references: 'opack' },
    { ...options, references: 'hap-nodejs' },
  ]
}

describe.each<Backend>(['wasm', 'js'])('vectors of HDS and OPACK, %s', (name) => {
  beforeEach(() => {
    expect(useBackend(name)).toBe(name)
  })

  it('runs on that backend', () => {
    expect(backend()).toBe(name)
    expect(of('decode').length).toBe(547)
  })

  it.each(of('decode', 'roundtrip').map((vector) => [vector.id, vector] as const))('decodes %s', (_, vector) => {
    const bytes = bytesOf(vector)
    const untouched = toHex(bytes)
    for (const options of modesOf(vector)) {
      for (const types of ['plain', 'tagged'] as const) {
        for (const dict of ['pairs', 'map'] as const) {
          const result = outcome(() => decode(bytes, { ...options, types, dict }))
          if (vector.error !== undefined) {
            expect(result).toBeInstanceOf(WireError)
            const { code, offset, status } = result as WireError
            expect(code).toBe(codeOf(vector.error))
            expect(offset).toBeGreaterThanOrEqual(0)
            expect(offset).toBeLessThanOrEqual(bytes.length)
            if (vector.error !== 'trailing-bytes') expect(status).toBe(4)
            continue
          }
          if (dict === 'map' && vector.options?.['duplicates']) continue
          const tagged = types === 'tagged'
          const wanted = spelled(vector.value!, tagged)
          // A float that is whole reads as a plain number like any integer.
          if (tagged) expect(unlessFixed(neutralOf(result), wanted)).toEqual(wanted)
          else expect(loosely(neutralOf(result))).toEqual(loosely(wanted))
        }
      }
      if (vector.error === undefined) {
        const at = decodeAt(bytes, 0, { ...options, dict: 'pairs' })
        expect(at?.end).toBe(vector.consumed ?? bytes.length)
      }
    }
    expect(toHex(bytes)).toBe(untouched)
  })

  it('makes objects of dictionaries, without a prototype, the last of equal keys counting', () => {
    for (const vector of of('decode')) {
      if (vector.error !== undefined || vector.options?.['keys']) continue
      const result = decode(bytesOf(vector), optionsOf(vector))
      checkObjects(result)
    }
    expect(decode(bytesOf({ hex: 'e2416108416109' }))).toEqual({ a: 1 })
    expect(Object.keys(decode(bytesOf({ hex: 'e1495f5f70726f746f5f5fe14561646d696e01' })) as object)).toEqual([
      '__proto__',
    ])
  })

  it.each(of('encode', 'roundtrip').map((vector) => [vector.id, vector] as const))('encodes %s', (_, vector) => {
    if (vector.value === undefined) {
      // Inputs that only a program can write.
      const inputs: Record<string, () => Uint8Array> = {
        'HAP-NodeJS-uint8array-as-dict': () => encode(new Uint8Array([1, 2, 3])),
        'enc-str-lone-surrogate': () => encode('\ud800', { utf8: 'replace' }),
      }
      expect(toHex(inputs[vector.id]!())).toBe(toHex(bytesOf(vector.encoded!)))
      return
    }
    const value = inputOf(vector.value)
    const opack = vector.dialect === 'opack' || vector.options?.['references'] === 'opack'
    const options = opack ? ({ profile: 'opack' } as const) : undefined
    const bytes = bytesOf(vector.encoded ?? vector)
    expect(toHex(encode(value, options))).toBe(toHex(bytes))
    expect(encodedLength(value, options)).toBe(bytes.length)
    const target = new Uint8Array(bytes.length + 7).fill(0xee)
    expect(encodeInto(value, target, 3, options)).toBe(bytes.length + 3)
    expect(toHex(target)).toBe(`eeeeee${toHex(bytes)}eeeeeeee`)
    expect(toHex(new Uint8Array(Buffer.concat(encodeChunks(value, options))))).toBe(toHex(bytes))
  })

  it('keeps widths both ways with tagged types', () => {
    for (const vector of [...of('roundtrip'), ...of('encode')]) {
      if (vector.value === undefined) continue
      const opack = vector.dialect === 'opack' || vector.options?.['references'] === 'opack'
      const profile = opack ? 'opack' : 'hds'
      const bytes = bytesOf(vector.encoded ?? vector)
      const back = decode(bytes, { profile, types: 'tagged', dict: 'pairs' })
      expect(toHex(encode(back as never, { profile }))).toBe(toHex(bytes))
    }
  })

  it.each(of('encode-error').map((vector) => [vector.id, vector] as const))('refuses to encode %s', (id, vector) => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const sparse: unknown[] = []
    sparse[1] = 1
    const inputs: Record<string, () => unknown> = {
      'enc-err-int-2^63': () => encode(2n ** 63n),
      'enc-err-int--2^63-1': () => encode(-(2n ** 63n) - 1n),
      'enc-err-forced8-200': () => encode(int8(200)),
      'enc-err-undefined': () => encode(undefined as never),
      'enc-err-function': () => encode((() => 1) as never),
      'enc-err-symbol': () => encode(Symbol('x') as never),
      'HAP-NodeJS-sparse-array': () => encode(sparse),
      'HAP-NodeJS-cyclic-value': () => encode(cyclic),
    }
    // Those of messages stand in messages.test.ts.
    if (id.startsWith('enc-err-header') || id.startsWith('enc-err-payload') || id.startsWith('homebridge')) {
      expect(inputs[id]).toBeUndefined()
      return
    }
    const fault = outcome(inputs[id]!) as WireError
    expect(fault.code).toBe(codeOf(vector.error!))
    expect(fault.offset).toBe(-1)
  })

  it.each(of('all-strict-prefixes-fail').map((vector) => [vector.id, vector] as const))(
    'wants all of %s',
    (_, vector) => {
      const bytes = bytesOf(vector)
      for (let length = 0; length < bytes.length; length++) {
        const crop = bytes.slice(0, length)
        const fault = outcome(() => decode(crop)) as WireError
        expect(['WT_TRUNCATED', 'WT_HDS_UNTERMINATED']).toContain(fault.code)
        expect(fault.kind).toBe('truncated')
        expect(fault.offset).toBe(length)
        expect(decodeAt(crop, 0)).toBeUndefined()
      }
      const wanted = spelled(vector.value!, true)
      expect(unlessFixed(neutralOf(decode(bytes, { types: 'tagged', dict: 'pairs' })), wanted)).toEqual(wanted)
    },
  )

  it('shares what references stand for', () => {
    const [vector] = of('decode-property')
    const values = decode<unknown[]>(bytesOf(vector!), {
      references: 'opack',
      limits: { maxPayloadBytes: 2_000_000, maxExpandedBytes: 600_000_000 },
    })
    expect(values.length).toBe(501)
    expect(values.every((value) => value === values[0])).toBe(true)
    const fault = outcome(() =>
      decode(bytesOf(vector!), { references: 'opack', limits: { maxPayloadBytes: 2_000_000 } }),
    ) as WireError
    expect([fault.code, fault.limit?.name]).toEqual(['WT_HDS_EXPANDED', 'maxExpandedBytes'])
  })
})

/** The widths that were read, but where the vector fixes none. */
function unlessFixed(value: unknown, wanted: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, i) => unlessFixed(item, (wanted as unknown[] | undefined)?.[i]))
  if (typeof value !== 'object' || value === null) return value
  const form = wanted as Readonly<Record<string, unknown>>
  if ('int' in value && !Object.hasOwn(Object(form), 'w')) return { int: value.int }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unlessFixed(item, Object(form)[key])]))
}

/** A number that is whole says nothing about how it stood on the wire. */
function loosely(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(loosely)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [first] = entries
  if (first?.[0] === 'number') {
    const number = first[1] as number
    if (Number.isInteger(number) && !Object.is(number, -0)) return { int: String(BigInt(number)) }
  }
  if (first?.[0] === 'int') return { int: first[1] }
  return Object.fromEntries(entries.map(([key, inner]) => [key, loosely(inner)]))
}

function checkObjects(value: unknown): void {
  if (Array.isArray(value)) value.forEach(checkObjects)
  else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !('value' in value)) {
    if (['Uuid', 'Timestamp'].includes(value.constructor?.name ?? '')) return
    expect(Object.getPrototypeOf(value)).toBeNull()
    Object.values(value).forEach(checkObjects)
  }
}
