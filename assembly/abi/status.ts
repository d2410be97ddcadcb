/** What a kernel returns: one of these, or an error number of its format (all of which are ≥ ST_ERROR). */
export const ST_DONE: u32 = 0
/** The input ends inside a unit: a value, never a fault. */
export const ST_MORE: u32 = 1
/** The tape or the output is full: consume it and call again from the position in the state block. */
export const ST_FULL: u32 = 2
/** Error numbers start here; each format has a block of 256, see its own file. */
export const ST_ERROR: u32 = 0x100
