import { L_STATE } from './layout'

/* State block of hpackDecode: arguments. */
/** Octets of a string as it stands on the wire, at most. */
export const PS_MAX_STRING: u32 = L_STATE
/** What a size update may set at most: the acknowledged SETTINGS_HEADER_TABLE_SIZE. */
export const PS_TABLE_LIMIT: u32 = L_STATE + 4
/* Arguments and results. */
/** Size updates of the block so far, or PP_FIELDS. */
export const PS_PHASE: u32 = L_STATE + 8
/** The next block must start with an update to this at most (RFC 9113, 4.3.1); PS_NO_UPDATE: it need not. */
export const PS_LOW_WATER: u32 = L_STATE + 12
/* Results. */
/** First octet of the field that is not on the tape. */
export const PS_INPUT_AT: u32 = L_STATE + 16
export const PS_TAPE_AT: u32 = L_STATE + 20
export const PS_TEXT_AT: u32 = L_STATE + 24
/** 1: some octet of the text is ≥ 0x80. */
export const PS_NON_ASCII: u32 = L_STATE + 28
/** With ST_MORE: the unfinished field reaches at least to this address. */
export const PS_NEED: u32 = L_STATE + 32
/** Index of the name of the field at PS_INPUT_AT, 0: none or not known yet. It is to be checked before the fault, which comes later. */
export const PS_INDEX: u32 = L_STATE + 36
/** Address of the octet that shows the fault. */
export const PS_FAULT_AT: u32 = L_STATE + 40
/** What was found, where the fault is a limit. */
export const PS_ACTUAL: u32 = L_STATE + 44
/** Scratch of the integer reader: address of the octet after the integer; 0: the input ends in it; 1: it is too large. */
export const PS_NEXT: u32 = L_STATE + 48
/** Scratch of the string reader: where its octets start and end; both 0 where that is not known. */
export const PS_STRING: u32 = L_STATE + 52
export const PS_STRING_END: u32 = L_STATE + 56

export const PS_NO_UPDATE: u32 = 0xffffffff

/** Below PP_FIELDS the phase counts the size updates of the block: two say all there is to say (RFC 7541, 4.2). */
export const PP_MAX_UPDATES: u32 = 2
/** The block has a field: no size update may follow. */
export const PP_FIELDS: u32 = 4

/* A record of the tape: 4 words. The same for decoding and encoding, as far as the direction needs a word. */
/** Kind | place << 3: decoding, that of its first octet in the input; encoding, that of the field in the list. */
export const PR_HEAD: u32 = 0
export const PR_KIND: u32 = 7
/** Table index; 0: the name is in the text. Of a size update, the size. */
export const PR_INDEX: u32 = 4
/** End of the name in the text, or PN_INTERNED | intern id. */
export const PR_NAME: u32 = 8
/** End of the value in the text. */
export const PR_VALUE: u32 = 12
export const PR_BYTES: u32 = 16
export const PN_INTERNED: u32 = 0x80000000

/* Kinds, in the order of RFC 7541, section 6. */
export const PK_INDEXED: u32 = 0
export const PK_INCREMENTAL: u32 = 1
export const PK_WITHOUT: u32 = 2
export const PK_NEVER: u32 = 3
export const PK_UPDATE: u32 = 4

/* How strings are written. */
export const PH_SHORTER: u32 = 0
export const PH_ALWAYS: u32 = 1
export const PH_NEVER: u32 = 2

/* Error numbers. */
export const E_HPACK_INDEX_ZERO: u32 = 0x300
export const E_HPACK_INDEX_RANGE: u32 = 0x301
export const E_HPACK_INTEGER: u32 = 0x302
export const E_HPACK_STRING: u32 = 0x303
export const E_HPACK_EOS: u32 = 0x304
export const E_HPACK_LONG_PADDING: u32 = 0x305
export const E_HPACK_BAD_PADDING: u32 = 0x306
export const E_HPACK_UPDATE_SIZE: u32 = 0x307
export const E_HPACK_UPDATE_PLACE: u32 = 0x308
export const E_HPACK_UPDATE_MISSING: u32 = 0x309
export const E_HPACK_UPDATE_COUNT: u32 = 0x30a
