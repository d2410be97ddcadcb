import { usageError } from '../../core/errors'
import { nodeDeflate } from '../../node'
import {
  DEFAULT_LIMITS,
  Decoder,
  type DeflateParams,
  Encoder,
  type FrameInput,
  type MessageInput,
  parseExtensions,
  type Role,
  type Units,
} from '../../websocket'
import type { Format } from '../format'

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

const deflateOf = (option: unknown) => {
  if (option === undefined || option === false) return undefined
  return nodeDeflate(paramsOf(option === true ? '' : String(option)))
}

export const websocket: Format = {
  about: 'WebSocket frames, the bytes after the handshake',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      flags: '--role <role>',
      about: 'which end reads (decode) or writes (encode): a server reads masked frames',
      choices: ['server', 'client'],
      required: true,
    },
    {
      flags: '--emit <units>',
      about: 'what is printed: messages, frames, or chunks of messages',
      choices: ['messages', 'frames', 'chunks'],
      default: 'messages',
    },
    {
      flags: '--deflate [params]',
      about: "permessage-deflate was agreed on; its parameters as in the header, 'client_max_window_bits=10'",
    },
  ],
  decoder: ({ limits, options }) =>
    new Decoder({
      role: options['role'] as Role,
      emit: options['emit'] as keyof Units,
      deflate: deflateOf(options['deflate']),
      bytes: 'view',
      limits,
    }),
  encoder: ({ options }) => {
    const encoder = new Encoder({ role: options['role'] as Role, deflate: deflateOf(options['deflate']) })
    return (unit) => encoder.encode(Object(unit) as MessageInput | FrameInput)
  },
}
