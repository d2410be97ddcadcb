// An example server in a process of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

export class Server {
  #child
  #errors = ''

  constructor(name, child) {
    this.name = name
    this.#child = child
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#errors += text
    })
  }

  /** Starts an example; resolves when it has said where it listens. */
  static async start(example, ...args) {
    const child = fork(at(`../../examples/${example}`), ['--port', '0', ...args], {
      execArgv: ['--expose-gc', '--import', new URL('probe.mjs', import.meta.url).href],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const server = new Server(example, child)
    const lines = createInterface(child.stdout)
    for await (const line of lines) {
      const [, port] = /(\d+)$/.exec(line) ?? []
      if (!port) continue
      server.port = Number(port)
      child.stdout.resume()
      return server
    }
    throw new Error(`${example} has ended: ${server.fault}`)
  }

  /** What is wrong with it; empty where nothing is. What it reports of its clients in its own words is no fault. */
  get fault() {
    const { exitCode, signalCode } = this.#child
    const ended = exitCode !== null || signalCode !== null ? `it has ended (${signalCode ?? exitCode})` : ''
    const errors = /Error|Warning/.test(this.#errors) ? this.#errors.trim() : ''
    return [ended, errors].filter(Boolean).join(': ')
  }

  async memory() {
    this.#child.send('memory')
    const [memory] = await once(this.#child, 'message')
    return memory
  }

  stop() {
    this.#child.kill('SIGKILL')
  }
}
