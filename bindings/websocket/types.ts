import type { BytesMode } from '../core/options'
import type { Deflate } from './deflate'
import type { Limits } from './limits'
import type { MaskKey } from './masks'

/** Which end of the connection we are: a server reads masked frames and writes unmasked ones, a client the other way round. */
export type Role = 'server' | 'client'

/** A text message, whole: its fragments joined, inflated, its UTF-8 checked. */
export interface TextMessage {
  /** Always `'text'`. */
  readonly type: 'text'
  /** Its text. A byte order mark is part of it. */
  readonly data: string
}
/** A binary message, whole. */
export interface BinaryMessage {
  /** Always `'binary'`. */
  readonly type: 'binary'
  /** Its bytes: memory of their own, or part of the chunk with `bytes: 'view'`. */
  readonly data: Uint8Array
}
/** A ping, which is owed a pong with the same data: see `replyTo`. */
export interface Ping {
  /** Always `'ping'`. */
  readonly type: 'ping'
  /** At most 125 bytes. */
  readonly data: Uint8Array
}
/** The answer to a ping, or one that nobody asked for. */
export interface Pong {
  /** Always `'pong'`. */
  readonly type: 'pong'
  /** At most 125 bytes. */
  readonly data: Uint8Array
}
/** The last unit of a stream: nothing after it is looked at. */
export interface Close {
  /** Always `'close'`. */
  readonly type: 'close'
  /** 1000–1003, 1007–1014, 3000–4999 (RFC 6455, section 7.4); 1005 where the frame had no code. */
  readonly code: number
  /** At most 123 bytes of UTF-8. */
  readonly reason: string
}
/** What may come between the frames of a message (RFC 6455, section 5.5). */
export type Control = Ping | Pong | Close
/** A message from the wire, told apart by `type`. */
export type Message = TextMessage | BinaryMessage | Control

/** One frame as it stands on the wire: payload unmasked, not inflated, UTF-8 and close codes not looked at. */
export interface Frame {
  /** Whether the message ends with it. */
  readonly fin: boolean
  /** On the first frame of a compressed message. */
  readonly rsv1: boolean
  /** 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number
  /** Whether it came masked, as frames of clients do. */
  readonly masked: boolean
  /** The four key bytes as a number, the first one highest; 0 where the frame is not masked. */
  readonly maskKey: number
  /** Its bytes: memory of their own, or part of the chunk with `bytes: 'view'`. */
  readonly payload: Uint8Array
  /** Of its first header byte, from the start of the stream. */
  readonly offset: number
  /** 2–14. */
  readonly headerBytes: number
}

/** A piece of a message, as it arrives. The pieces of a text are UTF-8 together; a piece may end inside a character. */
export interface Chunk {
  /** Always `'chunk'`. */
  readonly type: 'chunk'
  /** What the message is that it belongs to. */
  readonly kind: 'text' | 'binary'
  /** Its bytes: memory of their own, or part of the chunk that was pushed with `bytes: 'view'`. */
  readonly data: Uint8Array
  /** Of its first byte in the message. */
  readonly offset: number
  /** Whether the message ends with it. */
  readonly fin: boolean
}

/** What a Decoder yields, by its option `emit`. */
export interface Units {
  /** Whole messages. */
  messages: Message
  /** Each frame by itself. */
  frames: Frame
  /** Pieces of messages, and control messages whole. */
  chunks: Chunk | Control
}

/** How one direction of a connection is read. */
export interface DecodeOptions<M extends keyof Units = 'messages'> {
  /** Which end we are. Required: it says whether frames must be masked. */
  readonly role: Role
  /**
   * 'messages' (default); 'frames': each by itself, for those who look at a stream; 'chunks': pieces of messages as they
   * arrive, so that none has to be held (a compressed message comes as one piece).
   */
  readonly emit?: M | undefined
  /** Some of them to be other than `DEFAULT_LIMITS`. */
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
      /** A text message. */
      readonly type: 'text'
      /** Half a surrogate pair becomes U+FFFD, as browsers do it. Bytes must be UTF-8: they are not looked at. */
      readonly data: string | Uint8Array
      /** false: not compressed although that was agreed on. */
      readonly compress?: boolean | undefined
    }
  | {
      /** A binary message. */
      readonly type: 'binary'
      /** Its bytes; never changed. */
      readonly data: Uint8Array
      /** false: not compressed although that was agreed on. */
      readonly compress?: boolean | undefined
    }
  | {
      /** A ping or a pong. */
      readonly type: 'ping' | 'pong'
      /** At most 125 bytes. Default none. */
      readonly data?: Uint8Array | string | undefined
    }
  | {
      /** The last message of this end. */
      readonly type: 'close'
      /** 1000–1003, 1007–1014, 3000–4999. Default, and with 1005, an empty close frame. */
      readonly code?: number | undefined
      /** At most 123 bytes of UTF-8; needs a code. Default ''. */
      readonly reason?: string | undefined
    }

/** One frame to be written as it is; a decoded Frame is one. It is masked with a new key where the role wants that. */
export interface FrameInput {
  /** 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number
  /** Not masked; of a control frame at most 125 bytes. */
  readonly payload: Uint8Array
  /** Whether the message ends with it. Default true. */
  readonly fin?: boolean | undefined
  /** Whether the message is compressed; on its first frame alone. Default false. */
  readonly rsv1?: boolean | undefined
}

/** How one end writes. */
export interface EncodeOptions {
  /** Which end we are: the frames of a client are masked. Required. */
  readonly role: Role
  /**
   * The agreed compression: `nodeDeflate(params)` of wiretape/node or `fflateDeflate(params)` of wiretape/fflate. Default:
   * none.
   */
  readonly deflate?: Deflate | undefined
  /** Default: unpredictable keys of the runtime's own generator. */
  readonly maskKey?: MaskKey | undefined
  /** Cuts messages into frames of at most so many payload bytes, 1 or more. Default: one frame each. */
  readonly fragmentBytes?: number | undefined
}
