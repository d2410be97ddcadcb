import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type DecodeOptions, Decoder, decode, decodeAt, decodeBody, WireError } from '../../bindings/dbus/index'
import { signatureFault } from '../../bindings/dbus/signature'
import { backendReason, useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorFile, vectorJson } from '../vectors'
import { codeOf, expected, type NeutralMessage, neutral, neutralValue, splitSignature } from './words'

interface MessageVector {
  readonly id: string
  readonly hex: string
  readonly ok?: boolean | 'incomplete' | 'index-only'
  readonly recommended?: string
  readonly need?: number
  readonly error?: string
  readonly fds?: number
  readonly message?: NeutralMessage
}
const file = <T>(name: string) => vectorJson<{ vectors: T[] }>(`dbus/${name}.json`).vectors
const shared = '../shared/vectors/dbus/'

const EAGER = { validate: 'eager', dict: 'pairs' } as const satisfies DecodeOptions

const messageVectors: MessageVector[] = [
  ...['messages', 'malformed-header', 'malformed-body', 'depth', 'issues', 'unix-fds'].flatMap((name) =>
    file<MessageVector>(name),
  ),
  ...file<MessageVector>('peers-disagree').map((vector) => ({
    ...vector,
    ok: vector.recommended === 'ok',
    ...(vector.recommended?.startsWith('error:') ? { error: vector.recommended.slice(6) } : {}),
  })),
]
if (existsSync(`${shared}peer-published.json`)) {
  messageVectors.push(...JSON.parse(readFileSync(`${shared}peer-published.json`, 'utf8')).vectors)
}

interface Mutations {
  readonly bases: string[]
  readonly vectors: {
    readonly b: number
    readonly p: [number, number][]
    readonly ok: boolean | 'incomplete'
    readonly error?: string
    readonly need?: number
    readonly m?: NeutralMessage
  }[]
}
const mutations = vectorJson<Mutations>('dbus/mutations.json')
for (const [i, { b, p, ok, error, need, m }] of mutations.vectors.entries()) {
  const bytes = fromHex(mutations.bases[b]!)
  for (const [at, byte] of p) bytes[at] = byte
  messageVectors.push({
    id: `mutation-${i}`,
    hex: toHex(bytes),
    ok,
    ...(error ? { error } : {}),
    ...(need ? { need } : {}),
    ...(m ? { message: m } : {}),
  })
}

/**
 * Where libdbus names another fault than we: it lets unique names without a dot through (peers-disagree.json), and the end
 * of its header is the end of all that it has buffered, which here never counts; field 10 is no part of the specification.
 */
const OTHER_FAULT: Readonly<Record<string, string>> = {
  'mutation-56': 'bad-destination',
  'mutation-443': 'not-enough-data',
  'mutation-873': 'length-out-of-bounds',
  'mutation-1024': 'length-out-of-bounds',
  'mutation-1563': 'length-out-of-bounds',
  'mutation-1572': 'length-out-of-bounds',
  'mutation-699': 'missing-interface',
}

function captures() {
  const names = readdirSync(new URL('../vectors/dbus/captures/', import.meta.url))
    .filter((name) => name.includes('.bin'))
    .map((name) => ({
      name,
      bytes: vectorFile(`dbus/captures/${name}`),
      json: vectorJson<Capture>(`dbus/captures/${name.replace('.bin', '.json')}`),
    }))
  if (existsSync(`${shared}captures`)) {
    for (const name of readdirSync(`${shared}captures`).filter((name) => /^bluez.*\.bin/.test(name))) {
      const read = (path: string) => {
        const bytes = readFileSync(`${shared}captures/${path}`)
        return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
      }
      names.push({ name, bytes: read(name), json: JSON.parse(read(name.replace('.bin', '.json')).toString()) })
    }
  }
  return names
}
interface Capture {
  readonly chunks?: number[]
  readonly messages: { readonly offset: number; readonly length: number; readonly message: NeutralMessage }[]
}

describe.each(['wasm', 'js'] as const)('D-Bus vectors, %s', (backend) => {
  it('really run on that backend', () => {
    expect(useBackend(backend), String(backendReason())).toBe(backend)
  })

  it('decode good messages, refuse bad ones with the right code', () => {
    useBackend(backend)
    let good = 0
    let bad = 0
    for (const { id, hex, ok, error, fds, message, need } of messageVectors) {
      const bytes = fromHex(hex)
      const options = error === 'missing-unix-fds' ? { ...EAGER, descriptors: fds ?? 0 } : EAGER
      if (ok === true || ok === 'index-only') {
        good++
        if (message!.type > 4) {
          const decoder = new Decoder(EAGER).push(bytes)
          expect(decoder.readAll(), id).toEqual([])
          expect(decoder.offset, id).toBe(bytes.length)
          expect(faultOf(() => decode(bytes)).code).toBe('WT_DBUS_UNKNOWN_TYPE')
          continue
        }
        const one = decodeAt(bytes, 0, options)!
        expect(neutral(one.value), id).toEqual(expected(message!))
        if (need !== undefined) expect(one.end, id).toBe(need)
        if (one.end === bytes.length) expect(neutral(decode(bytes, options)), id).toEqual(expected(message!))
        else expect(faultOf(() => decode(bytes, options)).code).toBe('WT_TRAILING_BYTES')
      } else if (ok === 'incomplete') {
        good++
        expect(decodeAt(bytes, 0, EAGER), id).toBeUndefined()
        const fault = faultOf(() => decode(bytes, EAGER))
        expect([fault.code, fault.kind, fault.offset]).toEqual(['WT_TRUNCATED', 'truncated', bytes.length])
      } else {
        bad++
        const fault = faultOf(() => decodeAt(bytes, 0, options))
        expect(fault.code, id).toBe(codeOf(OTHER_FAULT[id] ?? error!))
        expect(fault.protocol).toBe('dbus')
        expect(fault.offset, id).toBeGreaterThanOrEqual(0)
        expect(fault.offset, id).toBeLessThanOrEqual(bytes.length)
      }
    }
    expect(good).toBeGreaterThan(450)
    expect(bad).toBeGreaterThan(1700)
  })

  it('find faults in lazy bodies when they are read, at the same place', () => {
    useBackend(backend)
    let lazy = 0
    for (const { id, hex, ok, error } of messageVectors) {
      if (ok !== false || error === 'missing-unix-fds') continue
      const bytes = fromHex(hex)
      const eager = faultOf(() => decodeAt(bytes, 0, EAGER))
      const fault = faultOf(() => decodeAt(bytes, 0)?.value.body)
      if (fault.code === 'WT_DBUS_UNKNOWN_TYPE') continue
      expect([fault.code, fault.offset], id).toEqual([eager.code, eager.offset])
      lazy++
    }
    expect(lazy).toBeGreaterThan(300)
  })

  it('know the length of a message by its first 16 bytes', () => {
    useBackend(backend)
    for (const { id, hex, ok, error, need } of file<MessageVector>('frame-lengths')) {
      const bytes = fromHex(hex)
      const decoder = new Decoder().push(bytes)
      if (ok === false) {
        expect(faultOf(() => decoder.read()).code, id).toBe(codeOf(error!))
        continue
      }
      if (need === 16) {
        expect(() => decoder.readAll()).toThrow(WireError)
        continue
      }
      expect(decoder.readAll(), id).toEqual([])
      expect(decoder.buffered, id).toBe(bytes.length)
      // One byte less than the message needs is refused by its length.
      if (need) {
        const max = need - 1
        const fault = faultOf(() => new Decoder({ limits: { maxMessageBytes: max } }).push(bytes).read())
        expect([fault.code, fault.kind, fault.limit], id).toEqual([
          'WT_DBUS_MESSAGE_LENGTH',
          'limit',
          { name: 'maxMessageBytes', max, actual: need },
        ])
        expect(new Decoder({ limits: { maxMessageBytes: need } }).push(bytes).read()).toBeUndefined()
      }
    }
  })

  it('decode values in both byte orders', () => {
    useBackend(backend)
    interface ValueVector {
      readonly id: string
      readonly sig: string
      readonly value: unknown[]
      readonly le: string
      readonly be: string
    }
    for (const { id, sig, value, le, be } of file<ValueVector>('values')) {
      for (const [byteOrder, hex] of [
        ['little', le],
        ['big', be],
      ] as const) {
        const bytes = fromHex(hex)
        const before = toHex(bytes)
        const body = decodeBody(sig as string, bytes, { byteOrder, dict: 'pairs' })
        expect(
          splitSignature(sig).map((type, i) => neutralValue(type, body[i])),
          id,
        ).toEqual(value)
        expect(toHex(bytes)).toBe(before)
        for (let crop = 0; crop < bytes.length; crop++) {
          const fault = faultOf(() => decodeBody(sig as string, bytes.subarray(0, crop), { byteOrder }))
          expect(fault.kind, `${id} cropped to ${crop}`).toBe('malformed')
        }
      }
    }
  })

  it('judge signatures and text', () => {
    useBackend(backend)
    for (const { sig, ok, error } of file<{ sig: string; ok: boolean; error?: string }>('signatures')) {
      const fault = signatureFault(sig)
      expect(fault === undefined, sig).toBe(ok)
      if (!ok) expect(faultOf(() => decodeBody(sig, new Uint8Array(0))).code, sig).toBe(codeOf(error!))
    }
    for (const { id, bytes, ok } of file<{ id: string; bytes: string; ok: boolean }>('utf8')) {
      const text = fromHex(bytes)
      const body = new Uint8Array(5 + text.length)
      new DataView(body.buffer).setUint32(0, text.length, true)
      body.set(text, 4)
      if (ok) expect(decodeBody('s', body), id).toEqual([new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)])
      else expect(faultOf(() => decodeBody('s', body)).code, id).toBe('WT_DBUS_UTF8')
    }
  })

  it('read recorded traffic in the pieces that it came in', () => {
    useBackend(backend)
    for (const { name, bytes, json } of captures()) {
      const decoder = new Decoder(EAGER)
      const units: NeutralMessage[] = []
      let from = 0
      for (const size of json.chunks ?? [bytes.length]) {
        const chunk = Uint8Array.from(bytes.subarray(from, from + size))
        decoder.push(chunk)
        chunk.fill(0xee)
        for (const message of decoder) units.push(neutral(message))
        from += size
      }
      const wanted = json.messages.filter(({ offset, length }) => offset + length <= from)
      expect(units.length, name).toBe(wanted.length)
      units.forEach((unit, i) => {
        expect(unit, `${name} message ${i}`).toEqual(expected(wanted[i]!.message))
      })
    }
  })
})
