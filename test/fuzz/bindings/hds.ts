import {
  type DecodeOptions,
  Decoder,
  date,
  decode,
  decodeAt,
  decodeMessage,
  dump,
  type EncodeOptions,
  Encoder,
  encode,
  encodeChunks,
  encodedLength,
  encodeInto,
  encodeMessage,
  Float32,
  Float64,
  float32,
  float64,
  type Input,
  Int,
  int8,
  int16,
  int32,
  int64,
  type MessageInput,
  Numbers,
  numbers,
  openFrame,
  Pairs,
  type Profile,
  sealFrame,
  Timestamp,
  Uuid,
  uuid,
  WireError,
} from '../../../bindings/hds/index'
import { bytesOf, type Case } from '../../hds/words'
import type { Random } from '../../random'
import { toHex, vectorJson } from '../../vectors'
import { forget, Hostile, survive } from '../hostile'
import { target as kernels } from '../kernels/hds'
import { listenAll } from '../listen'
import { attempt, faultText, must, on, same } from '../oracle'
import { poison } from '../poison'
import { show } from '../show'
import type { BindingsTarget } from './target'

const FILES = [
  'bugs',
  'containers',
  'data',
  'errors',
  'opack',
  'random-values',
  'references',
  'scalars',
  'strings',
  'tags',
  'messages',
]
const PROFILES: readonly Profile[] = ['hds', 'hap-nodejs', 'opack']
const KEYS = { accessoryToController: new Uint8Array(32).fill(1), controllerToAccessory: new Uint8Array(32).fill(2) }
const EVENT: MessageInput = { type: 'event', protocol: 'dataSend', topic: 'data', body: { a: 1 } }

const optionsOf = (random: Random): DecodeOptions => ({
  profile: random.pick(PROFILES),
  bytes: random.pick(['copy', 'view']),
  int64: random.pick(['auto', 'auto', 'bigint', 'number']),
  types: random.pick(['plain', 'tagged']),
  dict: random.pick(['object', 'map', 'pairs']),
  numbers: random.pick(['list', 'typed']),
  references: random.pick([undefined, undefined, 'reject', 'hap-nodejs', 'opack']),
  utf8: random.pick(['strict', 'strict', 'replace']),
  keys: random.pick([undefined, 'string-only', 'any']),
  terminatedData: random.pick([undefined, 'raw', 'reject']),
  trailing: random.pick(['reject', 'reject', 'allow']),
  limits: {
    maxDepth: random.pick([32, 32, 2]),
    maxItems: random.pick([10_000, 10_000, 3]),
    maxExpandedBytes: random.pick([1 << 20, 1 << 20, 40]),
  },
})

/** 39 has two forms, of which the dialect writes one. */
const tagged = (value: unknown): string => show(value).replaceAll('Int{width:8,value:39}', '39')

const told = (run: () => unknown): string => {
  poison()
  const { value, error } = attempt(run)
  return error ? `! ${faultText(error)}` : show(value)
}

/** Frames of one direction: payloads that are good by themselves, and perhaps some that are not. */
function stream(input: Uint8Array, random: Random): Uint8Array {
  const frames: Uint8Array[] = []
  for (let at = 0, counter = 0; at < input.length || counter === 0; counter++) {
    const length = random.pick([input.length, 40, 7])
    const payload = random.below(4)
      ? encodeMessage({ ...EVENT, body: { n: counter, d: input.slice(at, at + length) } })
      : input.slice(at, at + length)
    frames.push(sealFrame(payload, KEYS.accessoryToController, counter))
    at += length
  }
  const wire = new Uint8Array(Buffer.concat(frames))
  if (random.below(3) === 0) wire[random.below(wire.length)]! ^= 1 << random.below(8)
  return wire.subarray(0, random.below(4) ? wire.length : random.below(wire.length + 1))
}

const SAMPLE = sealFrame(encodeMessage(EVENT), KEYS.accessoryToController, 0)

export const target: BindingsTarget = {
  tokens: kernels.tokens,
  seeds: () =>
    FILES.flatMap((name) => vectorJson<{ cases: Case[] }>(`hds/${name}.json`).cases)
      .filter(({ hex, hexParts }) => hex !== undefined || hexParts !== undefined)
      .map((vector) => bytesOf(vector))
      .filter(({ length }) => length <= 1500),
  decode: (input, random) => {
    const options = optionsOf(random)
    const wanted = on('wasm', () => told(() => decode(input.slice(), options)))
    same(
      on('js', () => told(() => decode(input.slice(), options))),
      wanted,
      'js and wasm differ',
    )
    const message = on('wasm', () => told(() => decodeMessage(input.slice(), options)))
    same(
      on('js', () => told(() => decodeMessage(input.slice(), options))),
      message,
      'messages differ',
    )
    same(
      on('js', () => told(() => dump(input, options))),
      on('wasm', () => told(() => dump(input, options))),
      'dump',
    )

    // Every byte before the last says that more are needed, or what is wrong.
    const cut = random.below(input.length + 1)
    const partly = attempt(() => decodeAt(input.subarray(0, cut), 0, options))
    const wholly = attempt(() => decodeAt(input, 0, options))
    if (partly.error && partly.error.kind !== 'limit') {
      same(
        faultText(partly.error),
        wholly.error ? faultText(wholly.error) : show(wholly.value),
        'a fault of the first bytes',
      )
    }
    if (partly.value && wholly.value) must(partly.value.end === wholly.value.end, 'the end of a value')

    const profile = options.profile!
    const exact = {
      ...options,
      types: 'tagged',
      dict: 'pairs',
      trailing: 'allow',
      utf8: 'strict',
      int64: 'auto',
      numbers: 'list',
      limits: undefined,
    } as const
    const first = attempt(() => decode(input, exact))
    if (first.value !== undefined) {
      // Keys that are no strings have a form in OPACK alone.
      const how: EncodeOptions = { profile, limits: { maxDepth: 400 } }
      const again = attempt(() => encode(first.value as Input, how))
      if (again.error)
        must(
          profile !== 'opack' && JSON.stringify(again.error.message).includes('key'),
          `cannot be encoded again: ${again.error.message}`,
        )
      else {
        same(
          tagged(decode(again.value, { ...exact, profile, references: undefined, keys: undefined })),
          tagged(first.value),
          'encoded again',
        )
        must(encodedLength(first.value as Input, how) === again.value.length, 'encodedLength')
        const target = new Uint8Array(again.value.length + 3).fill(0x55)
        must(encodeInto(first.value as Input, target, 2, how) === again.value.length + 2, 'encodeInto')
        same(
          toHex(new Uint8Array(Buffer.concat(encodeChunks(first.value as Input, how)))),
          toHex(again.value),
          'encodeChunks',
        )
      }
    }

    const emit = random.pick(['messages', 'payloads'] as const)
    const wire = stream(input, random)
    const make = () => new Decoder({ ...options, keys: KEYS, role: 'controller', emit, limits: {} })
    listenAll(make, wire, random, show, SAMPLE)
    told(() => openFrame(input, KEYS.accessoryToController, 0))
  },
  encode: (random) => {
    forget()
    const hostile = new Hostile(random, () => void decode(encode({ z: [1, 2, new Uint8Array(9000)] })), [
      Int.prototype,
      Float32.prototype,
      Float64.prototype,
      Timestamp.prototype,
      Uuid.prototype,
      Numbers.prototype,
      Pairs.prototype,
    ])
    const profile = random.pick(PROFILES)
    const options: EncodeOptions = { profile, utf8: random.pick(['strict', 'replace']) }
    const good: Input = {
      list: [1, -1, 2 ** 40, 1.5, 'text', true, null],
      sized: [int8(5), int16(5), int32(5), int64(5n), float32(1.5), float64(2)],
      when: [date(5), new Date(0), date(random.pick([Number.NaN, 1e300]))],
      id: uuid('12345678-1234-5678-1234-567812345678'),
      data: [new Uint8Array(random.pick([3, 9000, 20_000])), new ArrayBuffer(5), new Float64Array(2)],
      numbers: random.pick<unknown>([numbers(new Int16Array(40)), Array.from({ length: 60 }, (_, i) => i * 300)]),
      map: new Map<string, unknown>([['k', hostile.value()]]),
      pairs: Pairs.from([
        ['a', 1],
        ['a', 2],
      ]),
    }
    const spoilt = hostile.spoil(good as object) as Input
    const value = random.pick<unknown>([spoilt, spoilt, hostile.value(), [hostile.value(), spoilt]]) as Input
    const check = (bytes: Uint8Array | undefined, how: string): void => {
      if (!bytes) return
      const { error } = attempt(() => decode(bytes, { profile, dict: 'pairs', limits: { maxDepth: 500 } }))
      if (error) must(false, `${how} wrote what cannot be read: ${faultText(error)}`)
    }
    check(
      survive(() => encode(value, options), WireError.is),
      'encode',
    )
    const pieces = survive(() => encodeChunks(value, options), WireError.is)
    if (pieces) check(new Uint8Array(Buffer.concat(pieces)), 'encodeChunks')
    const target = new Uint8Array(random.pick([0, 100, 80_000])).fill(0x55)
    const before = target.slice()
    const offset = random.below(9)
    const end = survive(() => encodeInto(value, target, offset, options), WireError.is)
    if (end === undefined) same(toHex(target), toHex(before), 'encodeInto is not atomic')
    else check(target.slice(offset, end), 'encodeInto')
    survive(() => encodedLength(value, options), WireError.is)

    const messageInput = hostile.spoil({
      type: random.pick(['event', 'request', 'response']),
      protocol: 'p',
      topic: 't',
      id: random.pick([1n, 5]),
      status: 0,
      body: random.pick<unknown>([{ a: 1 }, hostile.value()]),
    }) as MessageInput
    const message = survive(() => encodeMessage(messageInput), WireError.is)
    if (message) {
      const { error } = attempt(() => decodeMessage(message, { dict: 'pairs', limits: { maxDepth: 500 } }))
      if (error) must(false, `encodeMessage wrote what cannot be read: ${faultText(error)}`)
    }
    const encoder = new Encoder({ role: 'accessory', keys: KEYS })
    const first = survive(() => encoder.encode(messageInput), WireError.is)
    const frame = survive(
      () => encoder.encode(EVENT),
      () => false,
    )
    if (frame)
      attempt(() => openFrame(frame, KEYS.accessoryToController, first ? 1 : 0)).error &&
        must(false, 'a message that failed has used up a counter')

    for (const make of [int8, int16, int32, int64, float32, float64, uuid, date, numbers]) {
      const made = survive(() => (make as (value: unknown) => Input)(hostile.value()), WireError.is)
      if (made !== undefined)
        check(
          survive(() => encode(made, options), WireError.is),
          make.name,
        )
    }
    survive(() => decode(hostile.value() as Uint8Array, hostile.value() as DecodeOptions), WireError.is)
    survive(() => new Decoder(hostile.value() as never), WireError.is)
    survive(() => new Encoder({ role: 'accessory', keys: hostile.value() as never }), WireError.is)
    survive(() => new Decoder({ role: 'controller', keys: KEYS }).push(hostile.value() as Uint8Array), WireError.is)
    survive(
      () => sealFrame(hostile.value() as Uint8Array, hostile.value() as Uint8Array, hostile.value() as number),
      WireError.is,
    )
    check(
      survive(
        () => encode({ after: 1 }),
        () => false,
      ),
      'the next value',
    )
  },
}
