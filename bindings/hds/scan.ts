import {
  E_HDS_DEPTH,
  E_HDS_ITEMS,
  H_INPUT,
  H_STACK,
  HF_HEADER,
  HF_REFERENCES,
  HK_TOP,
  HS_AT,
  HS_BASE,
  HS_FLAGS,
  HS_HEAD,
  HS_KIND,
  HS_LEFT,
  HS_MAX_DEPTH,
  HS_NEED,
  HS_SEEN,
  HS_TAPE_AT,
  HS_TEXT,
  HS_TEXT_AT,
  HS_TOP,
  HS_WANT,
  HT_CLASS,
  HT_DICT,
} from '../../assembly/abi/hds'
import { L_ARENA, L_SLACK, L_WINDOW } from '../../assembly/abi/layout'
import { ST_DONE, ST_ERROR, ST_FULL } from '../../assembly/abi/status'
import type { WireError } from '../core/error'
import { commonError } from '../core/errors'
import type { Memory } from '../engine/memory'
import type { Names } from '../engine/names'
import { THRESHOLDS } from '../engine/thresholds'
import { hdsError, kernelError } from './errors'
import { LARGE, scriptCore, selectCore } from './kernels'
import { resolveReferences } from './references'
import type { Settings } from './settings'

/** What a scan found, in memory that anything else that is called may write over. */
export interface Scan {
  memory: Memory
  names: Names
  /** The payload: bytes of the caller from `from` on. */
  bytes: Uint8Array
  from: number
  /** Index of the first word of the tape; of a message, that of its header. */
  tape: number
  /** Address of the text and its end. */
  text: number
  textEnd: number
  /** Position after the value. */
  end: number
  /** Values that references stand for, by the index of their word on the tape. */
  shared: Map<number, unknown> | undefined
}

/** Bytes of a large payload that are looked at first: where it holds media, little more is ever wanted. */
const FIRST_WINDOW = 1024
/** Copying fewer bytes one by one costs less than a view of them. */
const LOOP_BYTES = 48

const align8 = (n: number): number => (n + 7) & ~7

/** Bytes of a tape that seldom proves too short; the longest has two words for each byte of the payload. */
const firstTape = (total: number): number => Math.min(8 * total, Math.max(2 * total, 0x40000)) + 256
const longestTape = (total: number): number => 8 * total + 256

function load(u8: Uint8Array, bytes: Uint8Array, from: number, length: number): void {
  if (length <= LOOP_BYTES) for (let i = 0; i < length; i++) u8[H_INPUT + i] = bytes[from + i]!
  else if (from === 0 && length === bytes.length) u8.set(bytes, H_INPUT)
  else u8.set(new Uint8Array(bytes.buffer, bytes.byteOffset + from, length), H_INPUT)
}

/** One object, since a scan is read before the next begins. */
const found = { shared: undefined } as Scan

/** Nothing is open, and one value is wanted. */
function begin(u32: Uint32Array): void {
  u32[HS_TOP >>> 2] = H_STACK
  u32[HS_KIND >>> 2] = HK_TOP
  u32[HS_SEEN >>> 2] = 0
  u32[HS_WANT >>> 2] = 1
  u32[HS_HEAD >>> 2] = 0
}

/**
 * Scans a value in bytes [from, to), or with `message` the length of a header, the header and a body. `offset` is the place of
 * `from` in the stream. Throws what is wrong; with `partly`, a payload that merely ends too early is undefined, unless it would be
 * above the limit. `items` values of the payload came before.
 */
export function scanPayload(
  bytes: Uint8Array,
  from: number,
  to: number,
  offset: number,
  settings: Settings,
  message: boolean,
  partly: boolean,
  items: number,
): Scan | undefined {
  const total = to - from
  const { limits, flags } = settings
  let headerEnd = 0
  if (message) {
    headerEnd = total === 0 ? 1 : 1 + bytes[from]!
    if (headerEnd > total) {
      if (partly) return undefined
      throw commonError('hds', 'truncated', { offset: offset + total })
    }
  }
  let tapeBytes = firstTape(total)
  let windowBytes = Math.min(total, L_WINDOW)
  let core = selectCore(total, THRESHOLDS.hdsScan)
  for (;;) {
    const text = align8(H_INPUT + windowBytes + L_SLACK)
    const tape = align8(text + total + L_SLACK)
    const needed = tape + tapeBytes - L_ARENA + L_SLACK
    if (!core.memory.reserve(needed)) {
      core = scriptCore()
      core.memory.reserve(needed)
    }
    const { kernels, memory, names } = core
    names.tidy()
    const { u8, u32 } = memory
    u32[HS_FLAGS >>> 2] = message ? flags | HF_HEADER : flags
    u32[HS_MAX_DEPTH >>> 2] = limits.maxDepth
    u32[HS_LEFT >>> 2] = limits.maxItems - items
    u32[HS_TEXT >>> 2] = text
    u32[HS_TEXT_AT >>> 2] = text
    u32[HS_TAPE_AT >>> 2] = tape
    begin(u32)
    let base = 0
    let loaded = total <= windowBytes ? total : Math.min(FIRST_WINDOW, windowBytes)
    load(u8, bytes, from, loaded)
    let p = H_INPUT + (message ? 1 : 0)
    let inHeader = message
    /** Where the values begin that references count from: those of header and body have numbers of their own. */
    let partTape = tape >>> 2
    let partEnd = message ? headerEnd : total
    let again = false
    while (!again) {
      u32[HS_BASE >>> 2] = base
      const last = H_INPUT + partEnd - base
      const end = Math.min(H_INPUT + loaded, last)
      const status = kernels.hdsScan(p, end, last, u32[HS_TAPE_AT >>> 2]!, tape + tapeBytes) >>> 0
      const at = u32[HS_BASE >>> 2]!
      if (status === ST_DONE) {
        if (!inHeader) {
          found.memory = memory
          found.names = names
          found.bytes = bytes
          found.from = from
          found.tape = tape >>> 2
          found.text = text
          found.textEnd = u32[HS_TEXT_AT >>> 2]!
          found.end = at
          found.shared = undefined
          if (flags & HF_REFERENCES) {
            resolveReferences(found, partTape, u32[HS_TAPE_AT >>> 2]! >>> 2, offset, settings)
            found.shared = new Map()
          }
          return found
        }
        if ((u32[tape >>> 2]! & HT_CLASS) !== HT_DICT) throw hdsError('header', { offset: offset + 1 })
        if (at < headerEnd) throw commonError('hds', 'trailing', { offset: offset + at })
        if (flags & HF_REFERENCES) {
          Object.assign(found, { memory, names, bytes, from, text })
          resolveReferences(found, partTape, u32[HS_TAPE_AT >>> 2]! >>> 2, offset, settings)
          partTape = u32[HS_TAPE_AT >>> 2]! >>> 2
        }
        inHeader = false
        partEnd = total
        u32[HS_FLAGS >>> 2] = flags
        begin(u32)
        p = H_INPUT + at - base
      } else if (status >= ST_ERROR) {
        const fault = faultOf(status, inHeader, u32, offset, settings)
        if (flags & HF_REFERENCES) {
          // A bad reference before it is the first fault.
          Object.assign(found, { memory, names, bytes, from, text })
          resolveReferences(found, partTape, u32[HS_TAPE_AT >>> 2]! >>> 2, offset, settings)
        }
        if (total > LARGE) memory.release()
        if (fault.kind !== 'truncated' || !partly) throw fault
        const need = u32[HS_NEED >>> 2]!
        if (need > limits.maxPayloadBytes) throw tooLarge(offset, limits.maxPayloadBytes, need)
        return undefined
      } else if (status === ST_FULL) {
        tapeBytes = longestTape(total)
        again = true
      } else {
        // Behind media, little is looked at again; else ever more.
        const skipped = at > base + loaded
        const wanted = Math.max(u32[HS_NEED >>> 2]!, skipped ? FIRST_WINDOW : Math.min(loaded * 2, windowBytes))
        const size = Math.min(total - at, wanted)
        if (size > windowBytes) {
          windowBytes = Math.min(total, Math.max(size, windowBytes * 2))
          again = true
        } else {
          load(u8, bytes, from + at, size)
          base = at
          loaded = size
          p = H_INPUT
        }
      }
    }
  }
}

/** The payload has, or would have, more bytes than the limit allows. */
export const tooLarge = (offset: number, max: number, actual: number): WireError =>
  hdsError('payload', { offset: offset + max, limit: { name: 'maxPayloadBytes', max, actual } })

function faultOf(number: number, inHeader: boolean, u32: Uint32Array, start: number, { limits }: Settings): WireError {
  const offset = start + u32[HS_AT >>> 2]!
  if (number === E_HDS_DEPTH) {
    const max = limits.maxDepth
    return kernelError(number, inHeader, { offset, limit: { name: 'maxDepth', max, actual: max + 1 } })
  }
  if (number === E_HDS_ITEMS) {
    const max = limits.maxItems
    return kernelError(number, inHeader, { offset, limit: { name: 'maxItems', max, actual: max + 1 } })
  }
  return kernelError(number, inHeader, { offset })
}

const NO_BYTES = new Uint8Array(0)

/** Keeps nothing of the caller's, nor the memory that a large payload needed. */
export function release(scan: Scan, length: number): void {
  scan.bytes = NO_BYTES
  scan.shared = undefined
  if (length > LARGE) scan.memory.release()
}
