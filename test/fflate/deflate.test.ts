import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fflateDeflate } from '../../bindings/fflate/index'
import { nodeDeflate } from '../../bindings/node/index'
import { Decoder, type Deflate, type DeflateParams, Encoder, WireError } from '../../bindings/websocket/index'
import { expected, feed, optionsOf, paramsOf } from '../websocket/run'
import { decodeCases, piecesOf } from '../websocket/words'

const adapters: readonly (readonly [string, (params: DeflateParams) => Deflate])[] = [
  ['zlib', nodeDeflate],
  ['fflate', fflateDeflate],
]
const pairs = adapters.flatMap(([from, out]) => adapters.map(([to, into]) => [from, to, out, into] as const))

/** Texts as a feed sends them, and what does not compress; some longer than the window. */
const messages = Array.from({ length: 40 }, (_, i) =>
  i % 5 === 4
    ? ({ type: 'binary', data: new Uint8Array(randomBytes(i * 37)) } as const)
    : ({
        type: 'text',
        data: `{"symbol":"SYM${i % 7}","price":${i * 1.25},"note":"ünïcödé"}`.repeat(1 + ((i * i) % 90)),
      } as const),
)

describe('permessage-deflate', () => {
  it('inflates the vectors with fflate', () => {
    let count = 0
    for (const vector of decodeCases) {
      const agreed = vector.options?.permessageDeflate
      // After a last block nothing is agreed on, and fflate does not tell of one.
      if (!agreed || vector.name.startsWith('BFINAL=1 message, then')) continue
      count++
      for (const pieces of [piecesOf(vector), piecesOf({ ...vector, chop: 1 })]) {
        const decoder = new Decoder({ ...optionsOf(vector), deflate: fflateDeflate(paramsOf(agreed)) })
        const { events, fault } = feed(decoder, pieces)
        expect({ name: vector.name, events, fault }).toEqual({ name: vector.name, ...expected(vector) })
      }
    }
    expect(count).toBeGreaterThan(25)
  })

  it.each(pairs)('%s is understood by %s, for every window, with and without context', (_from, _to, out, into) => {
    for (const bits of [8, 9, 11, 15]) {
      for (const isolated of [false, true]) {
        const params: DeflateParams = {
          serverNoContextTakeover: isolated,
          clientNoContextTakeover: isolated,
          serverMaxWindowBits: bits,
          clientMaxWindowBits: bits,
        }
        const encoder = new Encoder({ role: 'server', deflate: out(params) })
        const decoder = new Decoder({ role: 'client', deflate: into(params) })
        let bytes = 0
        for (const message of messages) {
          const wire = encoder.encode(message)
          bytes += wire.length
          expect(decoder.push(wire).readAll()).toEqual([message])
        }
        const plain = new Encoder({ role: 'server' }).encodeAll(messages).length
        if (bits > 9) expect(bytes).toBeLessThan(plain * 0.8)
      }
    }
  })

  it.each(adapters)('%s stops at the limits', (_, adapter) => {
    const params = paramsOf({})
    const wire = new Encoder({ role: 'server', deflate: nodeDeflate(params) }).encode({
      type: 'binary',
      data: new Uint8Array(1_000_000),
    })
    const read = (limits: Record<string, number>) => {
      try {
        return new Decoder({ role: 'client', deflate: adapter(params), limits }).push(wire).read()
      } catch (error) {
        if (error instanceof WireError) return error.code
        throw error
      }
    }
    expect(read({ maxMessageBytes: 999_999 })).toBe('WT_WEBSOCKET_MESSAGE_TOO_BIG')
    expect(read({ maxInflateRatio: 100 })).toBe('WT_WEBSOCKET_INFLATE_RATIO')
    expect(read({ maxMessageBytes: 1_000_000 })).toMatchObject({ type: 'binary' })
  })
})
