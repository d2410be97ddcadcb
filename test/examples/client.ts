import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type ArgumentInput,
  Decoder,
  encode,
  type Message,
  type MessageInput,
  request,
  WireError,
} from '../../bindings/katcp/index'

type Unit = Message | WireError

/** One end of a connection, as a test wants it: it sends, and waits for what comes. */
export class Peer {
  readonly socket: Socket
  /** Resolves with what was not read when the other side has said its last. */
  readonly ended: Promise<Unit[]>
  readonly #decoder = new Decoder()
  readonly #units: Unit[] = []
  #wake: () => void = () => {}
  #over = false
  #lastId = 0

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.#units.push(...this.#decoder.push(chunk).readAll())
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    this.ended = once(socket, 'close').then(() => {
      this.#over = true
      this.#wake()
      return this.#units
    })
  }

  static async connect(port: number): Promise<Peer> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new Peer(socket)
  }

  /** Text goes as Latin-1: one byte a character. */
  send(...what: readonly (string | Uint8Array | MessageInput)[]): void {
    for (const it of what) {
      if (typeof it === 'string') this.socket.write(it, 'latin1')
      else this.socket.write(it instanceof Uint8Array ? it : encode(it))
    }
  }

  /** The next unit, or the next that `wanted` accepts; those before it are dropped. */
  async next(wanted: (message: Message) => boolean = () => true): Promise<Message> {
    for (;;) {
      while (this.#units.length > 0) {
        const unit = this.#units.shift()!
        if (unit instanceof WireError) throw unit
        if (wanted(unit)) return unit
      }
      if (this.#over) throw new Error('the connection has ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  named(name: string): Promise<Message> {
    return this.next((message) => message.name === name)
  }

  /** Asks with a fresh id; the informs and the reply that carry it. */
  async ask(name: string, args: Iterable<ArgumentInput> = []): Promise<{ reply: Message; informs: Message[] }> {
    const id = ++this.#lastId
    this.send(request(name, args, id))
    const informs: Message[] = []
    for (;;) {
      const message = await this.next((message) => message.id === id)
      if (message.type === 'reply') return { reply: message, informs }
      informs.push(message)
    }
  }

  close(): void {
    this.socket.destroy()
  }
}

/** A server on the loopback address that does nothing by itself. */
export class Listener {
  readonly #server: Server
  readonly #peers: Peer[] = []
  #wake: () => void = () => {}

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#peers.push(new Peer(socket))
      this.#wake()
    })
  }

  static async start(): Promise<Listener> {
    const server = createServer({ allowHalfOpen: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Listener(server)
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  async accept(): Promise<Peer> {
    while (this.#peers.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#peers.shift()!
  }

  close(): void {
    this.#server.close()
  }
}

/** A message in the words of its line. */
export const words = ({ type, name, id, args }: Message): unknown[] => [
  `${{ request: '?', reply: '!', inform: '#' }[type]}${name}${id === undefined ? '' : `[${id}]`}`,
  ...Array.from({ length: args.length }, (_, i) => args.text(i, 'latin1')),
]

export interface Running {
  readonly port: number
  readonly closed: Promise<unknown>
  close(): Promise<void>
}

interface Examples {
  startDevice(options?: { port?: number }): Promise<Running>
  startRelay(options: { devicePort: number; report?: (text: string) => void }): Promise<Running>
}

const pathOf = (name: string) => fileURLToPath(new URL(`../../examples/${name}.mjs`, import.meta.url))

/** The examples are plain JavaScript without declarations; this is what they export. */
export const startDevice: Examples['startDevice'] = async (options) =>
  ((await import(pathOf('device'))) as Examples).startDevice(options)
export const startRelay: Examples['startRelay'] = async (options) =>
  ((await import(pathOf('relay'))) as Examples).startRelay(options)

/** An example as a person runs it; resolves once it says where it listens. */
export async function runExample(name: string, ...args: string[]): Promise<{ port: number; process: ChildProcess }> {
  const child = spawn(process.execPath, [pathOf(name), '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout!)) {
    const port = / port (\d+)$/.exec(line)?.[1]
    if (port) return { port: Number(port), process: child }
  }
  throw new Error(`${name} ended without listening`)
}
