import { DEFAULT_LIMITS, Decoder } from '../../katcp'
import type { CaptureFormat } from '../format'

export const katcp: CaptureFormat = {
  about: 'KATCP request, reply and inform lines',
  limits: { ...DEFAULT_LIMITS },
  keepsGoing: true,
  decoder: ({ limits, keepGoing }) => new Decoder({ limits, bytes: 'view', errors: keepGoing ? 'report' : 'throw' }),
}
