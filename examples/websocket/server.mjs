// What a WebSocket server needs on top of the codec: the upgrade, answers to pings and closes, and an orderly end.
import { createServer } from 'node:http'
import { attach, nodeDeflate } from 'wiretape/node'
import { acceptUpgrade, Decoder, Encoder, replyTo, WireError } from 'wiretape/websocket'

/** @typedef {import('wiretape/websocket').Message} Message */
/** @typedef {import('wiretape/websocket').MessageInput} MessageInput */

/** How long the other end may take to close its side once both have said close. */
const LINGER_MS = 2000

/** One connection: messages in by `onMessage`, messages out by `send`. */
export class Connection {
  /**
   * @param {import('node:net').Socket} socket
   * @param {Uint8Array} head bytes that came with the handshake
   * @param {import('wiretape/websocket').DeflateParams | undefined} params the agreed compression
   * @param {(message: Extract<Message, { type: 'text' | 'binary' }>, connection: Connection) => void} onMessage
   */
  constructor(socket, head, params, onMessage) {
    this.socket = socket
    this.closed = false
    const deflate = params && nodeDeflate(params)
    this.encoder = new Encoder({ role: 'server', deflate })
    const decoder = new Decoder({ role: 'server', bytes: 'view', deflate })
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    this.reading = attach(
      socket,
      decoder,
      {
        unit: (message) => {
          if (message.type === 'text' || message.type === 'binary') {
            if (!this.closed) onMessage(message, this)
            return
          }
          const reply = replyTo(message)
          if (message.type === 'close') this.close(reply)
          else if (reply) this.send(reply)
        },
        // What the other end is owed for its fault stands in the error.
        error: (error) => (error.status ? this.close({ type: 'close', code: error.status }) : socket.destroy()),
        end: () => socket.end(),
      },
      { head },
    )
    // No more is read than the other end takes back.
    socket.on('drain', () => this.reading.resume())
  }

  /** @param {MessageInput} message */
  send(message) {
    if (!this.closed && !this.write(this.encoder.encodeChunks(message))) this.reading.pause()
  }

  /** @param {readonly Uint8Array[]} chunks */
  write(chunks) {
    this.socket.cork()
    let room = true
    for (const chunk of chunks) room = this.socket.write(chunk)
    this.socket.uncork()
    return room
  }

  /** @param {MessageInput | undefined} message */
  close(message = { type: 'close', code: 1001 }) {
    if (this.closed) return
    this.write(this.encoder.encodeChunks(message))
    this.closed = true
    this.socket.end()
    setTimeout(() => this.socket.destroy(), LINGER_MS).unref()
  }
}

/**
 * Serves WebSocket on `port` (0: any), and a page to everyone else.
 * @param {{
 *   port?: number, host?: string, page?: string | undefined, deflate?: import('wiretape/websocket').DeflateOptions | boolean,
 *   onOpen?: (connection: Connection) => void, onClose?: (connection: Connection) => void,
 *   onMessage: ConstructorParameters<typeof Connection>[3]
 * }} options
 * @returns {Promise<{ port: number, close(): void }>}
 */
export function serve({ port = 0, host = '127.0.0.1', page, deflate = true, onOpen, onClose, onMessage }) {
  /** @type {Set<Connection>} */
  const open = new Set()
  const server = createServer((_, response) => {
    response.writeHead(page ? 200 : 426, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? 'Upgrade required')
  })
  server.on('upgrade', (request, socket, head) => {
    try {
      const accepted = acceptUpgrade(request.headers, { deflate })
      socket.write(accepted.response)
      const plain = /** @type {import('node:net').Socket} */ (socket)
      const connection = new Connection(plain, head, accepted.deflate, onMessage)
      open.add(connection)
      onOpen?.(connection)
      socket.on('close', () => {
        open.delete(connection)
        onClose?.(connection)
      })
    } catch (error) {
      if (!WireError.is(error)) throw error
      socket.end(`HTTP/1.1 ${error.status} Bad Request\r\nSec-WebSocket-Version: 13\r\nConnection: close\r\n\r\n`)
    }
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, host, () => {
      const address = /** @type {import('node:net').AddressInfo} */ (server.address())
      resolve({
        port: address.port,
        close() {
          for (const connection of open) connection.close()
          server.close()
        },
      })
    })
  })
}
