import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { dbus } from '../../bindings/cli/formats/dbus'
import { toJson } from '../../bindings/core/json'
import { decode, encode, type Message, methodReturn, signal } from '../../bindings/dbus/index'

// The examples are JavaScript, run as they stand; test/interop/dbus runs them against a message bus.
const example = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../../examples/dbus/${name}.mjs`, import.meta.url).href)) as T
const { socketsOf } = await example<{ socketsOf(address: string): object[] }>('connection')
const { matches } = await example<{ matches(message: Message, filter: object): boolean }>('monitor')

it('the recorded session decodes', () => {
  const reader = dbus.decoder({ limits: dbus.limits, options: {}, keepGoing: false })
  reader.push(readFileSync(new URL('../../examples/dbus/session.pcap', import.meta.url)))
  reader.end()
  const messages = reader.readAll().map((unit) => JSON.parse(toJson(unit)))
  expect(messages).toHaveLength(59)
  const [sum] = messages.filter(({ member }) => member === 'Sum')
  const answer = messages.find(
    ({ replySerial, destination }) => replySerial === sum.serial && destination === sum.sender,
  )
  expect([sum.body, answer.body]).toEqual([[{ $float64Array: [1.5, 2.5] }], [4]])
  const times = messages.map(({ time }) => time)
  expect([...times].sort()).toEqual(times)
})

it('reads addresses', () => {
  expect(socketsOf('unix:path=/run/a%20bus,guid=00;unix:abstract=/tmp/x;tcp:host=h,port=5;launchd:env=X')).toEqual([
    { path: '/run/a bus' },
    { path: '\0/tmp/x' },
    { host: 'h', port: 5 },
  ])
  expect(socketsOf('')).toEqual([])
})

it('filters by header', () => {
  const change = decode(encode(signal({ serial: 1, path: '/a/b', interface: 'a.b', member: 'C' })))
  const reply = decode(encode(methodReturn({ serial: 1 }, 2)))
  const passing = [
    {},
    { type: 'signal' },
    { path: '/' },
    { path: '/a' },
    { path: '/a/b', member: 'C', interface: 'a.b' },
  ]
  for (const filter of passing) expect(matches(change, filter)).toBe(true)
  for (const filter of [{ type: 'error' }, { path: '/a/b/c' }, { path: '/a/' }, { member: 'D' }, { interface: 'a' }]) {
    expect(matches(change, filter)).toBe(false)
  }
  expect(matches(reply, {})).toBe(true)
  expect(matches(reply, { type: 'methodReturn' })).toBe(true)
  expect(matches(reply, { member: 'C' })).toBe(false)
})
