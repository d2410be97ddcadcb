import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireError } from '../../bindings/core/error'
import { ascii, LineDecoder, thrownBy } from './lines'

/** Units until there are no more, read singly or `all` that there are, then code and offset of the fault, if there is one. */
function drain(decoder: LineDecoder, units: string[] = [], all = false): string[] {
  try {
    if (all) for (let more = decoder.readAll(); more.length > 0; more = decoder.readAll()) units.push(...more)
    else for (const unit of decoder) units.push(unit)
  } catch (error) {
    const { code, offset } = error as WireError
    units.push(`${code} ${offset}`)
  }
  return units
}

const failed = (units: string[]): boolean => units.at(-1)?.startsWith('WT_') === true

describe('the order of units and faults', () => {
  it('gives the units before a fault, then throws it, the same one again and again', () => {
    const decoder = new LineDecoder().push(ascii('a\nb\nc!d\ne\n'))
    expect(decoder.read()).toBe('a')
    expect(decoder.read()).toBe('b')
    const fault = thrownBy(() => decoder.read())
    expect(fault).toMatchObject({ code: 'WT_JSON', offset: 5 })
    expect(thrownBy(() => decoder.read())).toBe(fault)
    expect(thrownBy(() => decoder.readAll())).toBe(fault)
    expect(thrownBy(() => [...decoder])).toBe(fault)
    decoder.push(ascii('f\n')).end()
    expect(thrownBy(() => decoder.read())).toBe(fault)
  })

  it('works again after reset, from offset 0', () => {
    const decoder = new LineDecoder().push(ascii('a\nb!'))
    expect(drain(decoder)).toEqual(['a', 'WT_JSON 3'])
    decoder.reset()
    expect(decoder.offset).toBe(0)
    expect(decoder.buffered).toBe(0)
    expect(drain(decoder.push(ascii('c\n!')))).toEqual(['c', 'WT_JSON 2'])
  })

  it('forgets units, partial units, queued bytes and the end at reset', () => {
    const decoder = new LineDecoder().push(ascii('a\nb\npartial')).push(ascii('queued\n')).end()
    decoder.reset()
    expect(decoder.read()).toBe(undefined)
    expect(decoder.push(ascii('x\n')).readAll()).toEqual(['x'])
    expect(decoder.buffered + decoder.offset).toBe(2)
  })

  it('is the same under every chunking, read one by one, iterated or all at once', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n', '!'), maxLength: 30 })
    const pieces = fc.array(piece, { maxLength: 8 })
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 9 }), fc.array(fc.boolean()), (chunks, window, reads) => {
        const text = chunks.join('')
        const bad = text.indexOf('!')
        const expected = (bad < 0 ? text : text.slice(0, bad)).split('\n')
        const rest = expected.pop()!
        if (bad >= 0) expected.push(`WT_JSON ${bad}`)
        else if (rest) expected.push(`WT_TRUNCATED ${text.length}`)

        for (const all of [false, true]) {
          const decoder = new LineDecoder({ window })
          const units: string[] = []
          chunks.forEach((chunk, i) => {
            decoder.push(ascii(chunk))
            if (reads[i] && !failed(units)) drain(decoder, units, all)
          })
          decoder.end()
          if (!failed(units)) drain(decoder, units, all)
          expect(units).toEqual(expected)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a chunk that was handed over and taken away', () => {
  it('is refused where it would be read, before and after its first unit', () => {
    for (const read of [0, 1]) {
      const decoder = new LineDecoder({ window: 2, handedOver: true })
      const chunk = ascii('a\nb\nc\n')
      decoder.push(chunk)
      for (let i = 0; i < read; i++) decoder.read()
      structuredClone(chunk.buffer, { transfer: [chunk.buffer] })
      const units: (string | undefined)[] = []
      const fault = thrownBy(() => {
        for (;;) units.push(decoder.read())
      })
      expect(units.length).toBeLessThan(3)
      expect(fault).toMatchObject({ kind: 'usage' })
      expect(thrownBy(() => decoder.read())).toBe(fault)
      decoder.reset()
      expect(drain(decoder.push(ascii('d\n')))).toEqual(['d'])
    }
  })
})

describe('readAll', () => {
  it('gives what waits in the queue too, and keeps the fault behind it for the next call', () => {
    const decoder = new LineDecoder({ window: 2 }).push(ascii('a\nb\n')).push(ascii('c\nd!'))
    expect(decoder.readAll()).toEqual(['a', 'b', 'c'])
    expect(thrownBy(() => decoder.readAll())).toMatchObject({ code: 'WT_JSON', offset: 7 })
  })

  it('leaves nothing out after end, and throws truncation after the units', () => {
    const decoder = new LineDecoder({ window: 2 }).push(ascii('a\nb\nc\nd')).end()
    expect(decoder.readAll()).toEqual(['a', 'b', 'c'])
    expect(thrownBy(() => decoder.readAll())).toMatchObject({ code: 'WT_TRUNCATED', kind: 'truncated', offset: 7 })
  })

  it('goes on where read stopped', () => {
    const decoder = new LineDecoder({ window: 8 }).push(ascii('a\nb\nc\nd\ne\n'))
    expect(decoder.read()).toBe('a')
    expect(decoder.readAll()).toEqual(['b', 'c', 'd', 'e'])
    expect(decoder.readAll()).toEqual([])
  })

  it('returns arrays that later pushes leave alone', () => {
    const decoder = new LineDecoder()
    const first = decoder.push(ascii('a\n')).readAll()
    decoder.push(ascii('b\n'))
    expect(first).toEqual(['a'])
    expect(decoder.readAll()).toEqual(['b'])
  })
})

describe('end', () => {
  it('ends quietly between units', () => {
    const decoder = new LineDecoder().push(ascii('a\n')).end()
    expect(drain(decoder)).toEqual(['a'])
    expect(decoder.read()).toBe(undefined)
  })

  it('makes a partial unit truncated, until reset', () => {
    const decoder = new LineDecoder().push(ascii('a\nbc')).end()
    expect(drain(decoder)).toEqual(['a', 'WT_TRUNCATED 4'])
    expect(drain(decoder)).toEqual(['WT_TRUNCATED 4'])
  })

  it('allows no push after it', () => {
    const decoder = new LineDecoder().end()
    expect(thrownBy(() => decoder.push(ascii('a\n')))).toMatchObject({ code: 'WT_USAGE', kind: 'usage' })
    expect(decoder.read()).toBe(undefined)
  })
})

describe('iteration', () => {
  it('keeps the rest after a break', () => {
    const decoder = new LineDecoder({ window: 4 })
    for (const unit of decoder.push(ascii('a\nb\nc\nd\n'))) if (unit === 'b') break
    expect([...decoder.push(ascii('e\n'))]).toEqual(['c', 'd', 'e'])
  })
})

describe('memory of the caller', () => {
  it('may be used again after push, also where its bytes wait in the queue', () => {
    const decoder = new LineDecoder({ window: 4 })
    const chunk = new Uint8Array(4)
    for (const text of ['ab\nc', 'd\nef', '\ngh\n']) {
      chunk.set(ascii(text))
      decoder.push(chunk)
      chunk.fill(0x21)
    }
    expect(drain(decoder)).toEqual(['ab', 'cd', 'ef', 'gh'])
  })

  it('is not copied when it is handed over', () => {
    const decoder = new LineDecoder({ window: 4, handedOver: true })
    const chunk = ascii('a\nb\nc\n')
    decoder.push(chunk)
    chunk[4] = 'x'.charCodeAt(0)
    expect(drain(decoder)).toEqual(['a', 'b', 'x'])
  })

  it('must be a Uint8Array', () => {
    const decoder = new LineDecoder()
    for (const chunk of ['a\n', [97, 10], undefined, new ArrayBuffer(1), new DataView(new ArrayBuffer(1))]) {
      expect(thrownBy(() => decoder.push(chunk as unknown as Uint8Array))).toMatchObject({ code: 'WT_USAGE' })
    }
    expect(drain(decoder.push(Buffer.from('a\n')))).toEqual(['a'])
  })
})

describe('what is held', () => {
  it('is what was pushed and not consumed: offset and buffered always add up', () => {
    const decoder = new LineDecoder({ window: 3 })
    let pushed = 0
    for (const text of ['ab', 'c\nd', '', 'e\nf\ngh', 'i\n\n\nj']) {
      decoder.push(ascii(text))
      pushed += text.length
      expect(decoder.offset + decoder.buffered).toBe(pushed)
      decoder.read()
      expect(decoder.offset + decoder.buffered).toBe(pushed)
    }
    expect(drain(decoder)).toEqual(['ghi', '', ''])
    expect(decoder.buffered).toBe(1)
    expect(decoder.offset).toBe(pushed - 1)
  })

  it('is parsed once, however small the pieces', () => {
    const decoder = new LineDecoder({ maxBufferedBytes: 5000 })
    for (let i = 0; i < 4000; i++) decoder.push(ascii('a'))
    expect(drain(decoder.push(ascii('\n')))).toEqual(['a'.repeat(4000)])
    expect(decoder.scanned).toBe(4001)
  })

  it('is at most maxBufferedBytes: an unfinished unit', () => {
    for (const size of [1, 3, 11]) {
      const fits = new LineDecoder({ maxBufferedBytes: 10 })
      const over = new LineDecoder({ maxBufferedBytes: 10 })
      for (let i = 0; i < 10; i += size) fits.push(ascii('a'.repeat(Math.min(size, 10 - i))))
      for (let i = 0; i < 11; i += size) over.push(ascii('a'.repeat(Math.min(size, 11 - i))))
      expect(drain(fits.push(ascii('\n')))).toEqual(['a'.repeat(10)])
      expect(drain(over)).toEqual(['WT_TOO_MUCH_BUFFERED 10'])
      expect(thrownBy(() => over.read())).toMatchObject({
        kind: 'limit',
        limit: { name: 'maxBufferedBytes', max: 10, actual: 11 },
      })
      expect(over.buffered).toBe(0)
    }
  })

  it('is at most maxBufferedBytes: what nobody reads; the units that fit come out first', () => {
    const decoder = new LineDecoder({ maxBufferedBytes: 10, window: 2 })
    for (let i = 0; i < 20; i++) {
      decoder.push(ascii(`${i % 10}\n`))
      expect(decoder.buffered).toBeLessThanOrEqual(10)
    }
    expect(drain(decoder)).toEqual(['0', '1', '2', '3', '4', '5', 'WT_TOO_MUCH_BUFFERED 12'])
    decoder.reset()
    expect(drain(decoder.push(ascii('a\n')))).toEqual(['a'])
  })

  it('counts from what was read, not from the start of the stream', () => {
    const decoder = new LineDecoder({ maxBufferedBytes: 10, window: 2 })
    for (let i = 0; i < 50; i++) expect(drain(decoder.push(ascii('a\nb\n')))).toEqual(['a', 'b'])
  })
})
