import type { Protocol } from './error'
import { usageError } from './errors'

/** The given limits over the defaults. A limit is a whole number of at least 0; an unknown name is a mistake and throws. */
export function resolveLimits<L extends object>(
  protocol: Protocol,
  defaults: Readonly<L>,
  given: { readonly [K in keyof L]?: number | undefined } | undefined,
): Readonly<L> {
  if (given === undefined) return defaults
  if (typeof given !== 'object' || given === null) throw usageError(protocol, 'limits must be an object')
  const limits: Record<string, number> = { ...(defaults as Readonly<Record<keyof L, number>>) }
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!Object.hasOwn(defaults, name)) throw usageError(protocol, `there is no limit ${name}`)
    if (value === undefined) continue
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw usageError(protocol, `limits.${name} must be a whole number of at least 0`)
    }
    limits[name] = value
  }
  return Object.freeze(limits) as Readonly<L>
}
