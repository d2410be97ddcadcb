import { OP_BINARY, OP_CLOSE, OP_PING, OP_PONG, OP_TEXT } from '../../assembly/abi/websocket'

/** The opcode of a message by its type. */
export const OPCODES = { text: OP_TEXT, binary: OP_BINARY, close: OP_CLOSE, ping: OP_PING, pong: OP_PONG } as const
/** The code that stands for a close frame without one (RFC 6455, section 7.4.1). */
export const NO_STATUS = 1005
/** What the high half of a 64-bit number counts. */
export const TWO_32 = 0x1_0000_0000
