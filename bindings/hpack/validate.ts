import { usageError } from '../core/errors'
import { objectArgument } from '../core/options'

const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/
const BAD_VALUE = /[\0\r\n]/
const BLANK_ENDS = /^[ \t]|[ \t]$/

/**
 * Why HTTP/2 does not allow a field (RFC 9113, 8.2.1), as a text; undefined: it does. HPACK carries any octets: whoever puts a
 * field into HTTP/1.1, a log or a file must look at it first. Which pseudo-header fields there must be is not looked at.
 */
export function validateField(field: { readonly name: string; readonly value: string }): string | undefined {
  objectArgument('hpack', 'field', field)
  const { name, value } = field
  if (typeof name !== 'string' || typeof value !== 'string') throw usageError('hpack', 'name and value must be strings')
  if (name === '') return 'the name is empty'
  if (/[A-Z]/.test(name)) return 'the name has upper-case letters'
  if (!NAME.test(name)) return 'the name has a character that no name may have'
  if (BAD_VALUE.test(value)) return 'the value has NUL, CR or LF'
  if (BLANK_ENDS.test(value)) return 'the value starts or ends with a blank'
  return undefined
}
