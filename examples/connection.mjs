// One side of a TCP connection that speaks KATCP: what the device and the relay have in common.
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Decoder, encodeChunks, WireError } from 'wiretape/katcp'

/** @typedef {import('wiretape/katcp').Message} Message */
/** @typedef {import('wiretape/katcp').MessageInput} MessageInput */

/** A peer that has not read this much of what it was sent is dropped: one that sleeps must not eat the memory of all. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024

export class Connection {
  /** @param {import('node:net').Socket} socket made with `allowHalfOpen`: a peer that has asked its last question still gets its answers */
  constructor(socket) {
    this.socket = socket
    /** Resolves when the connection is gone. */
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    /** @type {Promise<void> | undefined} */
    this.waiting = undefined
    socket.setNoDelay(true)
    // A reset is one more way to say goodbye; what matters is the close that follows it.
    socket.on('error', () => {})
  }

  /** @param {MessageInput} message */
  send(message) {
    this.write(encodeChunks(message))
  }

  /** @param {readonly Uint8Array[]} pieces lines, already encoded */
  write(pieces) {
    const { socket } = this
    if (!socket.writable) return
    // Everything that is said in one turn goes out in one system call.
    socket.cork()
    for (const piece of pieces) socket.write(piece)
    process.nextTick(() => socket.uncork())
    if (socket.writableLength > MAX_QUEUED_BYTES) socket.destroy()
  }

  /** Resolves once the peer has taken most of what it was sent, or is gone. One promise for all who wait. */
  async drained() {
    const { socket } = this
    if (!socket.writableNeedDrain || socket.destroyed) return
    this.waiting ??= new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done)
        this.waiting = undefined
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
    await this.waiting
  }

  /**
   * Reads until the peer says no more, or is gone. After each chunk it waits for `ready`: the next is not read, and so
   * in the end the peer is held up, until that resolves.
   * @param {{ message(message: Message): void, badLine(error: WireError): void, ready(): Promise<unknown> }} handlers
   */
  async read({ message, badLine, ready }) {
    // Node never writes to a chunk again, so messages may point into it.
    const decoder = new Decoder({ bytes: 'view' })
    const dispatch = () => {
      for (const unit of decoder) {
        if (unit instanceof WireError) badLine(unit)
        else message(unit)
      }
    }
    try {
      for await (const chunk of this.socket.iterator({ destroyOnReturn: false })) {
        decoder.push(chunk)
        dispatch()
        await ready()
      }
    } catch (error) {
      if (!this.socket.destroyed) throw error
      return
    }
    decoder.end()
    dispatch()
  }

  /** Says goodbye after what is queued; a peer that does not read is not waited for. */
  close() {
    if (this.socket.writableNeedDrain) this.socket.destroy()
    else this.socket.destroySoon()
  }
}

/** Whether the module of this URL is what `node` was told to run, and not imported. */
export const isMain = (/** @type {string} */ url) =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)

/** Runs until a signal asks to end, or `ended` resolves. */
export async function runUntilStopped(/** @type {{ close(): Promise<void>, closed: Promise<unknown> }} */ server) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
  await server.closed
}
