import { describe, expect, it } from 'vitest'
import { backendReason, useBackend } from '../../bindings/index'
import { Decoder } from '../../bindings/websocket/index'
import { expected, feed, optionsOf, ordered } from './run'
import { bytesOf, chopped, cut, decodeCases, piecesOf } from './words'

describe.each(['wasm', 'js'] as const)('WebSocket vectors, %s', (backend) => {
  it('really run on that backend', () => {
    expect(useBackend(backend), String(backendReason())).toBe(backend)
  })

  it.each(['copy', 'view'] as const)('give the same messages whole, in their pieces and byte by byte (%s)', (bytes) => {
    useBackend(backend)
    expect(decodeCases.length).toBeGreaterThan(500)
    for (const vector of decodeCases) {
      const options = { ...optionsOf(vector), bytes }
      const { events, fault } = expected(vector)
      const wanted = JSON.stringify([events.map(ordered), fault])
      const all = bytesOf(vector)
      const runs = [piecesOf(vector), cut(all, [])]
      if (all.length <= 20_000) runs.push(chopped(all, 1), chopped(all, 3))
      let offset: number | undefined
      for (const pieces of runs) {
        const decoder = new Decoder(options)
        const outcome = feed(decoder, pieces, bytes === 'view')
        const told = JSON.stringify([outcome.events, outcome.fault])
        expect(told === wanted, `${vector.name}: ${told.slice(0, 500)}`).toBe(true)
        offset ??= outcome.offset
        expect(outcome.offset, vector.name).toBe(offset)
        if (vector.failFastAt !== undefined && pieces[0]!.length === 1) expect(outcome.pushed).toBe(vector.failFastAt)
      }
    }
  })

  it('split at every point', () => {
    useBackend(backend)
    for (const vector of decodeCases) {
      const all = bytesOf(vector)
      const { events, fault } = expected(vector)
      const wanted = JSON.stringify([events.map(ordered), fault])
      const step = all.length > 100 ? Math.ceil(all.length / (all.length > 20_000 ? 3 : 25)) : 1
      for (let at = 1; at < all.length; at += step) {
        const outcome = feed(new Decoder(optionsOf(vector)), cut(all, [at]))
        // A deep comparison costs more than decoding.
        const told = JSON.stringify([outcome.events, outcome.fault])
        expect(told === wanted, `${vector.name}, cut at ${at}: ${told.slice(0, 500)}`).toBe(true)
      }
    }
  })
})
