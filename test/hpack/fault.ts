import { WireError } from '../../bindings/hpack/index'

/** The WireError that a call throws. */
export function faultOf(run: () => unknown): WireError {
  try {
    run()
  } catch (error) {
    if (error instanceof WireError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
