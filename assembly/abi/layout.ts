/*
 * The memory map, the same on both backends so that tapes can be compared byte for byte.
 *
 *   0x00000  static data of the compiler (heapBase() must not pass L_TABLES)
 *   0x04000  L_TABLES   tables that a format builds at first use
 *   0x20000  L_INTERN   interned names, shared by all formats of the thread
 *   0x30000  L_STATE    state block: arguments and results of one call that do not fit its parameters
 *   0x30400  L_READ     a window that sockets of the thread read into; no kernel writes there but where it is told to unmask
 *   0x40480  L_ARENA    input, tape and output of one call, laid out by its binding; grows
 */
export const L_TABLES: u32 = 0x4000
/** Tables of the HPACK Huffman code, see abi/huffman. */
export const L_HUFFMAN: u32 = L_TABLES
export const L_INTERN: u32 = 0x20000
export const L_INTERN_END: u32 = 0x30000
export const L_STATE: u32 = 0x30000
export const L_READ: u32 = 0x30400
export const L_ARENA: u32 = 0x40480

/** Bytes of a caller's chunk that are staged at once: payloads never grow the memory to their own size. */
export const L_WINDOW: u32 = 0x10000
/** A vector load may look at, and a vector store may write, this many bytes past the end of its region. */
export const L_SLACK: u32 = 64
