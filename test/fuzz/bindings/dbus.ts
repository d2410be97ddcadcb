import {
  type DecodeOptions,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  decodeBody,
  Encoder,
  encode,
  encodeAll,
  encodeBody,
  encodeChunks,
  encodedLength,
  encodeInto,
  isBusName,
  isErrorName,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  isSingleSignature,
  type Message,
  type MessageInput,
  Variant,
  variant,
  WireError,
} from '../../../bindings/dbus/index'
import type { Random } from '../../random'
import { fromHex, toHex, vectorFile, vectorJson } from '../../vectors'
import { forget, Hostile, survive } from '../hostile'
import { target as kernels } from '../kernels/dbus'
import { listenAll } from '../listen'
import { attempt, faultText, must, on, same } from '../oracle'
import { poison } from '../poison'
import { show } from '../show'
import type { BindingsTarget } from './target'

const SAMPLE = encode({
  type: 'methodCall',
  serial: 7,
  path: '/a',
  interface: 'a.b',
  member: 'Get',
  signature: 'sa{sv}',
  body: ['é', { x: variant('u', 1) }],
})

const optionsOf = (random: Random): DecodeOptions<'report' | 'throw'> => ({
  errors: random.pick(['report', 'throw']),
  bytes: random.pick(['copy', 'view']),
  validate: random.pick(['lazy', 'eager']),
  dict: random.pick(['map', 'object', 'pairs']),
  int64: random.pick(['bigint', 'number', 'auto']),
  types: random.pick(['tagged', 'plain']),
  descriptors: random.pick([undefined, undefined, 0, 3]),
  limits: {
    maxMessageBytes: random.pick([134_217_728, 134_217_728, 100]),
    maxDepth: random.pick([64, 64, 3]),
    maxValues: random.pick([1_000_000, 1_000_000, 5]),
  },
})

/** The values of a body in every shape, or its fault. */
function bodyText(message: Message): string {
  const shapes = [
    undefined,
    { dict: 'pairs' },
    { dict: 'object', types: 'plain', int64: 'auto', bytes: 'view' },
  ] as const
  return shapes
    .map((shape) => {
      poison()
      const { value, error } = attempt(() => (shape ? message.bodyAs(message.signature, shape) : message.body))
      return error ? faultText(error) : show(value)
    })
    .join(' ; ')
}

function headText(unit: Message): string {
  const { serial, flags, sender, destination, unixFds, signature, byteOrder, type } = unit
  const rest = unit as { path?: string; interface?: string; member?: string; errorName?: string; replySerial?: number }
  const fields = [rest.path, rest.interface, rest.member, rest.errorName, rest.replySerial]
  return show([type, serial, flags, sender, destination, unixFds, signature, byteOrder, ...fields])
}

const tell = (unit: unknown): string =>
  unit instanceof WireError ? faultText(unit) : `${headText(unit as Message)} ${bodyText(unit as Message)}`

function roundTrip(unit: Message): void {
  const { value: body, error } = attempt(() => unit.bodyAs(unit.signature, { dict: 'pairs' }))
  const relay = attempt(() => encode({ ...unit, sender: ':1.9', serial: 77 }))
  if (error) {
    // A body that is bad is not passed on.
    must(
      relay.error !== undefined || error.kind === 'limit' || error.kind === 'value',
      `a bad body was relayed: ${faultText(error)}`,
    )
    return
  }
  if (relay.error) throw relay.error
  const relayed = decode(relay.value)
  must(relayed.serial === 77 && relayed.sender === ':1.9', 'a relayed header')
  must(Buffer.compare(relayed.bodyBytes, unit.bodyBytes) === 0, 'a relayed body')
  const again = encode({ ...unit, body })
  const back = decode(again)
  same(headText(back), headText(unit), 'encoded again')
  same(show(back.bodyAs(back.signature, { dict: 'pairs' })), show(body), 'a body encoded again')
  must(encodedLength({ ...unit, body }) === again.length, 'encodedLength')
}

const values = () => vectorJson<{ vectors: { sig: string; le: string; be: string }[] }>('dbus/values.json').vectors

const KNOWN = [
  'sa{sv}',
  '(ii)aay',
  'v',
  'ad',
  'a(sv)',
  'xtd',
  'aas',
  'ay',
  'a{us}',
  'aau',
  'ab',
  'sogh',
  'a{s(ai)}',
  'nqy',
]

function sampleOf(type: string, random: Random, hostile: Hostile): unknown {
  switch (type) {
    case 'sa{sv}':
      return ['x', random.pick<unknown>([new Map([['a', variant('s', 'b')]]), { a: variant('ay', new Uint8Array(3)) }])]
    case '(ii)aay':
      return [
        [1, -1],
        [new Uint8Array(random.pick([3, 20_000])), [1, 2]],
      ]
    case 'v':
      return [variant('a{sv}', new Map([['k', variant('t', 5n)]]))]
    case 'ad':
      return [random.pick<unknown>([[1.5, 2], new Float64Array(random.pick([2, 5000]))])]
    case 'a(sv)':
      return [
        [
          ['a', variant('d', 1.5)],
          ['b', variant('ai', new Int32Array(2))],
        ],
      ]
    case 'xtd':
      return [1n, 2, -0]
    case 'aas':
      return [[['a', 'b'], [], ['c']]]
    case 'ay':
      return [new Uint8Array(random.pick([0, 5, 16_384, 70_000]))]
    case 'a{us}':
      return [random.pick<unknown>([new Map([[1, 'a']]), { 1: 'a' }, [[1, 'a']]])]
    case 'aau':
      return [[new Uint32Array(2), [1, 2], new Uint32Array(0)]]
    case 'ab':
      return [[true, false]]
    case 'sogh':
      return ['s', '/a/b', 'ai', 0]
    case 'a{s(ai)}':
      return [{ a: [[1, 2]], b: [new Int32Array(3)] }]
    case 'nqy':
      return [-5, 5, 255]
    default:
      return [hostile.value()]
  }
}

export const target: BindingsTarget = {
  tokens: kernels.tokens,
  seeds: () =>
    [
      ...['messages', 'malformed-header', 'malformed-body', 'issues', 'depth', 'streams', 'unix-fds', 'mutations']
        .flatMap((name) => vectorJson<{ vectors?: { hex?: string }[] }>(`dbus/${name}.json`).vectors ?? [])
        .flatMap(({ hex }) => (hex === undefined ? [] : [fromHex(hex)])),
      ...values().flatMap(({ sig, le, be }) =>
        [le, be].flatMap((hex, big) => {
          const byteOrder = big ? 'big' : 'little'
          const { value } = attempt(() =>
            encode({
              type: 'signal',
              serial: 1,
              path: '/a',
              interface: 'a.b',
              member: 'C',
              signature: sig,
              bodyBytes: fromHex(hex),
              byteOrder,
            }),
          )
          return value ? [value] : []
        }),
      ),
      vectorFile('dbus/captures/session-a.bin.gz').subarray(0, 2000),
    ].filter(({ length }) => length <= 2000),
  decode: (input, random) => {
    const options = optionsOf(random)
    listenAll(() => new Decoder(options), input, random, tell, SAMPLE)
    const all = attempt(() => decodeAll(input, { limits: { maxValues: 100_000 } }))
    for (const unit of all.value ?? []) roundTrip(unit)
    const one = attempt(() => decode(input))
    if (one.value && !all.value) roundTrip(one.value)
    const offset = random.below(input.length + 1)
    const at = attempt(() => decodeAt(input, offset, options))
    if (at.value) must(at.value.end > offset && at.value.end <= input.length, 'decodeAt makes no progress')
    // The bytes of a body alone, by a signature that is not theirs.
    const signature = random.below(2) ? random.pick(values()).sig : random.pick(KNOWN)
    const shape = { ...optionsOf(random), byteOrder: random.pick(['little', 'big'] as const) }
    const read = () => {
      poison()
      const { value, error } = attempt(() => decodeBody(signature, input, shape))
      return error ? faultText(error) : show(value)
    }
    const wanted = on('wasm', read)
    same(on('js', read), wanted, 'decodeBody differs')
    // Text that is a name for one is one for all.
    const name = Buffer.from(input.subarray(0, 300)).toString('latin1')
    const kinds = [isBusName, isErrorName, isInterfaceName, isMemberName, isObjectPath, isSignature, isSingleSignature]
    for (const is of kinds) must(typeof is(name) === 'boolean', 'a name')
  },
  encode: (random) => {
    forget()
    const reenter = () => {
      encode({
        type: 'signal',
        serial: 9,
        path: '/z',
        interface: 'z.z',
        member: 'Z',
        signature: 'aas',
        body: [[['zzzz'.repeat(random.below(40))]]],
      })
      void decode(SAMPLE).body
    }
    const hostile = new Hostile(random, reenter, [Variant.prototype, decode(SAMPLE)])
    const signature = random.pick([...KNOWN, 's', 'av', 'a{vv}', 'i'])
    const good = {
      type: random.pick(['methodCall', 'signal', 'methodReturn', 'error']),
      serial: random.pick([1, undefined, 0xffffffff]),
      path: '/a/b',
      interface: 'a.b',
      member: 'M',
      errorName: 'a.E',
      replySerial: 5,
      destination: random.pick([undefined, ':1.5', 'a.b']),
      sender: undefined,
      flags: 1,
      unixFds: random.pick([undefined, 2]),
      signature,
      body: sampleOf(signature, random, hostile),
      byteOrder: random.pick(['little', 'big', undefined]),
      ...(random.below(6) === 0 && {
        bodyBytes: random.below(2) ? new Uint8Array(random.pick([0, 8, 20_000])) : hostile.view(),
      }),
    }
    let message: unknown = good
    for (let times = random.below(3); times > 0; times--) message = hostile.spoil(message as object)
    const input = message as MessageInput
    const check = (bytes: Uint8Array | undefined, how: string): void => {
      if (!bytes) return
      // What was written is one good message, whatever the values did meanwhile.
      const back = attempt(() => decode(bytes))
      if (back.error) must(false, `${how} wrote what cannot be read: ${faultText(back.error)}`)
      else {
        const { error } = attempt(() => back.value.bodyAs(back.value.signature, { dict: 'pairs' }))
        if (error) must(false, `${how} wrote a body that cannot be read: ${faultText(error)}`)
      }
    }
    check(
      survive(() => new Encoder().encode(input), WireError.is),
      'Encoder.encode',
    )
    check(
      survive(() => encode(input), WireError.is),
      'encode',
    )
    const pieces = survive(() => encodeChunks(input), WireError.is)
    if (pieces) check(new Uint8Array(Buffer.concat(pieces)), 'encodeChunks')
    const target = new Uint8Array(random.pick([0, 100, 300_000])).fill(0x55)
    const before = target.slice()
    const offset = random.below(12)
    const end = survive(() => encodeInto(input, target, offset), WireError.is)
    if (end === undefined) same(toHex(target), toHex(before), 'encodeInto is not atomic')
    else check(target.slice(offset, end), 'encodeInto')
    survive(() => encodedLength(input), WireError.is)
    survive(() => encodeAll(random.below(2) ? [input] : (hostile.list() as MessageInput[])), WireError.is)
    const body = survive(
      () => encodeBody(random.below(4) ? signature : (hostile.value() as string), hostile.value() as unknown[]),
      WireError.is,
    )
    if (body) survive(() => decodeBody(signature, body), WireError.is)
    survive(() => variant(hostile.value() as string, hostile.value()), WireError.is)
    survive(() => new Decoder(hostile.value() as object), WireError.is)
    survive(() => new Decoder().push(hostile.value() as Uint8Array), WireError.is)
    survive(() => decode(hostile.value() as Uint8Array, hostile.value() as object), WireError.is)
    survive(
      () => decodeBody(hostile.value() as string, hostile.value() as Uint8Array, hostile.value() as object),
      WireError.is,
    )
    survive(() => isObjectPath(hostile.value() as string), WireError.is)
    survive(() => isSignature(hostile.value() as string), WireError.is)
    check(
      survive(
        () =>
          encode({
            type: 'signal',
            serial: 1,
            path: '/a',
            interface: 'a.b',
            member: 'C',
            signature: 's',
            body: ['after'],
          }),
        () => false,
      ),
      'the next message',
    )
  },
}
