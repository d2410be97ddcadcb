import { usageError } from '../../core/errors'
import {
  DEFAULT_LIMITS,
  Decoder,
  type Deflate,
  type DeflateParams,
  parseExtensions,
  type Role,
  type Units,
} from '../../websocket'
import type { Adapters, CaptureFormat } from '../format'

const PARAMETERS = [
  'server_no_context_takeover',
  'client_no_context_takeover',
  'server_max_window_bits',
  'client_max_window_bits',
]

/** The parameters of a Sec-WebSocket-Extensions header, or of the part of it behind `permessage-deflate;`. */
function paramsOf(text: string): DeflateParams {
  const header = /^\s*permessage-deflate/.test(text) ? text : `permessage-deflate${text.trim() ? `; ${text}` : ''}`
  const [extension] = parseExtensions(header)
  for (const name of extension!.params.keys()) {
    if (!PARAMETERS.includes(name)) throw usageError('websocket', `permessage-deflate has no parameter ${name}`)
  }
  const value = (name: string) => extension!.params.get(name)?.[0]
  const bits = (name: string): number => {
    const given = value(name)
    if (given === undefined || given === true) return 15
    if (!/^(?:[89]|1[0-5])$/.test(given)) throw usageError('websocket', `${name} must be 8 to 15`)
    return Number(given)
  }
  return {
    serverNoContextTakeover: value('server_no_context_takeover') !== undefined,
    clientNoContextTakeover: value('client_no_context_takeover') !== undefined,
    serverMaxWindowBits: bits('server_max_window_bits'),
    clientMaxWindowBits: bits('client_max_window_bits'),
  }
}

/** The compression that the option `deflate` asks for. */
export function deflateOf(option: unknown, { deflate }: Adapters): Deflate | undefined {
  if (option === undefined || option === false) return undefined
  if (!deflate) throw usageError('websocket', 'compression needs an adapter, that of wiretape/node or wiretape/fflate')
  return deflate(paramsOf(option === true ? '' : String(option)))
}

export const websocket: CaptureFormat = {
  about: 'WebSocket frames, the bytes after the handshake',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      name: 'role',
      value: 'role',
      about: 'which end reads (decode) or writes (encode): a server reads masked frames',
      choices: ['server', 'client'],
      required: true,
    },
    {
      name: 'emit',
      value: 'units',
      about: 'what is printed: messages, frames, or chunks of messages',
      choices: ['messages', 'frames', 'chunks'],
      default: 'messages',
    },
    {
      name: 'deflate',
      value: 'params',
      optional: true,
      about: "permessage-deflate was agreed on; its parameters as in the header, 'client_max_window_bits=10'",
    },
  ],
  decoder: ({ limits, options, ...adapters }) =>
    new Decoder({
      role: options['role'] as Role,
      emit: options['emit'] as keyof Units,
      deflate: deflateOf(options['deflate'], adapters),
      bytes: 'view',
      limits,
    }),
}
