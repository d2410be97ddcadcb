import { dbus as captures } from '../../capture/formats/dbus'
import { encodeChunks, type MessageInput, type Variant, variant } from '../../dbus'
import type { Format } from '../format'

const reviveVariant = (form: unknown): unknown => {
  const { signature, value } = Object(form) as { signature?: unknown; value?: unknown }
  return variant(String(signature), value) satisfies Variant
}

export const dbus: Format = {
  ...captures,
  revive: { variant: reviveVariant },
  encoder: () => (unit) => encodeChunks(Object(unit) as MessageInput),
}
