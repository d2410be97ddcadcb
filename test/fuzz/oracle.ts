import { WireError } from '../../bindings/core/error'
import { useBackend } from '../../bindings/engine/load'

/** A promise that was not kept. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

export function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Broken(what)
}

/** What a call gave: a value, or the WireError that it threw. Anything else that comes out is a finding. */
export function attempt<T>(run: () => T): { value: T; error?: undefined } | { value?: undefined; error: WireError } {
  try {
    return { value: run() }
  } catch (error) {
    if (error instanceof WireError) return { error }
    throw error
  }
}

/** The error as far as it must be the same however it was met. */
export const faultText = ({ code, kind, offset, status, limit, path }: WireError): string =>
  JSON.stringify([code, kind, offset, status, limit, path])

let current: 'wasm' | 'js' | 'auto' = 'auto'

/** Runs on one backend. */
export function on<T>(backend: 'wasm' | 'js' | 'auto', run: () => T): T {
  const before = current
  current = backend
  useBackend(backend)
  try {
    return run()
  } finally {
    current = before
    useBackend(before)
  }
}

/** Equal texts, or what differs, with a little around the first place where it does. */
export function same(a: string, b: string, what: string): void {
  if (a === b) return
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 40), at + 80)
  throw new Broken(`${what}: ${around(a)} / ${around(b)}`)
}
