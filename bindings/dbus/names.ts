import { D_INPUT, DN_BUS, DN_ERROR, DN_INTERFACE, DN_MEMBER, DN_PATH } from '../../assembly/abi/dbus'
import { LARGE, scriptCore } from './kernels'
import { signatureFault, typesOf } from './signature'

/** The rule of each kind of name, by its number for the kernel, and a bounded memory of names that keep it. */
interface Rule {
  readonly kind: number
  known: Set<string>
}
const rule = (kind: number): Rule => ({ kind, known: new Set() })
const RULES = {
  path: rule(DN_PATH),
  interface: rule(DN_INTERFACE),
  member: rule(DN_MEMBER),
  errorName: rule(DN_ERROR),
  bus: rule(DN_BUS),
}
const MOST = 512

/** Whether `text` is a name of that kind. */
export function isName(kind: keyof typeof RULES, text: string): boolean {
  const { known } = RULES[kind]
  if (known.has(text)) return true
  if (typeof text !== 'string' || text.length === 0) return false
  if (kind !== 'path' && text.length > 255) return false
  const { kernels, memory } = scriptCore()
  memory.reserve(text.length + 4096)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    memory.u8[D_INPUT + i] = code < 128 ? code : 0
  }
  const good = kernels.dbusName(RULES[kind].kind, D_INPUT, D_INPUT + text.length) !== 0
  if (text.length > LARGE) memory.release()
  if (!good) return false
  if (text.length > 255) return true
  if (known.size >= MOST) RULES[kind].known = new Set()
  RULES[kind].known.add(text)
  return true
}

/** Whether `text` is an object path: `/`, or `/a/b` with elements of letters, digits and `_`. Of any length. */
export const isObjectPath = (text: string): boolean => isName('path', text)

/**
 * Whether `text` is an interface name: two or more elements of letters, digits and `_`, joined by dots, none of which begins
 * with a digit. At most 255 characters.
 */
export const isInterfaceName = (text: string): boolean => isName('interface', text)

/**
 * Whether `text` is the name of a method or signal: letters, digits and `_`, not beginning with a digit. 1 to 255 characters.
 */
export const isMemberName = (text: string): boolean => isName('member', text)

/** Whether `text` is an error name; the rule is that of interfaces. */
export const isErrorName = (text: string): boolean => isName('errorName', text)

/**
 * Whether `text` is a bus name, well-known (`org.a.B`) or unique (`:1.5`): two or more elements, in which `-` is allowed too.
 * At most 255 characters.
 */
export const isBusName = (text: string): boolean => isName('bus', text)

/**
 * Whether `text` is a signature: complete types, one after the other, or none. At most 255 letters, 32 arrays and 32 structs
 * open at once.
 */
export const isSignature = (text: string): boolean => typeof text === 'string' && signatureFault(text) === undefined

/** Whether `text` is one complete type, as a variant has it. */
export const isSingleSignature = (text: string): boolean => isSignature(text) && typesOf(text).length === 1
