import type { WireError } from './error'
import { commonError } from './errors'

/** A step of a path to a value: `.name`, `["odd name"]` or `[2]`. */
export function pathStep(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

/** A value without a JSON form, or a text that is not the form of one; `path` is its place in the whole. */
export function jsonError(detail: string, path: string, cause?: unknown): WireError {
  return commonError('json', 'json', { detail, path: path.replace(/^\./, ''), cause })
}
