import {
  D_INPUT,
  D_SIGNATURE,
  D_STACK,
  DS_AT,
  DS_BASE,
  DS_BIG,
  DS_KEEP,
  DS_MAX_DEPTH,
  DS_MAX_VALUES,
  DS_TEXT_AT,
  DS_WIDE_AT,
  E_DBUS_DEPTH,
  E_DBUS_VALUES,
} from '../../assembly/abi/dbus'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { ST_ERROR, ST_FULL } from '../../assembly/abi/status'
import type { WireError } from '../core/error'
import { THRESHOLDS } from '../engine/thresholds'
import { kernelError } from './errors'
import { align8, copyIn, LARGE, scriptCore, selectCore } from './kernels'
import type { Settings } from './settings'
import { typesOf } from './signature'
import { readValues } from './values'

/** A body as it stands on the wire. */
export class WireBody {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly big: boolean
  readonly signature: string
  /** Added to a place in the body: errors count from the first byte of the message. */
  readonly offset: number
  readonly settings: Settings
  /** It was read or checked, and is good. */
  checked = false

  constructor(
    bytes: Uint8Array,
    start: number,
    end: number,
    big: boolean,
    signature: string,
    offset: number,
    settings: Settings,
  ) {
    this.bytes = bytes
    this.start = start
    this.end = end
    this.big = big
    this.signature = signature
    this.offset = offset
    this.settings = settings
  }
}

/** Bytes of a tape that seldom proves too short; the longest has four bytes for each of the body. */
const firstTape = (length: number): number => Math.min(2 * length, Math.max(length, 0x40000)) + 256
const longestTape = (length: number): number => 4 * length + 256

/** Walks a body; with `keep` returns its values, else undefined. Throws what is wrong with it, `offset` added to the place. */
function walk(body: WireBody, keep: boolean, offset: number, settings: Settings): unknown[] | undefined {
  const { bytes, start, signature } = body
  const length = body.end - start
  if (length === 0 && signature === '') return []
  const { limits } = settings
  const text = align8(D_INPUT + length + L_SLACK)
  const wide = keep ? align8(text + length + L_SLACK) : text
  const tape = keep ? align8(wide + length + L_SLACK) : text
  let tapeBytes = keep ? firstTape(length) : 256
  let core = selectCore(length, THRESHOLDS.dbusWalk)
  for (;;) {
    const needed = tape + tapeBytes - L_ARENA + L_SLACK
    if (!core.memory.reserve(needed)) {
      core = scriptCore()
      core.memory.reserve(needed)
    }
    const { kernels, memory, names } = core
    names.tidy()
    const { u8, u32 } = memory
    copyIn(u8, D_INPUT, bytes, start, length)
    u8[D_SIGNATURE - 1] = 0
    for (let i = 0; i < signature.length; i++) u8[D_SIGNATURE + i] = signature.charCodeAt(i)
    u32[DS_BIG >>> 2] = body.big ? 1 : 0
    u32[DS_BASE >>> 2] = D_INPUT
    u32[DS_KEEP >>> 2] = keep ? 1 : 0
    u32[DS_WIDE_AT >>> 2] = wide
    u32[DS_MAX_DEPTH >>> 2] = Math.min(limits.maxDepth, 64)
    u32[DS_MAX_VALUES >>> 2] = Math.min(limits.maxValues, 0xffffffff)
    const status =
      kernels.dbusWalk(
        D_INPUT,
        D_INPUT + length,
        D_SIGNATURE,
        D_SIGNATURE + signature.length,
        0,
        1,
        D_STACK,
        tape,
        tape + tapeBytes,
        text,
      ) >>> 0
    if (status === ST_FULL) {
      tapeBytes = longestTape(length)
      continue
    }
    try {
      if (status >= ST_ERROR) throw bodyError(status, u32[DS_AT >>> 2]! - D_INPUT + offset, settings)
      body.checked = true
      if (!keep) return undefined
      const texts = { tape, text, textEnd: u32[DS_TEXT_AT >>> 2]!, wide, wideEnd: u32[DS_WIDE_AT >>> 2]! }
      return readValues({ memory, names, ...texts }, typesOf(signature), settings, bytes, start)
    } finally {
      if (length > LARGE) memory.release()
    }
  }
}

function bodyError(number: number, offset: number, { limits }: Settings): WireError {
  if (number === E_DBUS_DEPTH) {
    const max = Math.min(limits.maxDepth, 64)
    return kernelError(number, { offset, limit: { name: 'maxDepth', max, actual: max + 1 } })
  }
  if (number === E_DBUS_VALUES) {
    const max = limits.maxValues
    return kernelError(number, { offset, limit: { name: 'maxValues', max, actual: max + 1 } })
  }
  return kernelError(number, { offset })
}

/** The values of a body. */
export const readBody = (body: WireBody, settings: Settings): unknown[] => walk(body, true, body.offset, settings)!

/** Throws what is wrong with a body whose message begins at `offset` of the stream. */
export function checkBody(body: WireBody, offset: number): void {
  walk(body, false, body.offset + offset, body.settings)
}
