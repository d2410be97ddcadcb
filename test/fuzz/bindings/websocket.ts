import { nodeDeflate } from '../../../bindings/node/index'
import {
  acceptKey,
  acceptUpgrade,
  type DecodeOptions,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  type EncodeOptions,
  Encoder,
  encode,
  encodeAll,
  encodeChunks,
  encodedLength,
  encodeInto,
  type Message,
  type MessageInput,
  parseExtensions,
  type Role,
  type Units,
  WireError,
} from '../../../bindings/websocket/index'
import type { Random } from '../../random'
import { toHex } from '../../vectors'
import { bytesOf, decodeCases } from '../../websocket/words'
import { forget, Hostile, survive } from '../hostile'
import { target as kernels } from '../kernels/websocket'
import { listenAll } from '../listen'
import { attempt, must, same } from '../oracle'
import { show } from '../show'
import type { BindingsTarget } from './target'

const PARAMS = {
  serverNoContextTakeover: false,
  clientNoContextTakeover: false,
  serverMaxWindowBits: 15,
  clientMaxWindowBits: 15,
}
const deflate = nodeDeflate(PARAMS)

const optionsOf = (random: Random): DecodeOptions<keyof Units> => ({
  role: random.pick(['server', 'client']),
  emit: random.pick(['messages', 'messages', 'frames', 'chunks']),
  bytes: random.pick(['copy', 'view']),
  deflate: random.below(3) === 0 ? deflate : undefined,
  limits: {
    maxMessageBytes: random.pick([1 << 20, 1 << 20, 100]),
    maxFrameBytes: random.pick([1 << 20, 1 << 20, 126]),
    maxFragments: random.pick([1000, 1000, 2]),
    maxInflateRatio: random.pick([1000, 3]),
  },
})

const other = (role: Role): Role => (role === 'server' ? 'client' : 'server')

/** The pieces of a message depend on the chunks, its bytes do not: a piece is told without its place. */
function teller(): (unit: unknown) => string {
  let place = 0
  return (unit) => {
    const chunk = unit as { type?: string; kind?: string; data?: Uint8Array; offset?: number; fin?: boolean }
    if (chunk.type !== 'chunk') return show(unit)
    must(chunk.offset === place, `a piece at ${chunk.offset} instead of ${place}`)
    place = chunk.fin ? 0 : place + chunk.data!.length
    return `${toHex(chunk.data!)}${chunk.fin ? `${chunk.kind} ended` : ''}`
  }
}

function roundTrip(unit: Message, role: Role): void {
  const bytes = encode(unit, { role })
  same(show(decode(bytes, { role: other(role) })), show(unit), 'encoded again')
  must(encodedLength(unit, { role }) === bytes.length, 'encodedLength')
}

export const target: BindingsTarget = {
  tokens: kernels.tokens,
  seeds: () => decodeCases.map((vector) => bytesOf(vector)).filter(({ length }) => length <= 1500),
  decode: (input, random) => {
    const options = optionsOf(random)
    const sample = encode({ type: 'text', data: 'é, again' }, { role: other(options.role) })
    if (options.emit !== 'chunks') listenAll(() => new Decoder(options), input, random, show, sample)
    else {
      const whole = (cut: number): string => {
        const decoder = new Decoder(options)
        const say = teller()
        let said = ''
        let open = ''
        for (let at = 0; at < input.length; at += cut) decoder.push(input.slice(at, at + cut))
        decoder.end()
        for (;;) {
          const { value, error } = attempt(() => decoder.read())
          if (error) return `${said}! ${error.code} ${error.offset}`
          if (value === undefined) return said
          open += say(value)
          // What has come of a message before its fault depends on the chunks.
          if ((value as { fin?: boolean }).fin !== false) {
            said += open
            open = ''
          }
        }
      }
      same(whole(1 + random.below(20)), whole(input.length + 1), 'pieces of messages')
    }
    const all = attempt(() => decodeAll(input, { role: options.role }))
    for (const unit of all.value ?? []) roundTrip(unit, options.role)
    const offset = random.below(input.length + 1)
    const at = attempt(() => decodeAt(input, offset, { role: options.role }))
    if (at.value) must(at.value.end > offset && at.value.end <= input.length, 'decodeAt makes no progress')
    const text = Buffer.from(input).toString('latin1')
    attempt(() => parseExtensions(text))
  },
  encode: (random) => {
    forget()
    const hostile = new Hostile(
      random,
      () => encode({ type: 'binary', data: new Uint8Array(70) }, { role: 'client' }),
      [],
    )
    const role = random.pick(['server', 'client'] as const)
    const options: EncodeOptions = {
      role,
      fragmentBytes: random.pick([undefined, undefined, 1, 100]),
      maskKey: random.pick<unknown>([undefined, () => 5, () => hostile.value(), 5, 'key', null]) as never,
      deflate: random.below(4) ? undefined : deflate,
    }
    const good = random.pick<object>([
      {
        type: 'text',
        data: random.pick<unknown>(['é', 'x'.repeat(200), new Uint8Array(3).fill(0x61)]),
        compress: random.pick([undefined, false]),
      },
      {
        type: 'binary',
        data: random.pick<unknown>([new Uint8Array(random.pick([0, 126, 300, 70_000])), hostile.view()]),
      },
      { type: 'ping', data: random.pick<unknown>(['x', new Uint8Array(125), hostile.view()]) },
      { type: 'close', code: random.pick([undefined, 1000, 1005, 3000]), reason: random.pick([undefined, 'bye']) },
      {
        opcode: random.pick([0, 1, 2, 8, 9]),
        payload: random.pick<unknown>([new Uint8Array(20), hostile.view()]),
        fin: true,
      },
    ])
    const message = (random.below(3) ? hostile.spoil(good) : good) as MessageInput
    const check = (bytes: Uint8Array | undefined, how: string): void => {
      if (!bytes) return
      const { error } = attempt(() => {
        const decoder = new Decoder({ role: other(role), emit: 'frames', deflate: options.deflate }).push(bytes).end()
        decoder.readAll()
        decoder.read()
      })
      // A single frame may be a continuation, or a fragment of a control frame: what it is, is the caller's choice.
      if (error) must('opcode' in message, `${how} wrote what cannot be read: ${error.code}`)
    }
    check(
      survive(() => encode(message, options), WireError.is),
      'encode',
    )
    const pieces = survive(() => encodeChunks(message, options), WireError.is)
    // Its pieces are the caller's memory, which must not change until they are written.
    if (pieces && !hostile.unstable) check(new Uint8Array(Buffer.concat(pieces)), 'encodeChunks')
    const target = new Uint8Array(random.pick([0, 50, 100_000])).fill(0x55)
    const before = target.slice()
    const offset = random.below(20)
    const end = survive(() => encodeInto(message, target, offset, options), WireError.is)
    if (end === undefined) same(toHex(target), toHex(before), 'encodeInto is not atomic')
    else check(target.slice(offset, end), 'encodeInto')
    survive(() => encodedLength(message, options), WireError.is)
    survive(() => encodeAll(random.below(2) ? [message] : (hostile.list() as MessageInput[]), options), WireError.is)
    survive(() => new Encoder(hostile.value() as EncodeOptions), WireError.is)
    survive(() => new Encoder({ role }).encode(hostile.value() as MessageInput), WireError.is)
    survive(() => new Decoder(hostile.value() as DecodeOptions), WireError.is)
    survive(() => new Decoder({ role }).push(hostile.value() as Uint8Array), WireError.is)
    survive(() => decode(hostile.value() as Uint8Array, hostile.value() as DecodeOptions), WireError.is)
    survive(
      () =>
        acceptUpgrade(
          { upgrade: hostile.value(), 'sec-websocket-protocol': ['a', hostile.value()] } as never,
          hostile.value() as never,
        ),
      WireError.is,
    )
    survive(() => acceptKey(hostile.value() as string), WireError.is)
    survive(() => parseExtensions(hostile.value() as string), WireError.is)
    check(
      survive(
        () => encode({ type: 'text', data: 'after' }, { role }),
        () => false,
      ),
      'the next message',
    )
  },
}
