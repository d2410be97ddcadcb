import { L_STATE } from './layout'

/* State block of katcpScan. The words up to KS_FLAGS are the state of an unfinished line: a decoder keeps them between calls. */
export const KS_PHASE: u32 = L_STATE
/** Bytes of the unfinished line before the input: positions on the tape count from its first byte. */
export const KS_BASE: u32 = L_STATE + 4
export const KS_LINE: u32 = L_STATE + 8
export const KS_NAME_END: u32 = L_STATE + 12
export const KS_ID: u32 = L_STATE + 16
export const KS_COUNT: u32 = L_STATE + 20
/** In and out of lib/words: start of the word in progress, its flags, then the end of the words written. */
export const KS_WORD: u32 = L_STATE + 24
export const KS_FLAGS: u32 = L_STATE + 28
/** Error number of a bad line, and its place in the line; both wait for the line end. */
export const KS_BAD: u32 = L_STATE + 32
export const KS_BAD_AT: u32 = L_STATE + 36
/** Words of the state that survive a call. */
export const KS_STATE_WORDS: u32 = 10
/* Arguments. */
export const KS_MAX_LINE: u32 = L_STATE + 40
export const KS_MAX_ARGUMENTS: u32 = L_STATE + 44
/* Results. */
export const KS_INPUT_AT: u32 = L_STATE + 48
export const KS_LINES_AT: u32 = L_STATE + 52
export const KS_WORDS_AT: u32 = L_STATE + 56

/* Phases: what the next byte belongs to. */
export const KP_START: u32 = 0
/** Before the type byte, blanks seen or not. */
export const KP_TYPE: u32 = 1
export const KP_NAME: u32 = 2
export const KP_ID_FIRST: u32 = 3
export const KP_ID: u32 = 4
export const KP_ID_END: u32 = 5
export const KP_ARGUMENTS: u32 = 6
/** After a backslash. */
export const KP_ESCAPE: u32 = 7
/** In a bad line: it is reported at its end. */
export const KP_BAD: u32 = 8
/** In a line above its limit: the rest of it is not kept. */
export const KP_OVER: u32 = 9

/* A record of the line tape: 8 words. Positions count from the first byte of the unfinished line, or of the input. */
/** 0: a message; else the error number. */
export const KR_CODE: u32 = 0
export const KR_START: u32 = 4
/** End of the name; of an error, the offset in its line. */
export const KR_NAME_END: u32 = 8
/** Message id, 0: none. */
export const KR_ID: u32 = 12
export const KR_COUNT: u32 = 16
/** Position of the line end. */
export const KR_END: u32 = 20
/** Intern id of the name, 0: not interned. */
export const KR_NAME: u32 = 24
export const KR_FLAGS: u32 = 28
export const KR_BYTES: u32 = 32

/* Flags of a line. */
/** Type: 1 request, 2 reply, 3 inform. */
export const KF_TYPE: u32 = 3
/** Some byte of the arguments is ≥ 0x80. */
export const KF_NON_ASCII: u32 = 4
/** Some argument has an escape. */
export const KF_ESCAPED: u32 = 8
/** More than one blank somewhere between arguments or before the line end. */
export const KF_BLANKS: u32 = 16
/** The word in progress has an escape. */
export const KF_WORD_ESCAPED: u32 = 32

/** A word on the word tape is the position of an argument, with this bit where it has an escape. Its end is one before the next word. */
export const KW_ESCAPED: u32 = 0x40000000
export const KW_POSITION: u32 = 0x3fffffff

/* Error numbers. */
export const E_KATCP_BAD_TYPE: u32 = 0x100
export const E_KATCP_BAD_NAME: u32 = 0x101
export const E_KATCP_BAD_ID: u32 = 0x102
export const E_KATCP_ID_RANGE: u32 = 0x103
export const E_KATCP_SPECIAL: u32 = 0x104
export const E_KATCP_BAD_ESCAPE: u32 = 0x105
export const E_KATCP_TRAILING_ESCAPE: u32 = 0x106
export const E_KATCP_LINE_TOO_LONG: u32 = 0x107
export const E_KATCP_TOO_MANY_ARGUMENTS: u32 = 0x108
