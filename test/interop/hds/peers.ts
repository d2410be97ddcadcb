import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import {
  Decoder,
  Encoder,
  type EncoderOptions,
  type Keys,
  type Message,
  type MessageInput,
  type Role,
} from '../../../bindings/hds/index'

const python = fileURLToPath(new URL('../../../.venv/hds/bin/python', import.meta.url))
const script = fileURLToPath(new URL('./peers/accessory.py', import.meta.url))

/** Runs the tests where HAP-python is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withPython(tests: () => void): void {
  if (existsSync(python)) tests()
  else
    it('NOT RUN: HAP-python is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${python}`)
    })
}

/** HAP-python, which is led by lines of JSON and answers with such. It ends when its input does. */
export class Python {
  readonly #process: ChildProcess = spawn(python, ['-W', 'ignore', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  readonly #lines: AsyncIterator<string> = createInterface(this.#process.stdout!)[Symbol.asyncIterator]()

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
    if (this.#process.exitCode !== null) return
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.stdin!.end()
    await ended
  }
}

/** Our end of a connection to one of them. */
export class Connection {
  readonly socket: Socket
  readonly #encoder: Encoder
  readonly #messages: AsyncIterator<Message>

  constructor(port: number, role: Role, keys: Keys, options: Partial<EncoderOptions> = {}) {
    this.socket = connect(port, '127.0.0.1')
    this.#encoder = new Encoder({ ...options, role, keys })
    this.#messages = messagesOf(this.socket, new Decoder({ role, keys, profile: 'hap-nodejs' }))
  }

  send(message: MessageInput): void {
    this.socket.write(this.#encoder.encode(message))
  }

  async next(): Promise<Message> {
    const { done, value } = await this.#messages.next()
    if (done) throw new Error('the connection has ended')
    return value
  }

  end(): void {
    this.socket.end()
  }
}

async function* messagesOf(socket: Socket, decoder: Decoder): AsyncGenerator<Message, void, undefined> {
  for await (const chunk of socket as AsyncIterable<Uint8Array>) yield* decoder.push(chunk)
}
