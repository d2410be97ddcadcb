import { usageError } from '../../core/errors'
import { DEFAULT_LIMITS, type DecodeOptions, Decoder, type Keys, type Profile } from '../../hds'
import { readValue } from '../../hds/decode'
import { readMessageAt } from '../../hds/messages'
import { resolve } from '../../hds/settings'
import { Concatenated } from '../concatenated'
import type { Adapters, CaptureFormat, ReaderSettings } from '../format'

type Options = ReaderSettings['options']

/** The key of the direction that is read or written. */
export function keysOf({ key }: Options): Keys | undefined {
  if (key === undefined) return undefined
  if (!/^[\da-f]{64}$/i.test(String(key))) throw usageError('hds', 'the key must be 64 hexadecimal digits')
  const bytes = Uint8Array.from(String(key).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  return { accessoryToController: bytes, controllerToAccessory: bytes }
}

function counterOf({ counter = '0' }: Options): bigint {
  if (!/^\d{1,20}$/.test(String(counter))) throw usageError('hds', 'the counter must be a whole number')
  return BigInt(String(counter))
}

/** Whether the input is bare values. */
export const isValue = ({ unit }: Options): boolean => unit === 'value'
const typesOf = ({ tagged }: Options) => (tagged === true ? 'tagged' : 'plain')
export const profileOf = ({ profile }: Options): Profile => profile as Profile

/** How sealed frames are read or written. */
export const frames = (keys: Keys, options: Options, limits: Readonly<Record<string, number>>, { cipher }: Adapters) =>
  ({
    role: 'accessory',
    keys,
    counter: counterOf(options),
    cipher,
    profile: profileOf(options),
    types: typesOf(options),
    bytes: 'view',
    // Who gives a key does not fear a frame that it cannot verify.
    limits: { maxUnauthenticatedBytes: 0xffffff, ...limits },
  }) as const

export const hds: CaptureFormat = {
  about: 'HomeKit Data Stream: messages, sealed frames with a key, or bare values (also OPACK)',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      name: 'unit',
      value: 'what',
      about: 'what the input is without a key: payloads of frames, or bare values',
      choices: ['message', 'value'],
      default: 'message',
    },
    {
      name: 'profile',
      value: 'name',
      about: 'the dialect',
      choices: ['hds', 'hap-nodejs', 'opack'],
      default: 'hds',
    },
    { name: 'tagged', about: 'keep the widths of numbers, so that encoding gives the same bytes again' },
    {
      name: 'key',
      value: 'hex',
      about: 'the input is frames of one direction, sealed with this key of 32 bytes',
    },
    { name: 'counter', value: 'n', about: 'frames that were sealed with the key before', default: '0' },
  ],
  decoder: ({ limits, options, ...adapters }) => {
    const keys = keysOf(options)
    if (keys) return new Decoder(frames(keys, options, limits, adapters))
    const how: DecodeOptions = { profile: profileOf(options), types: typesOf(options), bytes: 'view', limits }
    const settings = resolve(how)
    const read = isValue(options) ? readValue : readMessageAt
    return new Concatenated((bytes, at, offset) => read(bytes, at, offset, settings))
  },
}
