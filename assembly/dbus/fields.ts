import { intern } from 'lib/intern'
import { get8, get32, get32be, setWord, word } from 'lib/mem'
import {
  D_SIGNATURE,
  D_STACK,
  DF_DESTINATION,
  DF_ERROR_NAME,
  DF_INTERFACE,
  DF_MEMBER,
  DF_PATH,
  DF_REPLY_SERIAL,
  DF_SENDER,
  DF_SIGNATURE,
  DF_UNIX_FDS,
  DN_BUS,
  DN_ERROR,
  DN_INTERFACE,
  DN_MEMBER,
  DR_FIELDS,
  DR_REPLY_SERIAL,
  DR_TEXTS,
  DR_UNIX_FDS,
  DS_BASE,
  DS_BIG,
  DS_INPUT_AT,
  DS_LATER,
  DS_LATER_AT,
  DS_V,
  DW_NAME,
  E_DBUS_ARRAY_END,
  E_DBUS_DESTINATION,
  E_DBUS_ERROR_NAME,
  E_DBUS_FIELD_CODE,
  E_DBUS_FIELD_TWICE,
  E_DBUS_FIELD_TYPE,
  E_DBUS_INTERFACE,
  E_DBUS_LOCAL_INTERFACE,
  E_DBUS_LOCAL_PATH,
  E_DBUS_MEMBER,
  E_DBUS_NOT_ENOUGH,
  E_DBUS_PADDING,
  E_DBUS_SENDER,
  E_DBUS_SERIAL,
} from '../abi/dbus'
import { dbusName, isPath } from './names'
import { dbusSignature, PATH, SIGNATURE, STRING, UINT32, VARIANT } from './signature'
import { dbusWalk, fail, nonZero, padding } from './walk'

/** Fields are in a struct in an array: so many containers are open around the variant of each. */
const DEPTH: u32 = 2

/** The first fault of a field's meaning counts, and only if the header is well formed to its end. */
function later(fault: u32, at: u32): void {
  if (word(DS_LATER) === 0) {
    setWord(DS_LATER, fault)
    setWord(DS_LATER_AT, at)
  }
}

/** The type that a field must have; 0 for fields that are not known. */
function typeOf(code: u32): u32 {
  if (code === DF_PATH) return PATH
  if (code === DF_SIGNATURE) return SIGNATURE
  if (code === DF_REPLY_SERIAL || code === DF_UNIX_FDS) return UINT32
  return code <= DF_SENDER ? STRING : 0
}

/** Whether 26 bytes are `org.freedesktop.DBus.Local`, with `separator` in place of the dots. */
function isLocal(p: u32, separator: u32): bool {
  const high: u32 = (separator << 24) >>> 0
  return (
    get32(p + 16) === 0x73754244 &&
    get32(p + 20) === 0x636f4c00 + separator &&
    get32(p) === 0x67726f + high &&
    get32(p + 4) === 0x65657266 &&
    get32(p + 8) === 0x6b736564 &&
    get32(p + 12) === 0x706f74 + high &&
    get8(p + 24) === 0x61 &&
    get8(p + 25) === 0x6c
  )
}

/** What is wrong with the text of a field, or 0. */
function textFault(code: u32, p: u32, end: u32): u32 {
  if (code === DF_PATH) return end - p === 27 && isLocal(p + 1, 0x2f) ? E_DBUS_LOCAL_PATH : 0
  if (code === DF_INTERFACE) {
    if (end - p === 26 && isLocal(p, 0x2e)) return E_DBUS_LOCAL_INTERFACE
    return dbusName(DN_INTERFACE, p, end) === 0 ? E_DBUS_INTERFACE : 0
  }
  if (code === DF_MEMBER) return dbusName(DN_MEMBER, p, end) === 0 ? E_DBUS_MEMBER : 0
  if (code === DF_ERROR_NAME) return dbusName(DN_ERROR, p, end) === 0 ? E_DBUS_ERROR_NAME : 0
  if (code === DF_DESTINATION) return dbusName(DN_BUS, p, end) === 0 ? E_DBUS_DESTINATION : 0
  if (code === DF_SENDER) return dbusName(DN_BUS, p, end) === 0 ? E_DBUS_SENDER : 0
  return 0
}

/**
 * Reads the header fields [p, last) into the record `r`; DS_BASE is the first byte of the message, its bytes end at `bound`.
 * 0, or the number of a fault of form with its place in DS_AT; faults of meaning wait in DS_LATER.
 */
export function readFields(p: u32, last: u32, bound: u32, r: u32): u32 {
  const base: u32 = word(DS_BASE)
  const big: bool = word(DS_BIG) !== 0
  let fields: u32 = 0
  setWord(DS_LATER, 0)
  setWord(r + DR_REPLY_SERIAL, 0)
  setWord(r + DR_UNIX_FDS, 0)
  setWord(DS_V, VARIANT)
  while (p < last) {
    const a: u32 = p + padding(p - base, 8)
    if (a > bound) return fail(E_DBUS_NOT_ENOUGH, bound)
    p = nonZero(p, a)
    if (p !== a) return fail(E_DBUS_PADDING, p)
    if (bound - p < 2) return fail(E_DBUS_NOT_ENOUGH, bound)
    const at: u32 = p
    const code: u32 = get8(p)
    const wanted: u32 = typeOf(code)
    // A variant with one letter ends on a multiple of four: its text or number begins there.
    const value: u32 = p + 4
    let type: u32 = 0x100
    let textAt: u32 = value + 1
    let length: u32 = 0
    /** The value is well formed, and needs no general walk. */
    let fine: bool = false
    let fault: u32 = 0
    if (bound - p >= 8 && get8(p + 1) === 1 && get8(p + 3) === 0) {
      type = get8(p + 2)
      if (type === UINT32) {
        fine = true
        p = p + 8
      } else if (type === SIGNATURE || type === PATH || type === STRING) {
        length = get8(value)
        if (type !== SIGNATURE) {
          textAt = value + 4
          length = big ? get32be(value) : get32(value)
        }
        const end: u32 = textAt + length
        if (type === wanted && length < bound - textAt && get8(end) === 0) {
          // What is a name needs no look at its UTF-8.
          fault = textFault(code, textAt, end)
          if (type === STRING) fine = fault === 0
          else fine = type === PATH ? isPath(textAt, end) : dbusSignature(textAt, end) === 0
        }
        if (fine) p = end + 1
      }
    }
    if (!fine) {
      const status: u32 = dbusWalk(
        p + 1,
        bound,
        DS_V,
        DS_V + 1,
        DEPTH,
        0,
        D_STACK,
        D_SIGNATURE,
        D_SIGNATURE + 0x100,
        D_SIGNATURE,
      )
      if (status !== 0) return status
      p = word(DS_INPUT_AT)
    }
    if (p > last) return fail(E_DBUS_ARRAY_END, last)

    if (code === 0) {
      later(E_DBUS_FIELD_CODE, at)
      continue
    }
    if (wanted === 0) continue
    if (type !== wanted) {
      later(E_DBUS_FIELD_TYPE, at + 2)
      continue
    }
    const bit: u32 = (1 << code) >>> 0
    if ((fields & bit) !== 0) {
      later(E_DBUS_FIELD_TWICE, at)
      continue
    }
    fields = (fields | bit) >>> 0
    if (wanted === UINT32) {
      const number: u32 = big ? get32be(value) : get32(value)
      if (code === DF_UNIX_FDS) setWord(r + DR_UNIX_FDS, number)
      else {
        if (number === 0) later(E_DBUS_SERIAL, value)
        setWord(r + DR_REPLY_SERIAL, number)
      }
      continue
    }
    if (fault !== 0) later(fault, textAt)
    // The texts stand in the order of their codes; REPLY_SERIAL, which is none, leaves a gap.
    const place: u32 = code > DF_REPLY_SERIAL ? code - 2 : code - 1
    const id: u32 = code === DF_PATH || fault !== 0 ? 0 : intern(textAt, length)
    setWord(r + DR_TEXTS + ((place << 3) >>> 0), id !== 0 ? DW_NAME + id : textAt - base)
    setWord(r + DR_TEXTS + ((place << 3) >>> 0) + 4, length)
  }
  setWord(r + DR_FIELDS, fields)
  return 0
}
