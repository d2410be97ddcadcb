import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type Backend, useBackend } from '../../bindings/engine/load'
import {
  type DecodeOptions,
  Decoder,
  decode,
  decodeAll,
  decodeAt,
  encode,
  encodeAll,
  encodedLength,
  type Message,
  type MessageInput,
  WireError,
} from '../../bindings/katcp/index'
import { textOf, told, withoutStacks } from '../katcp/reference'
import { toHex } from '../vectors'

const BACKENDS: readonly Backend[] = ['wasm', 'js']

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
const name = fc
  .tuple(letter, fc.string({ unit: fc.oneof(letter, fc.constantFrom(...'0123456789-')), maxLength: 80 }))
  .map(([first, rest]) => first + rest)
const type = fc.constantFrom('request', 'reply', 'inform')
const id = fc.option(fc.integer({ min: 1, max: 0x7fffffff }), { nil: undefined })
/** Bytes that mean something to the format come as often as all others together. */
const byte = fc.oneof(
  fc.constantFrom(...Buffer.from('\\ \t\0\n\r\x1b_0nret@?!#[]1a')),
  fc.integer({ min: 0, max: 255 }),
)
const bytes = fc.array(byte, { maxLength: 60 }).map((list) => Uint8Array.from(list))
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\0', '\\', ' ', '', 'a', '\u{1f600}', '\ufeff') }),
)
const long = fc
  .tuple(text, fc.integer({ min: 1, max: 30_000 }))
  .map(([piece, length]) => piece.repeat(length).slice(0, 70_000))
const wholeText = fc
  .oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: long })

  // Where a pair was cut, the half becomes a replacement character.
  .map((each) => Buffer.from(each).toString())

const head = { type, name, id } as const
const ofBytes = fc.record({ ...head, args: fc.array(bytes, { maxLength: 12 }) })
const ofTexts = fc.record({ ...head, args: fc.array(wholeText, { maxLength: 12 }) })
const ofBoth = fc.record({ ...head, args: fc.array(fc.oneof(bytes, wholeText), { maxLength: 12 }) })

/** Bytes that are nearly a stream: good and bad lines, cut, joined and with a few bytes changed. */
const noise = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: ofBytes.map((message) => encode(message)) },
        { weight: 1, arbitrary: ofTexts.map((message) => encode(message)) },
        { weight: 2, arbitrary: bytes },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom('\n', '\r\n', ' \t\n', '?', '?a[', '?a[99999999999', '?a \\', '!b  x\t y \n')
            .map((each) => Uint8Array.from(Buffer.from(each))),
        },
      ),
      { maxLength: 8 },
    ),
    fc.array(fc.tuple(fc.nat(), byte), { maxLength: 3 }),
  )
  .map(([parts, changes]) => {
    const all = new Uint8Array(Buffer.concat(parts))
    for (const [at, value] of changes) if (all.length > 0) all[at % all.length] = value
    return all
  })
const cuts = fc.array(fc.nat(), { maxLength: 6 })
const options = fc.record<DecodeOptions<'report' | 'throw'>>({
  errors: fc.constantFrom('report', 'throw'),
  bytes: fc.constantFrom('copy', 'view'),
  errorOrder: fc.constantFrom('left-to-right', 'katcp-python'),
  limits: fc.record({
    maxLineBytes: fc.oneof(fc.constant(2_097_152), fc.integer({ min: 0, max: 40 })),
    maxArguments: fc.oneof(fc.constant(131_072), fc.integer({ min: 0, max: 5 })),
  }),
})

const argsOf = ({ args }: Message) => Array.from({ length: args.length }, (_, i) => toHex(args.bytes(i)!))
const wanted = (args: readonly (string | Uint8Array)[]) =>
  args.map((arg) => toHex(typeof arg === 'string' ? new TextEncoder().encode(arg) : arg))

/** Everything that a decoder says of the bytes, chunk by chunk; it may throw nothing but a WireError. */
function listen(all: Uint8Array, places: readonly number[], how: DecodeOptions<'report' | 'throw'>): string[] {
  const said: string[] = []
  const decoder = new Decoder(how)
  const ends = [...places.map((place) => (all.length === 0 ? 0 : place % all.length)), all.length].sort((a, b) => a - b)
  let from = 0
  try {
    for (const to of ends) {
      decoder.push(all.slice(from, to))
      for (const unit of decoder) said.push(told(unit))
      from = to
    }
    for (const unit of decoder.end()) said.push(told(unit))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    said.push(`throws ${told(error)}`)
  }
  return said
}

describe('arbitrary messages', () => {
  afterAll(() => {
    useBackend('auto')
  })

  it.each(BACKENDS)('come back as they were, %s', (backend) => {
    useBackend(backend)
    fc.assert(
      fc.property(fc.oneof(ofBytes, ofTexts, ofBoth), (message) => {
        const line = encode(message)
        const back = decode(line)
        expect([back.type, back.name, back.id]).toEqual([message.type, message.name, message.id])
        expect(argsOf(back)).toEqual(wanted(message.args))
        expect(line.indexOf(10)).toBe(line.length - 1)
        expect(line.some((each) => each === 0 || each === 13 || each === 27 || each === 9)).toBe(false)
        expect(encodedLength(message)).toBe(line.length)
        const texts = message.args.map((arg) => (typeof arg === 'string' ? arg : textOf(arg)))
        if (!texts.includes(undefined)) expect(back.args.toArray()).toEqual(texts)
      }),
      { numRuns: 900, seed: 1 },
    )
  })

  it.each(BACKENDS)('come back from a stream in any pieces, %s', (backend) => {
    useBackend(backend)
    fc.assert(
      fc.property(fc.array(ofBytes, { maxLength: 6 }), cuts, (messages, places) => {
        const all = encodeAll(messages)
        const said = listen(all, places, { errors: 'throw' })
        expect(said).toEqual(messages.map((message) => told(decode(encode(message)))))
      }),
      { numRuns: 400, seed: 2 },
    )
  })

  it('have the same bytes on both backends', () => {
    fc.assert(
      fc.property(fc.oneof(ofBytes, ofTexts, ofBoth), (message) => {
        const [first, second] = BACKENDS.map((backend) => {
          useBackend(backend)
          return encode(message)
        })
        expect(Buffer.compare(first!, second!)).toBe(0)
      }),
      { numRuns: 600, seed: 3 },
    )
  })
})

describe('arbitrary bytes', () => {
  afterAll(() => {
    useBackend('auto')
  })

  it.each(BACKENDS)('that are a line have one canonical form, %s', (backend) => {
    useBackend(backend)
    let good = 0
    withoutStacks(() => {
      fc.assert(
        fc.property(noise, (all) => {
          for (const unit of decodeAll(all)) {
            if (unit instanceof WireError) continue
            good++
            const unescaped: MessageInput = {
              ...unit,
              args: Array.from({ length: unit.args.length }, (_, i) => unit.args.bytes(i)!),
            }
            const line = encode(unescaped)
            const again = decode(line)
            expect(told(again)).toBe(told(unit))
            expect(toHex(encode(again))).toBe(toHex(line))
            expect(
              toHex(
                encode({ ...again, args: Array.from({ length: again.args.length }, (_, i) => again.args.bytes(i)!) }),
              ),
            ).toBe(toHex(line))
            // Relayed as it came it means the same.
            expect(told(decode(encode(unit)))).toBe(told(unit))
          }
        }),
        { numRuns: 700, seed: 4 },
      )
    })
    expect(good).toBeGreaterThan(500)
  })

  it('give the same units, codes and offsets on both backends and in any pieces', () => {
    let faults = 0
    withoutStacks(() => {
      fc.assert(
        fc.property(noise, cuts, options, (all, places, how) => {
          useBackend('wasm')
          const whole = listen(all, [], how)
          expect(listen(all, places, how)).toEqual(whole)
          useBackend('js')
          expect(listen(all, [], how)).toEqual(whole)
          expect(listen(all, places, how)).toEqual(whole)
          useBackend('auto')
          expect(listen(all, places, how)).toEqual(whole)
          if (whole.some((each) => each.includes('WT_'))) faults++
        }),
        { numRuns: 1500, seed: 5 },
      )
    })
    expect(faults).toBeGreaterThan(300)
  })

  it.each(BACKENDS)('throw nothing but WireErrors from any function, %s', (backend) => {
    useBackend(backend)
    let thrown = 0
    withoutStacks(() => {
      const only = (run: () => unknown) => {
        try {
          return run()
        } catch (error) {
          thrown++
          if (!(error instanceof WireError)) throw error
          expect(['malformed', 'truncated', 'limit', 'value']).toContain(error.kind)
          return undefined
        }
      }
      fc.assert(
        fc.property(noise, options, (all, how) => {
          const units: unknown[] = [only(() => decode(all, how)), only(() => decodeAt(all, 0, how)?.value)]
          units.push(...((only(() => decodeAll(all, how)) as unknown[] | undefined) ?? []))
          for (const unit of units) {
            if (unit === undefined || unit instanceof WireError) continue
            const { args } = unit as Message
            for (const run of [
              () => args.toArray(),
              () => args.toFloat64Array(),
              () => args.toComplexArray(),
              () => [...args],
              () => args.at(0),
              () => args.text(args.length - 1, 'latin1'),
              () => args.detach().toArray(),
            ]) {
              only(run)
            }
          }
        }),
        { numRuns: 500, seed: 6 },
      )
    })
    expect(thrown).toBeGreaterThan(500)
  })
})
