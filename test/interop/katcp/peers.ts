import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'

const python = fileURLToPath(new URL('../../../.venv/katcp/bin/python', import.meta.url))
const script = (name: string) => fileURLToPath(new URL(`./peers/${name}.py`, import.meta.url))

/** The implementations that these tests talk to. */
export const PEERS = ['aiokatcp', 'katcp'] as const
export type PeerName = (typeof PEERS)[number]

export const present = existsSync(python)

/** Runs the tests where the peers are installed; elsewhere one test says that they are not, which is a fault where they must be. */
export function withPeers(tests: () => void): void {
  if (present) tests()
  else
    it('NOT RUN: the peers are absent, `npm run setup:peers` installs them', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${python}`)
    })
}

/** A Python program that is led by lines of JSON and answers with such. It ends when its input does. */
export class Python {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(name: string, ...args: readonly string[]) {
    this.#process = spawn(python, ['-W', 'ignore', script(name), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface(this.#process.stdout!)[Symbol.asyncIterator]()
  }

  async answer<T>(): Promise<T> {
    const { done, value } = await this.#lines.next()
    if (done) throw new Error('the Python program has ended')
    return JSON.parse(value) as T
  }

  ask<T>(command: unknown): Promise<T> {
    this.#process.stdin!.write(`${JSON.stringify(command)}\n`)
    return this.answer<T>()
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode !== null) return
    this.#process.stdin!.end()
    await ended
  }
}

/** A server of theirs. */
export async function startServer(peer: PeerName): Promise<{ port: number; end(): Promise<void> }> {
  const python = new Python(`${peer}_server`)
  const { port } = await python.answer<{ port: number }>()
  return { port, end: () => python.end() }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const utf8 = new TextEncoder()

/** A client of theirs. */
export class PythonClient {
  readonly #python: Python
  /** Protocol flags as it has read them. */
  readonly flags: string

  private constructor(python: Python, flags: string) {
    this.#python = python
    this.flags = flags
  }

  static async connect(peer: PeerName, port: number): Promise<PythonClient> {
    const python = new Python(`${peer}_client`, String(port))
    const { flags } = await python.answer<{ flags: string }>()
    return new PythonClient(python, flags)
  }

  async ask(
    request: string,
    args: readonly (string | Uint8Array)[] = [],
  ): Promise<{ reply: Uint8Array[]; informs: Uint8Array[][] }> {
    const { reply, informs } = await this.#python.ask<{ reply: string[]; informs: string[][] }>({
      request,
      args: args.map((arg) => hex(typeof arg === 'string' ? utf8.encode(arg) : arg)),
    })
    return { reply: reply.map(unhex), informs: informs.map((inform) => inform.map(unhex)) }
  }

  /** The next inform of that name that no request asked for. */
  async inform(name: string): Promise<Uint8Array[]> {
    return (await this.#python.ask<{ args: string[] }>({ inform: name })).args.map(unhex)
  }

  /** Type, status and Python's repr of the value of sensors, as its own watcher has them. */
  async sensors(...names: string[]): Promise<Record<string, [string, string, string]>> {
    return (await this.#python.ask<{ sensors: Record<string, [string, string, string]> }>({ sensors: names })).sensors
  }

  end(): Promise<void> {
    return this.#python.end()
  }
}

/** As Latin-1 text: one character a byte. */
export const text = (bytes: readonly Uint8Array[]): string[] =>
  bytes.map((argument) => Buffer.from(argument).toString('latin1'))

/** Arguments that have given codecs trouble. */
export const AWKWARD: readonly Uint8Array[] = [
  Uint8Array.from({ length: 256 }, (_, i) => i),
  new Uint8Array(0),
  ...[' ', '\\', '\\_', '\\\\_\\n', '\0\n\r\x1b\t ', '\\@', '[1]', '?x', 'a  b', '\v\f\x85\xa0', '\n\n', '%s'].map(
    (it) => Uint8Array.from(Buffer.from(it, 'latin1')),
  ),
  // 20 °C in Latin-1, and in UTF-8 with a character beyond 16 bits behind it.
  Uint8Array.from(Buffer.from('20 \xb0C', 'latin1')),
  utf8.encode('20 °C 🔭'),
]

/** 4096 complex numbers whose texts have up to 17 digits and every sign. */
export const GAINS: Float64Array = Float64Array.from({ length: 8192 }, (_, i) => {
  const value = Math.sin(i * 1.7) / (i + 1)
  return i % 97 === 0 ? -0 : i % 89 === 0 ? value * 1e-12 : i % 83 === 0 ? value * 1e21 : value
})
export const GAIN_TEXTS: readonly string[] = Array.from({ length: 4096 }, (_, i) => {
  const imaginary = GAINS[i * 2 + 1]!
  const sign = imaginary < 0 || Object.is(imaginary, -0) ? '-' : '+'
  return `${Object.is(GAINS[i * 2], -0) ? '-0.0' : GAINS[i * 2]}${sign}${Math.abs(imaginary)}j`
})
