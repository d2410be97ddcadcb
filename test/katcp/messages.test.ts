import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Backend, useBackend } from '../../bindings/engine/load'
import {
  type ArgumentInput,
  decode,
  encode,
  float,
  inform,
  integer,
  type Message,
  type MessageInput,
  type Readings,
  readings,
  reply,
  request,
  SENSOR_STATUSES,
  sensorInform,
  versionFlags,
} from '../../bindings/katcp/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson } from '../vectors'
import { argsOf } from './reference'

interface Reading {
  readonly name: string
  readonly status: string
  readonly value: string
}
type Case =
  | {
      readonly kind: 'protocol-version'
      readonly raw: string
      readonly expect:
        | { readonly major: number; readonly minor: number; readonly flags: string }
        | { readonly error: string }
    }
  | {
      readonly kind: 'sensor-readings'
      readonly args: readonly string[]
      readonly expect:
        | { readonly timestamp: string; readonly readings: readonly Reading[] }
        | { readonly error: string }
    }
  | {
      readonly kind: 'sensor-status-name'
      readonly value: string
      readonly raw: string
      readonly valueIsValid: boolean
    }

const cases = vectorJson<{ cases: Case[] }>('katcp/protocol.json').cases
const texts = (message: MessageInput) => Buffer.from(encode(message)).toString('latin1')
const latin1 = (hex: string) => Buffer.from(hex, 'hex').toString('latin1')

describe.each<Backend>(['wasm', 'js'])('messages, %s', (backend) => {
  it('have the versions of the vectors', () => {
    useBackend(backend)
    let seen = 0
    for (const vector of cases) {
      if (vector.kind !== 'protocol-version') continue
      seen++
      const text = latin1(vector.raw)
      if ('error' in vector.expect) {
        expect(vector.expect.error).toBe('flag-not-allowed-in-version')
        expect(
          faultOf(() => versionFlags(text)),
          text,
        ).toMatchObject({ code: 'WT_KATCP_VERSION_FLAG', kind: 'value' })
      } else if (vector.expect.major === 0) expect(versionFlags(text), text).toBeUndefined()
      else expect(versionFlags(text), text).toEqual(vector.expect)
    }
    expect(seen).toBeGreaterThan(15)
  })

  it('keep flags that are unknown', () => {
    useBackend(backend)
    expect(versionFlags('5.1-MIzB')).toEqual({ major: 5, minor: 1, flags: 'BIMz' })
    expect(versionFlags('6.0-MITB')).toEqual({ major: 6, minor: 0, flags: 'BIMT' })
    expect(versionFlags('4.0-constructor')?.flags).toBe('cnorstu')
    expect(faultOf(() => versionFlags('5.0-MT')).message).toContain('T needs 5.1, the version is 5.0')
  })

  it('have the sensor readings of the vectors', () => {
    useBackend(backend)
    const faults: string[] = []
    let seen = 0
    for (const vector of cases) {
      if (vector.kind !== 'sensor-readings') continue
      seen++
      const args = argsOf(...vector.args.map(fromHex))
      if ('error' in vector.expect) {
        faults.push(vector.expect.error)
        expect(
          faultOf(() => readings({ args })),
          vector.expect.error,
        ).toMatchObject({
          code: 'WT_KATCP_READINGS',
          kind: 'malformed',
        })
        continue
      }
      const read = readings({ args })
      const list = vector.expect.readings.map(({ value, ...rest }) => ({ ...rest, value: latin1(value) }))
      expect(read.readings).toEqual(list)
      const time = new DataView(fromHex(vector.expect.timestamp).buffer).getFloat64(0)
      expect(read.timestamp).toBe(time)
      // And back: what was read is what is written.
      expect(decode(encode(sensorInform(read))).args.toArray()).toEqual(args.toArray())
    }
    expect(seen).toBeGreaterThan(5)
    expect(new Set(faults)).toEqual(new Set(['count-mismatch', 'bad-count', 'bad-status', 'too-few-arguments']))
  })

  it('have the sensor statuses of the vectors', () => {
    useBackend(backend)
    let seen = 0
    for (const vector of cases) {
      if (vector.kind !== 'sensor-status-name') continue
      seen++
      const word = latin1(vector.raw)
      expect((SENSOR_STATUSES as readonly string[]).includes(word)).toBe(vector.valueIsValid)
    }
    expect(seen).toBeGreaterThan(0)
    for (const status of SENSOR_STATUSES) {
      const list = [{ name: 'a', status, value: 1 }]
      expect(readings(decode(encode(sensorInform({ timestamp: 1, readings: list }))), integer)).toEqual({
        timestamp: 1,
        readings: list,
      })
    }
  })

  it('refuse counts and statuses that are none', () => {
    useBackend(backend)
    for (const count of ['01', '+1', ' 1', '1.0', '-1', '', '1_', '99999999999999999999', '0x1']) {
      expect(
        faultOf(() => readings({ args: argsOf('1', count, 'a', 'nominal', 'x') })),
        count,
      ).toMatchObject({
        code: 'WT_KATCP_READINGS',
      })
    }
    const odd = { timestamp: 1, readings: [{ name: 'a', status: 'fine', value: 1 }] } as unknown as Readings<number>
    expect(faultOf(() => sensorInform(odd))).toMatchObject({ code: 'WT_KATCP_VALUE', path: 'readings[0].status' })
    const noTime = { timestamp: 'now', readings: [] } as unknown as Readings<number>
    expect(faultOf(() => sensorInform(noTime)).code).toBe('WT_KATCP_VALUE')
  })

  it('read the values of readings by type', () => {
    useBackend(backend)
    const args = argsOf('12.5', '2', 'a', 'nominal', '1e3', 'b.c', 'warn', 'inf')
    const read = readings({ args }, float)
    expectTypeOf(read).toEqualTypeOf<Readings<number>>()
    expectTypeOf(readings({ args })).toEqualTypeOf<Readings<string>>()
    expect(read).toEqual({
      timestamp: 12.5,
      readings: [
        { name: 'a', status: 'nominal', value: 1000 },
        { name: 'b.c', status: 'warn', value: Number.POSITIVE_INFINITY },
      ],
    })
    expect(faultOf(() => readings({ args: argsOf('1', '1', 'a', 'nominal', 'x') }, float))).toMatchObject({
      code: 'WT_KATCP_VALUE',
      path: 'args[4]',
    })
    expect(faultOf(() => readings({ args: argsOf('x', '0') })).path).toBe('args[0]')
  })

  it('are built with the name and id of what they answer', () => {
    useBackend(backend)
    const asked = decode(encode(request('gain', ['input0', 1.5, true], 123)))
    expect(texts(request('help'))).toBe('?help\n')
    expect(texts(request('gain', ['a b', 7], 5))).toBe('?gain[5] a\\_b 7\n')
    expect(texts(reply(asked, ['ok', 2]))).toBe('!gain[123] ok 2\n')
    expect(texts(inform(asked, ['busy']))).toBe('#gain[123] busy\n')
    expect(texts(inform(asked))).toBe('#gain[123]\n')
    expect(texts(inform('disconnect', ['bye now']))).toBe('#disconnect bye\\_now\n')
    const bare = decode(encode(request('gain')))
    expect(texts(reply(bare, ['ok']))).toBe('!gain ok\n')
    expect(texts(inform(bare, []))).toBe('#gain\n')
    // The arguments of a message from the wire may be given on.
    expect(texts(reply(asked, asked.args))).toBe('!gain[123] input0 1.5 1\n')
  })

  it('write sensor readings, asked for or not', () => {
    useBackend(backend)
    const one = { timestamp: 1427043968.954988, readings: [{ name: 'pump', status: 'nominal', value: 68.9 }] } as const
    expect(texts(sensorInform(one))).toBe('#sensor-status 1427043968.954988 1 pump nominal 68.9\n')
    const asked = decode(encode(request('sensor-value', ['pump'], 9)))
    expect(texts(sensorInform(one, asked))).toBe('#sensor-value[9] 1427043968.954988 1 pump nominal 68.9\n')
    expect(texts(sensorInform({ timestamp: 5, readings: [] }))).toBe('#sensor-status 5.0 0\n')
    const values: readonly ArgumentInput[] = ['a b', '', 0n, false, Uint8Array.of(0)]
    const many = { timestamp: 0, readings: values.map((value) => ({ name: 's', status: 'unknown', value }) as const) }
    expect(texts(sensorInform(many))).toBe(
      '#sensor-status 0.0 5 s unknown a\\_b s unknown \\@ s unknown 0 s unknown 0 s unknown \\0\n',
    )
  })

  it('come back from the wire as they were built', () => {
    useBackend(backend)
    const asked = { name: 'set-x', id: 2147483647 }
    const built: MessageInput[] = [
      request('a', ['1', '2'], 1),
      request('a'),
      reply(asked, ['fail', 'a\nb']),
      inform(asked, ['\\']),
      inform('log', ['info', '1471866300.123', 'root', '%s \u20ac']),
    ]
    for (const message of built) {
      const back: Message = decode(encode(message))
      expect({ ...back, args: back.args.toArray() }).toEqual({ ...message, id: message.id, args: [...message.args!] })
      expect(toHex(encode(back))).toBe(toHex(encode(message)))
    }
  })
})
