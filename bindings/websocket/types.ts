import type { BytesMode } from '../core/options'
import type { Deflate } from './deflate'
import type { Limits } from './limits'
import type { MaskKey } from './masks'

/** Which end of the connection we are: a server reads masked frames and writes unmasked ones, a client the other way round. */
export type Role = 'server' | 'client'

export interface TextMessage {
  readonly type: 'text'
  readonly data: string
}
export interface BinaryMessage {
  readonly type: 'binary'
  readonly data: Uint8Array
}
export interface Ping {
  readonly type: 'ping'
  /** At most 125 bytes. */
  readonly data: Uint8Array
}
export interface Pong {
  readonly type: 'pong'
  /** At most 125 bytes. */
  readonly data: Uint8Array
}
/** The last unit of a stream: nothing after it is looked at. */
export interface Close {
  readonly type: 'close'
  /** 1000–1003, 1007–1014, 3000–4999; 1005 where the frame had no code. */
  readonly code: number
  /** At most 123 bytes of UTF-8. */
  readonly reason: string
}
export type Control = Ping | Pong | Close
export type Message = TextMessage | BinaryMessage | Control

/** One frame as it stands on the wire: payload unmasked, not inflated, UTF-8 and close codes not looked at. */
export interface Frame {
  readonly fin: boolean
  /** On the first frame of a compressed message. */
  readonly rsv1: boolean
  /** 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number
  readonly masked: boolean
  /** The four key bytes as a number, the first one highest; 0 where the frame is not masked. */
  readonly maskKey: number
  readonly payload: Uint8Array
  /** Of its first header byte, from the start of the stream. */
  readonly offset: number
  /** 2–14. */
  readonly headerBytes: number
}

/** A piece of a message, as it arrives. The pieces of a text are UTF-8 together; a piece may end inside a character. */
export interface Chunk {
  readonly type: 'chunk'
  readonly kind: 'text' | 'binary'
  readonly data: Uint8Array
  /** Of its first byte in the message. */
  readonly offset: number
  /** Whether the message ends with it. */
  readonly fin: boolean
}

/** What a Decoder yields, by its option `emit`. */
export interface Units {
  messages: Message
  frames: Frame
  chunks: Chunk | Control
}

export interface DecodeOptions<M extends keyof Units = 'messages'> {
  /** Which end we are. */
  readonly role: Role
  /**
   * 'messages' (default); 'frames': each by itself, for those who look at a stream; 'chunks': pieces of messages as they
   * arrive, so that none has to be held (a compressed message comes as one piece).
   */
  readonly emit?: M | undefined
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
  /**
   * 'copy' (default): payloads are arrays of their own, the chunk is never touched. 'view': the chunk is handed over, it is
   * unmasked in place and payloads point into it.
   */
  readonly bytes?: BytesMode | undefined
  /** The agreed compression: `nodeDeflate(params)` of wiretape/node or `fflateDeflate(params)` of wiretape/fflate. Default: none. */
  readonly deflate?: Deflate | undefined
}

/** A message to be written. */
export type MessageInput =
  | {
      readonly type: 'text'
      /** Half a surrogate pair becomes U+FFFD, as browsers do it. Bytes must be UTF-8: they are not looked at. */
      readonly data: string | Uint8Array
      /** false: not compressed although that was agreed on. */
      readonly compress?: boolean | undefined
    }
  | { readonly type: 'binary'; readonly data: Uint8Array; readonly compress?: boolean | undefined }
  | { readonly type: 'ping' | 'pong'; readonly data?: Uint8Array | string | undefined }
  /** No code, or 1005, is an empty close frame. */
  | { readonly type: 'close'; readonly code?: number | undefined; readonly reason?: string | undefined }

/** One frame to be written as it is; a decoded Frame is one. It is masked with a new key where the role wants that. */
export interface FrameInput {
  readonly opcode: number
  readonly payload: Uint8Array
  readonly fin?: boolean | undefined
  readonly rsv1?: boolean | undefined
}

export interface EncodeOptions {
  /** Which end we are: a client's frames are masked. */
  readonly role: Role
  /** The agreed compression. */
  readonly deflate?: Deflate | undefined
  /** Default: unpredictable keys of the runtime's own generator. */
  readonly maskKey?: MaskKey | undefined
  /** Cuts messages into frames of at most so many payload bytes. Default: one frame each. */
  readonly fragmentBytes?: number | undefined
}
