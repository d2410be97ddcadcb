import type { UnitDecoder } from './decoder'
import { usageError } from './errors'

/** Where bytes come from: a WHATWG stream, a Node stream, an async generator. */
export type ByteSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** How a source is read, besides the options of the Decoder. */
export interface StreamOptions {
  /** Aborting rejects the pending read at once with `signal.reason`, also while the source is silent. */
  readonly signal?: AbortSignal | undefined
  /** Bytes that come before those of the source, as they are left over from a handshake. */
  readonly head?: Uint8Array | undefined
  /** Leaves the source open when reading stops early: on break, abort or a fault. Default false: the source is cancelled. */
  readonly preventCancel?: boolean | undefined
}

/** A pair for `pipeThrough`. */
export interface StreamPair<I, O> {
  readonly readable: ReadableStream<O>
  readonly writable: WritableStream<I>
}

/**
 * The units of a stream, in order; a fault is thrown after the units before it, a source that ends inside a unit is 'truncated'.
 * Reads no chunk before the units of the last are taken. What the source itself throws is passed on.
 */
export async function* streamUnits<T>(
  decoder: UnitDecoder<T>,
  source: ByteSource,
  options: StreamOptions = {},
): AsyncGenerator<T, void, undefined> {
  const { signal, head, preventCancel = false } = options
  const input = openSource(source, preventCancel)
  if (!input) throw usageError(decoder.protocol, 'the source must be a ReadableStream or an async iterable')
  let stopped = false
  try {
    if (head) decoder.push(head)
    for (let open = true; ; ) {
      signal?.throwIfAborted()
      for (let unit = decoder.read(); unit !== undefined; unit = decoder.read()) {
        yield unit
        signal?.throwIfAborted()
      }
      if (!open) break
      const { done, value } = await nextChunk(input, signal)
      if (done) {
        open = false
        decoder.end()
      } else decoder.push(value)
    }
    stopped = true
    input.release()
  } catch (error) {
    stopped = true
    // Why reading failed matters more than how the source takes it, and a silent source may never answer.
    input.stop(error).catch(ignore)
    throw error
  } finally {
    if (!stopped) await input.stop(undefined)
  }
}

/** One way of reading for all kinds of sources. */
interface Input {
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  /** Ends reading early, even while `next` is pending; whether the source is cancelled was said at opening. */
  stop(reason: unknown): Promise<unknown>
  /** After the end of the source. */
  release(): void
}

/** The part of Node's Readable that its async iterator cannot do: stop while a read is pending, or stay open after the loop. */
interface NodeReadable {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>
  destroy(): unknown
}

function openSource(source: ByteSource, preventCancel: boolean): Input | undefined {
  if (typeof source !== 'object' || source === null) return undefined
  // A reader rather than the stream's async iterator: not every browser has that, and it cannot stop during a read.
  if ('getReader' in source) return readerInput(source.getReader(), preventCancel)
  if (!(Symbol.asyncIterator in source)) return undefined
  const node = source as Partial<NodeReadable>
  if (typeof node.iterator === 'function' && typeof node.destroy === 'function') {
    const iterator = node.iterator({ destroyOnReturn: !preventCancel })
    return iteratorInput(iterator, false, preventCancel ? undefined : () => node.destroy?.())
  }
  return iteratorInput(source[Symbol.asyncIterator](), preventCancel, undefined)
}

function readerInput(reader: ReadableStreamDefaultReader<Uint8Array>, preventCancel: boolean): Input {
  const release = (): void => {
    try {
      reader.releaseLock()
    } catch {
      // Before 2022 the standard let a lock stay where a read is pending.
    }
  }
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array, unknown>>,
    async stop(reason) {
      try {
        if (!preventCancel) await reader.cancel(reason)
      } finally {
        release()
      }
    },
    release,
  }
}

function iteratorInput(
  iterator: AsyncIterator<Uint8Array>,
  preventReturn: boolean,
  destroy: (() => unknown) | undefined,
): Input {
  let over = false
  return {
    async next() {
      try {
        const result = await iterator.next()
        over = result.done === true
        return result
      } catch (error) {
        over = true
        throw error
      }
    },
    async stop() {
      if (over || preventReturn) return
      // A generator answers `return` only after the pending `next`, and not at all before the first.
      destroy?.()
      await iterator.return?.()
    },
    release: ignore,
  }
}

/** The listener is taken off after each chunk: one promise raced for the length of a stream would collect a reaction a chunk. */
function nextChunk(input: Input, signal: AbortSignal | undefined): Promise<IteratorResult<Uint8Array, unknown>> {
  if (!signal) return input.next()
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    input
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function ignore(): void {}

/** Units that one pull hands over at most, so that a chunk of tiny units is not made all at once. */
const UNITS_A_PULL = 64

/**
 * Bytes in, units out. A write is answered once its units have been read, so that back-pressure reaches the writer;
 * nothing is decoded ahead of reading but what the decoder makes of one window. A fault errors the readable side after the units
 * before it, and the writable side with it. Cancelling the one side aborts the other.
 */
export function decoderPair<T>(decoder: UnitDecoder<T>): StreamPair<Uint8Array, T> {
  // A TransformStream will not do: when it fails, it drops the units that wait in its queue.
  let readableControl!: ReadableStreamDefaultController<T>
  let writableControl!: WritableStreamDefaultController
  /** The write or close that waits until its units have been read. */
  let writing: { readonly resolve: () => void; readonly reject: (reason: unknown) => void } | undefined
  /** Wakes the read that waits for a write. */
  let wake = ignore
  let ended = false

  const stop = (reason: unknown): void => {
    readableControl.error(reason)
    writing?.reject(reason)
    writing = undefined
    wake()
  }
  const fail = (reason: unknown): void => {
    writableControl.error(reason)
    stop(reason)
  }
  const untilRead = (): Promise<void> =>
    new Promise((resolve, reject) => {
      writing = { resolve, reject }
      wake()
    })

  const writable = new WritableStream<Uint8Array>({
    start(control) {
      writableControl = control
      // The method `abort` is called only after the pending write, which waits for a reader.
      control.signal?.addEventListener('abort', () => stop(control.signal.reason))
    },
    write(chunk) {
      try {
        decoder.push(chunk)
      } catch (error) {
        fail(error)
        throw error
      }
      return untilRead()
    },
    close() {
      ended = true
      decoder.end()
      return untilRead()
    },
    abort: stop,
  })

  /** Hands some units over; false: there are none, more bytes are needed. */
  const handOver = (): boolean => {
    let count = 0
    try {
      for (; count < UNITS_A_PULL; count++) {
        const unit = decoder.read()
        if (unit === undefined) break
        readableControl.enqueue(unit)
      }
    } catch (error) {
      // Errors drop what is queued, but the decoder throws this one again when the units before it are out.
      if (count === 0) fail(error)
      return true
    }
    return count > 0
  }
  const readable = new ReadableStream<T>(
    {
      start(control) {
        readableControl = control
      },
      async pull(control) {
        while (!handOver()) {
          writing?.resolve()
          writing = undefined
          if (ended) {
            control.close()
            return
          }
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          if (!writing) return
        }
      },
      cancel: fail,
    },
    { highWaterMark: 0 },
  )
  return { readable, writable }
}

/**
 * Values in, bytes out: what `encode` returns for each, one piece or several, none of them empty. What it throws errors both sides.
 * Back-pressure is that of a TransformStream: a value is encoded when its bytes are asked for.
 */
export function encoderPair<V>(encode: (value: V) => Uint8Array | readonly Uint8Array[]): StreamPair<V, Uint8Array> {
  return new TransformStream<V, Uint8Array>({
    transform(value, control) {
      const encoded = encode(value)
      for (const piece of 'byteLength' in encoded ? [encoded] : encoded) {
        if (piece.length > 0) control.enqueue(piece)
      }
    },
  })
}
