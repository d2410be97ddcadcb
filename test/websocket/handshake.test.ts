import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  acceptKey,
  acceptUpgrade,
  type DeflateOptions,
  type DeflateParams,
  type Extension,
  type Offer,
  offerUpgrade,
  parseExtensions,
  replyTo,
  verifyUpgrade,
} from '../../bindings/websocket/index'
import { faultOf } from '../fault'
import { vectorJson } from '../vectors'
import type { AgreedParams } from './words'

type Bits = number | false
interface NegotiationCase {
  readonly kind: 'parse' | 'server' | 'client'
  readonly header: string
  readonly options?: {
    server_no_context_takeover?: boolean
    client_no_context_takeover?: boolean
    server_max_window_bits?: Bits
    client_max_window_bits?: Bits
  }
  readonly result?: unknown
  readonly error?: 'syntax' | 'declined' | 'invalid-parameter'
}
const { cases } = vectorJson<{ cases: NegotiationCase[] }>('websocket/negotiation.json')

const optionsOf = (options: NegotiationCase['options'] = {}): DeflateOptions => ({
  serverNoContextTakeover: options.server_no_context_takeover,
  clientNoContextTakeover: options.client_no_context_takeover,
  serverMaxWindowBits: options.server_max_window_bits,
  clientMaxWindowBits: options.client_max_window_bits,
})

/** Parameters in the words of the vectors, where those of the default are not said. */
function agreedOf(params: DeflateParams, said: AgreedParams): AgreedParams {
  const agreed: Record<string, unknown> = {}
  if (params.serverNoContextTakeover) agreed['server_no_context_takeover'] = true
  if (params.clientNoContextTakeover) agreed['client_no_context_takeover'] = true
  if (params.serverMaxWindowBits !== 15 || said.server_max_window_bits === 15) {
    agreed['server_max_window_bits'] = params.serverMaxWindowBits
  }
  if (params.clientMaxWindowBits !== 15 || said.client_max_window_bits === 15) {
    agreed['client_max_window_bits'] = params.clientMaxWindowBits
  }
  return agreed
}

const shapeOf = (list: readonly Extension[]) => {
  const shape: Record<string, unknown[]> = {}
  for (const { name, params } of list) {
    shape[name] ??= []
    shape[name].push(Object.fromEntries(params))
  }
  return shape
}

const request = (more: Record<string, string> = {}) => ({
  host: 'example.org',
  upgrade: 'websocket',
  connection: 'keep-alive, Upgrade',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
  ...more,
})

describe('WebSocket handshake', () => {
  it('answers the key of RFC 6455, section 1.3, and others as node:crypto', () => {
    expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
    for (let i = 0; i < 200; i++) {
      const key = 'k'.repeat(i)
      const wanted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      expect(acceptKey(key)).toBe(wanted)
    }
  })

  it.each(cases.filter(({ kind }) => kind === 'parse'))('reads "$header"', ({ header, result, error }) => {
    if (error === undefined) expect(shapeOf(parseExtensions(header))).toEqual(result)
    else expect(faultOf(() => parseExtensions(header)).code).toBe('WT_WEBSOCKET_EXTENSIONS')
  })

  it.each(cases.filter(({ kind }) => kind === 'server'))('accepts or not "$header"', (vector) => {
    const { header, options, result, error } = vector
    const headers = request({ 'sec-websocket-extensions': header })
    const accept = () => acceptUpgrade(headers, { deflate: optionsOf(options) })
    if (error === 'invalid-parameter') {
      const { code, status } = faultOf(accept)
      // An empty value is against the grammar already.
      expect(code).toBe(header.endsWith('=') ? 'WT_WEBSOCKET_EXTENSIONS' : 'WT_WEBSOCKET_DEFLATE_PARAMETER')
      expect(status).toBe(400)
      return
    }
    const { deflate, headers: answer } = accept()
    if (error === 'declined') {
      expect(deflate).toBeUndefined()
      expect(answer['Sec-WebSocket-Extensions']).toBeUndefined()
      return
    }
    expect(agreedOf(deflate!, result as AgreedParams)).toEqual(result)
    const [said] = parseExtensions(answer['Sec-WebSocket-Extensions']!)
    const numbers = [...said!.params].map(([name, [value]]) => [name, value === true ? true : Number(value)])
    expect(Object.fromEntries(numbers)).toEqual(result)
  })

  it.each(cases.filter(({ kind }) => kind === 'client'))(
    'agrees or not to "$header"',
    ({ header, options, result, error }) => {
      const offer: Offer = offerUpgrade({ host: 'example.org', deflate: optionsOf(options) })
      const verify = () =>
        verifyUpgrade(offer, 101, {
          Upgrade: 'WebSocket',
          Connection: 'upgrade',
          'Sec-WebSocket-Accept': acceptKey(offer.key),
          'Sec-WebSocket-Extensions': header,
        })
      if (error) expect(faultOf(verify).code).toBe('WT_WEBSOCKET_DEFLATE_PARAMETER')
      else expect(agreedOf(verify().deflate!, result as AgreedParams)).toEqual(result)
    },
  )

  it('says what is wrong with a request', () => {
    const status = (headers: Record<string, string>) => faultOf(() => acceptUpgrade(request(headers))).status
    expect(status({ upgrade: 'h2c' })).toBe(400)
    expect(status({ connection: 'close' })).toBe(400)
    expect(status({ 'sec-websocket-key': 'short' })).toBe(400)
    expect(status({ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ=A' })).toBe(400)
    expect(status({ 'sec-websocket-version': '8' })).toBe(426)
    expect(status({ 'sec-websocket-protocol': 'a, , b' })).toBe(400)
    expect(status({ 'sec-websocket-protocol': 'a, a' })).toBe(400)
    expect(faultOf(() => acceptUpgrade(request(), { deflate: { serverMaxWindowBits: 7 } })).kind).toBe('usage')
  })

  it('chooses a subprotocol and writes the answer', () => {
    const headers = new Headers(request({ 'sec-websocket-protocol': 'chat, superchat' }))
    const { response, protocol, deflate } = acceptUpgrade(headers, { protocols: ['superchat', 'chat'] })
    expect(protocol).toBe('chat')
    expect(deflate).toBeUndefined()
    expect(Buffer.from(response).toString()).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n',
    )
    expect(
      acceptUpgrade(request({ 'sec-websocket-protocol': 'other' }), { protocols: ['chat'] }).protocol,
    ).toBeUndefined()
  })

  it('checks an answer', () => {
    const offer = offerUpgrade({ host: 'h', path: '/x', protocols: ['chat'] })
    expect(Buffer.from(offer.request).toString()).toMatch(/^GET \/x HTTP\/1\.1\r\nHost: h\r\n(.+\r\n)+\r\n$/)
    const good = {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': acceptKey(offer.key),
      'sec-websocket-protocol': 'chat',
    }
    expect(verifyUpgrade(offer, 101, good)).toEqual({ protocol: 'chat' })
    const code = (status: number, headers: Record<string, string>) =>
      faultOf(() => verifyUpgrade(offer, status, { ...good, ...headers })).code
    expect(code(200, {})).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(code(101, { upgrade: 'x' })).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(code(101, { connection: 'x' })).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(code(101, { 'sec-websocket-accept': 'x' })).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(code(101, { 'sec-websocket-protocol': 'other' })).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(code(101, { 'sec-websocket-extensions': 'permessage-deflate' })).toBe('WT_WEBSOCKET_HANDSHAKE')
    expect(faultOf(() => offerUpgrade({ host: 'h', headers: { 'X-A': 'b\r\nc' } })).kind).toBe('usage')
    expect(faultOf(() => offerUpgrade({ host: 'h', path: '/a b' })).kind).toBe('usage')
    expect(faultOf(() => replyTo(null as never)).kind).toBe('usage')
  })

  it('refuses options of the wrong kind as usage', () => {
    const request = {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'chat',
    }
    const usage = expect.objectContaining({ name: 'WireError', kind: 'usage' })
    // A string has parts of it as "members": 'chat' is in 'superchat'.
    for (const protocols of ['superchat', null, 5, {}, ['a', 'a'], ['a b'], [5]] as never[]) {
      expect(() => acceptUpgrade(request, { protocols })).toThrow(usage)
      expect(() => offerUpgrade({ host: 'h', protocols })).toThrow(usage)
    }
    for (const deflate of ['yes', null, 5, { serverNoContextTakeover: 'no' }] as never[]) {
      expect(() => acceptUpgrade(request, { deflate })).toThrow(usage)
      expect(() => offerUpgrade({ host: 'h', deflate })).toThrow(usage)
    }
    for (const part of [undefined, null, 5, '', 'a b'] as never[]) {
      expect(() => offerUpgrade({ host: part })).toThrow(usage)
      if (part !== undefined) expect(() => offerUpgrade({ host: 'h', path: part })).toThrow(usage)
    }
    for (const headers of [null, 'x', { a: undefined }, { a: 5 }, { a: 'b\r\nc: d' }] as never[]) {
      expect(() => offerUpgrade({ host: 'h', headers })).toThrow(usage)
    }
    for (const offer of [null, undefined, 'x'] as never[]) {
      expect(() => verifyUpgrade(offer, 101, {})).toThrow(usage)
    }
  })

  it('replies to what asks for a reply', () => {
    const data = Uint8Array.of(1)
    expect(replyTo({ type: 'ping', data })).toEqual({ type: 'pong', data })
    expect(replyTo({ type: 'close', code: 1001, reason: 'x' })).toEqual({ type: 'close', code: 1001 })
    expect(replyTo({ type: 'close', code: 1005, reason: '' })).toEqual({ type: 'close' })
    expect(replyTo({ type: 'pong', data })).toBeUndefined()
    expect(replyTo({ type: 'text', data: '' })).toBeUndefined()
  })
})
