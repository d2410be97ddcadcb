import {
  Arguments,
  type DecodeOptions,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  encode,
  encodeAll,
  encodeChunks,
  encodedLength,
  encodeInto,
  type Message,
  type MessageInput,
  WireError,
} from '../../../bindings/katcp/index'
import { told, vectorLinesOf } from '../../katcp/reference'
import type { Random } from '../../random'
import { toHex } from '../../vectors'
import { forget, Hostile, survive } from '../hostile'
import { target as kernels } from '../kernels/katcp'
import { listenAll } from '../listen'
import { attempt, must, same } from '../oracle'
import { poison } from '../poison'
import type { BindingsTarget } from './target'

const SAMPLE = new TextEncoder().encode('?set-value[3] a\\_b 1.5 \\@\n#log x\n')

const optionsOf = (random: Random): DecodeOptions<'report' | 'throw'> => ({
  errors: random.pick(['report', 'throw']),
  bytes: random.pick(['copy', 'view']),
  errorOrder: random.pick(['left-to-right', 'katcp-python']),
  limits: {
    maxLineBytes: random.pick([2_097_152, 2_097_152, 20, 0]),
    maxArguments: random.pick([131_072, 131_072, 1, 0]),
  },
})

/** A unit with everything that can be asked of its arguments. */
function tell(unit: unknown): string {
  const text = told(unit as Message | WireError)
  if (unit instanceof WireError) return text
  const { args } = unit as Message
  const said = [
    () => args.toArray().join('|'),
    () => args.toFloat64Array().join(),
    () => args.toComplexArray().join(),
    () => args.detach().toArray().join('|'),
  ].map((ask) => {
    poison()
    const { value, error } = attempt(ask)
    return error ? `${error.code} ${error.path}` : value
  })
  return `${text} ${said.join(' ; ')}`
}

const splitLines = (lines: readonly Uint8Array[]): Uint8Array[] => lines.map((line) => new Uint8Array([...line, 10]))

function roundTrip(unit: Message): void {
  const bytes = encode(unit)
  same(told(decode(bytes)), told(unit), 'relayed')
  const plain = { ...unit, args: Array.from({ length: unit.args.length }, (_, i) => unit.args.bytes(i)!) }
  const again = encode(plain)
  same(told(decode(again)), told(unit), 'encoded again')
  must(encodedLength(plain) === again.length, 'encodedLength')
  const { value } = attempt(() => unit.args.toArray())
  if (value) same(toHex(encode({ ...unit, args: value })), toHex(again), 'from strings')
}

export const target: BindingsTarget = {
  tokens: kernels.tokens,
  seeds: () => {
    const { good, bad } = vectorLinesOf()
    return splitLines([...good.slice(0, 1500), ...bad.slice(0, 1500)]).filter(({ length }) => length < 1000)
  },
  decode: (input, random) => {
    const options = optionsOf(random)
    const wanted = listenAll(() => new Decoder(options), input, random, tell, SAMPLE)
    const all = attempt(() => decodeAll(input, options))
    if (all.value) {
      same(`${all.value.map(tell).join('\n')}${all.value.length ? '\n' : ''}`, wanted.replace(/! .*$/, ''), 'decodeAll')
      for (const unit of all.value) if (!(unit instanceof WireError)) roundTrip(unit)
    }
    const one = attempt(() => decode(input))
    if (one.value) roundTrip(one.value)
    const offset = random.below(input.length + 1)
    const at = attempt(() => decodeAt(input, offset, options))
    if (at.value) must(at.value.end > offset && at.value.end <= input.length, 'decodeAt makes no progress')
  },
  encode: (random) => {
    forget()
    const hostile = new Hostile(random, () => encode({ type: 'inform', name: 'x', args: ['y', 'z w'] }), [
      Arguments.prototype,
    ])
    const args = random.pick<unknown>([
      ['a', 1, true],
      decode(SAMPLE.subarray(0, SAMPLE.indexOf(10) + 1)).args,
      [new Uint8Array(30), 'x y'],
      [hostile.view(), hostile.value()],
      hostile.list(),
    ])
    const good = {
      type: random.pick(['request', 'reply', 'inform']),
      name: 'set-value',
      id: random.pick([undefined, 7]),
      args,
    }
    const message = hostile.spoil(good) as MessageInput
    // What throws by itself when it is iterated is the caller's own.
    const { value: given } = Object.getOwnPropertyDescriptor(message, 'args') ?? {}
    if (typeof given === 'object' && given !== good.args) Object.defineProperty(good, 'args', { value: hostile.list() })
    const bytes = survive(() => encode(message), WireError.is)
    if (bytes) {
      must(decodeAll(bytes, { errors: 'throw' }).length === 1, 'one message became several')
      roundTrip(decode(bytes))
    }
    const target = new Uint8Array(random.pick([0, 10, 40_000])).fill(0x55)
    const before = target.slice()
    const end = survive(() => encodeInto(message, target, random.below(12)), WireError.is)
    if (end === undefined) same(toHex(target), toHex(before), 'encodeInto is not atomic')
    survive(() => encodedLength(message), WireError.is)
    survive(() => encodeChunks(message), WireError.is)
    survive(() => encodeAll(random.below(2) ? [message] : (hostile.list() as MessageInput[])), WireError.is)
    survive(() => new Decoder(hostile.value() as object), WireError.is)
    survive(() => new Decoder().push(hostile.value() as Uint8Array), WireError.is)
    survive(() => decode(hostile.value() as Uint8Array, hostile.value() as object), WireError.is)
  },
}
