import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ByteSource, type StreamOptions, streamUnits } from '../../bindings/core/streams'
import { ascii, LineDecoder } from './lines'
import { collect, SOURCES, streamOf, webStream } from './sources'

const lines = (source: ByteSource, options?: StreamOptions) => streamUnits(new LineDecoder(), source, options)

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
