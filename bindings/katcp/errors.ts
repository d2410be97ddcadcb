import {
  E_KATCP_BAD_ESCAPE,
  E_KATCP_BAD_ID,
  E_KATCP_BAD_NAME,
  E_KATCP_BAD_TYPE,
  E_KATCP_ID_RANGE,
  E_KATCP_LINE_TOO_LONG,
  E_KATCP_SPECIAL,
  E_KATCP_TOO_MANY_ARGUMENTS,
  E_KATCP_TRAILING_ESCAPE,
} from '../../assembly/abi/katcp'
import { type ErrorEntry, type ErrorPlace, kernelErrors, WireError } from '../core/error'

/** Every fault of KATCP: first those of the kernels, with their numbers, then those that the bindings find. */
export const ERRORS = {
  type: {
    number: E_KATCP_BAD_TYPE,
    code: 'WT_KATCP_BAD_TYPE',
    kind: 'malformed',
    text: 'a line must start with ?, ! or #',
  },
  name: {
    number: E_KATCP_BAD_NAME,
    code: 'WT_KATCP_BAD_NAME',
    kind: 'malformed',
    text: 'a name is a letter followed by letters, digits and dashes',
  },
  id: {
    number: E_KATCP_BAD_ID,
    code: 'WT_KATCP_BAD_ID',
    kind: 'malformed',
    text: 'a message id is a whole number in brackets, without leading zeros',
  },
  idRange: {
    number: E_KATCP_ID_RANGE,
    code: 'WT_KATCP_ID_RANGE',
    kind: 'malformed',
    text: 'a message id is at most 2147483647',
  },
  special: {
    number: E_KATCP_SPECIAL,
    code: 'WT_KATCP_UNESCAPED_SPECIAL',
    kind: 'malformed',
    text: 'NUL and ESC must be escaped in an argument',
  },
  escape: {
    number: E_KATCP_BAD_ESCAPE,
    code: 'WT_KATCP_BAD_ESCAPE',
    kind: 'malformed',
    text: 'a backslash must be followed by \\, _, 0, n, r, e, t or @',
  },
  trailingEscape: {
    number: E_KATCP_TRAILING_ESCAPE,
    code: 'WT_KATCP_TRAILING_ESCAPE',
    kind: 'malformed',
    text: 'an argument ends with a backslash',
  },
  lineTooLong: {
    number: E_KATCP_LINE_TOO_LONG,
    code: 'WT_KATCP_LINE_TOO_LONG',
    kind: 'limit',
    text: 'the line is longer than allowed',
  },
  tooManyArguments: {
    number: E_KATCP_TOO_MANY_ARGUMENTS,
    code: 'WT_KATCP_TOO_MANY_ARGUMENTS',
    kind: 'limit',
    text: 'the line has more arguments than allowed',
  },
  emptyLine: {
    code: 'WT_KATCP_EMPTY_LINE',
    kind: 'malformed',
    text: 'the line is blank',
  },
  utf8: {
    code: 'WT_KATCP_UTF8',
    kind: 'value',
    text: 'the argument is not UTF-8: read it with bytes(i) or text(i, "latin1")',
  },
  value: {
    code: 'WT_KATCP_VALUE',
    kind: 'value',
    text: 'not a value of that type',
  },
  argumentCount: {
    code: 'WT_KATCP_ARGUMENT_COUNT',
    kind: 'value',
    text: 'the number of arguments does not fit',
  },
  readings: {
    code: 'WT_KATCP_READINGS',
    kind: 'malformed',
    text: 'the sensor readings do not match their count',
  },
  versionFlag: {
    code: 'WT_KATCP_VERSION_FLAG',
    kind: 'value',
    text: 'the protocol flag does not exist in that version',
  },
} as const satisfies Record<string, ErrorEntry>

/** The error of a kernel's number. */
export const kernelError = kernelErrors('katcp', ERRORS)

/** A fault by its name in the table. */
export const katcpError = (name: keyof typeof ERRORS, place?: ErrorPlace): WireError =>
  new WireError('katcp', ERRORS[name], place)
