import { L_ARENA, L_STATE } from './layout'

/* State block. */
/** Result: address of the byte that shows the fault. */
export const DS_AT: u32 = L_STATE
/** 1: the message is big-endian. */
export const DS_BIG: u32 = L_STATE + 4
/** Address that alignment counts from: the first byte of the message, or of its body, which is aligned to 8. */
export const DS_BASE: u32 = L_STATE + 8
/** 1: write the tape; 0: look only. */
export const DS_KEEP: u32 = L_STATE + 12
export const DS_MAX_DEPTH: u32 = L_STATE + 16
export const DS_MAX_VALUES: u32 = L_STATE + 20
/** Results: ends of the tape, the text and the bytes that were read. */
export const DS_TAPE_AT: u32 = L_STATE + 24
export const DS_TEXT_AT: u32 = L_STATE + 28
export const DS_INPUT_AT: u32 = L_STATE + 32
/** Result of dbusScan: bytes that the message at DS_INPUT_AT needs before it can be read. */
export const DS_NEED: u32 = L_STATE + 36
export const DS_RECORDS_AT: u32 = L_STATE + 40
export const DS_MAX_MESSAGE: u32 = L_STATE + 44
/** The first fault of a header field's meaning and its place: it waits until the whole header is known to be well formed. */
export const DS_LATER: u32 = L_STATE + 48
export const DS_LATER_AT: u32 = L_STATE + 52
/** The signature `v`. */
export const DS_V: u32 = L_STATE + 56
/** Descriptors that came with the message, plus one; 0: unknown, so not compared with UNIX_FDS. */
export const DS_FDS: u32 = L_STATE + 60
/** Where the next text goes that is not ASCII; the room there is that of the input. */
export const DS_WIDE_AT: u32 = L_STATE + 64
/** Two words for each open bracket of a signature, of which there are at most 64. */
export const DS_BRACKETS: u32 = L_STATE + 0x200

/* The arena: frames of the containers that are open, the signature of the body, then what the binding lays out. */
export const D_STACK: u32 = L_ARENA
export const D_SIGNATURE: u32 = L_ARENA + 0x508
export const D_INPUT: u32 = L_ARENA + 0x800

/* A frame is four words: what is open, then three that depend on it. */
export const DK_TOP: u32 = 0
/** Until the closing bracket. */
export const DK_STRUCT: u32 = 1
/** Element type, end of the array, address of the count on the tape. */
export const DK_ARRAY: u32 = 2
/** Where the signature around the variant goes on, and its end. */
export const DK_VARIANT: u32 = 3
export const DK_BYTES: u32 = 16

/*
 * The tape of a body: for each value, in the order of the wire, words by its type.
 *
 *   y b n q i u h   the value, sign extended
 *   x t d           low word, high word
 *   s o             DW_NAME + intern id; or place in the text, length; or DW_UTF8 + UTF-16 code units, bytes
 *   g, v            DW_NAME + intern id; or DW_LETTER + the one letter; or place in the input, length; for v the value follows
 *   array of fixed-size elements                  place in the input, bytes
 *   other arrays                                  number of elements; the elements follow
 *   struct, dict entry                            the fields
 *
 * Places count from DS_BASE. The text holds all strings that are ASCII, each from a multiple of four on, and nothing else; the
 * wide text holds the others, one behind the other.
 */
export const DW_NAME: u32 = 0x80000000
export const DW_UTF8: u32 = 0x40000000
export const DW_LETTER: u32 = 0x40000000

/* A record of dbusScan: 24 words. Places count from the input. */
/** 0, or the error number. */
export const DR_CODE: u32 = 0
export const DR_START: u32 = 4
/** End of the message; of an error 0 where that is unknown. */
export const DR_END: u32 = 8
/** First byte of the body; of an error, its place. */
export const DR_BODY: u32 = 12
/** Message type, flags << 8, big-endian << 16. */
export const DR_KIND: u32 = 16
export const DR_SERIAL: u32 = 20
export const DR_REPLY_SERIAL: u32 = 24
export const DR_UNIX_FDS: u32 = 28
/** Bit n: the header field n is there. */
export const DR_FIELDS: u32 = 32
/**
 * Two words for each field that is text, in the order of their codes without REPLY_SERIAL: DW_NAME + intern id, or its
 * place; then the length.
 */
export const DR_TEXTS: u32 = 36
export const DR_BYTES: u32 = 96

/* Limits of the specification. */
export const D_MAX_MESSAGE: u32 = 0x8000000
export const D_MAX_ARRAY: u32 = 0x4000000
export const D_MAX_NESTING: u32 = 32
export const D_MAX_NAME: u32 = 255

/* Message types. */
export const DT_CALL: u32 = 1
export const DT_RETURN: u32 = 2
export const DT_ERROR: u32 = 3
export const DT_SIGNAL: u32 = 4

/* Header fields. */
export const DF_PATH: u32 = 1
export const DF_INTERFACE: u32 = 2
export const DF_MEMBER: u32 = 3
export const DF_ERROR_NAME: u32 = 4
export const DF_REPLY_SERIAL: u32 = 5
export const DF_DESTINATION: u32 = 6
export const DF_SENDER: u32 = 7
export const DF_SIGNATURE: u32 = 8
export const DF_UNIX_FDS: u32 = 9

/* Kinds of names for dbusName. */
export const DN_PATH: u32 = 1
export const DN_INTERFACE: u32 = 2
export const DN_MEMBER: u32 = 3
export const DN_ERROR: u32 = 4
export const DN_BUS: u32 = 6

/* Error numbers. */
export const E_DBUS_BYTE_ORDER: u32 = 0x300
export const E_DBUS_FIELDS_LENGTH: u32 = 0x301
export const E_DBUS_BODY_LENGTH: u32 = 0x302
export const E_DBUS_MESSAGE_LENGTH: u32 = 0x303
export const E_DBUS_VERSION: u32 = 0x304
export const E_DBUS_TYPE: u32 = 0x305
export const E_DBUS_SERIAL: u32 = 0x306
export const E_DBUS_FIELD_CODE: u32 = 0x307
export const E_DBUS_FIELD_TYPE: u32 = 0x308
export const E_DBUS_FIELD_TWICE: u32 = 0x309
export const E_DBUS_INTERFACE: u32 = 0x30a
export const E_DBUS_MEMBER: u32 = 0x30b
export const E_DBUS_ERROR_NAME: u32 = 0x30c
export const E_DBUS_DESTINATION: u32 = 0x30d
export const E_DBUS_SENDER: u32 = 0x30e
export const E_DBUS_NO_PATH: u32 = 0x30f
export const E_DBUS_NO_INTERFACE: u32 = 0x310
export const E_DBUS_NO_MEMBER: u32 = 0x311
export const E_DBUS_NO_ERROR_NAME: u32 = 0x312
export const E_DBUS_NO_REPLY_SERIAL: u32 = 0x313
export const E_DBUS_LOCAL_INTERFACE: u32 = 0x314
export const E_DBUS_LOCAL_PATH: u32 = 0x315
export const E_DBUS_UNIX_FDS: u32 = 0x316

export const E_DBUS_NOT_ENOUGH: u32 = 0x320
export const E_DBUS_TOO_MUCH: u32 = 0x321
export const E_DBUS_LENGTH: u32 = 0x322
export const E_DBUS_PADDING: u32 = 0x323
export const E_DBUS_UTF8: u32 = 0x324
export const E_DBUS_STRING_NUL: u32 = 0x325
export const E_DBUS_PATH: u32 = 0x326
export const E_DBUS_ARRAY_END: u32 = 0x327
export const E_DBUS_ARRAY_LENGTH: u32 = 0x328
export const E_DBUS_BOOLEAN: u32 = 0x329
export const E_DBUS_SIGNATURE_LENGTH: u32 = 0x32a
export const E_DBUS_SIGNATURE_NUL: u32 = 0x32b
export const E_DBUS_VARIANT_SIGNATURE: u32 = 0x32c
export const E_DBUS_VARIANT_EMPTY: u32 = 0x32d
export const E_DBUS_VARIANT_MANY: u32 = 0x32e
export const E_DBUS_VARIANT_LENGTH: u32 = 0x32f
export const E_DBUS_VARIANT_NUL: u32 = 0x330
export const E_DBUS_DEPTH: u32 = 0x331
export const E_DBUS_VALUES: u32 = 0x332

export const E_DBUS_SIG_TYPE: u32 = 0x340
export const E_DBUS_SIG_ELEMENT: u32 = 0x341
export const E_DBUS_SIG_STRUCT_OPEN: u32 = 0x342
export const E_DBUS_SIG_STRUCT_CLOSED: u32 = 0x343
export const E_DBUS_SIG_STRUCT_EMPTY: u32 = 0x344
export const E_DBUS_SIG_DICT_PLACE: u32 = 0x345
export const E_DBUS_SIG_DICT_OPEN: u32 = 0x346
export const E_DBUS_SIG_DICT_CLOSED: u32 = 0x347
export const E_DBUS_SIG_DICT_EMPTY: u32 = 0x348
export const E_DBUS_SIG_DICT_ONE: u32 = 0x349
export const E_DBUS_SIG_DICT_MANY: u32 = 0x34a
export const E_DBUS_SIG_DICT_KEY: u32 = 0x34b
export const E_DBUS_SIG_ARRAYS: u32 = 0x34c
export const E_DBUS_SIG_STRUCTS: u32 = 0x34d
export const E_DBUS_SIG_DICTS: u32 = 0x34e
export const E_DBUS_SIG_LONG: u32 = 0x34f
