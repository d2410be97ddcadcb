import { objectArgument } from '../core/options'
import type { MessageInput } from './types'

/** @inline */
type Call = Pick<MessageInput, 'serial' | 'sender'>
/** @inline */
type Header = Omit<MessageInput, 'type' | 'signature' | 'body' | 'bodyBytes'>

/**
 * A method call to be written: `methodCall({ serial, path, member }, 'uu', [1, 2])`. `signature` (default '') has the types of
 * `body`, one value for each complete type. What is wrong with it shows when it is encoded.
 */
export const methodCall = (
  header: Header & { readonly path: string; readonly member: string },
  signature = '',
  body: readonly unknown[] = [],
): MessageInput => ({ ...header, type: 'methodCall', signature, body })

/**
 * A signal to be written: `signal({ serial, path, interface, member }, 's', ['on'])`. `signature` (default '') has the types of
 * `body`, one value for each complete type.
 */
export const signal = (
  header: Header & { readonly path: string; readonly interface: string; readonly member: string },
  signature = '',
  body: readonly unknown[] = [],
): MessageInput => ({ ...header, type: 'signal', signature, body })

/** What answers a call, to be sent to its sender: no reply is expected to it. */
function answer(call: Call, serial: number) {
  objectArgument('dbus', 'call', call)
  return { flags: 1, serial, replySerial: call.serial, destination: call.sender }
}

/**
 * The reply to a method call, for its sender: `methodReturn(call, encoder.nextSerial(), 's', ['done'])`. No reply is expected
 * to it. What is wrong with it shows when it is encoded.
 */
export const methodReturn = (
  call: Call,
  serial: number,
  signature = '',
  body: readonly unknown[] = [],
): MessageInput => ({ ...answer(call, serial), type: 'methodReturn', signature, body })

/** The reply to a method call that failed: an error name, `org.example.Error.Busy`, and a text for people (default: none). */
export const errorReply = (call: Call, serial: number, name: string, text?: string): MessageInput => ({
  ...answer(call, serial),
  type: 'error',
  errorName: name,
  signature: text === undefined ? '' : 's',
  body: text === undefined ? [] : [text],
})
