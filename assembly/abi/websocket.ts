import { L_STATE } from './layout'

/* State block of wsScan. The words up to WS_STATE_WORDS are the state of a connection that is not between messages. */
/** What the next byte belongs to. */
export const WS_PHASE: u32 = L_STATE
/** Bytes of an unfinished frame header, and how many there are. */
export const WS_HEADER_BYTES: u32 = L_STATE + 4
export const WS_HEADER: u32 = L_STATE + 8
/** Payload bytes of the current frame that have not come yet: low and high half. */
export const WS_LEFT: u32 = L_STATE + 24
export const WS_LEFT_HIGH: u32 = L_STATE + 28
/** Mask key of the current frame as it stands on the wire, read little-endian; 0: nothing is to be unmasked. */
export const WS_KEY: u32 = L_STATE + 32
/** Place of the next payload byte in the payload of a control frame; of a data frame, that modulo 4. */
export const WS_AT: u32 = L_STATE + 36
/** Flags of the current frame, as on the tape. */
export const WS_FRAME: u32 = L_STATE + 40
/** The open message: 0 none, else WF_MESSAGE flags. */
export const WS_MESSAGE: u32 = L_STATE + 44
/** Frames of the open message. */
export const WS_FRAGMENTS: u32 = L_STATE + 48
/** Bytes that the open message may still take: low and high half. */
export const WS_QUOTA: u32 = L_STATE + 52
export const WS_QUOTA_HIGH: u32 = L_STATE + 56
/** State of the text, see abi/text. */
export const WS_UTF8: u32 = L_STATE + 60
/** First byte of a close code. */
export const WS_CODE: u32 = L_STATE + 64
/** Words of the state that survive a call. */
export const WS_STATE_WORDS: u32 = 17
/* Arguments. */
export const WS_MAX_MESSAGE: u32 = L_STATE + 68
export const WS_MAX_MESSAGE_HIGH: u32 = L_STATE + 72
export const WS_MAX_FRAME: u32 = L_STATE + 76
export const WS_MAX_FRAME_HIGH: u32 = L_STATE + 80
export const WS_MAX_FRAGMENTS: u32 = L_STATE + 84
/* Results. */
/** Address of the first byte that was not consumed. */
export const WS_INPUT_AT: u32 = L_STATE + 88
export const WS_RECORDS_AT: u32 = L_STATE + 92
/** End of the memory that payloads stand in: from the input to here the input may have been overwritten. */
export const WS_DATA_AT: u32 = L_STATE + 96
/** Of a fault: place of the offending byte, from WS_BIAS bytes before the input. */
export const WS_BAD_AT: u32 = L_STATE + 100
/** Of a limit: what came, low and high half. */
export const WS_ACTUAL: u32 = L_STATE + 104
export const WS_ACTUAL_HIGH: u32 = L_STATE + 108

/** A frame header is at most 14 bytes and may have begun before the input: places count from here. */
export const WS_BIAS: u32 = 16

export const WP_HEADER: u32 = 0
export const WP_PAYLOAD: u32 = 1
/** After a close frame: nothing that follows is looked at. */
export const WP_CLOSED: u32 = 2

/* Options of wsScan. */
/** There is no state: the input starts with a frame, between messages. */
export const WO_FRESH: u32 = 1
/** We are the server: frames must be masked. Otherwise they must not be. */
export const WO_SERVER: u32 = 2
/** permessage-deflate is agreed on: the first frame of a data message may have RSV1. */
export const WO_DEFLATE: u32 = 4
/** Text and close payloads are not looked into. */
export const WO_RAW: u32 = 8
/** More input is at hand: do not begin a frame that ends after this input, unless it is the first. */
export const WO_HOLD: u32 = 16

/* A record of the tape: 5 words, one for every frame and for every further piece of its payload. */
export const WR_FLAGS: u32 = 0
/** Where the piece stands, from the input on; it has been unmasked. */
export const WR_DATA: u32 = 4
export const WR_LENGTH: u32 = 8
/** Where the frame began, from WS_BIAS bytes before the input. Of a further piece: where that began. */
export const WR_START: u32 = 12
/** The key as on the wire, read little-endian. */
export const WR_KEY: u32 = 16
export const WR_BYTES: u32 = 20

/* Flags of a frame. */
export const WF_OPCODE: u32 = 15
export const WF_RSV1: u32 = 0x10
export const WF_MASKED: u32 = 0x20
export const WF_FIN: u32 = 0x40
/** The frame begins in this record. */
export const WF_BEGIN: u32 = 0x80
/** The frame ends in this record. */
export const WF_END: u32 = 0x100
/** Some byte of this piece is ≥ 0x80; said of text alone. */
export const WF_NON_ASCII: u32 = 0x200
/** The piece was unmasked or moved: it is not what the input holds. */
export const WF_CHANGED: u32 = 0x400
/* Flags of a message, that each of its frames has. */
export const WF_TEXT: u32 = 0x800
export const WF_COMPRESSED: u32 = 0x1000
export const WF_BINARY: u32 = 0x2000
export const WF_MESSAGE: u32 = 0x3800
/** Bytes of the header, from this bit on. */
export const WF_HEADER_SHIFT: u32 = 16

/* The header of a frame on the wire (RFC 6455, section 5.2). */
/** Of the first byte. */
export const WH_FIN: u32 = 0x80
export const WH_RSV1: u32 = 0x40
/** Of the second. */
export const WH_MASK: u32 = 0x80
export const OP_CONTINUATION: u32 = 0
export const OP_TEXT: u32 = 1
export const OP_BINARY: u32 = 2
export const OP_CLOSE: u32 = 8
export const OP_PING: u32 = 9
export const OP_PONG: u32 = 10
/** The longest payload of a control frame (section 5.5). */
export const MAX_CONTROL: u32 = 125

/* Error numbers. */
export const E_WS_RESERVED_BITS: u32 = 0x200
export const E_WS_UNEXPECTED_RSV1: u32 = 0x201
export const E_WS_BAD_OPCODE: u32 = 0x202
export const E_WS_FRAGMENTED_CONTROL: u32 = 0x203
export const E_WS_CONTROL_TOO_LONG: u32 = 0x204
export const E_WS_CLOSE_TOO_SHORT: u32 = 0x205
export const E_WS_BAD_CLOSE_CODE: u32 = 0x206
export const E_WS_UNMASKED: u32 = 0x207
export const E_WS_MASKED: u32 = 0x208
export const E_WS_UNEXPECTED_CONTINUATION: u32 = 0x209
export const E_WS_EXPECTED_CONTINUATION: u32 = 0x20a
export const E_WS_UTF8: u32 = 0x20b
export const E_WS_TOO_MANY_FRAGMENTS: u32 = 0x20c
export const E_WS_MESSAGE_TOO_BIG: u32 = 0x20d
export const E_WS_FRAME_TOO_BIG: u32 = 0x20e
export const E_WS_LENGTH_OVERFLOW: u32 = 0x20f

/* An order of wsEncode: 4 words. */
/** The first byte of the header, and flags above it. */
export const WE_FIRST: u32 = 0
/** Where the payload stands; the header is written before it. */
export const WE_DATA: u32 = 4
export const WE_LENGTH: u32 = 8
/** As on the wire, read little-endian. */
export const WE_KEY: u32 = 12
export const WE_BYTES: u32 = 16
export const WE_MASKED: u32 = 0x100
/** The payload is elsewhere: only its length counts. */
export const WE_HEADER_ONLY: u32 = 0x200
