import type { Writable } from 'node:stream'
import { OutputClosed } from './exit'

/** What a stream says when its reader has gone, on the various systems. */
const CLOSED = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

/** Standard output: waits where its reader is slower than we are. */
export class Output {
  readonly #stream: Writable
  #failure: Error | undefined
  #wake: () => void = () => {}

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= CLOSED.has(error.code ?? '') ? new OutputClosed() : error
      this.#wake()
    })
    stream.on('close', () => {
      this.#failure ??= new OutputClosed()
      this.#wake()
    })
    stream.on('drain', () => this.#wake())
  }

  /** Throws OutputClosed where nobody reads any more, else the error of the stream. */
  async write(data: string | Uint8Array): Promise<void> {
    this.#check()
    if (data.length === 0) return
    if (!this.#stream.write(data)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#check()
  }

  /** Waits until everything has been taken. */
  async flush(): Promise<void> {
    this.#check()
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#stream.write('', () => resolve())
    })
    this.#check()
  }

  #check(): void {
    if (this.#failure) throw this.#failure
  }
}
