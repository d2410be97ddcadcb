import { huffmanDecode, huffmanEncode } from 'lib/huffman'
import { copy, copyBlocks, get32 } from 'lib/mem'
import {
  PH_ALWAYS,
  PH_NEVER,
  PK_INCREMENTAL,
  PK_INDEXED,
  PK_NEVER,
  PK_UPDATE,
  PR_BYTES,
  PR_HEAD,
  PR_INDEX,
  PR_KIND,
  PR_NAME,
  PR_VALUE,
} from '../abi/hpack'
import { huffmanError } from './decode'
import { writeInteger } from './integer'

const MAX_LENGTH: u32 = 127

/** Octets of a length's integer. */
function lengthBytes(length: u32): u32 {
  if (length < MAX_LENGTH) return 1
  let rest: u32 = length - MAX_LENGTH
  let bytes: u32 = 2
  while (rest >= 128) {
    rest = rest >>> 7
    bytes++
  }
  return bytes
}

/** Writes [p, end) as a string (section 5.2) and returns its end. */
function writeString(p: u32, end: u32, out: u32, mode: u32): u32 {
  const length: u32 = end - p
  if (mode !== PH_NEVER && length !== 0) {
    // Coded where it will stand if its length takes as many octets as the plain one.
    const start: u32 = out + lengthBytes(length)
    const coded: u32 = huffmanEncode(p, end, start) - start
    if (coded < length || mode === PH_ALWAYS) {
      const body: u32 = out + lengthBytes(coded)
      if (body !== start) copy(body, start, coded)
      writeInteger(out, 128, MAX_LENGTH, coded)
      return body + coded
    }
  }
  const body: u32 = writeInteger(out, 0, MAX_LENGTH, length)
  copyBlocks(body, p, length)
  return body + length
}

/**
 * Writes the fields of the records [tape, tapeEnd) at `out` and returns the end. The text of their literal strings stands at
 * `text`, one after the other. `mode` is PH_SHORTER, PH_ALWAYS or PH_NEVER.
 */
export function hpackEncode(tape: u32, tapeEnd: u32, text: u32, out: u32, mode: u32): u32 {
  let at: u32 = text
  let to: u32 = out
  for (let record: u32 = tape; record < tapeEnd; record = record + PR_BYTES) {
    const kind: u32 = (get32(record + PR_HEAD) & PR_KIND) >>> 0
    const index: u32 = get32(record + PR_INDEX)
    if (kind === PK_INDEXED) to = writeInteger(to, 0x80, 127, index)
    else if (kind === PK_UPDATE) to = writeInteger(to, 0x20, 31, index)
    else {
      if (kind === PK_INCREMENTAL) to = writeInteger(to, 0x40, 63, index)
      else to = writeInteger(to, kind === PK_NEVER ? 0x10 : 0, 15, index)
      if (index === 0) {
        const name: u32 = text + get32(record + PR_NAME)
        to = writeString(at, name, to, mode)
        at = name
      }
      const value: u32 = text + get32(record + PR_VALUE)
      to = writeString(at, value, to, mode)
      at = value
    }
  }
  return to
}

/** Huffman code of [input, end) alone, at `out`; returns its end. */
export function hpackHuffmanEncode(input: u32, end: u32, out: u32): u32 {
  return huffmanEncode(input, end, out)
}

/** The octets that the Huffman code [input, end) stands for, at `out`; returns their end, or an error number. */
export function hpackHuffmanDecode(input: u32, end: u32, out: u32): u32 {
  const to: u32 = huffmanDecode(input, end, out)
  return to === 0 ? huffmanError(input, end, true) : to
}
