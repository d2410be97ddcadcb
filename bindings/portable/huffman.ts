/* Twin of assembly/lib/huffman.ts. */
import {
  H_BITS,
  H_DECODE,
  H_ENCODE,
  H_EOS,
  H_LENGTHS,
  H_LONGEST,
  H_OCTETS,
  H_READY,
  H_SHORTEST,
  HF_BAD_PADDING,
  HF_EOS,
  HF_LONG_PADDING,
  HF_NONE,
} from '../../assembly/abi/huffman'
import { get16, heapBytes, heapWords, put16 } from './mem'

/** Length of the code of each octet and of EOS, as the letter `A` + length - 5. */
const LENGTHS =
  'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJI' +
  'XPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ'

const LOOK_UP = 32 - H_BITS

/** The table as an index of 32-bit words. */
const DECODE = H_DECODE >>> 2
const ENCODE = H_ENCODE >>> 2
const PER_LENGTH = H_LENGTHS >>> 2

function codeLength(words: Uint32Array, bits: number): number {
  let length: number = H_SHORTEST
  while (bits >>> 0 > words[PER_LENGTH + (length << 1)]!) length++
  return length
}

function octetOf(words: Uint32Array, bits: number, length: number): number {
  const place = ((bits >>> (32 - length)) + words[PER_LENGTH + (length << 1) + 1]!) >>> 0
  return get16(H_OCTETS + (place << 1))
}

/** Fills the tables and returns the heap's words. */
function tables(): Uint32Array {
  const words = heapWords()
  if (words[H_READY >>> 2] === 0) build(words)
  return words
}

function build(words: Uint32Array): void {
  let code = 0
  let place = 0
  for (let length: number = H_SHORTEST; length <= H_LONGEST; length++) {
    const shift = 32 - length
    words[PER_LENGTH + (length << 1) + 1] = place - (code >>> shift)
    for (let octet = 0; octet <= H_EOS; octet++) {
      if (LENGTHS.charCodeAt(octet) - 60 !== length) continue
      if (octet !== H_EOS) {
        words[ENCODE + (octet << 1)] = code >>> shift
        words[ENCODE + (octet << 1) + 1] = length
      }
      put16(H_OCTETS + (place << 1), octet)
      place++
      code = (code + (1 << shift)) >>> 0
    }
    words[PER_LENGTH + (length << 1)] = code - 1
  }
  for (let index = 0; index < 1 << H_BITS; index++) {
    let bits = ~(index << LOOK_UP)
    let used = 0
    let octets = 0
    let entry = 0
    for (let count = 0; count < 2; count++) {
      const length = codeLength(words, bits)
      used += length
      if (used > H_BITS) break
      octets |= octetOf(words, bits, length) << (count << 3)
      entry = used | (octets << 8) | ((count + 1) << 24)
      bits = ~(~bits << length)
    }
    words[DECODE + index] = entry
  }
  words[H_READY >>> 2] = 1
}

export function huffmanDecode(p: number, end: number, out: number): number {
  const words = tables()
  const heap = heapBytes()
  /** Bits, inverted, to the left; `n` of them count, the others are zeros. */
  let acc = 0
  let n = 0
  for (;;) {
    while (n <= 24 && p < end) {
      acc |= (heap[p++]! ^ 0xff) << (24 - n)
      n += 8
    }
    const entry = words[DECODE + (acc >>> LOOK_UP)]!
    if (entry !== 0) {
      heap[out] = entry >>> 8
      heap[out + 1] = entry >>> 16
      out += entry >>> 24
      // A shift counts modulo 32: of the entry, the bits used.
      acc <<= entry
      n -= entry & 31
      if (n >= H_BITS) {
        // The other half of what was filled in.
        const next = words[DECODE + (acc >>> LOOK_UP)]!
        heap[out] = next >>> 8
        heap[out + 1] = next >>> 16
        out += next >>> 24
        acc <<= next
        n -= next & 31
      } else if (n < 0) return 0
      continue
    }
    if (acc === 0 && p === end) return n < 8 ? out : 0
    // A code of up to 30 bits, of which the last few may stand in the octet after those held.
    const byte = p < end ? heap[p]! ^ 0xff : 0
    const bits = ~(n > 24 ? acc | (byte >>> (n - 24)) : acc)
    const length = codeLength(words, bits)
    const octet = octetOf(words, bits, length)
    if (octet === H_EOS) return 0
    heap[out++] = octet
    if (length <= n) {
      acc <<= length
      n -= length
    } else {
      if (p === end) return 0
      const extra = length - n
      acc = (byte << 24) << extra
      n = 8 - extra
      p++
    }
  }
}

export function huffmanFault(p: number, end: number, whole: boolean, at: number): number {
  const words = tables()
  const heap = heapBytes()
  let acc = 0
  let n = 0
  for (;;) {
    while (n <= 24 && p < end) {
      acc |= (heap[p++]! ^ 0xff) << (24 - n)
      n += 8
    }
    const byte = p < end ? heap[p]! ^ 0xff : 0
    const bits = ~(n > 24 ? acc | (byte >>> (n - 24)) : acc)
    const length = codeLength(words, bits)
    const held = p < end ? n + 8 : n
    if (length > held) {
      words[at >>> 2] = end - 1
      if (!whole || (acc === 0 && n < 8)) return HF_NONE
      return acc === 0 ? HF_LONG_PADDING : HF_BAD_PADDING
    }
    if (octetOf(words, bits, length) === H_EOS) {
      words[at >>> 2] = length > n ? p : p - 1 - ((n - length) >>> 3)
      return HF_EOS
    }
    if (length <= n) {
      acc <<= length
      n -= length
    } else {
      const extra = length - n
      acc = (byte << 24) << extra
      n = 8 - extra
      p++
    }
  }
}

export function huffmanEncode(p: number, end: number, out: number): number {
  const words = tables()
  const heap = heapBytes()
  /** At most 7 bits that are over, to the right. */
  let over = 0
  let n = 0
  while (p < end) {
    const entry = ENCODE + (heap[p++]! << 1)
    let code = words[entry]!
    let length = words[entry + 1]!
    if (length > 24) {
      // 7 bits and a code of 30 do not fit 32: its first octet goes ahead.
      const ahead = length - 8
      over = (over << 8) | (code >>> ahead)
      heap[out++] = over >>> n
      code &= (1 << ahead) - 1
      length = ahead
    } else if (p < end && n + length <= 16) {
      // A short one takes the next along, where that is short as well.
      const next = ENCODE + (heap[p]! << 1)
      const more = words[next + 1]!
      if (more <= 8) {
        code = (code << more) | words[next]!
        length += more
        p++
      }
    }
    over = (over << length) | code
    n += length
    while (n >= 8) {
      n -= 8
      heap[out++] = over >>> n
    }
  }
  if (n !== 0) heap[out++] = (over << (8 - n)) | (0xff >>> n)
  return out
}
