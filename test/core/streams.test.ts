import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ByteSource, decoderPair, encoderPair, type StreamOptions, streamUnits } from '../../bindings/core/streams'
import { ascii, LineDecoder } from './lines'

/** A source that tells what was done to it. */
interface Probe {
  readonly source: ByteSource
  /** Chunks that were asked for. */
  readonly pulled: () => number
  /** What the source was cancelled with, in a list of at most one. */
  readonly cancelled: unknown[]
}
/** Makes a source of chunks that then ends, stays silent for ever or fails with the given error. */
type Make = (chunks: readonly string[], then?: 'end' | 'silence' | Error) => Probe

const webStream =
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

const streamOf = <T>(values: readonly T[]): ReadableStream<T> =>
  new ReadableStream({
    start(control) {
      for (const value of values) control.enqueue(value)
      control.close()
    },
  })

const SOURCES: [string, Make][] = [
  ['a ReadableStream', webStream(true)],
  ['a ReadableStream that is not async iterable', webStream(false)],
  ['an async iterable', iterator],
  ['a Node stream', nodeStream],
]

const lines = (source: ByteSource, options?: StreamOptions) => streamUnits(new LineDecoder(), source, options)

/** What came out, and the error at the end. */
async function collect(units: AsyncIterable<string>): Promise<{ all: string[]; error: unknown }> {
  const all: string[] = []
  try {
    for await (const unit of units) all.push(unit)
  } catch (error) {
    return { all, error }
  }
  return { all, error: undefined }
}

describe.each(SOURCES)('streamUnits over %s', (name, make) => {
  it('yields the units of all chunks in order and does not cancel a source that ended', async () => {
    const { source, cancelled } = make(['a\nb', 'c\n', '\n', 'd\ne\nf\n'])
    expect(await collect(lines(source))).toEqual({ all: ['a', 'bc', '', 'd', 'e', 'f'], error: undefined })
    expect(cancelled).toEqual([])
  })

  it('yields the units of the head first', async () => {
    const { source } = make(['c\nd\n'])
    const { all } = await collect(lines(source, { head: ascii('a\nb') }))
    expect(all).toEqual(['a', 'bc', 'd'])
  })

  it('has units of the head before the source says anything', async () => {
    const { source } = make([], 'silence')
    const units = lines(source, { head: ascii('a\n') })
    expect(await units.next()).toEqual({ done: false, value: 'a' })
    await units.return()
  })

  it('ends with truncation where the source ends inside a unit', async () => {
    const { source } = make(['a\nb'])
    const { all, error } = await collect(lines(source))
    expect(all).toEqual(['a'])
    expect(error).toMatchObject({ code: 'WT_TRUNCATED', offset: 3 })
  })

  it('throws a fault after the units before it and cancels the source', async () => {
    const { source, cancelled } = make(['a\n', 'b\n!c\n', 'd\n'], 'silence')
    const { all, error } = await collect(lines(source))
    expect(all).toEqual(['a', 'b'])
    expect(error).toMatchObject({ code: 'WT_JSON', offset: 4 })
    await turn()
    expect(cancelled).toHaveLength(1)
    if (name.includes('ReadableStream')) expect(cancelled).toEqual([error])
  })

  it('passes on the error of the source, after the units before it', async () => {
    const failure = new Error('connection reset')
    const { source, cancelled } = make(['a\nb'], failure)
    expect(await collect(lines(source))).toEqual({ all: ['a'], error: failure })
    await turn()
    expect(cancelled).toEqual([])
  })

  it('cancels the source on break', async () => {
    const { source, cancelled } = make(['a\nb\nc\n'], 'silence')
    for await (const unit of lines(source)) if (unit === 'b') break
    expect(cancelled).toHaveLength(1)
  })

  it('rejects with the reason of the signal while a read is pending, and cancels the source', async () => {
    const { source, cancelled } = make(['a\n'], 'silence')
    const controller = new AbortController()
    const units = lines(source, { signal: controller.signal })
    expect((await units.next()).value).toBe('a')
    const pending = units.next()
    await turn()
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    expect(await units.next()).toEqual({ done: true, value: undefined })
    await turn()
    expect(cancelled).toHaveLength(1)
  })

  it('rejects between two units of a chunk once the signal is aborted', async () => {
    const { source } = make(['a\nb\nc\n'])
    const controller = new AbortController()
    const units = lines(source, { signal: controller.signal })
    await units.next()
    controller.abort()
    await expect(units.next()).rejects.toBe(controller.signal.reason)
  })

  it('reads nothing where the signal is aborted already', async () => {
    const { source, cancelled, pulled } = make(['a\n'], 'silence')
    const { all, error } = await collect(lines(source, { signal: AbortSignal.abort('before'), head: ascii('h\n') }))
    expect([all, error]).toEqual([[], 'before'])
    await turn()
    expect(cancelled).toHaveLength(1)
    expect(pulled()).toBe(0)
  })

  it('leaves no listener on the signal', async () => {
    const { source } = make(['a\n', 'b\n', 'c\n'])
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const units = lines(source, { signal })
    for await (const _ of units) expect(listeners).toBeLessThanOrEqual(1)
    expect(listeners).toBe(0)
  })

  it('asks for no chunk before the units of the last are taken', async () => {
    const { source, pulled } = make(['a\nb\n', 'c\n', 'd\n', 'e\n', 'f\n', 'g\n'])
    const units = lines(source)
    await units.next()
    await turn()
    // A Node stream reads one chunk ahead by itself.
    const ahead = pulled()
    expect(ahead).toBeLessThanOrEqual(2)
    await units.next()
    await turn()
    expect(pulled()).toBe(ahead)
    expect((await units.next()).value).toBe('c')
    await units.return()
  })

  it('leaves the source open with preventCancel: on break, on a fault, on abort', async () => {
    const broken = make(['a\nb\n', 'c\n'])
    for await (const _ of lines(broken.source, { preventCancel: true })) break
    const faulty = make(['!', 'c\n'])
    expect((await collect(lines(faulty.source, { preventCancel: true }))).error).toMatchObject({ code: 'WT_JSON' })
    const aborted = make(['a\n', 'c\n'])
    const controller = new AbortController()
    const units = lines(aborted.source, { preventCancel: true, signal: controller.signal })
    await units.next()
    controller.abort()
    await expect(units.next()).rejects.toBe(controller.signal.reason)
    await turn()
    for (const { source, cancelled } of [broken, faulty, aborted]) {
      expect(cancelled).toEqual([])
      expect((await collect(lines(source))).all).toEqual(['c'])
    }
  })

  it('refuses chunks that are no bytes', async () => {
    const { source } = make([])
    const strings = source instanceof ReadableStream ? streamOf(['a\n']) : Readable.from(['a\n'])
    const { error } = await collect(lines(strings as unknown as ByteSource))
    expect(error).toMatchObject({ code: 'WT_USAGE' })
  })
})

describe('streamUnits', () => {
  it('closes an async generator in its own finally', async () => {
    let closed = false
    async function* generator(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      try {
        yield ascii('a\n')
        yield ascii('b\n')
      } finally {
        await turn()
        closed = true
      }
    }
    for await (const _ of lines(generator())) break
    expect(closed).toBe(true)
  })

  it('does not wait for a silent generator when it is aborted', async () => {
    async function* generator(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      yield ascii('a\n')
      await new Promise(() => {})
    }
    const controller = new AbortController()
    const units = lines(generator(), { signal: controller.signal })
    await units.next()
    const pending = units.next()
    controller.abort('enough')
    await expect(pending).rejects.toBe('enough')
  })

  it('passes on what the source throws when it is cancelled on break', async () => {
    const failure = new Error('cannot close')
    const source = new ReadableStream<Uint8Array>({
      start: (control) => control.enqueue(ascii('a\n')),
      cancel() {
        throw failure
      },
    })
    const read = async () => {
      for await (const _ of lines(source)) break
    }
    await expect(read()).rejects.toBe(failure)
  })

  it('gives the lock of a stream back', async () => {
    const ended = webStream(true)(['a\n']).source as ReadableStream<Uint8Array>
    await collect(lines(ended))
    expect(ended.locked).toBe(false)
    const broken = webStream(true)(['a\n'], 'silence').source as ReadableStream<Uint8Array>
    for await (const _ of lines(broken)) break
    expect(broken.locked).toBe(false)
  })

  it('loses no chunk of a stream whose pending read is aborted with preventCancel', async () => {
    let control!: ReadableStreamDefaultController<Uint8Array>
    const source = new ReadableStream<Uint8Array>({
      start(given) {
        control = given
      },
    })
    const controller = new AbortController()
    const pending = lines(source, { signal: controller.signal, preventCancel: true }).next()
    await turn()
    controller.abort('enough')
    await expect(pending).rejects.toBe('enough')
    control.enqueue(ascii('a\n'))
    control.close()
    expect((await collect(lines(source))).all).toEqual(['a'])
  })

  it.each([undefined, null, 'text', ascii('a\n'), {}])('refuses %o as a source', async (source) => {
    const { error } = await collect(lines(source as unknown as ByteSource))
    expect(error).toMatchObject({ code: 'WT_USAGE', kind: 'usage' })
  })
})

describe('decoderPair', () => {
  const piped = (make: Make, chunks: string[], then?: 'end' | 'silence' | Error) => {
    const probe = make(chunks, then)
    return { ...probe, units: (probe.source as ReadableStream<Uint8Array>).pipeThrough(decoderPair(new LineDecoder())) }
  }

  it('makes units of what is piped through, in order', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `${i}`)
    const { units } = piped(webStream(true), ['a\nb', 'c\n', '', `${many.join('\n')}\n`])
    const decoder = decoderPair(new LineDecoder({ maxBufferedBytes: 10_000, window: 10_000 }))
    expect((await collect(units)).error).toMatchObject({ code: 'WT_TOO_MUCH_BUFFERED' })
    const { source } = webStream(true)(['a\nb', 'c\n', '', `${many.join('\n')}\n`])
    const all = (await collect((source as ReadableStream<Uint8Array>).pipeThrough(decoder))).all
    expect(all).toEqual(['a', 'bc', ...many])
  })

  it('errors the readable side after the units before the fault, and cancels the source', async () => {
    const { units, cancelled } = piped(webStream(true), ['a\nb\n!c\n', 'd\n'], 'silence')
    const { all, error } = await collect(units)
    expect(all).toEqual(['a', 'b'])
    expect(error).toMatchObject({ code: 'WT_JSON', offset: 4 })
    await turn()
    expect(cancelled).toEqual([error])
  })

  it('keeps the units for a reader that comes late', async () => {
    const { readable, writable } = decoderPair(new LineDecoder())
    const writer = writable.getWriter()
    const write = writer.write(ascii('a\nb\n!'))
    await turn()
    const reader = readable.getReader()
    expect(await reader.read()).toEqual({ done: false, value: 'a' })
    await turn()
    expect(await reader.read()).toEqual({ done: false, value: 'b' })
    await expect(reader.read()).rejects.toMatchObject({ code: 'WT_JSON' })
    await expect(write).rejects.toMatchObject({ code: 'WT_JSON' })
    await expect(writer.closed).rejects.toMatchObject({ code: 'WT_JSON' })
  })

  it('errors with truncation at the end, on both sides', async () => {
    const { readable, writable } = decoderPair(new LineDecoder())
    const writer = writable.getWriter()
    const writes = [writer.write(ascii('a\nb')), writer.close()]
    const { all, error } = await collect(readable)
    expect(all).toEqual(['a'])
    expect(error).toMatchObject({ code: 'WT_TRUNCATED' })
    expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await expect(writer.closed).rejects.toBe(error)
  })

  it('answers a write when its units are read: one chunk at most is taken from the source', async () => {
    const { units, pulled } = piped(webStream(true), ['a\nb\n', 'c\n', 'd\n', 'e\n', 'f\n'])
    await turn()
    const before = pulled()
    expect(before).toBeLessThanOrEqual(2)
    const reader = units.getReader()
    await reader.read()
    await reader.read()
    await turn()
    expect(pulled()).toBe(before)
    expect((await reader.read()).value).toBe('c')
    await turn()
    expect(pulled()).toBeLessThanOrEqual(before + 1)
  })

  it('aborts the source when the readable side is cancelled', async () => {
    const { units, cancelled } = piped(webStream(true), ['a\nb\n', 'c\n'], 'silence')
    for await (const _ of units) break
    await turn()
    expect(cancelled).toHaveLength(1)
  })

  it('passes the abort of the writable side on at once, also while a write waits for a reader', async () => {
    const { readable, writable } = decoderPair(new LineDecoder())
    const writer = writable.getWriter()
    const write = writer.write(ascii('a\n'))
    await turn()
    const reason = new Error('gone')
    await writer.abort(reason)
    await expect(write).rejects.toBe(reason)
    await expect(readable.getReader().read()).rejects.toBe(reason)
  })

  it('passes the error of the source on', async () => {
    const failure = new Error('connection reset')
    const { units } = piped(webStream(true), ['a\n'], failure)
    expect((await collect(units)).error).toBe(failure)
  })

  it('refuses chunks that are no bytes, on both sides', async () => {
    const { readable, writable } = decoderPair(new LineDecoder())
    const write = writable.getWriter().write('a\n' as unknown as Uint8Array)
    await expect(readable.getReader().read()).rejects.toMatchObject({ code: 'WT_USAGE' })
    await expect(write).rejects.toMatchObject({ code: 'WT_USAGE' })
  })
})

describe('encoderPair', () => {
  const joined = async (stream: ReadableStream<Uint8Array>) => {
    const all: string[] = []
    for await (const piece of stream) all.push(String.fromCharCode(...piece))
    return all
  }

  it('writes the bytes of each value, whole or in pieces, and nothing that is empty', async () => {
    const encode = (value: string) => (value.length > 1 ? [...value, ''].map(ascii) : ascii(value))
    const values = streamOf(['a', 'bcd', '', 'e'])
    expect(await joined(values.pipeThrough(encoderPair(encode)))).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('encodes a value when its bytes are asked for', async () => {
    const encoded: number[] = []
    const { readable, writable } = encoderPair<number>((value) => {
      encoded.push(value)
      return Uint8Array.of(value)
    })
    const writer = writable.getWriter()
    const writes = [1, 2, 3].map((value) => writer.write(value))
    await turn()
    expect(encoded).toEqual([])
    const reader = readable.getReader()
    expect((await reader.read()).value).toEqual(Uint8Array.of(1))
    await turn()
    expect(encoded).toEqual([1])
    for (const value of [2, 3]) expect((await reader.read()).value).toEqual(Uint8Array.of(value))
    await Promise.all(writes)
  })

  it('errors both sides with what encode throws, after the bytes before', async () => {
    const failure = new Error('no form')
    const { readable, writable } = encoderPair<string>((value) => {
      if (value === 'bad') throw failure
      return ascii(value)
    })
    const writer = writable.getWriter()
    const writes = ['a', 'bad', 'b'].map((value) => writer.write(value))
    const settled = Promise.allSettled(writes)
    const reader = readable.getReader()
    expect((await reader.read()).value).toEqual(ascii('a'))
    await expect(reader.read()).rejects.toBe(failure)
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})
