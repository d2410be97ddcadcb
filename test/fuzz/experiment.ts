import { Random } from '../random'
import { attach } from './poison'
import type { Format, Mode } from './registry'

/** One experiment with the bindings: what it showed, if anything. */
export function experiment(format: Format, mode: Mode, input: Uint8Array, seed: number): string | undefined {
  const random = new Random(seed)
  attach()
  try {
    if (mode === 'values') format.bindings.encode(random)
    else format.bindings.decode(input, random)
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    return error.name === 'Broken' ? error.message : `${error.name}: ${error.message} ${placeOf(error)}`
  }
  return undefined
}

/** The innermost functions of a stack that have a name. */
const placeOf = (error: Error): string =>
  Array.from((error.stack ?? '').matchAll(/at (?:new )?([\w#.$]+)[^(\n]* \(/g), ([, name]) => name)
    .slice(0, 4)
    .join(' < ')
