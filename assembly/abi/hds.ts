import { L_ARENA, L_STATE } from './layout'

/*
 * State block of hdsScan. A position is the distance from the first byte of the payload; an address is where it stands in
 * memory now: the payload passes through a window that begins at H_INPUT.
 */
/** Result: position of the byte that shows the fault. */
export const HS_AT: u32 = L_STATE
/** HF_… */
export const HS_FLAGS: u32 = L_STATE + 4
export const HS_MAX_DEPTH: u32 = L_STATE + 8
/** Values that may still come. */
export const HS_LEFT: u32 = L_STATE + 12
/** Position of the byte at H_INPUT; as a result, of the next byte that is wanted there. */
export const HS_BASE: u32 = L_STATE + 16
/** Bytes from there on that the next value needs at least; of a truncated payload, the length that it would have at least. */
export const HS_NEED: u32 = L_STATE + 20
export const HS_TAPE_AT: u32 = L_STATE + 24
/** First address of the text, and the end of what stands there. */
export const HS_TEXT: u32 = L_STATE + 28
export const HS_TEXT_AT: u32 = L_STATE + 32
/* The container that is open, and the stack of those around it. */
export const HS_TOP: u32 = L_STATE + 36
export const HS_KIND: u32 = L_STATE + 40
export const HS_SEEN: u32 = L_STATE + 44
export const HS_WANT: u32 = L_STATE + 48
export const HS_HEAD: u32 = L_STATE + 52

/* Flags. */
/** 30 to 32 are unsigned. */
export const HF_UNSIGNED: u32 = 1
/** The second to fourth form of a string have a length of 2, 3 and 4 bytes. */
export const HF_SHORT_LENGTHS: u32 = 2
/** References are put on the tape. */
export const HF_REFERENCES: u32 = 4
/** C1 to C4 are references with an index of 1 to 4 bytes behind. */
export const HF_LONG_REFERENCES: u32 = 8
/** Keys may be any value but a container. */
export const HF_ANY_KEYS: u32 = 16
/** UTF-8 is not checked. */
export const HF_LOOSE_TEXT: u32 = 32
/** 9F is read as bytes up to 03. */
export const HF_TERMINATED_DATA: u32 = 64
/** Integers of up to 32 bits that follow each other in an array share one head on the tape. */
export const HF_RUNS: u32 = 128
/** Strings in the outermost dictionary are names as well: the header of a message. */
export const HF_HEADER: u32 = 256

/* The arena: frames of the containers that are open, then the window. */
export const H_STACK: u32 = L_ARENA
export const H_FRAME: u32 = 16
export const H_MAX_DEPTH: u32 = 500
export const H_INPUT: u32 = L_ARENA + 0x2000
/** A longer payload cannot be told on the tape. */
export const H_MAX_PAYLOAD: u32 = 0x7ffffff

/* What is open. */
export const HK_TOP: u32 = 0
export const HK_ARRAY: u32 = 1
export const HK_DICT: u32 = 2
/** HS_WANT of a container that ends with a terminator. */
export const HK_TERMINATED: u32 = 0xffffffff

/*
 * The tape: a word for each value, its class in the low five bits, in the order of the wire; more words follow some.
 *
 *   HT_SMALL                 the value plus one: -1 … 39
 *   HT_INT8, HT_INT16        the bytes
 *   HT_INT32, HT_FLOAT32     a word follows
 *   HT_INT64, HT_FLOAT64, HT_DATE    low word, high word
 *   HT_UUID                  its position follows
 *   HT_NAME                  intern id
 *   HT_TEXT                  length of ASCII text; its place in the text follows, unless it is empty
 *   HT_UTF8, HT_DATA         length; its position follows, unless it is empty
 *   HT_ARRAY, HT_DICT        number of values, or of pairs, which follow
 *   HT_INTS                  number of integers; each is a word
 *   HT_REFERENCE             index; its position follows, with H_KEY where it stands for a key
 */
export const HT_BITS: u32 = 5
export const HT_CLASS: u32 = 31
export const HT_NULL: u32 = 0
export const HT_FALSE: u32 = 1
export const HT_TRUE: u32 = 2
export const HT_SMALL: u32 = 3
export const HT_INT8: u32 = 4
export const HT_INT16: u32 = 5
export const HT_INT32: u32 = 6
export const HT_INT64: u32 = 7
export const HT_FLOAT32: u32 = 8
export const HT_FLOAT64: u32 = 9
export const HT_DATE: u32 = 10
export const HT_UUID: u32 = 11
export const HT_NAME: u32 = 12
export const HT_TEXT: u32 = 13
export const HT_UTF8: u32 = 14
export const HT_DATA: u32 = 15
export const HT_ARRAY: u32 = 16
export const HT_DICT: u32 = 17
export const HT_INTS: u32 = 18
export const HT_REFERENCE: u32 = 19
export const H_KEY: u32 = 0x80000000
/** A larger index is written as this one. */
export const H_MAX_INDEX: u32 = 0x7ffffff

/* Error numbers. */
export const E_HDS_TRUNCATED: u32 = 0x500
export const E_HDS_UNTERMINATED: u32 = 0x501
export const E_HDS_TAG: u32 = 0x502
export const E_HDS_TERMINATOR: u32 = 0x503
export const E_HDS_REFERENCE: u32 = 0x504
export const E_HDS_DEPTH: u32 = 0x505
export const E_HDS_KEY: u32 = 0x506
export const E_HDS_UTF8: u32 = 0x507
export const E_HDS_ITEMS: u32 = 0x508
