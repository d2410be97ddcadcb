import { Readable } from 'node:stream'
import type { ByteSource } from '../../bindings/core/streams'
import { ascii } from './lines'

/** A source that tells what was done to it. */
export interface Probe {
  readonly source: ByteSource
  /** Chunks that were asked for. */
  readonly pulled: () => number
  /** What the source was cancelled with, in a list of at most one. */
  readonly cancelled: unknown[]
}
/** Makes a source of chunks that then ends, stays silent for ever or fails with the given error. */
export type Make = (chunks: readonly string[], then?: 'end' | 'silence' | Error) => Probe

export const webStream =
  (asyncIterable: boolean): Make =>
  (chunks, then = 'end') => {
    let next = 0
    const cancelled: unknown[] = []
    const source = new ReadableStream<Uint8Array>(
      {
        pull(control) {
          const chunk = chunks[next++]
          if (chunk !== undefined) control.enqueue(ascii(chunk))
          else if (then === 'end') control.close()
          else if (then === 'silence') return new Promise(() => {})
          else control.error(then)
        },
        cancel(reason) {
          cancelled.push(reason)
        },
      },
      { highWaterMark: 0 },
    )
    if (!asyncIterable) Object.defineProperty(source, Symbol.asyncIterator, { value: undefined })
    return { source, pulled: () => next, cancelled }
  }

const iterator: Make = (chunks, then = 'end') => {
  let next = 0
  const cancelled: unknown[] = []
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const chunk = chunks[next++]
        if (chunk !== undefined) return { done: false, value: ascii(chunk) }
        if (then === 'silence') return new Promise(() => {})
        if (then !== 'end') throw then
        return { done: true, value: undefined }
      },
      async return() {
        cancelled.push(undefined)
        return { done: true, value: undefined }
      },
    }),
  }
  return { source, pulled: () => next, cancelled }
}

const nodeStream: Make = (chunks, then = 'end') => {
  let next = 0
  const cancelled: unknown[] = []
  const source = new Readable({
    highWaterMark: 1,
    read() {
      const chunk = chunks[next++]
      if (chunk !== undefined) this.push(ascii(chunk))
      else if (then === 'end') this.push(null)
      else if (then !== 'silence') this.destroy(then)
    },
    destroy(error, done) {
      if (!this.readableEnded && (error === null || error !== then)) cancelled.push(error)
      done(error)
    },
  })
  return { source, pulled: () => next, cancelled }
}

export const streamOf = <T>(values: readonly T[]): ReadableStream<T> =>
  new ReadableStream({
    start(control) {
      for (const value of values) control.enqueue(value)
      control.close()
    },
  })

export const SOURCES: [string, Make][] = [
  ['a ReadableStream', webStream(true)],
  ['a ReadableStream that is not async iterable', webStream(false)],
  ['an async iterable', iterator],
  ['a Node stream', nodeStream],
]

/** What came out, and the error at the end. */
export async function collect(units: AsyncIterable<string>): Promise<{ all: string[]; error: unknown }> {
  const all: string[] = []
  try {
    for await (const unit of units) all.push(unit)
  } catch (error) {
    return { all, error }
  }
  return { all, error: undefined }
}
