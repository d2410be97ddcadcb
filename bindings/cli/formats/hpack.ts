import { usageError } from '../../core/errors'
import { DEFAULT_LIMITS, Encoder, type HeaderInput } from '../../hpack'
import { hpackError } from '../../hpack/errors'
import type { Format } from '../format'
import { FRAMINGS, type Framing, HeaderBlockReader } from '../header_blocks'

const HEX = '0123456789abcdef'

/** A block as a line of hexadecimal digits, or behind its length. */
function framed(block: Uint8Array, framing: Framing): Uint8Array | readonly Uint8Array[] {
  if (framing === 'length') {
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, block.length)
    return [length, block]
  }
  let text = ''
  for (const octet of block) text += HEX[octet >>> 4]! + HEX[octet & 15]!
  return new TextEncoder().encode(`${text}\n`)
}

export const hpack: Format = {
  about: 'HPACK header blocks: hexadecimal lines, length-prefixed, or one side of an HTTP/2 connection',
  limits: { ...DEFAULT_LIMITS },
  options: [
    {
      flags: '--framing <kind>',
      about:
        'how blocks stand in the input: a line of hexadecimal digits each, 4 octets of length before each, HTTP/2 frames',
      choices: FRAMINGS,
      default: 'auto',
    },
  ],
  decoder: ({ limits, options }) => new HeaderBlockReader(options['framing'] as Framing, { limits }),
  encoder: ({ options }) => {
    const framing = options['framing'] as Framing
    if (framing === 'http2') throw usageError('hpack', 'frames are not written: take hex or length')
    const encoder = new Encoder()
    return (unit) => {
      const list = Array.isArray(unit) ? unit : (Object(unit) as { fields?: unknown }).fields
      if (!Array.isArray(list)) throw hpackError('field', { detail: 'a list of fields expected' })
      return framed(encoder.encode(list as HeaderInput[]), framing)
    }
  },
}
