import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { WireError } from '../../bindings/core/error'
import * as dbus from '../../bindings/dbus/index'
import * as hds from '../../bindings/hds/index'
import * as hpack from '../../bindings/hpack/index'
import * as katcp from '../../bindings/katcp/index'
import { nodeDeflate } from '../../bindings/node/index'
import * as websocket from '../../bindings/websocket/index'

/*
 * docs/limits.md says which code is thrown where a limit is exceeded. Here each limit of the page is set to a small number and
 * exceeded.
 */
const line = (text: string) => new TextEncoder().encode(text)
const key = new Uint8Array(32)
const keys = { accessoryToController: key, controllerToAccessory: key }

const signal = dbus.encode(
  dbus.signal({ serial: 1, path: '/a', interface: 'a.b', member: 'c' }, 'aas', [[['x'], ['y'], ['z']]]),
)
const wire = websocket.encode({ type: 'binary', data: new Uint8Array(50) }, { role: 'server', fragmentBytes: 10 })
const whole = websocket.encode({ type: 'binary', data: new Uint8Array(50) }, { role: 'server' })
const deflate = nodeDeflate({
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: 15,
  clientMaxWindowBits: 15,
})
const deflated = websocket.encode({ type: 'text', data: 'a'.repeat(5000) }, { role: 'server', deflate })
const list: [string, string][] = [
  ['a', 'bbbbbbbbbb'],
  ['c', 'dddddddddd'],
]
const block = hpack.encode(list, { huffman: 'never' })
const nested = hds.encode([[['x']], 1, 2, 3])
const frame = () => new hds.Encoder({ role: 'controller', keys }).encode(hds.control.hello(1))

const readBus = (limits: object) => new dbus.Decoder({ limits, validate: 'eager' }).push(signal).readAll()
const readSocket = (bytes: Uint8Array, limits: object) => {
  const decoder = new websocket.Decoder({ role: 'client', limits, deflate }).push(bytes)
  decoder.readAll()
  return decoder.readAll()
}
const held = <T extends { push(chunk: Uint8Array): T; readAll(): unknown[] }>(decoder: T, bytes: Uint8Array) => {
  decoder.push(bytes.subarray(0, -1)).readAll()
  return decoder.readAll()
}

const CASES: Readonly<Record<string, (limits: object) => unknown>> = {
  'dbus maxMessageBytes': (limits) => readBus(limits),
  'dbus maxBufferedBytes': (limits) => held(new dbus.Decoder({ limits }), signal),
  'dbus maxValues': (limits) => readBus(limits),
  'dbus maxDepth': (limits) => readBus(limits),
  'hds maxPayloadBytes': (limits) => hds.decode(nested, { limits }),
  'hds maxDepth': (limits) => hds.decode(nested, { limits }),
  'hds maxItems': (limits) => hds.decode(nested, { limits }),
  'hds maxExpandedBytes': (limits) =>
    hds.decode(Uint8Array.of(0xd3, 0x43, 0x61, 0x62, 0x63, 0xa0, 0xa0), { references: 'opack', limits }),
  'hds maxUnauthenticatedBytes': (limits) => {
    const decoder = new hds.Decoder({ role: 'accessory', keys, limits }).push(frame())
    return decoder.readAll()
  },
  'hds maxBufferedBytes': (limits) => held(new hds.Decoder({ role: 'accessory', keys, limits }), frame()),
  // The encoder of a peer that believes in a larger table.
  'hpack maxTableSize': (limits) => new hpack.Decoder({ limits }).decode(Uint8Array.of(0x3f, 0x45)),
  'hpack maxListSize': (limits) => hpack.decode(block, { limits }),
  'hpack maxFields': (limits) => hpack.decode(block, { limits }),
  'hpack maxStringBytes': (limits) => hpack.decode(block, { limits }),
  'katcp maxLineBytes': (limits) => katcp.decode(line('?abcdef 1 2 3 4\n'), { limits }),
  'katcp maxArguments': (limits) => katcp.decode(line('?abcdef 1 2 3 4\n'), { limits }),
  'katcp maxBufferedBytes': (limits) => {
    const decoder = new katcp.Decoder({ limits, errors: 'throw' })
      .push(line('?a\n?b\n?c\n'))
      .push(line('?d 1 2 3 4 5 6\n'))
    decoder.readAll()
    return decoder.readAll()
  },
  'websocket maxMessageBytes': (limits) => readSocket(wire, limits),
  'websocket maxFrameBytes': (limits) => readSocket(whole, limits),
  'websocket maxFragments': (limits) => readSocket(wire, limits),
  'websocket maxBufferedBytes': (limits) => held(new websocket.Decoder({ role: 'client', limits }), whole),
  'websocket maxInflateRatio': (limits) => readSocket(deflated, limits),
}
/** Small enough for its case, where 2 is not. */
const SMALL: Readonly<Record<string, number>> = {
  'dbus maxMessageBytes': 100,
  'hpack maxListSize': 50,
  'hpack maxFields': 1,
  'dbus maxDepth': 1,
}

function fault(run: () => unknown): WireError {
  try {
    run()
  } catch (error) {
    if (WireError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('docs/limits.md', () => {
  const page = readFileSync('docs/limits.md', 'utf8')
  const rows = page
    .split(/^## wiretape\//m)
    .slice(1)
    .flatMap((section) => {
      const format = section.slice(0, section.indexOf('\n'))
      return [...section.matchAll(/^\| `(\w+)` \| ([\d,]+) \| (\w+) \| .* \| (.*) \|$/gm)].map(
        ([, limit, value, unit, codes]) => ({
          name: `${format} ${limit}`,
          value,
          unit,
          codes: codes!.replaceAll('`', ''),
        }),
      )
    })

  it('has every limit that is exceeded here', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort())
  })

  it.each(rows.map((row) => [row.name, row] as const))('%s throws what the page says', (name, { codes }) => {
    const [, limit] = name.split(' ')
    const error = fault(() => CASES[name]!({ [limit!]: SMALL[name] ?? 2 }))
    expect(codes.split(', ')).toContain(error.code)
    if (error.kind === 'limit') expect(error.limit?.name).toBe(limit)
  })
})
