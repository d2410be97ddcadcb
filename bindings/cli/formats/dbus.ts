import { DEFAULT_LIMITS, encodeChunks, type MessageInput, type Variant, variant } from '../../dbus'
import { MessageReader } from '../dbus_messages'
import type { Format } from '../format'

const reviveVariant = (form: unknown): unknown => {
  const { signature, value } = Object(form) as { signature?: unknown; value?: unknown }
  return variant(String(signature), value) satisfies Variant
}

export const dbus: Format = {
  about: 'D-Bus messages: a stream of bytes, or a capture of dbus-monitor --pcap or busctl capture',
  limits: { ...DEFAULT_LIMITS },
  keepsGoing: true,
  revive: { variant: reviveVariant },
  decoder: ({ limits, keepGoing }) =>
    new MessageReader({ limits, bytes: 'view', validate: 'eager', errors: keepGoing ? 'report' : 'throw' }),
  encoder: () => (unit) => encodeChunks(Object(unit) as MessageInput),
}
