import type { WireErrorCode } from './codes'
import { type JsonForm, jsonForm } from './json_form'

export type { WireErrorCode } from './codes'

/**
 * What went wrong, in five words: `malformed` (the bytes break the format), `truncated` (they end inside a unit), `limit` (more
 * than the options allow), `value` (a value cannot be written, or read as what was asked for), `usage` (the call itself is
 * wrong).
 */
export type ErrorKind = 'malformed' | 'truncated' | 'limit' | 'value' | 'usage'

/** The wire format whose codec found the fault; 'json' for the JSON form of values, which belongs to none of them. */
export type Protocol = 'websocket' | 'dbus' | 'hpack' | 'katcp' | 'hds' | 'json'

/** A row of a format's error table: everything about a fault that does not depend on where it was met. */
export interface ErrorEntry {
  readonly code: WireErrorCode
  readonly kind: ErrorKind
  readonly text: string
  /** What the peer is owed for it: close code, HTTP/2 error code, HDS status. */
  readonly status?: number
  /** The kernels' number of this fault (assembly/abi), where a kernel finds it. */
  readonly number?: number
}

/** A limit and what came instead. */
export interface ExceededLimit {
  /** As in `limits`, `maxMessageBytes`. */
  readonly name: string
  /** What was allowed. */
  readonly max: number
  /** What came, or was announced; at least so much where reading ended there. */
  readonly actual: number
}

/** What only the place of the fault knows. */
export interface ErrorPlace {
  /** Of the offending byte; -1 when encoding. Default -1. */
  readonly offset?: number
  /** Place in the value when encoding, `body[2].name`. */
  readonly path?: string | undefined
  readonly limit?: ExceededLimit
  /** Added to the text of the table: the offending byte, the value, the name of an option. */
  readonly detail?: string | undefined
  readonly cause?: unknown
}

const BRAND = Symbol.for('wiretape.WireError')

/**
 * The one error class of all codecs. Match on `code` (stable) or `kind`; the message is for people.
 * A fault of the bytes has the `offset` of the first byte that shows it, whatever the chunking.
 */
export class WireError extends Error {
  /** Always `'WireError'`. */
  override readonly name = 'WireError'
  /** What exactly is wrong: stable, one word for each fault. docs/errors.md lists all. */
  readonly code: WireErrorCode
  /** Which sort of fault it is. */
  readonly kind: ErrorKind
  /** The format whose codec found it. */
  readonly protocol: Protocol
  /**
   * Of the first byte that shows the fault: from the first byte of the stream, or of the buffer given; of the block in HPACK;
   * of the message where a body of D-Bus is read late. -1 where no bytes were read, as when encoding.
   */
  readonly offset: number
  // Declared only: a field would be a property that is undefined, and every printed error would show it.
  /** Place in the value or the arguments, `body[2].name`; where one is known. */
  declare readonly path?: string
  /**
   * What the peer is owed for it, where the format has a word for that: a close code (WebSocket), an HTTP status (its handshake), an
   * error code of HTTP/2 (HPACK), a status of a response (HDS).
   */
  declare readonly status?: number
  /** Of kind `limit`: which limit was exceeded. */
  declare readonly limit?: ExceededLimit

  /** @internal Made by the codecs alone. */
  constructor(protocol: Protocol, entry: ErrorEntry, place: ErrorPlace = {}) {
    const { offset = -1, path, limit, detail } = place
    const where = offset >= 0 ? ` at offset ${offset}` : path ? ` at ${path}` : ''
    const what = detail ? `${entry.text}: ${detail}` : entry.text
    const bound = limit ? ` (${limit.name} is ${limit.max}, got ${limit.actual})` : ''
    super(`${what}${bound}${where}`, place.cause === undefined ? undefined : { cause: place.cause })
    this.code = entry.code
    this.kind = entry.kind
    this.protocol = protocol
    this.offset = offset
    if (path !== undefined) this.path = path
    if (entry.status !== undefined) this.status = entry.status
    if (limit !== undefined) this.limit = limit
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** @internal What `toJson` writes: the properties, and the message, which is no enumerable one of an Error. */
  [jsonForm](): JsonForm {
    const { code, kind, protocol, offset, path, status, limit, message } = this
    return { value: { code, kind, protocol, offset, path, status, limit, message } }
  }

  /** True for a WireError of any copy of this package, ES module or CommonJS. */
  static is(e: unknown): e is WireError {
    return typeof e === 'object' && e !== null && (e as { [BRAND]?: unknown })[BRAND] === true
  }
}

/** Finds the row of a kernel's error number in a format's table. */
export function kernelErrors(
  protocol: Protocol,
  table: Readonly<Record<string, ErrorEntry>>,
): (number: number, place: ErrorPlace) => WireError {
  const rows = new Map<number, ErrorEntry>()
  for (const row of Object.values(table)) if (row.number !== undefined) rows.set(row.number, row)
  return (number, place) => {
    const row = rows.get(number)
    if (!row) throw new Error(`the ${protocol} error table lacks the number ${number}`)
    return new WireError(protocol, row, place)
  }
}
