import { get8, get32, get32be, setWord, word } from 'lib/mem'
import {
  D_MAX_ARRAY,
  D_MAX_MESSAGE,
  DR_BODY,
  DR_BYTES,
  DR_CODE,
  DR_END,
  DR_FIELDS,
  DR_KIND,
  DR_SERIAL,
  DR_START,
  DR_UNIX_FDS,
  DS_AT,
  DS_BASE,
  DS_BIG,
  DS_FDS,
  DS_INPUT_AT,
  DS_KEEP,
  DS_LATER,
  DS_LATER_AT,
  DS_MAX_MESSAGE,
  DS_NEED,
  DS_RECORDS_AT,
  DT_CALL,
  DT_ERROR,
  DT_RETURN,
  DT_SIGNAL,
  E_DBUS_ARRAY_LENGTH,
  E_DBUS_BODY_LENGTH,
  E_DBUS_BYTE_ORDER,
  E_DBUS_FIELDS_LENGTH,
  E_DBUS_MESSAGE_LENGTH,
  E_DBUS_NO_ERROR_NAME,
  E_DBUS_NO_INTERFACE,
  E_DBUS_NO_MEMBER,
  E_DBUS_NO_PATH,
  E_DBUS_NO_REPLY_SERIAL,
  E_DBUS_PADDING,
  E_DBUS_SERIAL,
  E_DBUS_TYPE,
  E_DBUS_UNIX_FDS,
  E_DBUS_VERSION,
} from '../abi/dbus'
import { ST_DONE, ST_FULL, ST_MORE } from '../abi/status'
import { readFields } from './fields'
import { fail, nonZero, padding } from './walk'

const LITTLE: u32 = 0x6c
const BIG: u32 = 0x42
const FIXED: u32 = 16
const VERSION: u32 = 1

/** The error of a missing field, or 0. A signal is asked for its INTERFACE first. */
function missing(type: u32, fields: u32): u32 {
  if (type === DT_SIGNAL && (fields & 4) === 0) return E_DBUS_NO_INTERFACE
  if (type === DT_SIGNAL || type === DT_CALL) {
    if ((fields & 2) === 0) return E_DBUS_NO_PATH
    if ((fields & 8) === 0) return E_DBUS_NO_MEMBER
  }
  if (type === DT_ERROR && (fields & 16) === 0) return E_DBUS_NO_ERROR_NAME
  if ((type === DT_ERROR || type === DT_RETURN) && (fields & 32) === 0) return E_DBUS_NO_REPLY_SERIAL
  return 0
}

/**
 * Reads the header of the message [m, end), whose fields are `length` bytes, into the record `r`. 0, or the error number with
 * its place in DS_AT. `bound` is at most `end`: bytes behind it are not there, which is a fault like any other.
 */
function readHeader(m: u32, length: u32, bound: u32, r: u32): u32 {
  const big: bool = word(DS_BIG) !== 0
  const last: u32 = m + FIXED + length
  if (length > D_MAX_ARRAY) return fail(E_DBUS_ARRAY_LENGTH, m + 12)
  const fault: u32 = readFields(m + FIXED, last, bound, r)
  if (fault !== 0) return fault
  const body: u32 = last + padding(length, 8)
  const stray: u32 = nonZero(last, body)
  if (stray !== body) return fail(E_DBUS_PADDING, stray)
  const type: u32 = get8(m + 1)
  if (type === 0) return fail(E_DBUS_TYPE, m + 1)
  if (get8(m + 3) !== VERSION) return fail(E_DBUS_VERSION, m + 3)
  const serial: u32 = big ? get32be(m + 8) : get32(m + 8)
  if (serial === 0) return fail(E_DBUS_SERIAL, m + 8)
  if (word(DS_LATER) !== 0) return fail(word(DS_LATER), word(DS_LATER_AT))
  const absent: u32 = missing(type, word(r + DR_FIELDS))
  if (absent !== 0) return fail(absent, m + 12)
  setWord(r + DR_KIND, (type | (get8(m + 2) << 8) | (big ? 0x10000 : 0)) >>> 0)
  setWord(r + DR_SERIAL, serial)
  return 0
}

/**
 * Reads the headers of all messages in [input, avail), of which the bytes up to `end` are there: a record for each.
 * ST_DONE: nothing is left. ST_MORE: what is left at DS_INPUT_AT is part of a message of DS_NEED bytes (16 where its length is
 * not known). ST_FULL: no more room for records, or DS_NEED bytes from DS_INPUT_AT on must be there.
 * An error whose record has no end, or one of the lengths, is the last: where the next message begins is not known.
 */
export function dbusScan(input: u32, end: u32, avail: u32, records: u32, recordsEnd: u32): u32 {
  let m: u32 = input
  let r: u32 = records
  let status: u32 = ST_DONE
  setWord(DS_KEEP, 0)
  setWord(DS_NEED, 0)
  while (m < avail) {
    if (avail - m < FIXED) {
      setWord(DS_NEED, FIXED)
      status = ST_MORE
      break
    }
    if (m > end || end - m < FIXED || r === recordsEnd) {
      setWord(DS_NEED, FIXED)
      status = ST_FULL
      break
    }
    const order: u32 = get8(m)
    const big: bool = order === BIG
    const length: u32 = big ? get32be(m + 12) : get32(m + 12)
    const body: u32 = big ? get32be(m + 4) : get32(m + 4)
    let fault: u32 = 0
    let total: u32 = 0
    if (order !== BIG && order !== LITTLE) fault = fail(E_DBUS_BYTE_ORDER, m)
    else if (length > D_MAX_MESSAGE) fault = fail(E_DBUS_FIELDS_LENGTH, m + 12)
    else if (body > D_MAX_MESSAGE) fault = fail(E_DBUS_BODY_LENGTH, m + 4)
    else {
      total = FIXED + length + padding(length, 8) + body
      if (total > word(DS_MAX_MESSAGE)) {
        setWord(DS_NEED, total)
        fault = fail(E_DBUS_MESSAGE_LENGTH, m + 4)
      }
    }
    if (fault === 0) {
      if (avail - m < total) {
        setWord(DS_NEED, total)
        status = ST_MORE
        break
      }
      const header: u32 = total - body
      if (end - m < header) {
        setWord(DS_NEED, header)
        status = ST_FULL
        break
      }
      setWord(DS_BIG, big ? 1 : 0)
      setWord(DS_BASE, m)
      const whole: bool = end - m >= total
      fault = readHeader(m, length, whole ? m + total : end, r)
      // Which fault it is may depend on bytes behind the header.
      if (fault !== 0 && !whole) {
        setWord(DS_NEED, total)
        status = ST_FULL
        break
      }
      if (fault === 0 && word(DS_FDS) !== 0 && word(DS_FDS) - 1 < word(r + DR_UNIX_FDS)) {
        fault = fail(E_DBUS_UNIX_FDS, m + 12)
      }
      setWord(r + DR_END, m + total - input)
      setWord(r + DR_BODY, m + header - input)
    } else setWord(r + DR_END, 0)
    setWord(r + DR_CODE, fault)
    setWord(r + DR_START, m - input)
    if (fault !== 0) setWord(r + DR_BODY, word(DS_AT) - input)
    r = r + DR_BYTES
    if (total === 0 || word(DS_NEED) !== 0) break
    m = m + total
  }
  setWord(DS_INPUT_AT, m)
  setWord(DS_RECORDS_AT, r)
  return status
}
