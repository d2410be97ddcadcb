import { hpack as captures } from '../../capture/formats/hpack'
import type { Framing } from '../../capture/header_blocks'
import { usageError } from '../../core/errors'
import { Encoder, type HeaderInput } from '../../hpack'
import { hpackError } from '../../hpack/errors'
import type { Format } from '../format'

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
  ...captures,
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
