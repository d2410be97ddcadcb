import type { HeaderField } from './types'

/** Number of static entries; the dynamic table begins after it (RFC 7541, 2.3.3). */
export const STATIC_COUNT = 61

/** RFC 7541, appendix A, from index 1 on: name, then its value where it has one. */
const ROWS = [
  [':authority'],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
] as const satisfies readonly (readonly [name: string, value?: string])[]

/** The static fields by index; there is none at 0. */
export const STATIC_FIELDS: readonly HeaderField[] = [
  ['', ''] as const,
  ...(ROWS as readonly (readonly [string, string?])[]),
].map(([name, value = '']) => Object.freeze({ name, value, sensitive: false }))

/** RFC 7541, 4.1: what an entry counts besides its octets. */
export const ENTRY_OVERHEAD = 32

/** Size of the static fields by index, as a header list counts it. */
export const STATIC_SIZES: readonly number[] = STATIC_FIELDS.map(
  ({ name, value }) => name.length + value.length + ENTRY_OVERHEAD,
)
