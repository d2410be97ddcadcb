import { DEFAULT_LIMITS } from '../../hpack'
import type { CaptureFormat } from '../format'
import { FRAMINGS, type Framing, HeaderBlockReader } from '../header_blocks'

export const hpack: CaptureFormat = {
  about: 'HPACK header blocks: hexadecimal lines, length-prefixed, or one side of an HTTP/2 connection',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      name: 'framing',
      value: 'kind',
      about:
        'how blocks stand in the input: a line of hexadecimal digits each, 4 octets of length before each, HTTP/2 frames',
      choices: FRAMINGS,
      default: 'auto',
    },
  ],
  decoder: ({ limits, options }) => new HeaderBlockReader(options['framing'] as Framing, { limits }),
}
