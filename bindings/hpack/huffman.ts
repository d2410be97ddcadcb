import { PS_FAULT_AT } from '../../assembly/abi/hpack'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { type Bytes, bytesArgument } from '../core/options'
import { latin1Text, TEXT_PIECE } from '../core/text'
import { THRESHOLDS } from '../engine/thresholds'
import { hpackError, kernelError } from './errors'
import { behind, copyIn, coreWith, decodedBound, IN } from './kernels'
import { writeOctets } from './text'

/**
 * The Huffman code of a string alone (RFC 7541, 5.2), without its length: padded with ones to whole octets. A string has one
 * octet for each character; one above U+00FF throws WT_HPACK_TEXT.
 */
export function huffmanEncode(text: string | Uint8Array): Bytes {
  if (typeof text !== 'string') bytesArgument('hpack', 'text', text)
  const { length } = text
  const out = behind(length)
  const { kernels, memory } = coreWith(out + length * 4 + L_SLACK - L_ARENA, length, THRESHOLDS.hpackHuffman)
  const { u8 } = memory
  if (typeof text !== 'string') copyIn(u8, IN, text, 0, length)
  else if (!writeOctets(u8, IN, text)) throw hpackError('text')
  return u8.slice(out, kernels.hpackHuffmanEncode(IN, IN + length, out))
}

/**
 * The string that Huffman code stands for, one character for each octet. Throws a WireError: WT_HPACK_HUFFMAN_EOS,
 * WT_HPACK_HUFFMAN_PADDING or WT_HPACK_HUFFMAN_LONG_PADDING.
 */
export function huffmanDecode(coded: Uint8Array): string {
  bytesArgument('hpack', 'coded', coded)
  const { length } = coded
  const out = behind(length)
  const arena = out + decodedBound(length) + L_SLACK - L_ARENA
  const { kernels, memory } = coreWith(arena, length, THRESHOLDS.hpackHuffman)
  const { u8, u32 } = memory
  copyIn(u8, IN, coded, 0, length)
  const end = kernels.hpackHuffmanDecode(IN, IN + length, out)
  if (end < out) throw kernelError(end, { offset: u32[PS_FAULT_AT >>> 2]! - IN })
  if (end - out <= TEXT_PIECE) return latin1Text(u8, out, end)
  let text = ''
  for (let at = out; at < end; at += TEXT_PIECE) text += latin1Text(u8, at, Math.min(at + TEXT_PIECE, end))
  return text
}
