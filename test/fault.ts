import { WireError } from '../bindings/core/error'

/** The WireError that a call throws. */
export function faultOf(run: () => unknown): WireError {
  try {
    run()
  } catch (error) {
    if (WireError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
