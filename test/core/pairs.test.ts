import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { decoderPair, encoderPair } from '../../bindings/core/streams'
import { ascii, LineDecoder } from './lines'
import { collect, type Make, streamOf, webStream } from './sources'

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
