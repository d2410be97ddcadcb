import { L_INTERN, L_INTERN_END } from './layout'

/*
 * The intern region: names that recur on the wire, so that each becomes a JavaScript string once.
 *
 *   +0 count of names   +4 address of the first free byte   +8 id of the name that was asked for last   +64 slots
 *   … entries: address; length; 16 bits further, the id of the name that was asked for after this one   … bytes
 *
 * An all-zero region is an empty table. Names come in the order in which they came before, as the keys of a dictionary do, so
 * the one that followed the last time is looked at first.
 */
export const I_COUNT: u32 = L_INTERN
export const I_FREE: u32 = L_INTERN + 4
export const I_LAST: u32 = L_INTERN + 8
export const I_SLOTS: u32 = L_INTERN + 64
/** Twice as many slots as names: chains stay short. */
export const I_SLOT_BITS: u32 = 11
export const I_SLOT_COUNT: u32 = 2048
export const I_ENTRIES: u32 = I_SLOTS + 8192
/** Bytes of an entry, and where they tell the length and the name that followed. */
export const I_ENTRY: u32 = 8
export const I_LENGTH: u32 = 4
export const I_NEXT: u32 = 6
export const I_MAX_NAMES: u32 = 1024
/** Slots that are looked at for one name: a peer may choose names that all fall into one place. */
export const I_MAX_PROBES: u32 = 32
export const I_BYTES: u32 = I_ENTRIES + 8192
export const I_END: u32 = L_INTERN_END
/** Longer names are not interned: they are seldom names. */
export const I_MAX_BYTES: u32 = 64
