import { L_INTERN, L_INTERN_END } from './layout'

/*
 * The intern region: names that recur on the wire, so that each becomes a JavaScript string once.
 *
 *   +0 count of names   +4 address of the first free byte   +64 slots   … entries (address, length)   … bytes
 *
 * An all-zero region is an empty table.
 */
export const I_COUNT: u32 = L_INTERN
export const I_FREE: u32 = L_INTERN + 4
export const I_SLOTS: u32 = L_INTERN + 64
/** A power of two, twice the names: chains stay short. */
export const I_SLOT_COUNT: u32 = 2048
export const I_ENTRIES: u32 = I_SLOTS + 8192
export const I_MAX_NAMES: u32 = 1024
export const I_BYTES: u32 = I_ENTRIES + 8192
export const I_END: u32 = L_INTERN_END
/** Longer names are not interned: they are seldom names. */
export const I_MAX_BYTES: u32 = 64
