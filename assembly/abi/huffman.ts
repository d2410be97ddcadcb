import { L_HUFFMAN } from './layout'

/*
 * Tables of the Huffman code of RFC 7541, appendix B. The code is canonical: codes of one length are consecutive numbers in
 * the order of their octets, and follow those of the shorter length. So 257 lengths say everything, and the tables are built
 * from them at first use.
 *
 * Bits are looked up inverted: EOS is all ones, and so is the padding of a string (section 5.2); inverted, both are zeros,
 * which is what a shift brings in behind the last octet.
 */

/** Bits of one look-up: two codes of the usual 5 to 7 bits nearly always fit. 14 would fit all, in a table twice as large. */
export const H_BITS: u32 = 13
/** Words by the next H_BITS bits, inverted: bits used | first octet << 8 | second octet << 16 | number of octets << 24; 0: a longer code. */
export const H_DECODE: u32 = L_HUFFMAN
/** Behind 4 << H_BITS bytes: 256 pairs of words by octet: its code, the length of that. */
export const H_ENCODE: u32 = L_HUFFMAN + 0x8000
/** 32 pairs of words by length: the last code of it or of a shorter one, to the left and filled with ones; what to add to a code for its place. */
export const H_LENGTHS: u32 = H_ENCODE + 0x800
/** 257 half-words: octets by the place of their code; EOS is 256. */
export const H_OCTETS: u32 = H_ENCODE + 0x900
/** 1: the tables are there. */
export const H_READY: u32 = H_ENCODE + 0xb04
export const H_SHORTEST: u32 = 5
export const H_LONGEST: u32 = 30
export const H_EOS: u32 = 256

/* What huffmanFault finds. */
export const HF_NONE: u32 = 0
export const HF_EOS: u32 = 1
export const HF_LONG_PADDING: u32 = 2
export const HF_BAD_PADDING: u32 = 3
