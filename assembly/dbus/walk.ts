import { swap16, swap32, swap64 } from 'lib/bytes'
import { intern } from 'lib/intern'
import { copyBlocks, get8, get16, get16be, get32, get32be, setWord, word } from 'lib/mem'
import { plainPrefix, plainWords, utf8Fault, utf16Length } from 'lib/text'
import {
  D_MAX_ARRAY,
  DK_ARRAY,
  DK_BYTES,
  DK_STRUCT,
  DK_TOP,
  DK_VARIANT,
  DS_AT,
  DS_BASE,
  DS_BIG,
  DS_INPUT_AT,
  DS_KEEP,
  DS_MAX_DEPTH,
  DS_MAX_VALUES,
  DS_TAPE_AT,
  DS_TEXT_AT,
  DS_WIDE_AT,
  DW_LETTER,
  DW_NAME,
  DW_UTF8,
  E_DBUS_ARRAY_END,
  E_DBUS_ARRAY_LENGTH,
  E_DBUS_BOOLEAN,
  E_DBUS_DEPTH,
  E_DBUS_LENGTH,
  E_DBUS_NOT_ENOUGH,
  E_DBUS_PADDING,
  E_DBUS_PATH,
  E_DBUS_SIGNATURE_LENGTH,
  E_DBUS_SIGNATURE_NUL,
  E_DBUS_STRING_NUL,
  E_DBUS_TOO_MUCH,
  E_DBUS_UTF8,
  E_DBUS_VALUES,
  E_DBUS_VARIANT_EMPTY,
  E_DBUS_VARIANT_LENGTH,
  E_DBUS_VARIANT_MANY,
  E_DBUS_VARIANT_NUL,
  E_DBUS_VARIANT_SIGNATURE,
} from '../abi/dbus'
import { ST_DONE, ST_FULL } from '../abi/status'
import { isPath } from './names'
import {
  ARRAY,
  alignment,
  BOOLEAN,
  BYTE,
  dbusSignature,
  ENTRY,
  ENTRY_END,
  fixedSize,
  INT16,
  isBasic,
  PATH,
  SIGNATURE,
  STRING,
  STRUCT,
  STRUCT_END,
  skipType,
  VARIANT,
} from './signature'

/** Bytes to the next multiple of `size`, a power of two. */
export function padding(offset: u32, size: u32): u32 {
  return ((size - ((offset & (size - 1)) >>> 0)) & (size - 1)) >>> 0
}

/** The first byte in [p, end) that is not zero; `end` if none. */
export function nonZero(p: u32, end: u32): u32 {
  while (p < end && get8(p) === 0) p = p + 1
  return p
}

export function fail(fault: u32, at: u32): u32 {
  setWord(DS_AT, at)
  return fault
}

/** Writes a signature of several letters on the tape, and returns the end of that. */
function writeSignature(p: u32, length: u32, base: u32, keep: bool, tape: u32): u32 {
  const id: u32 = keep ? intern(p, length) : 0
  if (id !== 0) {
    setWord(tape, DW_NAME + id)
    return tape + 4
  }
  setWord(tape, p - base)
  setWord(tape + 4, length)
  return tape + 8
}

/** Turns the byte order of an array's elements, so that they can be copied as they are. */
function swapElements(p: u32, end: u32, size: u32): void {
  if (size === 8) swap64(p, end)
  else if (size === 4) swap32(p, end)
  else if (size === 2) swap16(p, end)
}

/**
 * Reads the values of the types in [s, se) from [p, end), in the order of checks of the reference implementation, and writes
 * the tape (see abi/dbus) at `tape`, all ASCII text at `text` and other text at DS_WIDE_AT. `depth` containers are open already. With `whole`, nothing
 * may follow the last value. ST_FULL: there is no room before `tapeEnd`; the caller comes again with more.
 * Either text needs end - p bytes and 16 more, from a multiple of four on. Elements of big-endian arrays are turned in place.
 */
export function dbusWalk(
  p: u32,
  end: u32,
  s: u32,
  se: u32,
  depth: u32,
  whole: u32,
  stack: u32,
  tape: u32,
  tapeEnd: u32,
  text: u32,
): u32 {
  const big: bool = word(DS_BIG) !== 0
  const keep: bool = word(DS_KEEP) !== 0
  const base: u32 = word(DS_BASE)
  const maxDepth: u32 = word(DS_MAX_DEPTH)
  const tapeStart: u32 = tape
  const textStart: u32 = text
  let left: u32 = word(DS_MAX_VALUES)
  let top: u32 = stack
  let kind: u32 = DK_TOP
  let fa: u32 = 0
  let fb: u32 = 0
  let fc: u32 = 0
  let more: bool = s < se

  while (more) {
    if (p === end) return fail(E_DBUS_NOT_ENOUGH, end)
    if (!keep) tape = tapeStart
    if (tapeEnd - tape < 16) return ST_FULL
    if (left === 0) return fail(E_DBUS_VALUES, p)
    left = left - 1
    let c: u32 = get8(s)
    s = s + 1
    /** The value is the key of a dict entry. */
    let key: bool = false
    while (c === STRUCT || c === ENTRY) {
      const a: u32 = p + padding(p - base, 8)
      if (a > end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (a !== p) {
        p = nonZero(p, a)
        if (p !== a) return fail(E_DBUS_PADDING, p)
      }
      if (depth >= maxDepth) return fail(E_DBUS_DEPTH, p)
      depth = depth + 1
      // The frame around it goes on: only its kind is changed.
      setWord(top, kind)
      top = top + DK_BYTES
      kind = DK_STRUCT
      key = c === ENTRY
      if (p === end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (left === 0) return fail(E_DBUS_VALUES, p)
      left = left - 1
      c = get8(s)
      s = s + 1
    }
    if (c === VARIANT) {
      const length: u32 = get8(p)
      p = p + 1
      if (length + 1 > end - p) return fail(E_DBUS_VARIANT_LENGTH, p - 1)
      const q: u32 = p + length
      const inner: u32 = p
      const first: u32 = get8(p)
      const basic: bool = length === 1 && isBasic(first)
      if (!basic && (length !== 1 || first !== VARIANT) && dbusSignature(p, q) !== 0) return E_DBUS_VARIANT_SIGNATURE
      if (get8(q) !== 0) return fail(E_DBUS_VARIANT_NUL, q)
      if (length === 0) return fail(E_DBUS_VARIANT_EMPTY, q - 1)
      if (length === 1) {
        setWord(tape, DW_LETTER + first)
        tape = tape + 4
      } else tape = writeSignature(p, length, base, keep, tape)
      p = q + 1
      const a: u32 = p + padding(p - base, alignment(first))
      if (a > end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (a !== p) {
        p = nonZero(p, a)
        if (p !== a) return fail(E_DBUS_PADDING, p)
      }
      if (depth >= maxDepth) return fail(E_DBUS_DEPTH, inner - 1)
      if (!basic) {
        depth = depth + 1
        setWord(top, kind)
        setWord(top + 4, fa)
        setWord(top + 8, fb)
        setWord(top + 12, fc)
        top = top + DK_BYTES
        kind = DK_VARIANT
        fa = s
        fb = se
        s = inner
        se = q
        continue
      }
      // What is one value in a variant needs no frame around it.
      if (p === end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (left === 0) return fail(E_DBUS_VALUES, p)
      left = left - 1
      c = first
    }
    if (c === STRING || c === PATH) {
      const a: u32 = p + padding(p - base, 4)
      if (a > end || end - a < 4) return fail(E_DBUS_NOT_ENOUGH, end)
      if (a !== p) {
        p = nonZero(p, a)
        if (p !== a) return fail(E_DBUS_PADDING, p)
      }
      const length: u32 = big ? get32be(a) : get32(a)
      p = a + 4
      if (length > end - p) return fail(E_DBUS_LENGTH, a)
      const q: u32 = p + length
      let id: u32 = 0
      if (c === PATH) {
        if (!isPath(p, q)) return fail(E_DBUS_PATH, p)
      } else if (keep && key && plainPrefix(p, q) === q) id = intern(p, length)
      if (id !== 0) {
        setWord(tape, DW_NAME + id)
        tape = tape + 4
      } else {
        const stop: u32 = keep ? plainWords(p, q, text) : plainPrefix(p, q)
        if (stop === q) {
          setWord(tape, text - textStart)
          if (keep) text = text + length + padding(length, 4)
        } else {
          const bad: u32 = utf8Fault(p, q, 1)
          if (bad !== 0) return fail(E_DBUS_UTF8, bad)
          if (keep) {
            const wide: u32 = word(DS_WIDE_AT)
            copyBlocks(wide, p, length)
            setWord(DS_WIDE_AT, wide + length)
          }
          setWord(tape, keep ? DW_UTF8 + utf16Length(p, q) : 0)
        }
        setWord(tape + 4, length)
        tape = tape + 8
      }
      if (q === end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (get8(q) !== 0) return fail(E_DBUS_STRING_NUL, q)
      p = q + 1
    } else if (c === SIGNATURE) {
      const length: u32 = get8(p)
      p = p + 1
      if (length + 1 > end - p) return fail(E_DBUS_SIGNATURE_LENGTH, p - 1)
      const q: u32 = p + length
      const bad: u32 = dbusSignature(p, q)
      if (bad !== 0) return bad
      if (get8(q) !== 0) return fail(E_DBUS_SIGNATURE_NUL, q)
      if (length === 1) {
        setWord(tape, DW_LETTER + get8(p))
        tape = tape + 4
      } else tape = writeSignature(p, length, base, keep, tape)
      p = q + 1
    } else if (c === ARRAY) {
      const start: u32 = p
      let a: u32 = p + padding(p - base, 4)
      if (a > end || end - a < 4) return fail(E_DBUS_NOT_ENOUGH, end)
      p = nonZero(p, a)
      if (p !== a) return fail(E_DBUS_PADDING, p)
      const length: u32 = big ? get32be(a) : get32(a)
      const at: u32 = a
      p = a + 4
      const element: u32 = get8(s)
      a = p + padding(p - base, alignment(element))
      if (a > end) return fail(E_DBUS_NOT_ENOUGH, end)
      p = nonZero(p, a)
      if (p !== a) return fail(E_DBUS_PADDING, p)
      if (length > end - p) return fail(E_DBUS_LENGTH, at)
      if (depth >= maxDepth) return fail(E_DBUS_DEPTH, start)
      if (length > D_MAX_ARRAY) return fail(E_DBUS_ARRAY_LENGTH, at)
      const size: u32 = fixedSize(element)
      if (size !== 0) {
        const q: u32 = p + length
        if ((length & (size - 1)) !== 0) return fail(E_DBUS_ARRAY_END, at)
        if (element === BOOLEAN) {
          for (let b: u32 = p; b < q; b = b + 4) {
            if ((big ? get32be(b) : get32(b)) > 1) return fail(E_DBUS_BOOLEAN, b)
          }
        }
        if (big && keep) swapElements(p, q, size)
        setWord(tape, p - base)
        setWord(tape + 4, length)
        tape = tape + 8
        p = q
        s = s + 1
      } else if (length === 0) {
        setWord(tape, 0)
        tape = tape + 4
        s = skipType(s)
      } else {
        depth = depth + 1
        setWord(top, kind)
        setWord(top + 4, fa)
        setWord(top + 8, fb)
        setWord(top + 12, fc)
        top = top + DK_BYTES
        kind = DK_ARRAY
        fa = s
        fb = p + length
        fc = tape
        setWord(tape, 1)
        tape = tape + 4
        continue
      }
    } else if (c === BYTE) {
      setWord(tape, get8(p))
      tape = tape + 4
      p = p + 1
    } else {
      const size: u32 = fixedSize(c)
      const a: u32 = p + padding(p - base, size)
      if (a >= end) return fail(E_DBUS_NOT_ENOUGH, end)
      if (a !== p) {
        p = nonZero(p, a)
        if (p !== a) return fail(E_DBUS_PADDING, p)
      }
      if (end - p < size) return fail(E_DBUS_NOT_ENOUGH, end)
      if (size === 4) {
        const v: u32 = big ? get32be(p) : get32(p)
        if (c === BOOLEAN && v > 1) return fail(E_DBUS_BOOLEAN, p)
        setWord(tape, v)
        tape = tape + 4
      } else if (size === 2) {
        const v: u32 = big ? get16be(p) : get16(p)
        setWord(tape, c === INT16 && v >= 0x8000 ? v + 0xffff0000 : v)
        tape = tape + 4
      } else {
        setWord(tape, big ? get32be(p + 4) : get32(p))
        setWord(tape + 4, big ? get32be(p) : get32(p + 4))
        tape = tape + 8
      }
      p = p + size
    }

    // A value is complete, and with it perhaps containers that it is the last part of.
    for (;;) {
      if (kind === DK_ARRAY) {
        if (p < fb) {
          s = fa
          setWord(fc, word(fc) + 1)
          break
        }
        if (p !== fb) return fail(E_DBUS_ARRAY_END, fb)
      } else if (kind === DK_STRUCT) {
        const next: u32 = get8(s)
        if (next !== STRUCT_END && next !== ENTRY_END) break
        s = s + 1
      } else if (kind === DK_VARIANT) {
        if (s !== se) return fail(E_DBUS_VARIANT_MANY, s)
        s = fa
        se = fb
      } else {
        more = s < se
        break
      }
      depth = depth - 1
      top = top - DK_BYTES
      const closed: u32 = kind
      kind = word(top)
      if (closed === DK_STRUCT) continue
      fa = word(top + 4)
      fb = word(top + 8)
      fc = word(top + 12)
    }
  }
  if (whole !== 0 && p < end) return fail(E_DBUS_TOO_MUCH, p)
  setWord(DS_INPUT_AT, p)
  setWord(DS_TAPE_AT, tape)
  setWord(DS_TEXT_AT, text)
  return ST_DONE
}
