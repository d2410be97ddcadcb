import type { WireError } from '../core/error'
import type { BytesMode, DictMode, Int64Mode, TypesMode } from '../core/options'
import type { Limits } from './limits'
import type { ErrorReply, MethodCall, MethodReturn, Signal } from './message'

/** Byte order of a message. */
export type ByteOrder = 'little' | 'big'

/** A message from the wire, told apart by `type`. */
export type Message = MethodCall | MethodReturn | ErrorReply | Signal
/** The four types of messages. */
export type MessageType = Message['type']

/** Bits of `flags` (specification, "Message Format"). */
export const Flags = Object.freeze({
  /** The sender expects no reply, even if it is a method call. */
  noReplyExpected: 1,
  /** The bus must not start an owner for the destination name. */
  noAutoStart: 2,
  /** The caller waits while a user is asked for authorization. */
  allowInteractiveAuthorization: 4,
})

/** A message to be written. */
export interface MessageInput {
  /** Which of the four it is. */
  readonly type: MessageType
  /** 0 … 255; see `Flags`. Default 0. */
  readonly flags?: number | undefined
  /** 1 … 4294967295; `Encoder.nextSerial()` counts. */
  readonly serial: number
  /** The object, `/org/example/Lamp`; required in a method call and a signal. */
  readonly path?: string | undefined
  /** Required in a signal. */
  readonly interface?: string | undefined
  /** Name of the method or signal; required in a method call and a signal. */
  readonly member?: string | undefined
  /** Required in an error. */
  readonly errorName?: string | undefined
  /** Serial of the call that is answered, 1 … 4294967295; required in a method return and an error. */
  readonly replySerial?: number | undefined
  /** Bus name of the receiver. Default: none, as signals and messages between two peers have it. */
  readonly destination?: string | undefined
  /** Bus name of the sender. Default: none, a bus writes it. */
  readonly sender?: string | undefined
  /** Number of descriptors that go along with the bytes, 0 … 4294967295. Default: not said. */
  readonly unixFds?: number | undefined
  /** Types of the body. Default '': no body. */
  readonly signature?: string | undefined
  /** A value for each complete type of the signature. */
  readonly body?: readonly unknown[] | undefined
  /** A body as it stands on the wire, in `byteOrder`; wins over `body`. */
  readonly bodyBytes?: Uint8Array | undefined
  /** Default 'little'. */
  readonly byteOrder?: ByteOrder | undefined
}

/** What a Decoder yields, by its option `errors`. */
export interface Units {
  /** Messages, and a WireError in the place of a bad one. */
  report: Message | WireError
  /** Messages. */
  throw: Message
}

/** How values of a body become JavaScript values. */
export interface Shape {
  /** `a{…}` as a Map (default), an object without prototype, or pairs in the order of the wire. */
  readonly dict?: DictMode | undefined
  /** `x` and `t` as bigint (default), as number (throws WT_DBUS_UNSAFE_INTEGER where it would round), or 'auto'. */
  readonly int64?: Int64Mode | undefined
  /** Variants as `Variant` with their signature ('tagged', default), or as their value alone ('plain'). */
  readonly types?: TypesMode | undefined
  /** `ay` as a copy (default) or, with 'view', as part of the message's bytes. */
  readonly bytes?: BytesMode | undefined
}

/** How messages are read. */
export interface DecodeOptions<M extends keyof Units = 'throw'> extends Shape {
  /** Some of them to be other than `DEFAULT_LIMITS`. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
  /** 'lazy' (default): a body is checked when it is read. 'eager': before its message is handed out. */
  readonly validate?: 'lazy' | 'eager' | undefined
  /** What becomes of a bad message whose end is known: reading throws it ('throw', default), or it is a WireError among the units. */
  readonly errors?: M | undefined
  /** Descriptors that came along: fewer than a message's UNIX_FDS is an error. Default: not compared. */
  readonly descriptors?: number | undefined
}
