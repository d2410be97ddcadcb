import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dbus } from '../../../bindings/cli/formats/dbus'
import { toJson } from '../../../bindings/core/json'
import {
  Authenticator,
  type Message,
  type MethodCall,
  type MethodReturn,
  type Numbered,
  type Signal,
  signal,
  Variant,
  variant,
} from '../../../bindings/dbus/index'
import { PrivateBus, withBus } from './bus'

interface Bus {
  readonly name: string
  readonly closed: Promise<unknown>
  onSignal: (signal: Signal) => void
  send(message: Numbered): void
  call(
    header: { destination?: string; path: string; interface?: string; member: string },
    signature?: string,
    body?: readonly unknown[],
  ): Promise<MethodReturn>
  addMatch(rule: string): Promise<void>
  requestName(name: string): Promise<void>
  serve(
    path: string,
    name: string,
    methods: Record<string, { in: string; out: string; handle(call: MethodCall): readonly unknown[] }>,
  ): void
  close(): Promise<void>
}
// The examples are JavaScript that imports the built package; the tests reach the bus through them.
const example = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../../../examples/dbus/${name}.mjs`, import.meta.url).href)) as T
const { BUS, BusConnection } = await example<{
  BUS: { destination: string; path: string; interface: string }
  BusConnection: { connect(address: string): Promise<Bus> }
}>('connection')
const client = await example<{
  listNames(bus: Bus): Promise<Map<string, string>>
  serve(bus: Bus): Promise<void>
  watchNames(bus: Bus, seen: (name: string, from: string, to: string) => void): Promise<void>
}>('client')
const { monitor } = await example<{
  monitor(bus: Bus, filter: object, seen: (message: Message) => void): Promise<{ all: number; seen: number }>
}>('monitor')

/** A type, a value of it as GLib writes and prints it, and what it is here. */
const VALUES: readonly (readonly [signature: string, text: string, value: unknown])[] = [
  ['y', 'byte 0xff', 255],
  ['b', 'true', true],
  ['n', 'int16 -32768', -32768],
  ['q', 'uint16 65535', 65535],
  ['i', '-2147483648', -2147483648],
  ['u', 'uint32 4294967295', 4294967295],
  ['x', 'int64 -9223372036854775808', -(2n ** 63n)],
  ['t', 'uint64 18446744073709551615', 2n ** 64n - 1n],
  ['d', '-1234.5', -1234.5],
  ['s', "'ünïcödé 😀'", 'ünïcödé 😀'],
  ['o', "objectpath '/org/example/_1'", '/org/example/_1'],
  ['g', "signature 'a{sv}(ii)'", 'a{sv}(ii)'],
  ['v', '<<uint16 7>>', variant('v', variant('q', 7))],
  ['ay', '[byte 0x01, 0x02]', Uint8Array.of(1, 2)],
  ['an', '[int16 1, -2]', Int16Array.of(1, -2)],
  ['au', '[uint32 1, 4000000000]', Uint32Array.of(1, 4000000000)],
  ['ax', '[int64 1, -2]', BigInt64Array.of(1n, -2n)],
  ['ad', '[1.5, 2.5]', Float64Array.of(1.5, 2.5)],
  ['ab', '[true, false]', [true, false]],
  ['as', "['a', '', 'b']", ['a', '', 'b']],
  ['as', '@as []', []],
  ['at', '@at []', new BigUint64Array(0)],
  ['aas', "[['a'], []]", [['a'], []]],
  ['a(yx)', '[(byte 0x01, int64 2)]', [[1, 2n]]],
  ['(isv)', "(1, 'x', <[1.0]>)", [1, 'x', variant('ad', Float64Array.of(1))]],
  [
    'a{sv}',
    "{'one': <1>, 'two': <{byte 0x02: <'b'>}>}",
    new Map<string, unknown>([
      ['one', variant('i', 1)],
      ['two', variant('a{yv}', new Map([[2, variant('s', 'b')]]))],
    ]),
  ],
  [
    'a{qs}',
    "{uint16 1: 'a', 2: 'b'}",
    new Map([
      [1, 'a'],
      [2, 'b'],
    ]),
  ],
  [
    'a{oa{sa{sv}}}',
    "{objectpath '/a': {'a.b': {'P': <uint64 1>}}}",
    new Map([['/a', new Map([['a.b', new Map([['P', variant('t', 1n)]])]])]]),
  ],
]

const ECHO = 'org.example.Echo'
const PATH = '/org/example/Echo'

withBus(() => {
  let daemon: PrivateBus
  const open: Bus[] = []
  const connected = async (): Promise<Bus> => {
    const bus = await BusConnection.connect(daemon.address)
    open.push(bus)
    return bus
  }
  beforeAll(async () => {
    daemon = await PrivateBus.start()
  })
  afterAll(async () => {
    await Promise.all(open.map((bus) => bus.close()))
    await daemon.stop()
  })

  /** A socket of the bus, before anything is said. */
  const socketOf = async (): Promise<Socket> => {
    const socket = connect(/path=([^,]+)/.exec(daemon.address)![1]!)
    await once(socket, 'connect')
    return socket
  }

  it('authenticates, with descriptors and without', async () => {
    for (const unixFds of [false, true]) {
      const socket = await socketOf()
      const authenticator = new Authenticator({ uid: process.getuid!(), unixFds })
      socket.write(authenticator.hello)
      let rest: Uint8Array | undefined
      // The bus speaks line by line; each byte may come alone.
      while (rest === undefined) {
        const [chunk] = (await once(socket, 'data')) as [Buffer]
        for (const byte of chunk) rest = authenticator.push(Uint8Array.of(byte))
        const { reply } = authenticator
        if (reply) socket.write(reply)
      }
      expect(rest).toHaveLength(0)
      expect(authenticator.guid).toMatch(/^[0-9a-f]{32}$/)
      expect(authenticator.unixFds).toBe(unixFds)
      socket.destroy()
    }
  })

  it('is told which mechanisms there are', async () => {
    const socket = await socketOf()
    const authenticator = new Authenticator({ anonymous: true })
    socket.write(authenticator.hello)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(() => authenticator.push(chunk)).toThrow(
      expect.objectContaining({ code: 'WT_DBUS_AUTH_REJECTED', message: expect.stringContaining('EXTERNAL') }),
    )
    socket.destroy()
  })

  it('says Hello, asks for names and owners, and is told of errors', async () => {
    const bus = await connected()
    expect(bus.name).toMatch(/^:\d+\.\d+$/)
    const names = await client.listNames(bus)
    expect(names.get(bus.name)).toBe(bus.name)
    expect(names.get(BUS.destination)).toBe(BUS.destination)
    await expect(bus.call({ ...BUS, member: 'GetNameOwner' }, 's', ['org.example.Nobody'])).rejects.toMatchObject({
      errorName: 'org.freedesktop.DBus.Error.NameHasNoOwner',
    })
    await expect(bus.call({ ...BUS, member: 'ListNames' }, 'a{qv}', [{ 1: variant('s', 'x') }])).rejects.toMatchObject({
      errorName: 'org.freedesktop.DBus.Error.InvalidArgs',
    })
  })

  it('hears of names that come and go', async () => {
    const bus = await connected()
    const seen: string[][] = []
    await client.watchNames(bus, (...change) => seen.push(change))
    const other = await connected()
    await other.requestName('org.example.Other')
    await other.close()
    while (!seen.some(([name, , to]) => name === other.name && to === '')) await sleep(5)
    expect(seen.filter(([name]) => name === other.name)).toEqual([
      [other.name, '', other.name],
      [other.name, other.name, ''],
    ])
    expect(seen).toContainEqual(['org.example.Other', '', other.name])
  })

  describe('values of every type', () => {
    let bus: Bus
    const heard = new Map<string, unknown>()
    beforeAll(async () => {
      bus = await connected()
      const echo = (signature: string, i: number) => ({
        in: signature,
        out: signature,
        handle(call: MethodCall) {
          heard.set(`call${i}`, call.body[0])
          return call.body
        },
      })
      bus.serve(PATH, ECHO, Object.fromEntries(VALUES.map(([signature], i) => [`Echo${i}`, echo(signature, i)])))
      await bus.requestName(ECHO)
    })

    it.each(VALUES.map(([signature, text, value], i) => [signature, text, value, i] as const))(
      '%s: gdbus calls and prints what comes back',
      async (_, text, value, i) => {
        const printed = await daemon.tool(
          'gdbus',
          ...['call', '--session', '--dest', ECHO, '--object-path', PATH],
          ...['--method', `${ECHO}.Echo${i}`, '--', text],
        )
        expect(printed).toBe(`(${text},)`)
        expect(heard.get(`call${i}`)).toEqual(value)
      },
    )

    it('signals that gdbus emits', async () => {
      const signals: Signal[] = []
      bus.onSignal = (one) => signals.push(one)
      await bus.addMatch(`type='signal',path='${PATH}'`)
      for (const [i, [, text]] of VALUES.entries()) {
        await daemon.tool(
          'gdbus',
          ...['emit', '--session', '--object-path', PATH, '--signal', `${ECHO}.Signal${i}`, '--', text],
        )
      }
      while (signals.length < VALUES.length) await sleep(5)
      for (const [i, [signature, , value]] of VALUES.entries()) {
        expect(signals[i]).toMatchObject({ member: `Signal${i}`, interface: ECHO, signature })
        expect(signals[i]!.body).toEqual([value])
      }
    })

    it('signals of both byte orders that gdbus monitors', async () => {
      const printer = daemon.spawn('gdbus', 'monitor', '--session', '--dest', ECHO)
      const lines = createInterface(printer.stdout)[Symbol.asyncIterator]()
      for (let line = ''; !line.includes('is owned by'); ) {
        const { done, value } = await lines.next()
        if (done) throw new Error('gdbus has ended')
        line = value
      }
      for (const byteOrder of ['little', 'big'] as const) {
        for (const [i, [signature, , value]] of VALUES.entries()) {
          const header = { path: PATH, interface: ECHO, member: `Signal${i}`, byteOrder, serial: 1000 + i }
          bus.send(signal(header, signature, [value]))
        }
        for (const [i, [, text]] of VALUES.entries()) {
          expect((await lines.next()).value).toBe(`${PATH}: ${ECHO}.Signal${i} (${text},)`)
        }
      }
      printer.kill()
    })

    it('dbus-send calls', async () => {
      const send = (i: number, ...values: readonly string[]) =>
        daemon.tool(
          'dbus-send',
          ...['--session', '--print-reply=literal', `--dest=${ECHO}`, PATH, `${ECHO}.Echo${i}`],
          ...values,
        )
      const at = (signature: string) => VALUES.findIndex((row) => row[0] === signature)
      expect(await send(at('s'), 'string:ünï')).toBe('ünï')
      expect(heard.get(`call${at('s')}`)).toBe('ünï')
      expect(await send(at('t'), 'uint64:18446744073709551615')).toBe('uint64 18446744073709551615')
      expect(await send(at('au'), 'array:uint32:1,2')).toMatch(/uint32 1\s+uint32 2/)
      expect(heard.get(`call${at('au')}`)).toEqual(Uint32Array.of(1, 2))
      expect(await send(at('v'), 'variant:int16:-3')).toMatch(/variant\s+int16 -3/)
      expect(heard.get(`call${at('v')}`)).toEqual(variant('n', -3))
      await expect(send(at('s'), 'int32:1')).rejects.toMatchObject({
        stderr: expect.stringContaining('org.freedesktop.DBus.Error.InvalidArgs'),
      })
    })

    it('ourselves over the bus, which checks everything: large, and both byte orders', async () => {
      const caller = await connected()
      const at = (signature: string) => `Echo${VALUES.findIndex((row) => row[0] === signature)}`
      const header = (member: string) => ({ destination: ECHO, path: PATH, interface: ECHO, member })
      const bytes = Uint8Array.from({ length: 3_000_001 }, (_, i) => i * 7)
      const [back] = (await caller.call(header(at('ay')), 'ay', [bytes])).body
      expect(Buffer.compare(back as Uint8Array, bytes)).toBe(0)
      const many = new Map(Array.from({ length: 5000 }, (_, i) => [`key${i}`, variant('t', BigInt(i))]))
      const [dict] = (await caller.call(header(at('a{sv}')), 'a{sv}', [many])).body
      expect(dict).toEqual(many)
    })
  })

  it('the example service: tools call it and introspect it', async () => {
    const bus = await connected()
    await client.serve(bus)
    const target = ['--session', '--dest', 'org.example.Wiretape', '--object-path', '/org/example/Wiretape']
    const call = (...words: readonly string[]) => daemon.tool('gdbus', 'call', ...target, '--method', ...words)
    expect(await call('org.example.Wiretape.Sum', '[1.5, 2.5]')).toBe('(4.0,)')
    expect(await call('org.example.Wiretape.Describe', "<(1, 'x')>")).toMatch(
      /^\(\{'signature': <'\(is\)'>, 'value': <\(1, 'x'\)>, 'sender': <':1\.\d+'>\},\)$/,
    )
    expect(await call('org.freedesktop.DBus.Peer.Ping')).toBe('()')
    expect(await daemon.tool('gdbus', 'introspect', ...target)).toContain('Sum(in  ad ')
    await expect(call('org.example.Wiretape.Nothing')).rejects.toMatchObject({
      stderr: expect.stringContaining('UnknownMethod'),
    })
  })

  it('the example monitor reads only what its filter lets through', async () => {
    const watching = await connected()
    const seen: Message[] = []
    const counts = await monitor(watching, { type: 'signal', path: '/seen' }, (message) => seen.push(message))
    for (const path of ['/seen', '/seenot', '/seen/below', '/other']) {
      await daemon.tool('gdbus', 'emit', '--session', '--object-path', path, '--signal', 'a.b.C', '<1>')
    }
    while (seen.length < 2) await sleep(5)
    expect(seen.map((message) => (message as Signal).path)).toEqual(['/seen', '/seen/below'])
    expect(seen[0]!.body).toEqual([new Variant('i', 1)])
    expect(counts.seen).toBe(2)
    // Each gdbus says Hello first.
    expect(counts.all).toBeGreaterThan(4)
  })

  it.each([
    ['dbus-monitor', ['--session', '--pcap']],
    ['busctl', ['--user', 'capture']],
  ] as const)('reads what %s records', async (command, words) => {
    const recorder = daemon.spawn(command, ...words)
    const reader = dbus.decoder({ limits: dbus.limits, options: {}, keepGoing: true })
    const lines: string[] = []
    recorder.stdout.on('data', (chunk: Uint8Array) => {
      reader.push(chunk)
      lines.push(...reader.readAll().map((unit) => toJson(unit)))
    })
    const wanted = () => lines.filter((line) => line.includes('Recorded')).map((line) => JSON.parse(line))
    const emit = () =>
      daemon.tool('gdbus', 'emit', '--session', '--object-path', '/', '--signal', 'a.b.Recorded', "('x', 7)")
    // It says nothing of when it begins to listen.
    while (wanted().length === 0) {
      await emit()
      await sleep(50)
    }
    recorder.kill()
    await once(recorder, 'close')
    const [{ time, ...message }] = wanted()
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(3_600_000)
    expect(message).toMatchObject({
      type: 'signal',
      path: '/',
      interface: 'a.b',
      member: 'Recorded',
      signature: '(si)',
    })
    expect(message.body).toEqual([['x', 7]])
  })
})
