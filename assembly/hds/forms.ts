/* What hdsScan knows of the forms of values, and how a call ends before the payload does. */
import { get8, get16, get32, setWord } from 'lib/mem'
import {
  E_HDS_TRUNCATED,
  H_INPUT,
  HS_AT,
  HS_BASE,
  HS_HEAD,
  HS_KIND,
  HS_LEFT,
  HS_NEED,
  HS_SEEN,
  HS_TAPE_AT,
  HS_TEXT_AT,
  HS_TOP,
  HS_WANT,
} from '../abi/hds'
import { ST_MORE } from '../abi/status'

export const TERMINATOR: u32 = 3
/** What a number of more than 32 bits is taken for: more than any payload has. */
export const WHOLE: u32 = 0xffffffff

export function fail(fault: u32, at: u32, base: u32): u32 {
  setWord(HS_AT, at - H_INPUT + base)
  return fault
}

/** The payload ends at `last`, but the value goes on for `need` bytes from `p` on. */
export function cut(p: u32, need: u32, last: u32, base: u32): u32 {
  const total: u32 = p - H_INPUT + base
  setWord(HS_NEED, need > WHOLE - total ? WHOLE : total + need)
  return fail(E_HDS_TRUNCATED, last, base)
}

/** Little-endian number of 1, 2, 3, 4 or 8 bytes; WHOLE where it has more than 32 bits. */
export function number(p: u32, size: u32): u32 {
  if (size === 1) return get8(p)
  if (size === 2) return get16(p)
  if (size === 3) return get16(p) + ((get8(p + 2) << 16) >>> 0)
  if (size === 8 && get32(p + 4) !== 0) return WHOLE
  return get32(p)
}

/** Bytes of values that have a fixed size, tag included; 0 for other tags. */
export function fixedSize(tag: u32): u32 {
  if (tag === 0x30) return 2
  if (tag === 0x31) return 3
  if (tag === 0x32 || tag === 0x35) return 5
  if (tag === 0x33 || tag === 0x36 || tag === 6) return 9
  return tag === 5 ? 17 : 0
}

/** Bytes of the length that follows the tag of a string (60 + form) or of data (90 + form). */
export function lengthSize(form: u32, short: bool): u32 {
  if (form < 3) return form
  if (short) return form
  return form === 3 ? 4 : 8
}

/** Address of the first byte `b` in [p, end); `end` if none. */
export function find(p: u32, end: u32, b: u32): u32 {
  while (p < end && get8(p) !== b) p = p + 1
  return p
}

/** Puts away what a call goes on from, and asks for `need` bytes from `p` on. */
export function more(p: u32, need: u32, base: u32, tape: u32, text: u32, left: u32): u32 {
  setWord(HS_BASE, p - H_INPUT + base)
  setWord(HS_NEED, need)
  setWord(HS_TAPE_AT, tape)
  setWord(HS_TEXT_AT, text)
  setWord(HS_LEFT, left)
  return ST_MORE
}

export function keep(top: u32, kind: u32, seen: u32, want: u32, head: u32): void {
  setWord(HS_TOP, top)
  setWord(HS_KIND, kind)
  setWord(HS_SEEN, seen)
  setWord(HS_WANT, want)
  setWord(HS_HEAD, head)
}
