import { get8 } from 'lib/mem'
import { D_MAX_NAME, DN_BUS, DN_MEMBER, DN_PATH } from '../abi/dbus'

const DOT: u32 = 0x2e
const DASH: u32 = 0x2d
const COLON: u32 = 0x3a
const SLASH: u32 = 0x2f
const UNDERSCORE: u32 = 0x5f

function isDigit(b: u32): bool {
  return b >= 0x30 && b <= 0x39
}

function isLetter(b: u32): bool {
  const low: u32 = (b | 0x20) >>> 0
  return (low >= 0x61 && low <= 0x7a) || b === UNDERSCORE
}

/** `/`, or elements of letters, digits and `_`, each after a slash (specification, "Valid Object Paths"). */
export function isPath(p: u32, end: u32): bool {
  if (p === end || get8(p) !== SLASH) return false
  if (end - p === 1) return true
  let slash: bool = true
  p = p + 1
  while (p < end) {
    const b: u32 = get8(p)
    if (b === SLASH) {
      if (slash) return false
      slash = true
    } else {
      if (!isLetter(b) && !isDigit(b)) return false
      slash = false
    }
    p = p + 1
  }
  return !slash
}

/**
 * Whether [p, end) is a name of that kind (specification, "Valid Names"): 1 or 0. Interfaces and errors have two elements
 * or more, none of which begins with a digit; members are one element; a bus name may have `-`, and begin elements with
 * digits where it is unique (`:1.5`).
 */
export function dbusName(kind: u32, p: u32, end: u32): u32 {
  if (kind === DN_PATH) return isPath(p, end) ? 1 : 0
  if (p === end || end - p > D_MAX_NAME) return 0
  const bus: bool = kind === DN_BUS
  let digits: bool = false
  if (bus && get8(p) === COLON) {
    digits = true
    p = p + 1
  }
  /** An element begins here. The first of a unique name may be empty, as the reference implementation has it. */
  let begins: bool = !digits
  let dots: u32 = 0
  while (p < end) {
    const b: u32 = get8(p)
    if (b === DOT) {
      if (begins) return 0
      dots = dots + 1
      begins = true
    } else {
      if (!isLetter(b) && !(bus && b === DASH) && !(isDigit(b) && (!begins || digits))) return 0
      begins = false
    }
    p = p + 1
  }
  if (begins) return 0
  return (dots === 0) === (kind === DN_MEMBER) ? 1 : 0
}
