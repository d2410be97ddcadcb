import * as abi from '../../assembly/abi/dbus'
import { L_ARENA } from '../../assembly/abi/layout'
import { fresh, hexOf, namesOf, type Side, untouched } from '../lib/side'

const RECORDS = L_ARENA + 0x20000
const MAX_RECORDS = 4
const TEXT = L_ARENA + 0x30000
const WIDE = TEXT + 0x8000
const TAPE = L_ARENA + 0x50000
const ARENA_BYTES = 0x60000

/** Poison in the places that an input of so many bytes can reach. */
function ready(side: Side, length: number): Side {
  fresh(side, abi.D_INPUT + length - L_ARENA)
  for (const at of [RECORDS, TEXT, WIDE, TAPE]) {
    side.u8.fill(side.poison, at, Math.min(L_ARENA + ARENA_BYTES, at + 0x400 + 4 * length))
  }
  const { u32 } = side
  u32[abi.DS_MAX_MESSAGE >>> 2] = abi.D_MAX_MESSAGE
  u32[abi.DS_MAX_DEPTH >>> 2] = 64
  u32[abi.DS_MAX_VALUES >>> 2] = 100_000
  u32[abi.DS_FDS >>> 2] = 0
  return side
}

/** Everything that one call of dbusScan says of a buffer of which `copied` bytes are in memory. */
export function scan(side: Side, bytes: Uint8Array, copied: number) {
  const { kernels, u8, u32 } = ready(side, bytes.length)
  const input = abi.D_INPUT
  u8.set(bytes.subarray(0, copied), input)
  const last = RECORDS + MAX_RECORDS * abi.DR_BYTES
  const status = kernels.dbusScan(input, input + copied, input + bytes.length, RECORDS, last) >>> 0
  const end = u32[abi.DS_RECORDS_AT >>> 2]!
  const records: unknown[] = []
  for (let r = RECORDS; r < end; r += abi.DR_BYTES) {
    const words = [...u32.subarray(r >>> 2, (r + abi.DR_BYTES) >>> 2)]
    // Of an error, and of fields that are not there, the rest means nothing.
    const fields = words[8]!
    const texts = [1, 2, 3, 4, 6, 7, 8].map((code, i) =>
      words[0] === 0 && fields & (1 << code) ? words.slice(9 + 2 * i, 11 + 2 * i) : [],
    )
    records.push(words[0] === 0 ? [words.slice(0, 7), fields & 0x200 ? words[7] : 0, fields, texts] : words.slice(0, 4))
  }
  return {
    status,
    need: u32[abi.DS_NEED >>> 2]!,
    at: u32[abi.DS_INPUT_AT >>> 2]! - input,
    records,
    names: namesOf(side),
    behind: untouched(side, last, last + 64),
  }
}

/** Everything that one call of dbusWalk says of a body. */
export function walk(
  side: Side,
  signature: Uint8Array,
  body: Uint8Array,
  big: boolean,
  tapeBytes: number,
  keep = true,
  maxDepth = 64,
  maxValues = 100_000,
) {
  const { kernels, u8, u32 } = ready(side, body.length)
  u32[abi.DS_MAX_DEPTH >>> 2] = maxDepth
  u32[abi.DS_MAX_VALUES >>> 2] = maxValues
  u32[abi.DS_BIG >>> 2] = big ? 1 : 0
  u32[abi.DS_BASE >>> 2] = abi.D_INPUT
  u32[abi.DS_KEEP >>> 2] = keep ? 1 : 0
  u32[abi.DS_WIDE_AT >>> 2] = keep ? WIDE : TEXT
  const tape = keep ? TAPE : TEXT
  u8[abi.D_SIGNATURE - 1] = 0
  u8.set(signature, abi.D_SIGNATURE)
  u8.set(body, abi.D_INPUT)
  const input = abi.D_INPUT
  const end = input + body.length
  const types = abi.D_SIGNATURE
  const status =
    kernels.dbusWalk(input, end, types, types + signature.length, 0, 1, abi.D_STACK, tape, tape + tapeBytes, TEXT) >>> 0
  const behind = untouched(side, end, end + 64) && untouched(side, TAPE + tapeBytes, TAPE + tapeBytes + 64)
  if (status !== 0) return { status, at: status >= 0x100 ? u32[abi.DS_AT >>> 2]! - input : 0, behind }
  const at = u32[abi.DS_INPUT_AT >>> 2]! - input
  if (!keep) return { status, at, behind }
  const tapeEnd = u32[abi.DS_TAPE_AT >>> 2]!
  const textEnd = u32[abi.DS_TEXT_AT >>> 2]!
  const wideEnd = u32[abi.DS_WIDE_AT >>> 2]!
  return {
    status,
    at,
    tape: hexOf(side, TAPE, tapeEnd),
    text: hexOf(side, TEXT, textEnd),
    wide: hexOf(side, WIDE, wideEnd),
    body: hexOf(side, input, end),
    names: namesOf(side),
    behind: behind && [textEnd, wideEnd].every((place) => untouched(side, place + 16, place + 64)),
  }
}

/** What dbusSignature and dbusName say of the same bytes. */
export function names(side: Side, bytes: Uint8Array) {
  const { kernels, u8, u32 } = ready(side, bytes.length)
  const end = abi.D_INPUT + bytes.length
  u8.set(bytes, abi.D_INPUT)
  const fault = kernels.dbusSignature(abi.D_INPUT, end) >>> 0
  const kinds = [abi.DN_PATH, abi.DN_INTERFACE, abi.DN_MEMBER, abi.DN_ERROR, abi.DN_BUS]
  return {
    fault,
    at: fault === 0 ? 0 : u32[abi.DS_AT >>> 2]! - abi.D_INPUT,
    kinds: kinds.map((kind) => Number(kernels.dbusName(kind, abi.D_INPUT, end))),
    behind: untouched(side, end, end + 64),
  }
}
