import { DEFAULT_LIMITS, Decoder, encodeChunks, type MessageInput, type Variant, variant } from '../../dbus'
import type { Format } from '../format'

const reviveVariant = (form: unknown): unknown => {
  const { signature, value } = Object(form) as { signature?: unknown; value?: unknown }
  return variant(String(signature), value) satisfies Variant
}

export const dbus: Format = {
  about: 'D-Bus messages',
  limits: { ...DEFAULT_LIMITS },
  keepsGoing: true,
  revive: { variant: reviveVariant },
  decoder: ({ limits, keepGoing }) =>
    new Decoder({ limits, bytes: 'view', validate: 'eager', errors: keepGoing ? 'report' : 'throw' }),
  encoder: () => (unit) => encodeChunks(Object(unit) as MessageInput),
}
