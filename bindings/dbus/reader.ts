import {
  D_INPUT,
  D_MAX_MESSAGE,
  DR_BYTES,
  DS_FDS,
  DS_INPUT_AT,
  DS_MAX_DEPTH,
  DS_MAX_MESSAGE,
  DS_MAX_VALUES,
  DS_NEED,
  DS_RECORDS_AT,
  DT_CALL,
  DT_ERROR,
  DT_RETURN,
  DT_SIGNAL,
  E_DBUS_DEPTH,
  E_DBUS_MESSAGE_LENGTH,
} from '../../assembly/abi/dbus'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { ST_FULL, ST_MORE } from '../../assembly/abi/status'
import { WireError } from '../core/error'
import { copyOf } from '../core/options'
import { Slab } from '../core/slab'
import { asciiText } from '../core/text'
import type { Names } from '../engine/names'
import { THRESHOLDS } from '../engine/thresholds'
import { checkBody, WireBody } from './body'
import { kernelError } from './errors'
import { align8, copyIn, LARGE, scriptCore, selectCore } from './kernels'
import { ErrorReply, type Head, MethodCall, MethodReturn, Signal, WIRE } from './message'
import type { Settings } from './settings'
import type { Message } from './types'

/** Messages of one window. */
export const MAX_MESSAGES = 512
/** Bytes that are looked at first where one message is wanted: its header, most likely. */
export const FIRST_WINDOW = 4096

const slab = new Slab((length) => new Uint8Array(length), 65_536)

/**
 * A message; a WireError with whether the next message can be found; or undefined for a message of a type that is not known,
 * which is to be skipped. `end`: offset after it in the bytes.
 */
export type Sink = (unit: Message | WireError | undefined, end: number, fatal: boolean) => void

/** What a scan says of the bytes behind the last unit. */
export interface Rest {
  /** Where they begin. */
  at: number
  /** Bytes that the message there needs in all, 16 where that is not known; 0: go on scanning there. */
  need: number
}

/**
 * Reads the messages of bytes [from, to), at most one window of headers, and hands them to `sink`. `offset` is that of `from`
 * in the stream. `own`: the bytes belong to the messages from now on; else they get a copy.
 */
export function scan(
  bytes: Uint8Array,
  from: number,
  to: number,
  offset: number,
  own: boolean,
  window: number,
  most: number,
  settings: Settings,
  rest: Rest,
  sink: Sink,
): void {
  const { limits } = settings
  let size = Math.min(to - from, window)
  let core = selectCore(size, THRESHOLDS.dbusScan)
  for (;;) {
    const records = align8(D_INPUT + size + L_SLACK)
    const recordsEnd = records + most * DR_BYTES
    if (!core.memory.reserve(recordsEnd - L_ARENA + L_SLACK)) {
      core = scriptCore()
      core.memory.reserve(recordsEnd - L_ARENA + L_SLACK)
    }
    const { kernels, memory, names } = core
    names.tidy()
    const { u8, u32 } = memory
    copyIn(u8, D_INPUT, bytes, from, size)
    u32[DS_MAX_MESSAGE >>> 2] = Math.min(limits.maxMessageBytes, D_MAX_MESSAGE)
    u32[DS_MAX_DEPTH >>> 2] = Math.min(limits.maxDepth, 64)
    u32[DS_MAX_VALUES >>> 2] = Math.min(limits.maxValues, 0xffffffff)
    u32[DS_FDS >>> 2] = settings.descriptors
    const status = kernels.dbusScan(D_INPUT, D_INPUT + size, D_INPUT + (to - from), records, recordsEnd) >>> 0
    const count = (u32[DS_RECORDS_AT >>> 2]! - records) / DR_BYTES
    const need = u32[DS_NEED >>> 2]!
    const next = from + u32[DS_INPUT_AT >>> 2]! - D_INPUT
    if (count === 0 && status === ST_FULL) {
      // The header of the first message is longer than what was looked at.
      size = Math.min(to - from, Math.max(need, window))
      continue
    }
    rest.at = next
    rest.need = status === ST_MORE ? need : 0
    if (count > 0) makeUnits(bytes, from, offset, own, u32, records >>> 2, count, names, need, settings, sink)
    if (size > LARGE) memory.release()
    return
  }
}

function makeUnits(
  bytes: Uint8Array,
  from: number,
  offset: number,
  own: boolean,
  u32: Uint32Array,
  records: number,
  count: number,
  names: Names,
  need: number,
  settings: Settings,
  sink: Sink,
): void {
  const words = DR_BYTES >>> 2
  let held = bytes
  /** Position in `held` of the first byte of the input. */
  let origin = from
  if (!own) {
    // The messages share one copy; one that has no end is not in it.
    const start = u32[records + 1]!
    let last = u32[records + (count - 1) * words + 2]!
    if (last === 0) last = u32[records + (count - 1) * words + 1]!
    const length = last - start
    if (length <= slab.longestPiece) {
      const at = slab.take(length)
      held = slab.array
      copyIn(held, at, bytes, from + start, length)
      origin = at - start
    } else {
      held = copyOf(bytes, from + start, from + last)
      origin = -start
    }
  }
  if (settings.eager) {
    // Checking bodies writes over the records: all messages are made first.
    const units: (Message | WireError | WireBody)[] = []
    const places: number[] = []
    for (let i = 0, at = records; i < count; i++, at += words) {
      places.push(u32[at + 1]!, u32[at + 2]!)
      units.push(
        u32[at] === 0 ? makeMessage(held, origin, u32, at, names, settings) : fault(u32, at, offset, need, settings),
      )
    }
    units.forEach((unit, i) => {
      const start = places[2 * i]!
      const end = places[2 * i + 1]!
      if (unit instanceof WireError) sink(unit, from + end, end === 0)
      else sink(checked(unit, offset + start), from + end, false)
    })
    return
  }
  for (let i = 0, at = records; i < count; i++, at += words) {
    const end = u32[at + 2]!
    if (u32[at] !== 0) sink(fault(u32, at, offset, need, settings), from + end, end === 0)
    else {
      const unit = makeMessage(held, origin, u32, at, names, settings)
      sink(unit instanceof WireBody ? undefined : unit, from + end, false)
    }
  }
}

/** A message whose body is good, or what is wrong with it. */
function checked(unit: Message | WireBody, offset: number): Message | WireError | undefined {
  try {
    checkBody(unit instanceof WireBody ? unit : unit[WIRE], offset)
  } catch (error) {
    if (error instanceof WireError) return error
    throw error
  }
  return unit instanceof WireBody ? undefined : unit
}

function fault(u32: Uint32Array, at: number, offset: number, need: number, { limits }: Settings): WireError {
  const number = u32[at]!
  const place = offset + u32[at + 3]!
  if (number === E_DBUS_MESSAGE_LENGTH) {
    const max = Math.min(limits.maxMessageBytes, D_MAX_MESSAGE)
    return kernelError(number, { offset: place, limit: { name: 'maxMessageBytes', max, actual: need } })
  }
  if (number === E_DBUS_DEPTH) {
    const max = Math.min(limits.maxDepth, 64)
    return kernelError(number, { offset: place, limit: { name: 'maxDepth', max, actual: max + 1 } })
  }
  return kernelError(number, { offset: place })
}

/** The header being read: one for all messages, which take from it what they have. */
const head: Head = {
  flags: 0,
  serial: 0,
  replySerial: 0,
  path: undefined,
  interface: undefined,
  member: undefined,
  errorName: undefined,
  destination: undefined,
  sender: undefined,
  unixFds: undefined,
}

/** Words of a record where the texts of the fields are. */
const PATH = 9
const INTERFACE = 11
const MEMBER = 13
const ERROR_NAME = 15
const DESTINATION = 17
const SENDER = 19
const SIGNATURE = 21

/** The message of a record; of a type that is not known, its body alone. */
function makeMessage(
  held: Uint8Array,
  origin: number,
  u32: Uint32Array,
  at: number,
  names: Names,
  settings: Settings,
): Message | WireBody {
  const start = u32[at + 1]!
  const kind = u32[at + 4]!
  const fields = u32[at + 8]!
  const message = origin + start
  const text = (place: number): string => {
    const word = u32[at + place]!
    return word >= 0x80000000
      ? names.get(word & 0x7fffffff)
      : asciiText(held, message + word, message + word + u32[at + place + 1]!)
  }
  const signature = fields & 0x100 ? text(SIGNATURE) : ''
  const body = u32[at + 3]!
  const wire = new WireBody(
    held,
    origin + body,
    origin + u32[at + 2]!,
    kind >= 0x10000,
    signature,
    body - start,
    settings,
  )
  head.flags = (kind >>> 8) & 0xff
  head.serial = u32[at + 5]!
  head.replySerial = u32[at + 6]!
  head.path = fields & 2 ? text(PATH) : undefined
  head.interface = fields & 4 ? text(INTERFACE) : undefined
  head.member = fields & 8 ? text(MEMBER) : undefined
  head.errorName = fields & 0x10 ? text(ERROR_NAME) : undefined
  head.destination = fields & 0x40 ? text(DESTINATION) : undefined
  head.sender = fields & 0x80 ? text(SENDER) : undefined
  head.unixFds = fields & 0x200 ? u32[at + 7]! : undefined
  switch (kind & 0xff) {
    case DT_CALL:
      return new MethodCall(head, wire)
    case DT_RETURN:
      return new MethodReturn(head, wire)
    case DT_ERROR:
      return new ErrorReply(head, wire)
    case DT_SIGNAL:
      return new Signal(head, wire)
    default:
      return wire
  }
}
