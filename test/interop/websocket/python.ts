import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'

const python = fileURLToPath(new URL('../../../.venv/websocket/bin/python', import.meta.url))
const script = fileURLToPath(new URL('./peers/echo.py', import.meta.url))

export type PythonPeer = 'websockets' | 'aiohttp'

/** Runs the tests where the peers are installed; elsewhere one test says that they are not, which is a fault where they must be. */
export function withPython(tests: () => void): void {
  if (existsSync(python)) tests()
  else
    it('NOT RUN: the peers are absent, `npm run setup:peers` installs them', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${python}`)
    })
}

const start = (peer: PythonPeer, deflate: boolean, ...args: readonly string[]) =>
  spawn(python, [script, peer, deflate ? 'deflate' : 'plain', ...args], { stdio: ['pipe', 'pipe', 'inherit'] })

/** An echo server of theirs. */
export async function pythonServer(
  peer: PythonPeer,
  deflate: boolean,
): Promise<{ port: number; end(): Promise<unknown> }> {
  const child = start(peer, deflate)
  const exit = once(child, 'exit')
  const { done, value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  if (done) throw new Error('the Python program has ended')
  const { port } = JSON.parse(value) as { port: number }
  return {
    port,
    end() {
      child.stdin.end()
      return exit
    },
  }
}

/** A client of theirs that echoes; resolves with its exit code. */
export async function pythonClient(peer: PythonPeer, deflate: boolean, port: number): Promise<number | null> {
  const [code] = (await once(start(peer, deflate, String(port)), 'exit')) as [number | null]
  return code
}
