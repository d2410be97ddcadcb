import { D_MAX_NAME } from '../../../assembly/abi/dbus'
import { names, scan, walk } from '../../dbus/kernels'
import { fromHex, vectorJson } from '../../vectors'
import { Input, inputOf } from '../input'
import { demand, type KernelTarget } from './target'

const utf8 = new TextEncoder()
/** Values below the choice of a kernel. */
const WALK = 0
const SCAN = 1
const NAMES = 2

const body = (signature: string, bytes: Uint8Array, big: boolean): Uint8Array =>
  inputOf([WALK, big ? 1 : 0, 0, 0, 0, signature.length, ...utf8.encode(signature)], bytes)

function seeds(): Uint8Array[] {
  const values = vectorJson<{ vectors: { sig: string; le: string; be: string }[] }>('dbus/values.json').vectors
  const files = ['messages', 'malformed-header', 'malformed-body', 'issues', 'depth']
  const messages = files.flatMap((name) => vectorJson<{ vectors: { hex: string }[] }>(`dbus/${name}.json`).vectors)
  return [
    ...values.flatMap(({ sig, le, be }) => [body(sig, fromHex(le), false), body(sig, fromHex(be), true)]),
    ...messages.map(({ hex }) => inputOf([SCAN, 0], fromHex(hex))),
    ...['a{sv}', '(ii)(s)', 'org.example.A1', '/org/a_b/c', ':1.5', 'Get'].map((text) =>
      inputOf([NAMES], utf8.encode(text)),
    ),
  ].filter(({ length }) => length <= 1500)
}

export const target: KernelTarget = {
  exported: ['dbusScan', 'dbusWalk', 'dbusSignature', 'dbusName'],
  tokens: [
    ...[
      'v',
      'a{sv}',
      '(ii)',
      'ay',
      'aay',
      'ad',
      'g\0',
      'org.freedesktop.DBus.Local',
      '/org/freedesktop/DBus/Local',
    ].map((text) => utf8.encode(text)),
    ...['01762e00', '6c010001', '42020001', '0167000000', '0876'].map(fromHex),
  ],
  seeds,
  run: (side, bytes) => {
    const input = new Input(bytes)
    switch (input.below(3)) {
      case WALK: {
        const big = input.below(2) === 1
        const keep = input.below(4) !== 3
        const short = input.byte()
        const limits = input.byte()
        const signature = input.take(Math.min(input.byte(), D_MAX_NAME))
        // The bindings check a signature before they walk by it.
        if (names(side, signature).fault !== 0) return undefined
        const values = input.rest()
        const tapeBytes = keep && short >= 200 ? (255 - short) * 4 : 4 * values.length + 256
        const depth = limits % 16 === 15 ? 3 : 64
        const told = walk(side, signature, values, big, tapeBytes, keep, depth, limits >= 240 ? 10 : 100_000)
        demand(told.behind, 'dbusWalk wrote where it must not')
        demand(told.status !== 2 || tapeBytes < 4 * values.length + 256, 'the longest tape is too short')
        return told
      }
      case SCAN: {
        const cut = input.byte()
        const message = input.rest()
        const copied = cut < 128 ? message.length : Math.floor((message.length * (cut - 128)) / 127)
        const told = scan(side, message, copied)
        demand(told.behind, 'dbusScan wrote where it must not')
        demand(told.at >= 0 && told.at <= message.length, 'dbusScan went on beyond its input')
        const still = told.records.length === 0 && told.status === 2
        demand(!still || told.need > copied || copied < message.length, 'dbusScan makes no progress')
        return told
      }
      default: {
        const told = names(side, input.take(255))
        demand(told.behind, 'dbusSignature wrote where it must not')
        return told
      }
    }
  },
}
