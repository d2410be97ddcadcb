import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { websocket } from '../../bindings/cli/formats/websocket'
import { fromJson, toJson, useBackend } from '../../bindings/index'
import { nodeDeflate } from '../../bindings/node/index'
import { DEFAULT_LIMITS, type MessageInput } from '../../bindings/websocket/index'
import { faultOf } from '../fault'

afterEach(() => {
  useBackend('auto')
})

const sample = readFileSync(fileURLToPath(new URL('../../examples/websocket/session.bin', import.meta.url)))
const settings = (options: Record<string, unknown>, limits: Record<string, number> = {}) => ({
  deflate: nodeDeflate,
  options,
  limits: { ...DEFAULT_LIMITS, ...limits },
  keepGoing: false,
})

/** The lines that `wiretape decode websocket` prints of `bytes`, fed in pieces of `size`. */
function lines(bytes: Uint8Array, size: number, options: Record<string, unknown>, limits?: Record<string, number>) {
  const reader = websocket.decoder(settings({ emit: 'messages', ...options }, limits))
  const all: string[] = []
  for (let at = 0; at < bytes.length; at += size) {
    reader.push(Uint8Array.from(bytes.subarray(at, at + size)))
    for (const unit of reader.readAll()) all.push(toJson(unit))
  }
  reader.end()
  for (const unit of reader.readAll()) all.push(toJson(unit))
  return all
}

/** The bytes that `wiretape encode websocket` writes of those lines. */
function bytesOf(texts: readonly string[], options: Record<string, unknown>): Uint8Array {
  const encode = websocket.encoder(settings(options))
  return Buffer.concat(texts.flatMap((text) => encode(fromJson(text)) as Uint8Array))
}

const messages: MessageInput[] = [
  { type: 'text', data: 'hello hello hello' },
  { type: 'binary', data: Uint8Array.of(0, 255, 7) },
  { type: 'ping', data: Uint8Array.of(1) },
  { type: 'text', data: 'hello hello hello' },
  { type: 'close', code: 1000, reason: 'done' },
]
const printed = messages.map(toJson)

describe.each([1, 5, 100_000])('in pieces of %i', (size) => {
  it.each(['server', 'client'])('messages go out and come back, role %s', (role) => {
    const other = role === 'server' ? 'client' : 'server'
    for (const deflate of [undefined, true, 'client_max_window_bits=9; server_no_context_takeover']) {
      const wire = bytesOf(printed, { role: other, deflate })
      expect(lines(wire, size, { role, deflate })).toEqual(printed)
    }
  })

  it('frames are what they were', () => {
    const wire = bytesOf(printed, { role: 'server' })
    const frames = lines(wire, size, { role: 'client', emit: 'frames' })
    expect(frames.length).toBe(messages.length)
    expect(frames[1]).toContain('"opcode":2')
    expect(Buffer.compare(bytesOf(frames, { role: 'server' }), wire)).toBe(0)
  })

  it('reads the sample', () => {
    for (const emit of ['messages', 'frames', 'chunks']) {
      const all = lines(sample, size, { role: 'server', emit })
      expect(all.length).toBeGreaterThan(2)
      if (emit !== 'chunks') expect(all).toEqual(lines(sample, sample.length, { role: 'server', emit }))
    }
  })

  it('names the fault, with the limits that were asked for', () => {
    const wire = bytesOf(printed, { role: 'server' })
    expect(faultOf(() => lines(wire, size, { role: 'server' })).code).toBe('WT_WEBSOCKET_UNMASKED')
    expect(faultOf(() => lines(wire.subarray(0, 30), size, { role: 'client' })).code).toBe('WT_TRUNCATED')
    const limits = { maxMessageBytes: 16 }
    expect(faultOf(() => lines(wire, size, { role: 'client' }, limits)).code).toBe('WT_WEBSOCKET_MESSAGE_TOO_BIG')
  })
})

it('refuses what it cannot make sense of', () => {
  const decoder = (deflate: string) => websocket.decoder(settings({ role: 'server', emit: 'messages', deflate }))
  expect(faultOf(() => decoder('client_max_window_bits=7')).kind).toBe('usage')
  expect(faultOf(() => decoder('window=9')).kind).toBe('usage')
  expect(faultOf(() => decoder('=')).code).toBe('WT_WEBSOCKET_EXTENSIONS')
  decoder('permessage-deflate; client_max_window_bits=10')
  const encode = websocket.encoder(settings({ role: 'server' }))
  expect(faultOf(() => encode({ type: 'close', code: 1006 })).code).toBe('WT_WEBSOCKET_BAD_CLOSE_CODE')
  expect(faultOf(() => encode({ type: 'other' })).kind).toBe('value')
  expect(faultOf(() => encode(1)).kind).toBe('value')
})
