import { usageError } from '../core/errors'
import { objectArgument } from '../core/options'
import type { DeflateParams } from './deflate'
import { websocketError } from './errors'

/** One item of a Sec-WebSocket-Extensions header. */
export interface Extension {
  /** A token, `permessage-deflate`. */
  readonly name: string
  /** Values in order; true for a parameter without one. */
  readonly params: ReadonlyMap<string, readonly (string | true)[]>
}

/** What one end wants of permessage-deflate. */
export interface DeflateOptions {
  /** Server: true: the server's messages are compressed each by itself; false: offers that ask for that are declined. Client: true asks for it. */
  readonly serverNoContextTakeover?: boolean | undefined
  /** true: the client's messages are compressed each by itself; false: not, whatever the other end asks for. */
  readonly clientNoContextTakeover?: boolean | undefined
  /** 8–15; false: offers that ask for a smaller window are declined. */
  readonly serverMaxWindowBits?: number | false | undefined
  /** 8–15; false: not offered, and refused in an answer. */
  readonly clientMaxWindowBits?: number | false | undefined
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
/** Of a quoted value: it must be a token without its quotes and backslashes. */
const QUOTED = /"((?:[^"\\]|\\.)+)"/y
const BLANKS = /[ \t]*/y
const WHOLE_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Reads a Sec-WebSocket-Extensions header (RFC 6455, section 9.1). Throws WT_WEBSOCKET_EXTENSIONS where it breaks the grammar. */
export function parseExtensions(header: string): Extension[] {
  if (typeof header !== 'string') throw usageError('websocket', 'header must be a string')
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(header)
    if (found) at = pattern.lastIndex
    return found
  }
  const token = (): string => {
    const found = match(TOKEN)
    if (!found) throw websocketError('extensions', { offset: at })
    return found[0]
  }
  const value = (): string => {
    const start = at
    const quoted = match(QUOTED)
    if (!quoted) return token()
    const plain = quoted[1]!.replace(/\\(.)/g, '$1')
    if (!WHOLE_TOKEN.test(plain)) throw websocketError('extensions', { offset: start })
    return plain
  }
  const list: Extension[] = []
  for (;;) {
    match(BLANKS)
    const name = token()
    const params = new Map<string, (string | true)[]>()
    match(BLANKS)
    while (header[at] === ';') {
      at++
      match(BLANKS)
      const param = token()
      let given: string | true = true
      if (header[at] === '=') {
        at++
        given = value()
      }
      const values = params.get(param)
      if (values) values.push(given)
      else params.set(param, [given])
      match(BLANKS)
    }
    list.push({ name, params })
    if (at === header.length) return list
    if (header[at] !== ',') throw websocketError('extensions', { offset: at })
    at++
  }
}

export const DEFLATE = 'permessage-deflate'
const DEFAULT_BITS = 15

/** The parameters of one offer or answer: undefined is not said. */
interface Asked {
  serverNoContextTakeover: boolean
  clientNoContextTakeover: boolean
  serverMaxWindowBits: number | undefined
  /** true: the client can be told one. */
  clientMaxWindowBits: number | true | undefined
}

/** RFC 7692, section 7.1: each parameter at most once, no others, window bits from 8 to 15. */
function asked({ params }: Extension, offer: boolean): Asked {
  const found: Asked = {
    serverNoContextTakeover: false,
    clientNoContextTakeover: false,
    serverMaxWindowBits: undefined,
    clientMaxWindowBits: undefined,
  }
  for (const [name, values] of params) {
    const value = values[0]!
    const fault = () => websocketError('deflateParameter', { detail: value === true ? name : `${name}=${value}` })
    if (values.length > 1) throw fault()
    const bits = value !== true && /^0*(?:[89]|1[0-5])$/.test(value) ? Number(value) : undefined
    if (name === 'server_no_context_takeover' && value === true) found.serverNoContextTakeover = true
    else if (name === 'client_no_context_takeover' && value === true) found.clientNoContextTakeover = true
    else if (name === 'server_max_window_bits' && bits !== undefined) found.serverMaxWindowBits = bits
    else if (name === 'client_max_window_bits' && bits !== undefined) found.clientMaxWindowBits = bits
    else if (name === 'client_max_window_bits' && value === true && offer) found.clientMaxWindowBits = true
    else throw fault()
  }
  return found
}

/** What was given as the option `deflate` of a handshake; undefined: no compression. */
export function wantedDeflate(deflate: DeflateOptions | boolean | undefined): DeflateOptions | undefined {
  if (deflate === undefined || deflate === false) return undefined
  const options = deflate === true ? {} : deflate
  objectArgument('websocket', 'deflate', options)
  for (const name of ['serverMaxWindowBits', 'clientMaxWindowBits'] as const) {
    const bits = options[name]
    if (bits !== undefined && bits !== false && !(Number.isInteger(bits) && bits >= 8 && bits <= 15)) {
      throw usageError('websocket', `${name} must be 8 to 15, or false`)
    }
  }
  for (const name of ['serverNoContextTakeover', 'clientNoContextTakeover'] as const) {
    const flag = options[name]
    if (flag !== undefined && typeof flag !== 'boolean') throw usageError('websocket', `${name} must be true or false`)
  }
  return options
}

/** Parameters as they stand in a header, those alone that are not the default. */
function parameterText(params: DeflateParams, bits: { server: boolean; client: boolean }): string {
  let text = DEFLATE
  if (params.serverNoContextTakeover) text += '; server_no_context_takeover'
  if (params.clientNoContextTakeover) text += '; client_no_context_takeover'
  if (bits.server) text += `; server_max_window_bits=${params.serverMaxWindowBits}`
  if (bits.client) text += `; client_max_window_bits=${params.clientMaxWindowBits}`
  return text
}

/** What a server makes of the offers of a client: the first that it can accept, and its answer; undefined: none. */
export function acceptDeflate(
  offers: readonly Extension[],
  options: DeflateOptions,
): { params: DeflateParams; answer: string } | undefined {
  const all = offers.filter(({ name }) => name === DEFLATE).map((offer) => asked(offer, true))
  const { serverNoContextTakeover, clientNoContextTakeover, serverMaxWindowBits, clientMaxWindowBits } = options
  const offer = all.find((candidate) => {
    if (serverNoContextTakeover === false && candidate.serverNoContextTakeover) return false
    const server = candidate.serverMaxWindowBits
    if (server !== undefined) {
      if (serverMaxWindowBits === false) return false
      if (serverMaxWindowBits !== undefined && serverMaxWindowBits > server) return false
    }
    if (typeof clientMaxWindowBits !== 'number') return true
    const client = candidate.clientMaxWindowBits
    return client === true || (client !== undefined && client >= clientMaxWindowBits)
  })
  if (!offer) return undefined
  const server = typeof serverMaxWindowBits === 'number' ? serverMaxWindowBits : offer.serverMaxWindowBits
  const client =
    typeof clientMaxWindowBits === 'number'
      ? clientMaxWindowBits
      : clientMaxWindowBits === false || offer.clientMaxWindowBits === true
        ? undefined
        : offer.clientMaxWindowBits
  const params: DeflateParams = {
    serverNoContextTakeover: serverNoContextTakeover === true || offer.serverNoContextTakeover,
    clientNoContextTakeover:
      clientNoContextTakeover === true || (offer.clientNoContextTakeover && clientNoContextTakeover !== false),
    serverMaxWindowBits: server ?? DEFAULT_BITS,
    clientMaxWindowBits: client ?? DEFAULT_BITS,
  }
  return { params, answer: parameterText(params, { server: server !== undefined, client: client !== undefined }) }
}

/** What a client offers. */
export function offerDeflate(options: DeflateOptions): string {
  const { serverMaxWindowBits, clientMaxWindowBits } = options
  let text = DEFLATE
  if (options.serverNoContextTakeover) text += '; server_no_context_takeover'
  if (options.clientNoContextTakeover) text += '; client_no_context_takeover'
  if (typeof serverMaxWindowBits === 'number') text += `; server_max_window_bits=${serverMaxWindowBits}`
  if (typeof clientMaxWindowBits === 'number') text += `; client_max_window_bits=${clientMaxWindowBits}`
  else if (clientMaxWindowBits !== false) text += '; client_max_window_bits'
  return text
}

/** What a client makes of a server's answer; `offered`: the options it has offered with. Throws where the answer does not fit them. */
export function agreeDeflate(answer: Extension, offered: DeflateOptions): DeflateParams {
  const { serverNoContextTakeover, clientNoContextTakeover, serverMaxWindowBits, clientMaxWindowBits } = offered
  const found = asked(answer, false)
  const refuse = (name: string): never => {
    throw websocketError('deflateParameter', { detail: `${name} does not fit what was offered` })
  }
  if (clientNoContextTakeover === false && found.clientNoContextTakeover) refuse('client_no_context_takeover')
  if (serverNoContextTakeover === true && !found.serverNoContextTakeover) refuse('server_no_context_takeover')
  if (typeof serverMaxWindowBits === 'number' && !(found.serverMaxWindowBits! <= serverMaxWindowBits)) {
    refuse('server_max_window_bits')
  }
  const client = found.clientMaxWindowBits as number | undefined
  const least = typeof clientMaxWindowBits === 'number' ? clientMaxWindowBits : DEFAULT_BITS
  if (client !== undefined && (clientMaxWindowBits === false || client > least)) refuse('client_max_window_bits')
  return {
    serverNoContextTakeover: found.serverNoContextTakeover,
    clientNoContextTakeover: clientNoContextTakeover === true || found.clientNoContextTakeover,
    serverMaxWindowBits: found.serverMaxWindowBits ?? DEFAULT_BITS,
    clientMaxWindowBits: client ?? least,
  }
}
