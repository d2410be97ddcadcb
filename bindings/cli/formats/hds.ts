import { Accumulator } from '../../core/accumulator'
import { commonError, usageError } from '../../core/errors'
import {
  DEFAULT_LIMITS,
  type DecodeOptions,
  Decoder,
  date,
  decodeAt,
  decodeMessageAt,
  dump,
  Encoder,
  encodeChunks,
  encodeMessageChunks,
  float32,
  float64,
  type Input,
  int8,
  int16,
  int32,
  int64,
  type Keys,
  type MessageInput,
  Pairs,
  type Profile,
  uuid,
} from '../../hds'
import { nodeCipher } from '../../node'
import type { Format, UnitReader } from '../format'

type Options = Readonly<Record<string, unknown>>

type Read = (bytes: Uint8Array, at: number) => { value: unknown; end: number } | undefined

/** Units that stand one after the other in a file: nothing but their own form says where one ends. */
class Concatenated implements UnitReader {
  readonly #read: Read
  readonly #bytes = new Accumulator()
  #at = 0
  #ended = false

  constructor(read: Read) {
    this.#read = read
  }

  push(chunk: Uint8Array): void {
    this.#bytes.append(chunk)
  }

  readAll(): readonly unknown[] {
    const bytes = this.#bytes.view()
    const units: unknown[] = []
    while (this.#at < bytes.length) {
      try {
        const unit = this.#read(bytes, this.#at)
        if (unit === undefined) break
        units.push(unit.value)
        this.#at = unit.end
      } catch (error) {
        // Units before a fault come first; the next call throws it.
        if (units.length === 0) throw error
        break
      }
    }
    if (this.#ended && units.length === 0 && this.#at < bytes.length) {
      throw commonError('hds', 'truncated', { offset: bytes.length })
    }
    return units
  }

  end(): void {
    this.#ended = true
  }
}

/** The key of the direction that is read or written. */
function keysOf({ key }: Options): Keys | undefined {
  if (key === undefined) return undefined
  if (!/^[\da-f]{64}$/i.test(String(key))) throw usageError('hds', 'the key must be 64 hexadecimal digits')
  const bytes = Uint8Array.from(String(key).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  return { accessoryToController: bytes, controllerToAccessory: bytes }
}

function counterOf({ counter = '0' }: Options): bigint {
  if (!/^\d{1,20}$/.test(String(counter))) throw usageError('hds', 'the counter must be a whole number')
  return BigInt(String(counter))
}

const isValue = ({ unit }: Options): boolean => unit === 'value'
const typesOf = ({ tagged }: Options) => (tagged === true ? 'tagged' : 'plain')
const profileOf = ({ profile }: Options): Profile => profile as Profile

const frames = (keys: Keys, options: Options, limits: Readonly<Record<string, number>>) =>
  ({
    role: 'accessory',
    keys,
    counter: counterOf(options),
    cipher: nodeCipher,
    profile: profileOf(options),
    types: typesOf(options),
    bytes: 'view',
    // Who gives a key does not fear a frame that it cannot verify.
    limits: { maxUnauthenticatedBytes: 0xffffff, ...limits },
  }) as const

export const hds: Format = {
  about: 'HomeKit Data Stream: messages, sealed frames with --key, or bare values (also OPACK)',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      flags: '--unit <what>',
      about: 'what the input is without a key: payloads of frames, or bare values',
      choices: ['message', 'value'],
      default: 'message',
    },
    { flags: '--profile <name>', about: 'the dialect', choices: ['hds', 'hap-nodejs', 'opack'], default: 'hds' },
    { flags: '--tagged', about: 'keep the widths of numbers, so that encoding gives the same bytes again' },
    { flags: '--key <hex>', about: 'the input is frames of one direction, sealed with this key of 32 bytes' },
    { flags: '--counter <n>', about: 'frames that were sealed with the key before', default: '0' },
  ],
  revive: {
    int8: (value) => int8(Number(value)),
    int16: (value) => int16(Number(value)),
    int32: (value) => int32(Number(value)),
    int64: (value) => int64(typeof value === 'bigint' ? value : Number(value)),
    float32: (value) => float32(Number(value)),
    float64: (value) => float64(Number(value)),
    uuid: (value) => uuid(String(value)),
    timestamp: (value) => date(Number(value)),
    pairs: (value) => Pairs.from(value as [unknown, unknown][]),
  },
  decoder: ({ limits, options }) => {
    const keys = keysOf(options)
    if (keys) return new Decoder(frames(keys, options, limits))
    const how: DecodeOptions = { profile: profileOf(options), types: typesOf(options), bytes: 'view', limits }
    // Wrong limits are a matter of the arguments.
    decodeAt(new Uint8Array(0), 0, how)
    const read = isValue(options) ? decodeAt<unknown> : decodeMessageAt
    return new Concatenated((bytes, at) => read(bytes, at, how))
  },
  encoder: ({ options }) => {
    const keys = keysOf(options)
    if (keys) {
      const encoder = new Encoder({ ...frames(keys, options, {}), limits: {} })
      return (unit) => encoder.encode(Object(unit) as MessageInput)
    }
    const how = { profile: profileOf(options) }
    if (isValue(options)) return (unit) => encodeChunks(unit as Input, how)
    return (unit) => encodeMessageChunks(Object(unit) as MessageInput, how)
  },
  dump: (bytes, { options }) => {
    const keys = keysOf(options)
    const how = { unit: isValue(options) ? 'value' : 'message', profile: profileOf(options) } as const
    if (!keys) return [dump(bytes, how)]
    const decoder = new Decoder({ ...frames(keys, options, {}), emit: 'payloads' }).push(bytes).end()
    return (function* () {
      for (const payload of decoder)
        yield `frame, payload of ${payload.length} bytes\n${dump(payload, { ...how, unit: 'message' })}`
    })()
  },
}
