import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { decodeAll, encodeAll } from '../../bindings/katcp/index'
import { fromHex, vectorLines } from '../vectors'

interface Recorded {
  readonly direction: string
  readonly stream: string
  readonly expect: readonly unknown[]
}

it('the session of `npm run demo` is the recorded one, whole and free of faults', () => {
  const session = new Uint8Array(readFileSync(new URL('../../examples/session.katcp', import.meta.url)))
  const recorded = vectorLines<Recorded>('katcp/captured-session.jsonl.gz').find(
    ({ direction }) => direction === 'server to client',
  )!
  expect(Buffer.compare(session, fromHex(recorded.stream))).toBe(0)
  const messages = decodeAll(session, { errors: 'throw' })
  expect(messages).toHaveLength(recorded.expect.length)
  // Written by katcp-python in canonical form, so that it comes back as it was.
  expect(Buffer.compare(encodeAll(messages), session)).toBe(0)
})
