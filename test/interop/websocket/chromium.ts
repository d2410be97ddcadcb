import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { it } from 'vitest'

/** The names that the browser goes by; CHROMIUM may name another. */
const NAMES = [process.env['CHROMIUM'], 'chromium-headless-shell', 'chromium', 'google-chrome'].filter(
  (name): name is string => name !== undefined,
)
const program = NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0)

/** Runs the tests where the browser is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withChromium(tests: () => void): void {
  if (program !== undefined) tests()
  else
    it('NOT RUN: Chromium is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error('there is no Chromium')
    })
}

// Nothing of it talks to anyone but the page.
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
]

export interface Page {
  /** The value of an expression in the page, promises awaited; throws what it throws. */
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

interface Answer {
  id?: number
  error?: { message: string }
  result?: Record<string, unknown>
}

/**
 * A page in a browser of its own, driven by the Chrome DevTools Protocol over two pipes: JSON messages, NUL after each.
 */
export async function openPage(url: string): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'wiretape-chromium-'))
  const child = spawn(program!, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  const [to, from] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  const waiting = new Map<number, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>()
  const end = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  exit.then(() => end(new Error('the browser has ended')), end)
  to.on('error', end)
  let text = ''
  from.setEncoding('utf8').on('data', (piece: string) => {
    const messages = (text + piece).split('\0')
    text = messages.pop()!
    for (const message of messages) {
      const { id, error, result } = JSON.parse(message) as Answer
      if (id === undefined) continue
      if (error) waiting.get(id)?.reject(new Error(error.message))
      else waiting.get(id)?.resolve(result ?? {})
      waiting.delete(id)
    }
  })
  let last = 0
  const call = (method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      to.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
    })
  const close = async () => {
    child.kill('SIGKILL')
    await exit
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const { targetId } = await call('Target.createTarget', { url })
    const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
    return {
      async evaluate(expression) {
        const params = { expression, awaitPromise: true, returnByValue: true }
        const { result, exceptionDetails } = (await call('Runtime.evaluate', params, String(sessionId))) as {
          result: { value?: unknown }
          exceptionDetails?: { text: string; exception?: { description?: string } }
        }
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
        return result.value
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
