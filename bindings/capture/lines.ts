import { WireError } from '../core/error'
import { toJson } from '../core/json'

/**
 * A unit as a line of JSON without its line end, in the form of `toJson`. Some units are decoded only now, as they are asked for what
 * is in them, so this may find a fault as well: it is returned, as is a unit that is one.
 */
export function unitLine(unit: unknown): string | WireError {
  if (WireError.is(unit)) return unit
  try {
    return toJson(unit)
  } catch (error) {
    if (WireError.is(error)) return error
    throw error
  }
}
