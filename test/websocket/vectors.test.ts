import { describe, expect, it } from 'vitest'
import { backendReason, useBackend } from '../../bindings/index'
import { Decoder } from '../../bindings/websocket/index'
import { expected, feed, optionsOf } from './run'
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
      const all = bytesOf(vector)
      const runs = [piecesOf(vector), cut(all, [])]
      if (all.length <= 20_000) runs.push(chopped(all, 1), chopped(all, 3))
      let offset: number | undefined
      for (const pieces of runs) {
        const decoder = new Decoder(options)
        const outcome = feed(decoder, pieces, bytes === 'view')
        expect({ name: vector.name, events: outcome.events, fault: outcome.fault }).toEqual({
          name: vector.name,
          events,
          fault,
        })
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
      const step = all.length > 200 ? Math.ceil(all.length / 50) : 1
      for (let at = 1; at < all.length; at += step) {
        const outcome = feed(new Decoder(optionsOf(vector)), cut(all, [at]))
        expect({ name: vector.name, at, events: outcome.events, fault: outcome.fault }).toEqual({
          name: vector.name,
          at,
          events,
          fault,
        })
      }
    }
  })
})
