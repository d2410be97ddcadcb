import { intern } from 'lib/intern'
import { get8, get16, get32, setWord, word } from 'lib/mem'
import { asciiPrefix, plainCopy, utf8Fault } from 'lib/text'
import {
  E_HDS_DEPTH,
  E_HDS_ITEMS,
  E_HDS_KEY,
  E_HDS_REFERENCE,
  E_HDS_TAG,
  E_HDS_TERMINATOR,
  E_HDS_TRUNCATED,
  E_HDS_UNTERMINATED,
  E_HDS_UTF8,
  H_FRAME,
  H_INPUT,
  H_KEY,
  H_MAX_INDEX,
  H_STACK,
  HF_ANY_KEYS,
  HF_HEADER,
  HF_LONG_REFERENCES,
  HF_LOOSE_TEXT,
  HF_REFERENCES,
  HF_RUNS,
  HF_SHORT_LENGTHS,
  HF_TERMINATED_DATA,
  HF_UNSIGNED,
  HK_ARRAY,
  HK_DICT,
  HK_TERMINATED,
  HK_TOP,
  HS_BASE,
  HS_FLAGS,
  HS_HEAD,
  HS_KIND,
  HS_LEFT,
  HS_MAX_DEPTH,
  HS_SEEN,
  HS_TAPE_AT,
  HS_TEXT,
  HS_TEXT_AT,
  HS_TOP,
  HS_WANT,
  HT_ARRAY,
  HT_BITS,
  HT_DATA,
  HT_DATE,
  HT_DICT,
  HT_FALSE,
  HT_FLOAT32,
  HT_FLOAT64,
  HT_INT8,
  HT_INT16,
  HT_INT32,
  HT_INT64,
  HT_INTS,
  HT_NAME,
  HT_NULL,
  HT_REFERENCE,
  HT_SMALL,
  HT_TEXT,
  HT_TRUE,
  HT_UTF8,
  HT_UUID,
} from '../abi/hds'
import { ST_DONE, ST_FULL } from '../abi/status'
import { cut, fail, find, fixedSize, keep, lengthSize, more, number, TERMINATOR, WHOLE } from './forms'

/**
 * Reads the value at `p` and writes the tape (see abi/hds) at `tape`, and ASCII text from HS_TEXT_AT on. The window holds the
 * bytes up to `end`; `last` stands for the end of the payload, which may be far behind. ST_MORE: the window must be loaded anew
 * from HS_BASE on, with HS_NEED bytes at least; the call then goes on from the state block. ST_FULL: the tape has no room; everything
 * starts again with more. Bytes of data are passed over, wherever they end.
 */
export function hdsScan(p: u32, end: u32, last: u32, tape: u32, tapeEnd: u32): u32 {
  const flags: u32 = word(HS_FLAGS)
  const base: u32 = word(HS_BASE)
  const textStart: u32 = word(HS_TEXT)
  const deepest: u32 = H_STACK + ((word(HS_MAX_DEPTH) << 4) >>> 0)
  const anyKeys: bool = (flags & HF_ANY_KEYS) !== 0
  const shortLengths: bool = (flags & HF_SHORT_LENGTHS) !== 0
  const unsigned: bool = (flags & HF_UNSIGNED) !== 0
  const runs: bool = (flags & HF_RUNS) !== 0
  /** Strings of the dictionary whose frame is the first are names. */
  const named: u32 = (flags & HF_HEADER) !== 0 ? H_STACK + H_FRAME : 0
  let text: u32 = word(HS_TEXT_AT)
  let left: u32 = word(HS_LEFT)
  let top: u32 = word(HS_TOP)
  let kind: u32 = word(HS_KIND)
  let seen: u32 = word(HS_SEEN)
  let want: u32 = word(HS_WANT)
  let head: u32 = word(HS_HEAD)

  for (;;) {
    // Containers that the last value has completed.
    while (seen === want && kind !== HK_TOP) {
      top = top - H_FRAME
      kind = word(top)
      seen = word(top + 4) + 1
      want = word(top + 8)
      head = word(top + 12)
    }
    if (seen === want) break
    if (p >= end) {
      if (p >= last) {
        cut(p, 1, last, base)
        return fail(want === HK_TERMINATED ? E_HDS_UNTERMINATED : E_HDS_TRUNCATED, last, base)
      }
      keep(top, kind, seen, want, head)
      return more(p, 1, base, tape, text, left)
    }
    if (tapeEnd - tape < 16) return ST_FULL
    const tag: u32 = get8(p)

    if (runs && kind === HK_ARRAY && tag >= 7 && tag <= 0x32) {
      const start: u32 = tape
      let room: u32 = ((tapeEnd - tape) >>> 2) - 1
      if (room > want - seen) room = want - seen
      if (room > left) room = left
      const tapeLast: u32 = tape + ((room << 2) >>> 0)
      while (tape < tapeLast && end - p >= 5) {
        const t: u32 = get8(p)
        let v: u32 = 0
        if (t === 0x32) {
          v = get32(p + 1)
          if (unsigned && v >= 0x80000000) break
          p = p + 5
        } else if (t >= 7 && t < 0x30) {
          v = t === 7 ? WHOLE : t - 8
          p = p + 1
        } else if (t === 0x30) {
          v = get8(p + 1)
          if (!unsigned && v >= 0x80) v = v + 0xffffff00
          p = p + 2
        } else if (t === 0x31) {
          v = get16(p + 1)
          if (!unsigned && v >= 0x8000) v = v + 0xffff0000
          p = p + 3
        } else break
        tape = tape + 4
        setWord(tape, v)
      }
      if (tape !== start) {
        const count: u32 = (tape - start) >>> 2
        setWord(start, ((count << HT_BITS) | HT_INTS) >>> 0)
        tape = tape + 4
        seen = seen + count
        left = left - count
        continue
      }
      // Near the end of the window one integer at a time.
    }

    if (tag === TERMINATOR) {
      if (want !== HK_TERMINATED || (kind === HK_DICT && (seen & 1) !== 0)) return fail(E_HDS_TERMINATOR, p, base)
      if (kind === HK_DICT) setWord(head, (((seen >>> 1) << HT_BITS) | HT_DICT) >>> 0)
      else setWord(head, ((seen << HT_BITS) | HT_ARRAY) >>> 0)
      want = seen
      p = p + 1
      continue
    }
    if (left === 0) return fail(E_HDS_ITEMS, p, base)
    const key: bool = kind === HK_DICT && (seen & 1) === 0

    if (tag >= 0x40 && tag <= 0x6f) {
      let q: u32 = p + 1
      let length: u32 = tag - 0x40
      let next: u32 = 0
      if (tag === 0x6f) {
        const stop: u32 = find(q, end, 0)
        if (stop === end) {
          if (end === last) {
            cut(p, end - p + 1, last, base)
            return fail(E_HDS_UNTERMINATED, last, base)
          }
          keep(top, kind, seen, want, head)
          return more(p, end - p + 1, base, tape, text, left)
        }
        length = stop - q
        next = stop + 1
      } else {
        if (tag > 0x60) {
          if (tag > 0x64) return fail(E_HDS_TAG, p, base)
          const size: u32 = lengthSize(tag - 0x60, shortLengths)
          if (size > last - q) return cut(p, size + 1, last, base)
          if (size > end - q) {
            keep(top, kind, seen, want, head)
            return more(p, size + 1, base, tape, text, left)
          }
          length = number(q, size)
          q = q + size
        }
        if (length > last - q) return cut(q, length, last, base)
        if (length > end - q) {
          keep(top, kind, seen, want, head)
          return more(p, q - p + length, base, tape, text, left)
        }
        next = q + length
      }
      const stop: u32 = q + length
      let id: u32 = 0
      if ((key || top === named) && length !== 0 && asciiPrefix(q, stop) === stop) id = intern(q, length)
      if (id !== 0) {
        setWord(tape, ((id << HT_BITS) | HT_NAME) >>> 0)
        tape = tape + 4
      } else if (length === 0) {
        setWord(tape, HT_TEXT)
        tape = tape + 4
      } else if (plainCopy(q, stop, text) === stop) {
        setWord(tape, ((length << HT_BITS) | HT_TEXT) >>> 0)
        setWord(tape + 4, text - textStart)
        tape = tape + 8
        text = text + length
      } else {
        if ((flags & HF_LOOSE_TEXT) === 0) {
          const bad: u32 = utf8Fault(q, stop, 0)
          if (bad !== 0) return fail(E_HDS_UTF8, bad, base)
        }
        setWord(tape, ((length << HT_BITS) | HT_UTF8) >>> 0)
        setWord(tape + 4, q - H_INPUT + base)
        tape = tape + 8
      }
      p = next
    } else if (tag >= 7 && tag < 0x30) {
      if (key && !anyKeys) return fail(E_HDS_KEY, p, base)
      setWord(tape, (((tag - 7) << HT_BITS) | HT_SMALL) >>> 0)
      tape = tape + 4
      p = p + 1
    } else if (tag >= 0xd0 && tag < 0xf0) {
      if (key) return fail(E_HDS_KEY, p, base)
      if (top >= deepest) return fail(E_HDS_DEPTH, p, base)
      setWord(top, kind)
      setWord(top + 4, seen)
      setWord(top + 8, want)
      setWord(top + 12, head)
      top = top + H_FRAME
      const count: u32 = tag & 15
      kind = tag < 0xe0 ? HK_ARRAY : HK_DICT
      setWord(tape, ((count << HT_BITS) | (tag < 0xe0 ? HT_ARRAY : HT_DICT)) >>> 0)
      head = tape
      tape = tape + 4
      seen = 0
      want = count === 15 ? HK_TERMINATED : tag < 0xe0 ? count : (count << 1) >>> 0
      left = left - 1
      p = p + 1
      continue
    } else if (tag >= 0x70 && tag < 0xa0) {
      if (tag > 0x94 && (tag !== 0x9f || (flags & HF_TERMINATED_DATA) === 0)) return fail(E_HDS_TAG, p, base)
      if (key && !anyKeys) return fail(E_HDS_KEY, p, base)
      let q: u32 = p + 1
      let length: u32 = tag - 0x70
      let next: u32 = 0
      if (tag === 0x9f) {
        const stop: u32 = find(q, end, TERMINATOR)
        if (stop === end) {
          if (end === last) {
            cut(p, end - p + 1, last, base)
            return fail(E_HDS_UNTERMINATED, last, base)
          }
          keep(top, kind, seen, want, head)
          return more(p, end - p + 1, base, tape, text, left)
        }
        length = stop - q
        next = stop + 1
      } else {
        if (tag > 0x90) {
          const size: u32 = lengthSize(tag - 0x90, false)
          if (size > last - q) return cut(p, size + 1, last, base)
          if (size > end - q) {
            keep(top, kind, seen, want, head)
            return more(p, size + 1, base, tape, text, left)
          }
          length = number(q, size)
          q = q + size
        }
        if (length > last - q) return cut(q, length, last, base)
        next = q + length
      }
      setWord(tape, ((length << HT_BITS) | HT_DATA) >>> 0)
      tape = tape + 4
      if (length !== 0) {
        setWord(tape, q - H_INPUT + base)
        tape = tape + 4
      }
      p = next
    } else if (tag === 1 || tag === 2 || tag === 4) {
      if (key && !anyKeys) return fail(E_HDS_KEY, p, base)
      setWord(tape, tag === 1 ? HT_TRUE : tag === 2 ? HT_FALSE : HT_NULL)
      tape = tape + 4
      p = p + 1
    } else if (tag >= 0xa0 && tag < 0xd0) {
      if ((flags & HF_REFERENCES) === 0) return fail(E_HDS_REFERENCE, p, base)
      let index: u32 = tag - 0xa0
      let q: u32 = p + 1
      if (tag > 0xc0 && (flags & HF_LONG_REFERENCES) !== 0) {
        index = H_MAX_INDEX
        if (tag <= 0xc4) {
          const size: u32 = tag - 0xc0
          if (size > last - q) return cut(p, size + 1, last, base)
          if (size > end - q) {
            keep(top, kind, seen, want, head)
            return more(p, size + 1, base, tape, text, left)
          }
          const given: u32 = number(q, size)
          if (given < index) index = given
          q = q + size
        }
      }
      setWord(tape, ((index << HT_BITS) | HT_REFERENCE) >>> 0)
      setWord(tape + 4, p - H_INPUT + base + (key ? H_KEY : 0))
      tape = tape + 8
      // A fault may follow, but a bad reference before it comes first.
      setWord(HS_TAPE_AT, tape)
      p = q
    } else {
      const size: u32 = fixedSize(tag)
      if (size === 0) return fail(E_HDS_TAG, p, base)
      if (key && !anyKeys) return fail(E_HDS_KEY, p, base)
      if (size > last - p) return cut(p, size, last, base)
      if (size > end - p) {
        keep(top, kind, seen, want, head)
        return more(p, size, base, tape, text, left)
      }
      if (size === 2) {
        setWord(tape, ((get8(p + 1) << HT_BITS) | HT_INT8) >>> 0)
      } else if (size === 3) {
        setWord(tape, ((get16(p + 1) << HT_BITS) | HT_INT16) >>> 0)
      } else if (size === 17) {
        setWord(tape, HT_UUID)
        tape = tape + 4
        setWord(tape, p + 1 - H_INPUT + base)
      } else {
        if (size === 5) setWord(tape, tag === 0x32 ? HT_INT32 : HT_FLOAT32)
        else setWord(tape, tag === 0x33 ? HT_INT64 : tag === 0x36 ? HT_FLOAT64 : HT_DATE)
        tape = tape + 4
        setWord(tape, get32(p + 1))
        if (size === 9) {
          tape = tape + 4
          setWord(tape, get32(p + 5))
        }
      }
      tape = tape + 4
      p = p + size
    }
    left = left - 1
    seen = seen + 1
  }
  more(p, 0, base, tape, text, left)
  return ST_DONE
}
