import {
  D_MAX_MESSAGE,
  DF_DESTINATION,
  DF_ERROR_NAME,
  DF_INTERFACE,
  DF_MEMBER,
  DF_PATH,
  DF_REPLY_SERIAL,
  DF_SENDER,
  DF_SIGNATURE,
  DF_UNIX_FDS,
} from '../../assembly/abi/dbus'
import { WireError } from '../core/error'
import { commonError, usageError } from '../core/errors'
import { type Bytes, bytesArgument, choice, iterableArgument, objectArgument } from '../core/options'
import { checkBody, WireBody } from './body'
import { MessageBuffer, messageTooLong } from './buffer'
import { dbusError, ERRORS } from './errors'
import { WIRE } from './message'
import { isName } from './names'
import { DEFAULTS } from './settings'
import { checkedTypes } from './signature'
import type { ByteOrder, MessageInput } from './types'
import { ValueWriter } from './write'

const TYPES: Readonly<Record<string, number>> = { methodCall: 1, methodReturn: 2, error: 3, signal: 4 }
const LITTLE = 0x6c
const BIG = 0x42
const VERSION = 1
const MAX_UINT32 = 0xffffffff
const LOCAL_INTERFACE = 'org.freedesktop.DBus.Local'
const LOCAL_PATH = '/org/freedesktop/DBus/Local'
const LETTER_S = 0x73
const LETTER_O = 0x6f
const LETTER_G = 0x67
const LETTER_U = 0x75

/** What writes a message: kept from one to the next, but never used while it is in use. */
class MessageWriter {
  readonly buffer = new MessageBuffer()
  readonly values = new ValueWriter(this.buffer)

  write(message: MessageInput): void {
    const { buffer } = this
    // Each property is read once: what was checked is what is written, also where reading it runs code.
    const { type, flags = 0, serial, path, member, errorName, replySerial, destination, sender, unixFds } = message
    const { interface: interfaceName, byteOrder } = message
    const { signature: given } = message
    const number = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type]! : 0
    if (number === 0) throw dbusError('type', { path: 'type', detail: 'methodCall, methodReturn, error or signal' })
    const body = Object.hasOwn(message, 'body') ? message.body : undefined
    const bodyBytes = Object.hasOwn(message, 'bodyBytes') ? message.bodyBytes : undefined
    const kept = body === undefined ? (message as { readonly [WIRE]?: WireBody })[WIRE] : undefined
    const values = body ?? (kept || bodyBytes ? undefined : message.body)
    const signature = given ?? kept?.signature ?? ''
    const order: ByteOrder = choice('dbus', 'byteOrder', byteOrder, ['little', 'big'], 'little')
    const wire = bodyBytes === undefined ? kept : givenBody(bodyBytes, signature, order)
    if (!Number.isInteger(flags) || flags < 0 || flags > 255) throw dbusError('value', { path: 'flags' })
    buffer.start(order === 'big')
    buffer.byte(order === 'big' ? BIG : LITTLE)
    buffer.byte(number)
    buffer.byte(flags)
    buffer.byte(VERSION)
    buffer.uint32(0)
    buffer.uint32(positive(serial, 'serial'))
    buffer.uint32(0)

    if (path !== undefined) {
      if (!isName('path', path)) throw dbusError('path', { path: 'path' })
      if (path === LOCAL_PATH) throw dbusError('localPath', { path: 'path' })
      this.#textField(DF_PATH, LETTER_O, path)
    } else if (number === 1 || number === 4) throw dbusError('noPath', { path: 'path' })
    if (interfaceName !== undefined) {
      if (interfaceName === LOCAL_INTERFACE) throw dbusError('localInterface', { path: 'interface' })
      if (!isName('interface', interfaceName)) throw dbusError('interface', { path: 'interface' })
      this.#textField(DF_INTERFACE, LETTER_S, interfaceName)
    } else if (number === 4) throw dbusError('noInterface', { path: 'interface' })
    if (member !== undefined) {
      if (!isName('member', member)) throw dbusError('member', { path: 'member' })
      this.#textField(DF_MEMBER, LETTER_S, member)
    } else if (number === 1 || number === 4) throw dbusError('noMember', { path: 'member' })
    if (errorName !== undefined) {
      if (!isName('errorName', errorName)) throw dbusError('errorName', { path: 'errorName' })
      this.#textField(DF_ERROR_NAME, LETTER_S, errorName)
    } else if (number === 3) throw dbusError('noErrorName', { path: 'errorName' })
    if (replySerial !== undefined) this.#numberField(DF_REPLY_SERIAL, positive(replySerial, 'replySerial'))
    else if (number === 2 || number === 3) throw dbusError('noReplySerial', { path: 'replySerial' })
    if (destination !== undefined) {
      if (!isName('bus', destination)) throw dbusError('destination', { path: 'destination' })
      this.#textField(DF_DESTINATION, LETTER_S, destination)
    }
    if (sender !== undefined) {
      if (!isName('bus', sender)) throw dbusError('sender', { path: 'sender' })
      this.#textField(DF_SENDER, LETTER_S, sender)
    }
    const types = checkedTypes(signature, 'signature')
    if (signature !== '') {
      this.#field(DF_SIGNATURE, LETTER_G)
      buffer.room(signature.length + 2)
      buffer.byte(signature.length)
      buffer.ascii(signature)
      buffer.byte(0)
    }
    if (unixFds !== undefined) {
      if (!Number.isInteger(unixFds) || unixFds < 0 || unixFds > MAX_UINT32) {
        throw dbusError('value', { path: 'unixFds' })
      }
      this.#numberField(DF_UNIX_FDS, unixFds)
    }
    buffer.setUint32(12, buffer.at - 16)
    buffer.room(8)
    buffer.align(8)
    const bodyAt = buffer.length
    if (wire) this.#relay(wire, signature, order)
    else this.values.writeAll(types, values ?? NO_VALUES, 'body')
    buffer.setUint32(4, buffer.length - bodyAt)
    if (buffer.length > D_MAX_MESSAGE) throw messageTooLong(buffer.length)
    buffer.finish()
  }

  /** A body that is on the wire already: as it is, if it is what it says. */
  #relay(wire: WireBody, signature: string, order: ByteOrder): void {
    const { bytes, start, end } = wire
    const big = order === 'big'
    if (!wire.checked || wire.signature !== signature || wire.big !== big) {
      const again = new WireBody(bytes, start, end, big, signature, 0, DEFAULTS)
      try {
        checkBody(again, 0)
      } catch (cause) {
        if (!(cause instanceof WireError)) throw cause
        const row = Object.values(ERRORS).find(({ code }) => code === cause.code) ?? ERRORS.value
        throw new WireError('dbus', row, { path: 'bodyBytes', detail: `at its byte ${cause.offset}`, cause })
      }
    }
    this.buffer.elements(bytes.subarray(start, end), 1)
  }

  #field(code: number, letter: number): void {
    const { buffer } = this
    buffer.room(16)
    buffer.align(8)
    buffer.byte(code)
    buffer.byte(1)
    buffer.byte(letter)
    buffer.byte(0)
  }

  #textField(code: number, letter: number, text: string): void {
    const { buffer } = this
    this.#field(code, letter)
    buffer.room(text.length + 8)
    buffer.uint32(text.length)
    buffer.ascii(text)
    buffer.byte(0)
  }

  #numberField(code: number, value: number): void {
    this.#field(code, LETTER_U)
    this.buffer.uint32(value)
  }
}

const NO_VALUES: readonly unknown[] = []

function positive(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_UINT32) {
    throw dbusError('serial', { path, detail: `an integer from 1 to ${MAX_UINT32} expected` })
  }
  return value
}

/** A body on the wire that a message is to go with. */
function givenBody(bytes: Uint8Array, signature: string, order: ByteOrder): WireBody {
  bytesArgument('dbus', 'bodyBytes', bytes)
  return new WireBody(bytes, 0, bytes.length, order === 'big', signature, 0, DEFAULTS)
}

const shared = new MessageWriter()
let busy = false

/** Writes a message and gives what `take` makes of it. A message may run code of the caller, which may encode. */
function written<R>(message: MessageInput, take: (buffer: MessageBuffer) => R): R {
  objectArgument('dbus', 'message', message)
  if (busy) {
    const writer = new MessageWriter()
    writer.write(message)
    return take(writer.buffer)
  }
  busy = true
  try {
    shared.write(message)
    return take(shared.buffer)
  } finally {
    busy = false
  }
}

/**
 * One message. Memory of its own. Throws a WireError with the `path` of what cannot stand on the wire: a bus disconnects whoever
 * sends it. The message is not changed. A decoded message, or a copy of one with other header fields (`{ ...message, sender,
 * serial }`), goes with its body as it came.
 */
export const encode = (message: MessageInput): Bytes => written(message, (buffer) => buffer.copy())

/** Messages one after the other in one array. Throws like `encode`, where one of them cannot stand on the wire. */
export function encodeAll(messages: Iterable<MessageInput>): Bytes {
  iterableArgument('dbus', 'messages', messages)
  const parts: Bytes[] = []
  let total = 0
  for (const message of messages) {
    const part = encode(message)
    parts.push(part)
    total += part.length
  }
  const all = new Uint8Array(total)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Bytes that `encode` gives for this message. Throws like it. */
export const encodedLength = (message: MessageInput): number => written(message, ({ length }) => length)

/**
 * Encodes into `target` from `offset` on (default 0) and returns the end offset.
 * Throws WT_TARGET_TOO_SMALL where it does not fit; the target is then unchanged.
 */
export function encodeInto(message: MessageInput, target: Uint8Array, offset = 0): number {
  bytesArgument('dbus', 'target', target)
  if (!Number.isInteger(offset) || offset < 0) throw usageError('dbus', 'offset must be a place in the target')
  return written(message, (buffer) => {
    const end = offset + buffer.length
    if (end > target.length) {
      const free = Math.max(0, target.length - offset)
      throw commonError('dbus', 'target', { detail: `${buffer.length} bytes, ${free} free` })
    }
    buffer.copyTo(target, offset)
    return end
  })
}

/**
 * The message in pieces to be written one after the other: arrays of numbers and relayed bodies of 16 KiB and more are not
 * copied, but are the caller's own memory, which must not change until it is written. Throws like `encode`.
 */
export const encodeChunks = (message: MessageInput): Uint8Array[] => written(message, (buffer) => buffer.pieces())

/**
 * The bytes of a body by its signature: `encodeBody('sa{sv}', ['x', { a: variant('u', 1) }])`. Throws a WireError with the
 * `path` of what does not fit its type, or of the signature. Byte order 'little' by default.
 */
export function encodeBody(
  signature: string,
  body: readonly unknown[],
  options?: { readonly byteOrder?: ByteOrder | undefined },
): Bytes {
  const types = checkedTypes(signature, 'signature')
  const big = choice('dbus', 'byteOrder', options?.byteOrder, ['little', 'big'], 'little') === 'big'
  const { buffer, values } = busy ? new MessageWriter() : shared
  const was = busy
  busy = true
  try {
    buffer.start(big)
    values.writeAll(types, body, 'body')
    buffer.finish()
    return buffer.copy()
  } finally {
    busy = was
  }
}

/** Encodes the messages of one connection and counts their serials. */
export class Encoder {
  #serial = 0

  /** The next serial: 1, 2, … 4294967295, 1 … */
  nextSerial(): number {
    this.#serial = this.#serial >= MAX_UINT32 ? 1 : this.#serial + 1
    return this.#serial
  }

  /** As the free `encode`; a message without a serial gets the next one. Throws like it. */
  encode(message: Numbered): Bytes {
    return encode(this.#numbered(message))
  }

  /**
   * Messages one after the other in one array; those without a serial get the next ones. Throws like `encode`, where one of
   * them cannot stand on the wire.
   */
  encodeAll(messages: Iterable<Numbered>): Bytes {
    iterableArgument('dbus', 'messages', messages)
    return encodeAll(Array.from(messages, (message) => this.#numbered(message)))
  }

  /** As the free `encodeChunks`; a message without a serial gets the next one. Throws like it. */
  encodeChunks(message: Numbered): Uint8Array[] {
    return encodeChunks(this.#numbered(message))
  }

  /** As the free `encodeInto`; where it throws, no serial is used up. */
  encodeInto(message: Numbered, target: Uint8Array, offset = 0): number {
    const before = this.#serial
    try {
      return encodeInto(this.#numbered(message), target, offset)
    } catch (error) {
      this.#serial = before
      throw error
    }
  }

  /** Starts counting anew. */
  reset(): void {
    this.#serial = 0
  }

  /** Nothing is held; here for the sake of a common interface. */
  close(): void {}

  #numbered(message: Numbered): MessageInput {
    objectArgument('dbus', 'message', message)
    return message.serial === undefined ? { ...message, serial: this.nextSerial() } : (message as MessageInput)
  }
}

/** A message that may be without a serial. */
export interface Numbered extends Omit<MessageInput, 'serial'> {
  /** 1 … 4294967295. Default: the Encoder's next one. */
  readonly serial?: number | undefined
}
