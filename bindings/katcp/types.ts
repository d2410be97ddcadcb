import type { WireError } from '../core/error'
import type { BytesMode } from '../core/options'
import type { Arguments } from './arguments'
import type { Limits } from './limits'

/** What a line is: `?`, `!` or `#` on the wire. */
export type MessageType = 'request' | 'reply' | 'inform'

/** A message from the wire. */
export interface Message {
  /** Which of the three it is. */
  readonly type: MessageType
  /** A letter followed by letters, digits and dashes. */
  readonly name: string
  /** 1 … 2147483647; undefined where the line has none (a device of protocol version 4 has no ids). */
  readonly id?: number | undefined
  /** Its arguments, decoded when they are asked for. */
  readonly args: Arguments
}

/** An argument to be written. A string goes as UTF-8, a number as Python writes it, true as `1`, an array of floats as that many arguments. */
export type ArgumentInput = string | number | bigint | boolean | Uint8Array | Float64Array

/** A message to be written. Wire `Arguments` pass as they came, escapes and all. */
export interface MessageInput {
  /** Which of the three it is. */
  readonly type: MessageType
  /** A letter followed by letters, digits and dashes. */
  readonly name: string
  /** 1 … 2147483647. Default: none. */
  readonly id?: number | undefined
  /** Values to be escaped, or wire `Arguments`, which pass as they came. Default: none. */
  readonly args?: Iterable<ArgumentInput> | Arguments | undefined
}

/** What a Decoder yields, by its option `errors`. */
export interface Units {
  /** Messages, and a WireError in the place of a bad line. */
  report: Message | WireError
  /** Messages. */
  throw: Message
}

/** How lines are read. */
export interface DecodeOptions<M extends keyof Units = 'report'> {
  /** Some of them to be other than `DEFAULT_LIMITS`. */
  readonly limits?: { readonly [K in keyof Limits]?: number | undefined } | undefined
  /**
   * 'copy' (default): messages own their bytes, the chunk is never touched. 'view': the chunk is handed over and must not
   * change while its messages are in use.
   */
  readonly bytes?: BytesMode | undefined
  /** What becomes of a bad line: a WireError among the units ('report', default), or reading throws it. */
  readonly errors?: M | undefined
  /**
   * Which of several faults of a line is named: the first offending byte ('left-to-right', default), or as katcp-python does:
   * the type, then the arguments, where a raw special byte beats a bad escape, the name and id last.
   */
  readonly errorOrder?: 'left-to-right' | 'katcp-python' | undefined
}
