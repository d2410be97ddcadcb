import { D_INPUT, DS_AT } from '../../assembly/abi/dbus'
import { usageError } from '../core/errors'
import { kernelError } from './errors'
import { selectCore } from './kernels'

/** A complete type. */
export interface Type {
  /** Char code of its first letter. */
  readonly code: number
  readonly signature: string
  /** Of arrays: the element. */
  readonly element: Type | undefined
  /** Of structs and dict entries: the fields. */
  readonly fields: readonly Type[]
  readonly alignment: number
  /** Bytes of types that are as long as they are aligned; else 0. */
  readonly size: number
}

const NO_FIELDS: readonly Type[] = []
const ALIGNMENT: Readonly<Record<string, number>> = {
  y: 1,
  g: 1,
  v: 1,
  n: 2,
  q: 2,
  b: 4,
  i: 4,
  u: 4,
  h: 4,
  s: 4,
  o: 4,
  a: 4,
  x: 8,
  t: 8,
  d: 8,
  '(': 8,
  '{': 8,
}
const CLOSED = /[)}]/
const NOT_FIXED = 'gvsoa({'

function makeType(signature: string, element: Type | undefined, fields: readonly Type[]): Type {
  const letter = signature[0]!
  const alignment = ALIGNMENT[letter]!
  const size = NOT_FIXED.includes(letter) ? 0 : alignment
  return { code: letter.charCodeAt(0), signature, element, fields, alignment, size }
}

/** The types of a good signature, which is at most 96 levels deep. */
function parse(signature: string): readonly Type[] {
  let at = 0
  const one = (): Type => {
    const from = at
    const letter = signature[at++]
    if (letter === 'a') {
      const element = one()
      return makeType(signature.slice(from, at), element, NO_FIELDS)
    }
    if (letter !== '(' && letter !== '{') return makeType(letter!, undefined, NO_FIELDS)
    const fields: Type[] = []
    while (!CLOSED.test(signature[at]!)) fields.push(one())
    at++
    return makeType(signature.slice(from, at), undefined, fields)
  }
  const types: Type[] = []
  while (at < signature.length) types.push(one())
  return types
}

/** What peers make us remember is bounded; with more the memory starts anew. */
const MOST = 1024
let known = new Map<string, readonly Type[]>()

function remember(signature: string): readonly Type[] {
  const types = Object.freeze(parse(signature))
  if (known.size >= MOST) known = new Map()
  known.set(signature, types)
  return types
}

/** The types of a signature that a kernel has found good. */
export const typesOf = (signature: string): readonly Type[] => known.get(signature) ?? remember(signature)

/** The number of what is wrong with a signature and its place, or undefined. */
export function signatureFault(signature: string): { readonly number: number; readonly at: number } | undefined {
  const { kernels, memory } = selectCore(signature.length, Number.POSITIVE_INFINITY)
  const length = Math.min(signature.length, 256)
  memory.reserve(4096)
  for (let i = 0; i < length; i++) {
    const code = signature.charCodeAt(i)
    memory.u8[D_INPUT + i] = code < 128 ? code : 0
  }
  const number = kernels.dbusSignature(D_INPUT, D_INPUT + length) >>> 0
  return number === 0 ? undefined : { number, at: memory.u32[DS_AT >>> 2]! - D_INPUT }
}

/** The types of a signature that a caller gives. Throws the WT_DBUS_SIG_… error of a bad one, with the given path. */
export function checkedTypes(signature: string, path: string): readonly Type[] {
  const types = known.get(signature)
  if (types) return types
  if (typeof signature !== 'string') throw usageError('dbus', `${path} must be a string`)
  const fault = signatureFault(signature)
  if (fault) throw kernelError(fault.number, { path, detail: `letter ${fault.at + 1} of '${signature}'` })
  return remember(signature)
}

/** The one complete type of a variant's signature. */
export function checkedType(signature: string, path: string): Type {
  const types = checkedTypes(signature, path)
  if (types.length !== 1) throw usageError('dbus', `${path} must be one complete type, not '${signature}'`)
  return types[0]!
}

/** By char code: the types of one letter that a variant can have. */
export const LETTERS: readonly (Type | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code)
  return 'ybnqiuxtdsoghv'.includes(letter) ? typesOf(letter)[0] : undefined
})
