import { DEFAULT_LIMITS, Decoder, encode, type MessageInput } from '../../katcp'
import type { Format } from '../format'

export const katcp: Format = {
  about: 'KATCP request, reply and inform lines',
  limits: { ...DEFAULT_LIMITS },
  keepsGoing: true,
  decoder: ({ limits, keepGoing }) => new Decoder({ limits, bytes: 'view', errors: keepGoing ? 'report' : 'throw' }),
  encoder: () => (unit) => encode(Object(unit) as MessageInput),
}
