import { WireError } from '../core/error'

/** Exit codes of the command. */
export const OK = 0
export const BAD_INPUT = 1
export const USAGE = 2

/** The arguments ask for something that cannot be done. */
export class UsageError extends Error {}

/** Who reads our output has gone, as `head` does: nothing is wrong, there is only nothing more to do. */
export class OutputClosed extends Error {}

/** An error in one line, whatever the input has brought into its text. */
export function errorLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const line = WireError.is(error) ? `${error.code}: ${text}` : text
  return line.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
}
