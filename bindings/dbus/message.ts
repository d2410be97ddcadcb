import { type JsonForm, jsonForm } from '../core/json_form'
import { viewOf } from '../core/options'
import { readBody, type WireBody } from './body'
import { dbusError } from './errors'
import type { Body } from './infer'
import { shaped } from './settings'
import type { ByteOrder, Shape } from './types'

/** @internal Key of a message's bytes: enumerable, so that `{ ...message, serial }` is relayed with them. */
export const WIRE: unique symbol = Symbol('wiretape.dbus.wire')

/** What all messages have. */
export abstract class WireMessage {
  /** Bits; see `Flags`. */
  readonly flags: number
  /** Chosen by the sender, 1 … 4294967295: replies name it. */
  readonly serial: number
  /** Unique name of the sender, as the bus has written it; undefined without a bus. */
  readonly sender: string | undefined
  /** Bus name of the receiver; undefined in a signal to all. */
  readonly destination: string | undefined
  /** Number of descriptors that belong to the message; undefined where it does not say. */
  readonly unixFds: number | undefined
  /** Types of the body; '' where there is none. */
  readonly signature: string
  /** Byte order of the message. Values come out the same. */
  readonly byteOrder: ByteOrder
  /** @internal */
  readonly [WIRE]: WireBody
  #body: unknown[] | undefined

  /** @internal */
  constructor(head: Head, wire: WireBody) {
    this.flags = head.flags
    this.serial = head.serial
    this.sender = head.sender
    this.destination = head.destination
    this.unixFds = head.unixFds
    this.signature = wire.signature
    this.byteOrder = wire.big ? 'big' : 'little'
    this[WIRE] = wire
  }

  /**
   * The values of the body, one for each complete type of the signature: made when first asked for, then kept.
   * Throws a WireError where the body is malformed, its `offset` counted from the first byte of the message.
   */
  get body(): unknown[] {
    this.#body ??= readBody(this[WIRE], this[WIRE].settings)
    return this.#body
  }

  /** The body as it stands on the wire, in `byteOrder`: part of the message's own bytes. */
  get bodyBytes(): Uint8Array {
    const { bytes, start, end } = this[WIRE]
    return viewOf(bytes, start, end)
  }

  /**
   * The values of the body, typed by the signature, which must be that of the message (WT_DBUS_SIGNATURE); in the given shape,
   * or that of the decoder's options. Decodes anew at each call. Throws a WireError where the body is malformed, like `body`.
   */
  bodyAs<const S extends string>(signature: S, shape?: Shape): Body<S> {
    if (signature !== this.signature) {
      throw dbusError('signature', { detail: `it is '${this.signature}', not '${signature}'` })
    }
    return readBody(this[WIRE], shaped(this[WIRE].settings, shape)) as Body<S>
  }

  /** @internal What `toJson` writes: the body too, and nothing that is not there. */
  [jsonForm](): JsonForm {
    return { value: { ...this, body: this.body } }
  }

  /** For console.log and the like in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    const { [WIRE]: _, ...head } = this
    return head
  }
}

/** @internal Header fields as the reader has found them. */
export interface Head {
  flags: number
  serial: number
  replySerial: number
  path: string | undefined
  interface: string | undefined
  member: string | undefined
  errorName: string | undefined
  destination: string | undefined
  sender: string | undefined
  unixFds: number | undefined
}

/** A method call from the wire. */
export class MethodCall extends WireMessage {
  /** Always `'methodCall'`. */
  readonly type = 'methodCall'
  /** The object that is called. */
  readonly path: string
  /** May be absent: the method is then looked for in all interfaces of the object. */
  readonly interface: string | undefined
  /** Name of the method. */
  readonly member: string

  /** @internal */
  constructor(head: Head, wire: WireBody) {
    super(head, wire)
    this.path = head.path!
    this.interface = head.interface
    this.member = head.member!
  }
}

/** The reply to a method call that went well. */
export class MethodReturn extends WireMessage {
  /** Always `'methodReturn'`. */
  readonly type = 'methodReturn'
  /** Serial of the call that this answers. */
  readonly replySerial: number

  /** @internal */
  constructor(head: Head, wire: WireBody) {
    super(head, wire)
    this.replySerial = head.replySerial
  }
}

/** The reply to a method call that failed. */
export class ErrorReply extends WireMessage {
  /** Always `'error'`. */
  readonly type = 'error'
  /** What went wrong, `org.freedesktop.DBus.Error.UnknownMethod`. */
  readonly errorName: string
  /** Serial of the call that failed. */
  readonly replySerial: number

  /** @internal */
  constructor(head: Head, wire: WireBody) {
    super(head, wire)
    this.errorName = head.errorName!
    this.replySerial = head.replySerial
  }
}

/** A signal from the wire. */
export class Signal extends WireMessage {
  /** Always `'signal'`. */
  readonly type = 'signal'
  /** The object that sends it. */
  readonly path: string
  /** The interface that has it. */
  readonly interface: string
  /** Name of the signal. */
  readonly member: string

  /** @internal */
  constructor(head: Head, wire: WireBody) {
    super(head, wire)
    this.path = head.path!
    this.interface = head.interface!
    this.member = head.member!
  }
}
