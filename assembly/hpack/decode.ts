import { huffmanDecode, huffmanFault } from 'lib/huffman'
import { intern } from 'lib/intern'
import { copyBlocks, get8, get32, put32 } from 'lib/mem'
import { asciiPrefix } from 'lib/text'
import {
  E_HPACK_BAD_PADDING,
  E_HPACK_EOS,
  E_HPACK_INDEX_ZERO,
  E_HPACK_INTEGER,
  E_HPACK_LONG_PADDING,
  E_HPACK_STRING,
  E_HPACK_UPDATE_COUNT,
  E_HPACK_UPDATE_MISSING,
  E_HPACK_UPDATE_PLACE,
  E_HPACK_UPDATE_SIZE,
  PK_INCREMENTAL,
  PK_INDEXED,
  PK_NEVER,
  PK_UPDATE,
  PK_WITHOUT,
  PN_INTERNED,
  PP_FIELDS,
  PP_MAX_UPDATES,
  PR_BYTES,
  PR_HEAD,
  PR_INDEX,
  PR_NAME,
  PR_VALUE,
  PS_ACTUAL,
  PS_FAULT_AT,
  PS_INDEX,
  PS_INPUT_AT,
  PS_LOW_WATER,
  PS_MAX_STRING,
  PS_NEED,
  PS_NEXT,
  PS_NO_UPDATE,
  PS_NON_ASCII,
  PS_PHASE,
  PS_STRING,
  PS_STRING_END,
  PS_TABLE_LIMIT,
  PS_TAPE_AT,
  PS_TEXT_AT,
} from '../abi/hpack'
import { HF_EOS, HF_LONG_PADDING, HF_NONE } from '../abi/huffman'
import { ST_DONE, ST_FULL, ST_MORE } from '../abi/status'
import { readInteger } from './integer'

/** Largest value of each kind's prefix. */
const MAX_INDEXED: u32 = 127
const MAX_INCREMENTAL: u32 = 63
const MAX_UPDATE: u32 = 31
const MAX_LITERAL: u32 = 15
const MAX_LENGTH: u32 = 127
const HUFFMAN: u32 = 128

/**
 * The length of a string at `at`, whose octets go to PS_STRING and PS_STRING_END: ST_DONE, ST_MORE where `end` cuts it off
 * (PS_STRING is then known as soon as its length is), or a fault.
 */
function readString(at: u32, end: u32): u32 {
  put32(PS_STRING, 0)
  put32(PS_STRING_END, 0)
  put32(PS_NEED, end + 1)
  if (at >= end) return ST_MORE
  let length: u32 = (get8(at) & MAX_LENGTH) >>> 0
  let start: u32 = at + 1
  if (length === MAX_LENGTH) {
    length = readInteger(start, end, MAX_LENGTH)
    start = get32(PS_NEXT)
    if (start === 0) return ST_MORE
    if (start === 1) return E_HPACK_INTEGER
  }
  put32(PS_STRING, start)
  // Of a string that is too long so much is taken: the octet behind it shows the fault, and where the block ends before, it is cut off.
  const most: u32 = get32(PS_MAX_STRING)
  if (length > most) {
    if (end - start > most) {
      put32(PS_FAULT_AT, start + most)
      put32(PS_ACTUAL, length)
      return E_HPACK_STRING
    }
    put32(PS_NEED, start + most + 1)
    return ST_MORE
  }
  put32(PS_STRING_END, start + length)
  if (length <= end - start) return ST_DONE
  put32(PS_NEED, start + length)
  return ST_MORE
}

/** The error number of a coded string's fault, its place in PS_FAULT_AT; ST_DONE if it has none. */
export function huffmanError(p: u32, end: u32, whole: bool): u32 {
  const kind: u32 = huffmanFault(p, end, whole, PS_NEXT)
  if (kind === HF_NONE) return ST_DONE
  put32(PS_FAULT_AT, get32(PS_NEXT))
  if (kind === HF_EOS) return E_HPACK_EOS
  return kind === HF_LONG_PADDING ? E_HPACK_LONG_PADDING : E_HPACK_BAD_PADDING
}

/**
 * The fault that the octets [p, end) of an unfinished field show: a string in it that no octets could make good. ST_DONE if
 * there is none. Its framing is good as far as it goes.
 */
export function hpackUnfinished(p: u32, end: u32): u32 {
  const first: u32 = get8(p)
  if (first >= 128 || (first >= 32 && first < 64)) return ST_DONE
  const max: u32 = first >= 64 ? MAX_INCREMENTAL : MAX_LITERAL
  let at: u32 = p + 1
  let index: u32 = (first & max) >>> 0
  if (index === max) {
    index = readInteger(at, end, max)
    at = get32(PS_NEXT)
    if (at <= 1) return ST_DONE
  }
  for (let left: u32 = index === 0 ? 2 : 1; left > 0; left--) {
    const status: u32 = readString(at, end)
    const start: u32 = get32(PS_STRING)
    if (start === 0) return ST_DONE
    if (get8(at) >= HUFFMAN) {
      const whole: bool = status === ST_DONE
      const fault: u32 = huffmanError(start, whole ? get32(PS_STRING_END) : end, whole)
      if (fault !== ST_DONE) return fault
    }
    if (status !== ST_DONE) return ST_DONE
    at = get32(PS_STRING_END)
  }
  return ST_DONE
}

/**
 * Reads the fields of [input, end), in full: a record on the tape for each field and size update, the text of all literal
 * strings one after the other at `text`, which must hold 8/5 of the input and L_SLACK.
 * The framing of a field is read before its strings, so that octets that come one by one cost no more than together.
 * ST_DONE: all read. ST_MORE: all read up to the unfinished field at PS_INPUT_AT. ST_FULL: no room on the tape; go on at
 * PS_INPUT_AT. Else the number of the fault.
 * Whether an index is in the table is for the caller to see, who has the table: of every record, then of PS_INDEX, then comes
 * the fault.
 */
export function hpackDecode(input: u32, end: u32, tape: u32, tapeEnd: u32, text: u32): u32 {
  const maxString: u32 = get32(PS_MAX_STRING)
  let phase: u32 = get32(PS_PHASE)
  let p: u32 = input
  let record: u32 = tape
  let out: u32 = text
  let status: u32 = ST_DONE
  let index: u32 = 0

  while (p < end) {
    if (record === tapeEnd) {
      status = ST_FULL
      break
    }
    const first: u32 = get8(p)
    if (first > 128 && first < 255 && phase === PP_FIELDS) {
      // Most fields of most blocks: one octet, which is an index.
      put32(record + PR_HEAD, ((p - input) << 3) >>> 0)
      put32(record + PR_INDEX, first - 128)
      record = record + PR_BYTES
      p++
      continue
    }
    index = 0
    let q: u32 = p + 1
    let kind: u32 = PK_INDEXED
    let max: u32 = MAX_INDEXED
    if (first < 128) {
      if (first >= 64) {
        kind = PK_INCREMENTAL
        max = MAX_INCREMENTAL
      } else if (first >= 32) {
        kind = PK_UPDATE
        max = MAX_UPDATE
      } else {
        kind = first >= 16 ? PK_NEVER : PK_WITHOUT
        max = MAX_LITERAL
      }
    }

    // What must, or must not, stand here: sections 4.2 and 6.3; RFC 9113, section 4.3.1.
    if (kind === PK_UPDATE) {
      if (phase >= PP_FIELDS) status = E_HPACK_UPDATE_PLACE
      else if (phase === PP_MAX_UPDATES) status = E_HPACK_UPDATE_COUNT
    } else if (phase < PP_FIELDS) {
      if (get32(PS_LOW_WATER) !== PS_NO_UPDATE) status = E_HPACK_UPDATE_MISSING
    }
    if (status !== ST_DONE) {
      put32(PS_FAULT_AT, p)
      break
    }

    let value: u32 = (first & max) >>> 0
    if (value === max) {
      value = readInteger(q, end, max)
      q = get32(PS_NEXT)
      if (q <= 1) {
        status = q === 0 ? ST_MORE : E_HPACK_INTEGER
        put32(PS_NEED, end + 1)
        break
      }
    }

    if (kind === PK_INDEXED) {
      if (value === 0) {
        status = E_HPACK_INDEX_ZERO
        put32(PS_FAULT_AT, p)
        break
      }
      phase = PP_FIELDS
    } else if (kind === PK_UPDATE) {
      const low: u32 = get32(PS_LOW_WATER)
      // Of several reductions the smallest must have been in force before the table may grow again.
      if (value > get32(PS_TABLE_LIMIT) || value > low) {
        status = value > get32(PS_TABLE_LIMIT) ? E_HPACK_UPDATE_SIZE : E_HPACK_UPDATE_MISSING
        put32(PS_FAULT_AT, p)
        put32(PS_ACTUAL, value)
        break
      }
      put32(PS_LOW_WATER, PS_NO_UPDATE)
      phase = phase + 1
    } else {
      index = value
      let name: u32 = 0
      let nameEnd: u32 = 0
      let valueAt: u32 = q
      const nameAt: u32 = q
      if (index === 0) {
        status = readString(q, end)
        name = get32(PS_STRING)
        nameEnd = get32(PS_STRING_END)
        valueAt = nameEnd
        if (status !== ST_DONE) break
      }
      let start: u32 = valueAt + 1
      const short: u32 = valueAt < end ? (get8(valueAt) & MAX_LENGTH) >>> 0 : MAX_LENGTH
      if (short < MAX_LENGTH && short <= end - start && short <= maxString) q = start + short
      else {
        status = readString(valueAt, end)
        if (status !== ST_DONE) break
        start = get32(PS_STRING)
        q = get32(PS_STRING_END)
      }

      put32(record + PR_NAME, 0)
      if (index === 0) {
        const nameOut: u32 = out
        if (get8(nameAt) >= HUFFMAN) {
          out = huffmanDecode(name, nameEnd, out)
          if (out === 0) {
            out = nameOut
            status = huffmanError(name, nameEnd, true)
            break
          }
        } else {
          copyBlocks(out, name, nameEnd - name)
          out = out + (nameEnd - name)
        }
        // Interned names are decoded as UTF-8; a name of other octets is the caller's own business.
        const id: u32 = asciiPrefix(nameOut, out) === out ? intern(nameOut, out - nameOut) : 0
        if (id !== 0) {
          out = nameOut
          put32(record + PR_NAME, (PN_INTERNED | id) >>> 0)
        } else put32(record + PR_NAME, out - text)
      }
      if (get8(valueAt) >= HUFFMAN) {
        const valueOut: u32 = out
        out = huffmanDecode(start, q, out)
        if (out === 0) {
          out = valueOut
          status = huffmanError(start, q, true)
          break
        }
      } else {
        copyBlocks(out, start, q - start)
        out = out + (q - start)
      }
      put32(record + PR_VALUE, out - text)
      phase = PP_FIELDS
    }
    put32(record + PR_HEAD, (((p - input) << 3) | kind) >>> 0)
    put32(record + PR_INDEX, value)
    record = record + PR_BYTES
    p = q
    index = 0
  }

  if (status === E_HPACK_INTEGER || status === E_HPACK_STRING) {
    // The name before it is not decoded yet and may be bad: the first octet that shows a fault counts.
    const earlier: u32 = hpackUnfinished(p, get32(PS_FAULT_AT))
    if (earlier !== ST_DONE) status = earlier
  }
  put32(PS_PHASE, phase)
  put32(PS_INPUT_AT, p)
  put32(PS_TAPE_AT, record)
  put32(PS_TEXT_AT, out)
  put32(PS_INDEX, index)
  put32(PS_NON_ASCII, out === text || asciiPrefix(text, out) === out ? 0 : 1)
  return status
}
