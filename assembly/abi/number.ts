/* What lib/number answers. */
/** Stored, and the float64 nearest to the text. */
export const NUMBER_STORED: u32 = 0
/** Well formed, but its text must be read by other means: too many digits, too large an exponent, inf, nan. Nothing is stored. */
export const NUMBER_INEXACT: u32 = 1
/** No number. Nothing is stored. */
export const NUMBER_MALFORMED: u32 = 2

/** Significant digits that are read: what two words of nine digits hold, and one more than any shortest float64 has. */
export const NUMBER_DIGITS: u32 = 18
