import { get8, setWord, word } from 'lib/mem'
import {
  D_MAX_NAME,
  D_MAX_NESTING,
  DS_AT,
  DS_BRACKETS,
  E_DBUS_SIG_ARRAYS,
  E_DBUS_SIG_DICT_CLOSED,
  E_DBUS_SIG_DICT_EMPTY,
  E_DBUS_SIG_DICT_KEY,
  E_DBUS_SIG_DICT_MANY,
  E_DBUS_SIG_DICT_ONE,
  E_DBUS_SIG_DICT_OPEN,
  E_DBUS_SIG_DICT_PLACE,
  E_DBUS_SIG_DICTS,
  E_DBUS_SIG_ELEMENT,
  E_DBUS_SIG_LONG,
  E_DBUS_SIG_STRUCT_CLOSED,
  E_DBUS_SIG_STRUCT_EMPTY,
  E_DBUS_SIG_STRUCT_OPEN,
  E_DBUS_SIG_STRUCTS,
  E_DBUS_SIG_TYPE,
} from '../abi/dbus'

/* Letters of signatures. */
export const ARRAY: u32 = 0x61
export const STRUCT: u32 = 0x28
export const STRUCT_END: u32 = 0x29
export const ENTRY: u32 = 0x7b
export const ENTRY_END: u32 = 0x7d
export const VARIANT: u32 = 0x76
export const STRING: u32 = 0x73
export const PATH: u32 = 0x6f
export const SIGNATURE: u32 = 0x67
export const BYTE: u32 = 0x79
export const BOOLEAN: u32 = 0x62
export const INT16: u32 = 0x6e
export const UINT16: u32 = 0x71
export const INT32: u32 = 0x69
export const UINT32: u32 = 0x75
export const FD: u32 = 0x68
export const INT64: u32 = 0x78
export const UINT64: u32 = 0x74
export const DOUBLE: u32 = 0x64

/** Bytes of a value of a type that is always as long as it is aligned; 0 for the other types. */
export function fixedSize(c: u32): u32 {
  if (c === BYTE) return 1
  if (c === UINT32 || c === INT32 || c === BOOLEAN || c === FD) return 4
  if (c === DOUBLE || c === INT64 || c === UINT64) return 8
  return c === INT16 || c === UINT16 ? 2 : 0
}

/** What the value of a type is aligned to. */
export function alignment(c: u32): u32 {
  if (c === STRING || c === ARRAY || c === PATH) return 4
  if (c === STRUCT || c === ENTRY) return 8
  if (c === VARIANT || c === SIGNATURE) return 1
  return fixedSize(c)
}

export function isBasic(c: u32): bool {
  return c === STRING || c === PATH || c === SIGNATURE || fixedSize(c) !== 0
}

/** Address after the complete type at `s` of a good signature. */
export function skipType(s: u32): u32 {
  let open: u32 = 0
  let c: u32 = 0
  do {
    c = get8(s)
    s = s + 1
    if (c === STRUCT || c === ENTRY) open = open + 1
    else if (c === STRUCT_END || c === ENTRY_END) open = open - 1
  } while (open !== 0 || c === ARRAY)
  return s
}

/**
 * 0 if [p, end) is a list of complete types (specification, "Valid Signatures"), else the error number; DS_AT has the place.
 * At most 32 arrays, 32 structs and 32 dict entries are open at once.
 */
export function dbusSignature(p: u32, end: u32): u32 {
  if (end - p > D_MAX_NAME) {
    setWord(DS_AT, p + D_MAX_NAME)
    return E_DBUS_SIG_LONG
  }
  let structs: u32 = 0
  let entries: u32 = 0
  /** Arrays whose element is not complete, and those of them that stand right before this letter. */
  let arrays: u32 = 0
  let run: u32 = 0
  /** Complete types in the innermost bracket. */
  let count: u32 = 0
  let last: u32 = 0
  let top: u32 = DS_BRACKETS
  while (p < end) {
    const c: u32 = get8(p)
    setWord(DS_AT, p)
    if (c === ARRAY) {
      arrays = arrays + 1
      run = run + 1
      if (arrays > D_MAX_NESTING) return E_DBUS_SIG_ARRAYS
      if (p + 1 < end) {
        const next: u32 = get8(p + 1)
        if (next === STRUCT_END || next === ENTRY_END) return E_DBUS_SIG_ELEMENT
      }
    } else if (c === STRUCT || c === ENTRY) {
      if (c === STRUCT) {
        structs = structs + 1
        if (structs > D_MAX_NESTING) return E_DBUS_SIG_STRUCTS
      } else {
        if (last !== ARRAY) return E_DBUS_SIG_DICT_PLACE
        entries = entries + 1
        if (entries > D_MAX_NESTING) return E_DBUS_SIG_DICTS
      }
      setWord(top, ((count << 8) | c) >>> 0)
      setWord(top + 4, run)
      top = top + 8
      count = 0
      run = 0
    } else {
      if (c === STRUCT_END) {
        if (structs === 0) return E_DBUS_SIG_STRUCT_OPEN
        if (last === STRUCT) return E_DBUS_SIG_STRUCT_EMPTY
        if ((word(top - 8) & 0xff) !== STRUCT) return E_DBUS_SIG_STRUCT_OPEN
        structs = structs - 1
      } else if (c === ENTRY_END) {
        if (entries === 0 || (word(top - 8) & 0xff) !== ENTRY) return E_DBUS_SIG_DICT_OPEN
        if (count === 0) return E_DBUS_SIG_DICT_EMPTY
        if (count === 1) return E_DBUS_SIG_DICT_ONE
        if (count > 2) return E_DBUS_SIG_DICT_MANY
        entries = entries - 1
      } else if (c !== VARIANT && !isBasic(c)) return E_DBUS_SIG_TYPE
      if (c === STRUCT_END || c === ENTRY_END) {
        top = top - 8
        count = word(top) >>> 8
        run = word(top + 4)
      }
      count = count + 1
      arrays = arrays - run
      run = 0
    }
    if (last === ENTRY && !isBasic(c)) return E_DBUS_SIG_DICT_KEY
    last = c
    p = p + 1
  }
  setWord(DS_AT, end)
  if (run !== 0) return E_DBUS_SIG_ELEMENT
  if (structs !== 0) return E_DBUS_SIG_STRUCT_CLOSED
  if (entries !== 0) return E_DBUS_SIG_DICT_CLOSED
  return 0
}
