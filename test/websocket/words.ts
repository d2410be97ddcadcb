import { vectorJson } from '../vectors'

/** The error words of the WebSocket vectors → our codes; see test/vectors/websocket/README.md. */
export const CODE_OF = {
  'reserved-bits': 'WT_WEBSOCKET_RESERVED_BITS',
  'unexpected-rsv1': 'WT_WEBSOCKET_UNEXPECTED_RSV1',
  'invalid-opcode': 'WT_WEBSOCKET_BAD_OPCODE',
  'fragmented-control': 'WT_WEBSOCKET_FRAGMENTED_CONTROL',
  'control-too-long': 'WT_WEBSOCKET_CONTROL_TOO_LONG',
  'close-too-short': 'WT_WEBSOCKET_CLOSE_TOO_SHORT',
  'invalid-close-code': 'WT_WEBSOCKET_BAD_CLOSE_CODE',
  'unmasked-frame': 'WT_WEBSOCKET_UNMASKED',
  'masked-frame': 'WT_WEBSOCKET_MASKED',
  'unexpected-continuation': 'WT_WEBSOCKET_UNEXPECTED_CONTINUATION',
  'expected-continuation': 'WT_WEBSOCKET_EXPECTED_CONTINUATION',
  'invalid-utf8': 'WT_WEBSOCKET_UTF8',
  'inflate-error': 'WT_WEBSOCKET_INFLATE',
  'too-many-fragments': 'WT_WEBSOCKET_TOO_MANY_FRAGMENTS',
  'message-too-big': 'WT_WEBSOCKET_MESSAGE_TOO_BIG',
  'length-overflow': 'WT_WEBSOCKET_LENGTH_OVERFLOW',
} as const

/** Of a limit the kind is 'limit', of everything else that a peer can send 'malformed'. */
export const kindOf = (word: keyof typeof CODE_OF): 'limit' | 'malformed' =>
  ['too-many-fragments', 'message-too-big', 'length-overflow'].includes(word) ? 'limit' : 'malformed'

export interface Event {
  readonly type: 'message' | 'ping' | 'pong' | 'close'
  readonly payload?: string
  readonly binary?: boolean
  readonly code?: number
  readonly reason?: string
}
export interface AgreedParams {
  readonly server_no_context_takeover?: boolean
  readonly client_no_context_takeover?: boolean
  readonly server_max_window_bits?: number
  readonly client_max_window_bits?: number
}
export interface DecodeCase {
  readonly name: string
  readonly role: 'server' | 'client'
  readonly options?: { maxPayload?: number; maxFragments?: number; permessageDeflate?: AgreedParams }
  readonly bytes?: string
  readonly chop?: number
  readonly cuts?: readonly number[]
  readonly chunks?: readonly string[]
  readonly events: readonly Event[]
  readonly repeatEvents?: number
  readonly error: { readonly kind: keyof typeof CODE_OF; readonly closeCode: number } | null
  readonly failFastAt?: number
}

/** Bytes of a vector's hex, in which `(6162*3)` stands for 61 62 three times. */
export function expand(text: string): Uint8Array<ArrayBuffer> {
  const hex = text.replace(/\(([0-9a-f]+)\*(\d+)\)/g, (_, run: string, count: string) => run.repeat(Number(count)))
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

const FILES = [
  'framing',
  'control',
  'reserved',
  'fragmentation',
  'utf8-messages',
  'close',
  'limits',
  'deflate',
  'bug-reports',
  'streams',
  'large',
  'disagreements',
]
export const decodeCases: readonly DecodeCase[] = FILES.flatMap(
  (name) => vectorJson<{ cases: DecodeCase[] }>(`websocket/${name}.json`).cases,
)

export const bytesOf = (vector: DecodeCase): Uint8Array<ArrayBuffer> => expand(vector.bytes ?? vector.chunks!.join(''))

/** The bytes in the pieces that the vector asks for. */
export function piecesOf(vector: DecodeCase): Uint8Array<ArrayBuffer>[] {
  if (vector.chunks) return vector.chunks.map(expand)
  const bytes = bytesOf(vector)
  if (vector.chop) return chopped(bytes, vector.chop)
  return cut(bytes, vector.cuts ?? [])
}

export function cut(bytes: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    pieces.push(bytes.slice(from, to))
    from = to
  }
  return pieces
}

export function chopped(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  return pieces
}
