/*
 * State of UTF-8 text between two bytes (RFC 3629, section 4): what the next byte may be.
 *
 *   state          next byte   then
 *   UTF8_BETWEEN   first byte of a character
 *   UTF8_TAIL_1    80..BF      UTF8_BETWEEN
 *   UTF8_TAIL_2    80..BF      UTF8_TAIL_1
 *   UTF8_TAIL_3    80..BF      UTF8_TAIL_2
 *   UTF8_AFTER_E0  A0..BF      UTF8_TAIL_1     80..9F would be overlong
 *   UTF8_AFTER_ED  80..9F      UTF8_TAIL_1     A0..BF would be a surrogate
 *   UTF8_AFTER_F0  90..BF      UTF8_TAIL_2     80..8F would be overlong
 *   UTF8_AFTER_F4  80..8F      UTF8_TAIL_2     90..BF would be above U+10FFFF
 */
/** Between characters: text may start and end here. */
export const UTF8_BETWEEN: u32 = 0
export const UTF8_TAIL_1: u32 = 1
export const UTF8_TAIL_2: u32 = 2
export const UTF8_TAIL_3: u32 = 3
export const UTF8_AFTER_E0: u32 = 4
export const UTF8_AFTER_ED: u32 = 5
export const UTF8_AFTER_F0: u32 = 6
export const UTF8_AFTER_F4: u32 = 7
/** No text goes on with this byte. */
export const UTF8_FAULT: u32 = 8
