import { afterEach, describe, expect, it, vi } from 'vitest'
import type * as portable from '../../assembly/katcp/index'
import { type Backend, type Core, useBackend } from '../../bindings/engine/load'
import { Decoder, decodeAt, encode, encodedLength, type Message } from '../../bindings/katcp/index'
import { argsOf, ascii } from './reference'

/*
 * How much the codec works, counted instead of timed: the bytes that kernels are given, and those that typed arrays copy.
 * What is linear stays below a small multiple of the input however it is cut; what is not passes that by far.
 */
const work = vi.hoisted(() => ({ kernel: 0, copied: 0, tested: 0 }))

vi.mock('../../bindings/katcp/lines', async (importActual) => {
  const actual = await importActual<typeof import('../../bindings/katcp/lines')>()
  type Kernels = typeof portable
  const counted = new Map<Core<Kernels>, Core<Kernels>>()
  const count = (core: Core<Kernels>): Core<Kernels> => {
    const { kernels } = core
    const words = (at: number, i: number) => core.memory.u32[(at >>> 2) + i]! & 0x3fffffff
    return {
      ...core,
      kernels: {
        katcpScan: (input, end, ...rest) => {
          work.kernel += end - input
          return kernels.katcpScan(input, end, ...rest)
        },
        katcpUnescape: (input, base, at, n, out) => {
          work.kernel += words(at, n) - words(at, 0)
          return kernels.katcpUnescape(input, base, at, n, out)
        },
        katcpEscape: (input, end, ...rest) => {
          work.kernel += end - input
          return kernels.katcpEscape(input, end, ...rest)
        },
        katcpDiagnose: (input, end) => {
          work.kernel += end - input
          return kernels.katcpDiagnose(input, end)
        },
        katcpFloats: (input, base, at, n, out) => {
          const done = kernels.katcpFloats(input, base, at, n, out)
          work.kernel += words(at, done) - words(at, 0)
          return done
        },
        katcpComplexes: (input, base, at, n, out) => {
          const done = kernels.katcpComplexes(input, base, at, n, out)
          work.kernel += words(at, done) - words(at, 0)
          return done
        },
      },
    }
  }
  return {
    ...actual,
    selectCore: (bytes: number, crossover: number) => {
      const core = actual.selectCore(bytes, crossover)
      let wrapped = counted.get(core)
      if (!wrapped) {
        wrapped = count(core)
        counted.set(core, wrapped)
      }
      return wrapped
    },
    copyIn: (u8: Uint8Array, to: number, from: Uint8Array, start: number, length: number) => {
      // Longer ones go through `set`, which is counted below.
      if (length <= 24) work.copied += length
      actual.copyIn(u8, to, from, start, length)
    },
  }
})

/** Runs with every copy by `set` and every character given to a pattern counted. */
function cost(run: () => void): { kernel: number; copied: number; tested: number } {
  Object.assign(work, { kernel: 0, copied: 0, tested: 0 })
  const { set } = Uint8Array.prototype
  const { test } = RegExp.prototype
  const spies = [Uint8Array, Uint32Array, Int32Array].map((type) =>
    vi.spyOn(type.prototype, 'set').mockImplementation(function (
      this: Uint8Array,
      from: ArrayLike<number>,
      at?: number,
    ) {
      work.copied += (from as Uint8Array).byteLength ?? from.length
      set.call(this, from, at)
    }),
  )
  const pattern = vi.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text: string) {
    work.tested += text.length
    return test.call(this, text)
  })
  try {
    run()
  } finally {
    for (const spy of spies) spy.mockRestore()
    pattern.mockRestore()
  }
  return { ...work }
}

const gain = ascii(`?gain[1] input0 ${Array.from({ length: 4096 }, (_, i) => `${(i * 7919) % 10_007}.25`).join(' ')}\n`)

describe.each<Backend>(['wasm', 'js'])('work, %s', (backend) => {
  afterEach(() => {
    useBackend('auto')
  })

  it.each([1, 50, 1460])('on a line in pieces of %i bytes is that on the whole line', (size) => {
    useBackend(backend)
    const read = (decoder: Decoder<'throw'>, step: number) => {
      for (let at = 0; at < gain.length; at += step) decoder.push(gain.subarray(at, at + step))
      const { args } = decoder.read() as Message
      expect(args.length).toBe(4097)
    }
    for (const bytes of ['copy', 'view'] as const) {
      const whole = cost(() => read(new Decoder({ errors: 'throw', bytes }), gain.length))
      const pieces = cost(() => read(new Decoder({ errors: 'throw', bytes }), size))
      expect(whole.kernel).toBe(gain.length)
      // Every byte is scanned once, and moved a few times: in, to what waits, as that grows, and its argument's place.
      expect(pieces.kernel).toBe(gain.length)
      expect(pieces.copied).toBeLessThan(8 * gain.length)
    }
  })

  it('on bad and over-long lines in pieces is that on their bytes', () => {
    useBackend(backend)
    const lines = [ascii(`?1bad ${'x '.repeat(50_000)}\n`), ascii(`?${'x '.repeat(50_000)}\n`)]
    for (const line of lines) {
      const { kernel, copied } = cost(() => {
        const decoder = new Decoder({ limits: { maxLineBytes: 20_000 } })
        for (let at = 0; at < line.length; at += 10) decoder.push(line.subarray(at, at + 10))
        expect(decoder.readAll().length).toBe(1)
      })
      expect(kernel).toBe(line.length)
      expect(copied).toBeLessThan(6 * line.length)
    }
  })

  it('of decodeAt over a buffer is that on the buffer', () => {
    useBackend(backend)
    const line = ascii(`#sensor-status[7] 1427043968.95 1 a.b nominal ${'y'.repeat(40)}\n`)
    const bytes = new Uint8Array(line.length * 3000)
    for (let at = 0; at < bytes.length; at += line.length) bytes.set(line, at)
    let count = 0
    const { copied } = cost(() => {
      for (let at = 0; at < bytes.length; count++) at = decodeAt(bytes, at)!.end
    })
    expect(count).toBe(3000)
    // A first look at 1 KiB where the line is 87 bytes long.
    expect(copied).toBeLessThan(16 * bytes.length)
    const long = ascii(`?a ${'x'.repeat(1_000_000)}\n`)
    const one = cost(() => expect(decodeAt(long, 0)?.value.args.length).toBe(1))
    expect(one.kernel).toBe(long.length)
    expect(one.copied).toBeLessThan(6 * long.length)
  })

  it('on numbers that need more than a division is that on all others', () => {
    useBackend(backend)
    for (const [plain, odd] of [
      ['1.5', 'nan'],
      ['1.5', '1.7976931348623157e308'],
      ['1.5', '1\\@5'],
    ] as const) {
      for (const every of [1, 2, 100]) {
        const texts = Array.from({ length: 8000 }, (_, i) => (i % every === 0 ? odd : plain))
        const line = ascii(`?x ${texts.join(' ')}\n`)
        const { args } = new Decoder({ errors: 'throw' }).push(line).read() as Message
        for (const read of [() => args.toFloat64Array(), () => args.toComplexArray()]) {
          const { copied } = cost(() => expect(read().length % 8000).toBe(0))
          // Bytes and positions of each argument, those of a few that were looked at in vain, and the results.
          expect(copied).toBeLessThan(60 * line.length + 8000 * 200)
        }
      }
    }
  })

  it('on escapes is that on their bytes', () => {
    useBackend(backend)
    const args = argsOf(...new Array<string>(10_000).fill('a b'), ' '.repeat(400_000))
    const raw = 10_000 * 5 + 800_000
    const all = cost(() => expect(args.toArray().length).toBe(10_001))
    expect(all.kernel).toBeLessThan(2 * raw)
    const one = cost(() => expect(args.bytes(10_000)!.length).toBe(400_000))
    expect(one.kernel).toBeLessThan(2 * raw)
  })

  it('of encoding is that on the bytes, also where they are no ASCII', () => {
    useBackend(backend)
    for (const text of [
      'x'.repeat(1_000_000),
      'é'.repeat(500_000),
      '\u{1f600}'.repeat(250_000),
      ' \\'.repeat(500_000),
    ]) {
      for (const args of [[text], ['a', text, ''], [text, Uint8Array.of(1)]]) {
        const length = encodedLength({ type: 'request', name: 'x', args })
        const { kernel, copied, tested } = cost(() => {
          expect(encode({ type: 'request', name: 'x', args }).length).toBe(length)
        })
        expect(kernel).toBeLessThan(1.1 * length)
        expect(copied).toBeLessThan(6 * length)
        expect(tested).toBeLessThan(3 * length)
      }
    }
  })
})
