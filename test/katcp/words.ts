/** The error words of the KATCP vectors → our codes; see test/vectors/katcp/README.md. */
export const CODE_OF = {
  'empty-line': 'WT_KATCP_EMPTY_LINE',
  'bad-type': 'WT_KATCP_BAD_TYPE',
  'bad-name': 'WT_KATCP_BAD_NAME',
  'bad-mid': 'WT_KATCP_BAD_ID',
  'mid-out-of-range': 'WT_KATCP_ID_RANGE',
  'unescaped-special': 'WT_KATCP_UNESCAPED_SPECIAL',
  'bad-escape': 'WT_KATCP_BAD_ESCAPE',
  'trailing-escape': 'WT_KATCP_TRAILING_ESCAPE',
  'line-too-long': 'WT_KATCP_LINE_TOO_LONG',
  'bad-value': 'WT_KATCP_VALUE',
  'bad-utf8': 'WT_KATCP_UTF8',
} as const

export const TYPE_OF = { '?': 'request', '!': 'reply', '#': 'inform' } as const

export interface WireMessage {
  readonly type: '?' | '!' | '#'
  readonly name: string
  readonly mid: number | null
  readonly args?: readonly string[]
  readonly argc?: number
  readonly argsDigest?: string
}
export interface WireFault {
  readonly error: keyof typeof CODE_OF
  readonly offset?: number
  readonly char?: string
}
export type Expected = WireMessage | WireFault
