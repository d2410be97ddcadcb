import { hds as captures, frames, isValue, keysOf, profileOf } from '../../capture/formats/hds'
import {
  Decoder,
  date,
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
  type MessageInput,
  Pairs,
  uuid,
} from '../../hds'
import type { Format } from '../format'

export const hds: Format = {
  ...captures,
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
  encoder: ({ options, ...adapters }) => {
    const keys = keysOf(options)
    if (keys) {
      const encoder = new Encoder({ ...frames(keys, options, {}, adapters), limits: {} })
      return (unit) => encoder.encode(Object(unit) as MessageInput)
    }
    const how = { profile: profileOf(options) }
    if (isValue(options)) return (unit) => encodeChunks(unit as Input, how)
    return (unit) => encodeMessageChunks(Object(unit) as MessageInput, how)
  },
  dump: (bytes, { options, ...adapters }) => {
    const keys = keysOf(options)
    const how = { unit: isValue(options) ? 'value' : 'message', profile: profileOf(options) } as const
    if (!keys) return [dump(bytes, how)]
    const decoder = new Decoder({ ...frames(keys, options, {}, adapters), emit: 'payloads' }).push(bytes).end()
    return (function* () {
      for (const payload of decoder)
        yield `frame, payload of ${payload.length} bytes\n${dump(payload, { ...how, unit: 'message' })}`
    })()
  },
}
