import { fromBase64, toBase64 } from '../core/base64'
import { usageError } from '../core/errors'
import { type Bytes, objectArgument } from '../core/options'
import type { DeflateParams } from './deflate'
import { websocketError } from './errors'
import {
  acceptDeflate,
  agreeDeflate,
  DEFLATE,
  type DeflateOptions,
  offerDeflate,
  parseExtensions,
  wantedDeflate,
} from './extensions'
import { sha1 } from './sha1'
import type { Message, MessageInput } from './types'
import { NO_STATUS } from './wire'

/** Headers as the runtimes have them: a WHATWG Headers, or an object such as Node's `request.headers`. */
export type HeadersInput =
  | {
      /** The header of that name, in any case; null: there is none. */
      get(name: string): string | null
    }
  | { readonly [name: string]: string | readonly string[] | undefined }

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const VERSION = '13'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const utf8 = new TextEncoder()

/**
 * The Sec-WebSocket-Accept that answers a Sec-WebSocket-Key (RFC 6455, section 4.2.2). Throws WT_USAGE where it is no string.
 */
export function acceptKey(key: string): string {
  if (typeof key !== 'string') throw usageError('websocket', 'key must be a string')
  return toBase64(sha1(key + GUID))
}

function reader(headers: HeadersInput): (name: string) => string | undefined {
  objectArgument('websocket', 'headers', headers)
  if (typeof headers['get'] === 'function') {
    const { get } = headers as { get(name: string): string | null }
    return (name) => {
      const value: unknown = get.call(headers, name) ?? undefined
      if (value !== undefined && typeof value !== 'string') throw usageError('websocket', 'a header must be a string')
      return value
    }
  }
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') found.set(name.toLowerCase(), value)
    else if (Array.isArray(value)) {
      let all = ''
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i]
        if (typeof item !== 'string') throw usageError('websocket', `the header ${name} must be text`)
        all += i === 0 ? item : `, ${item}`
      }
      found.set(name.toLowerCase(), all)
    }
  }
  return (name) => found.get(name)
}

const tokens = (value: string | undefined): string[] => (value ?? '').split(',').map((item) => item.trim())
const hasToken = (value: string | undefined, token: string): boolean =>
  tokens(value).some((item) => item.toLowerCase() === token)

/** The subprotocols of a header: tokens, none of them twice. */
function protocolsOf(value: string | undefined): string[] {
  if (value === undefined) return []
  const list = tokens(value)
  if (list.some((item) => !TOKEN.test(item)) || new Set(list).size !== list.length) {
    throw websocketError('handshake', { detail: 'Sec-WebSocket-Protocol' })
  }
  return list
}

/** The subprotocols that one end was told. A string would do for a list of its characters. */
function protocolList(protocols: readonly string[] | undefined): readonly string[] {
  if (protocols === undefined) return []
  const fits = Array.isArray(protocols) && protocols.every((item) => typeof item === 'string' && TOKEN.test(item))
  if (!fits || new Set(protocols).size !== protocols.length) {
    throw usageError('websocket', 'protocols must be a list of different tokens')
  }
  return protocols
}

const head = (first: string, headers: Readonly<Record<string, string>>): Bytes => {
  let text = `${first}\r\n`
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || typeof value !== 'string' || /[\r\n\0]/.test(value))
      throw usageError('websocket', `the header ${name} cannot be sent`)
    text += `${name}: ${value}\r\n`
  }
  return utf8.encode(`${text}\r\n`) as Bytes
}

/** What the server offers. */
export interface AcceptOptions {
  /** Subprotocols that the server speaks; the first that the client asks for is taken. */
  readonly protocols?: readonly string[] | undefined
  /** Whether, and how, to compress where the client offers it. Default: not. */
  readonly deflate?: DeflateOptions | boolean | undefined
}

/** A handshake that was accepted. */
export interface Accepted {
  /** The whole answer, `HTTP/1.1 101 …` to the empty line. */
  readonly response: Bytes
  /** Its headers, for those who write the answer by other means. */
  readonly headers: Readonly<Record<string, string>>
  /** The subprotocol that both speak; absent where there is none. */
  readonly protocol?: string
  /** The agreed compression, for `nodeDeflate` or `fflateDeflate`. */
  readonly deflate?: DeflateParams
}

/**
 * A server's answer to an upgrade request (GET, HTTP/1.1), by its headers (RFC 6455, section 4.2). Throws a WireError whose
 * `status` is the HTTP status to refuse with: 400, or 426 where the version is not 13.
 */
export function acceptUpgrade(headers: HeadersInput, options: AcceptOptions = {}): Accepted {
  objectArgument('websocket', 'options', options)
  const get = reader(headers)
  const protocols = protocolList(options.protocols)
  const wanted = wantedDeflate(options.deflate)
  if (get('upgrade')?.trim().toLowerCase() !== 'websocket') throw websocketError('handshake', { detail: 'Upgrade' })
  if (!hasToken(get('connection'), 'upgrade')) throw websocketError('handshake', { detail: 'Connection' })
  const version = get('sec-websocket-version')?.trim()
  if (version !== VERSION) throw websocketError('version', { detail: version ?? 'none' })
  const key = get('sec-websocket-key')?.trim()
  if (key === undefined || key.length !== 24 || fromBase64(key)?.length !== 16) {
    throw websocketError('handshake', { detail: 'Sec-WebSocket-Key' })
  }
  const answer: Record<string, string> = {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': acceptKey(key),
  }
  const protocol = protocolsOf(get('sec-websocket-protocol')).find((item) => protocols.includes(item))
  if (protocol !== undefined) answer['Sec-WebSocket-Protocol'] = protocol
  const offered = get('sec-websocket-extensions')
  const agreed = wanted && offered !== undefined ? acceptDeflate(parseExtensions(offered), wanted) : undefined
  if (agreed) answer['Sec-WebSocket-Extensions'] = agreed.answer
  return {
    response: head('HTTP/1.1 101 Switching Protocols', answer),
    headers: answer,
    ...(protocol === undefined ? {} : { protocol }),
    ...(agreed ? { deflate: agreed.params } : {}),
  }
}

/** What the client asks for. */
export interface OfferOptions {
  /** Host header, with the port where it is not the default. */
  readonly host: string
  /** Default '/'. */
  readonly path?: string | undefined
  /** Subprotocols that the client speaks, the best first. Default none. */
  readonly protocols?: readonly string[] | undefined
  /** Whether, and how, to compress. Default: not offered. */
  readonly deflate?: DeflateOptions | boolean | undefined
  /** More headers: Origin, Authorization, Cookie. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A client's handshake, for `verifyUpgrade`. */
export interface Offer {
  /** The whole request, `GET … HTTP/1.1` to the empty line. */
  readonly request: Bytes
  /** Its headers, for those who send the request by other means. */
  readonly headers: Readonly<Record<string, string>>
  /** Sec-WebSocket-Key: 16 random bytes in base64. */
  readonly key: string
  /** The subprotocols asked for. */
  readonly protocols: readonly string[]
  /** The compression asked for; undefined: none. */
  readonly deflate: DeflateOptions | undefined
}

/**
 * A client's upgrade request (RFC 6455, section 4.1), with a new random key. Throws WT_USAGE where host, path, protocols or
 * headers cannot be sent.
 */
export function offerUpgrade(options: OfferOptions): Offer {
  objectArgument('websocket', 'options', options)
  const { host, path = '/' } = options
  for (const part of [host, path] as unknown[]) {
    if (typeof part !== 'string' || !/^[\x21-\x7e]+$/.test(part)) {
      throw usageError('websocket', 'host and path must be printable ASCII without blanks')
    }
  }
  const protocols = protocolList(options.protocols)
  const wanted = wantedDeflate(options.deflate)
  if (options.headers !== undefined) objectArgument('websocket', 'headers', options.headers)
  const key = toBase64(crypto.getRandomValues(new Uint8Array(16)))
  const headers: Record<string, string> = {
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': key,
    'Sec-WebSocket-Version': VERSION,
    ...(protocols.length > 0 ? { 'Sec-WebSocket-Protocol': protocols.join(', ') } : {}),
    ...(wanted ? { 'Sec-WebSocket-Extensions': offerDeflate(wanted) } : {}),
    ...options.headers,
  }
  return { request: head(`GET ${path} HTTP/1.1`, headers), headers, key, protocols, deflate: wanted }
}

/**
 * Checks a server's answer to an offer, and says what was agreed on. Throws WT_WEBSOCKET_HANDSHAKE, WT_WEBSOCKET_EXTENSIONS or
 * WT_WEBSOCKET_DEFLATE_PARAMETER where it must be refused (RFC 6455, section 4.1, end).
 */
export function verifyUpgrade(
  offer: Offer,
  status: number,
  headers: HeadersInput,
): Pick<Accepted, 'protocol' | 'deflate'> {
  objectArgument('websocket', 'offer', offer)
  const get = reader(headers)
  const fail = (detail: string): never => {
    throw websocketError('handshake', { detail })
  }
  if (status !== 101) fail(`status ${status}`)
  if (get('upgrade')?.trim().toLowerCase() !== 'websocket') fail('Upgrade')
  if (!hasToken(get('connection'), 'upgrade')) fail('Connection')
  if (get('sec-websocket-accept')?.trim() !== acceptKey(offer.key)) fail('Sec-WebSocket-Accept')
  const protocol = get('sec-websocket-protocol')
  if (protocol !== undefined && !offer.protocols.includes(protocol)) fail('Sec-WebSocket-Protocol')
  if (protocol === undefined && offer.protocols.length > 0) fail('Sec-WebSocket-Protocol')
  const answer = get('sec-websocket-extensions')
  const extensions = answer === undefined ? [] : parseExtensions(answer)
  const [first] = extensions
  if (extensions.length > 1 || (first && (first.name !== DEFLATE || !offer.deflate))) fail('Sec-WebSocket-Extensions')
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(first ? { deflate: agreeDeflate(first, offer.deflate!) } : {}),
  }
}

/** What a message asks to be answered with: a ping with its pong, a close with its echo; undefined: nothing. */
export function replyTo(message: Message): MessageInput | undefined {
  objectArgument('websocket', 'message', message)
  if (message.type === 'ping') return { type: 'pong', data: message.data }
  if (message.type === 'close') {
    return message.code === NO_STATUS ? { type: 'close' } : { type: 'close', code: message.code }
  }
  return undefined
}
