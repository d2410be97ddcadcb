import { type ErrorEntry, type ErrorPlace, type Protocol, WireError } from './error'

/** Faults that every format has. */
export const ERRORS = {
  usage: { code: 'WT_USAGE', kind: 'usage', text: 'wrong use' },
  target: { code: 'WT_TARGET_TOO_SMALL', kind: 'usage', text: 'the target has no room for the encoded bytes' },
  trailing: { code: 'WT_TRAILING_BYTES', kind: 'malformed', text: 'bytes follow the unit' },
  truncated: { code: 'WT_TRUNCATED', kind: 'truncated', text: 'the bytes end inside a unit' },
  buffered: { code: 'WT_TOO_MUCH_BUFFERED', kind: 'limit', text: 'more bytes wait than may be held' },
  json: { code: 'WT_JSON', kind: 'value', text: 'not the JSON form of a value' },
} as const satisfies Record<string, ErrorEntry>

/** One of the faults that every format has. */
export const commonError = (protocol: Protocol, name: keyof typeof ERRORS, place?: ErrorPlace): WireError =>
  new WireError(protocol, ERRORS[name], place)

/** A wrong call: an option or argument that no bytes can make right. */
export const usageError = (protocol: Protocol, detail: string): WireError => commonError(protocol, 'usage', { detail })
