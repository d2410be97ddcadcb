import {
  E_HDS_KEY,
  HF_ANY_KEYS,
  HT_BITS,
  HT_CLASS,
  HT_DATA,
  HT_DATE,
  HT_FLOAT32,
  HT_FLOAT64,
  HT_INT8,
  HT_INT16,
  HT_INT32,
  HT_INT64,
  HT_NAME,
  HT_REFERENCE,
  HT_TEXT,
  HT_UTF8,
  HT_UUID,
} from '../../assembly/abi/hds'
import { latin1Text } from '../core/text'
import { hdsError, kernelError } from './errors'
import type { Scan } from './scan'
import type { Settings } from './settings'

/** Any value of a fixed size counts as this many bytes. */
const FIXED_BYTES = 9

const isString = (kind: number): boolean => kind === HT_NAME || kind === HT_TEXT || kind === HT_UTF8

/**
 * Numbers the values on the tape from the word `tape` to `tapeEnd`, and puts the index of the word that it stands for behind every
 * reference. HAP-NodeJS counts every literal string, sized integer, float, date, UUID and data; OPACK every distinct one
 * that is longer than its tag. Throws the first reference that stands for nothing, or for no key where it must, or for too much.
 */
export function resolveReferences(scan: Scan, tape: number, tapeEnd: number, offset: number, settings: Settings): void {
  const { limits, flags } = settings
  const words = new Int32Array(scan.memory.u32.buffer)
  const opack = settings.references === 'opack'
  const table: number[] = []
  const sizes: number[] = []
  const known = new Set<string>()
  let expanded = 0
  for (let at = tape; at < tapeEnd; ) {
    const here = at
    const word = words[at++]!
    const kind = word & HT_CLASS
    const count = word >>> HT_BITS
    let size = FIXED_BYTES
    let low = count
    let high = 0
    switch (kind) {
      case HT_INT8:
      case HT_INT16:
        break
      case HT_INT32:
      case HT_FLOAT32:
        low = words[at++]!
        break
      case HT_INT64:
      case HT_FLOAT64:
      case HT_DATE:
        low = words[at++]!
        high = words[at++]!
        break
      case HT_UUID:
        low = words[at++]!
        break
      case HT_NAME:
        size = scan.names.get(count).length
        break
      case HT_TEXT:
      case HT_UTF8:
      case HT_DATA:
        size = count
        if (count > 0) low = words[at++]!
        break
      case HT_REFERENCE: {
        const place = words[at++]!
        const position = place & 0x7fffffff
        const target = table[count]
        if (target === undefined) throw hdsError('badReference', { offset: offset + position, detail: String(count) })
        if (place < 0 && !(flags & HF_ANY_KEYS) && !isString(words[target]! & HT_CLASS)) {
          throw kernelError(E_HDS_KEY, false, { offset: offset + position })
        }
        expanded += sizes[count]!
        if (expanded > limits.maxExpandedBytes) {
          const limit = { name: 'maxExpandedBytes', max: limits.maxExpandedBytes, actual: expanded }
          throw hdsError('expanded', { offset: offset + position, limit })
        }
        words[at - 1] = target
        continue
      }
      default:
        continue
    }
    if (opack) {
      if (size === 0) continue
      const before = known.size
      known.add(identity(scan, kind, size, low, high))
      if (known.size === before) continue
    }
    table.push(here)
    sizes.push(size)
  }
}

/** The same text for two values if and only if they are the same on the wire, but for the form of a length. */
function identity({ memory, names, bytes, from, text }: Scan, kind: number, size: number, low: number, high: number) {
  // Names are ASCII, so they are their own bytes.
  if (kind === HT_NAME) return `s${names.get(low)}`
  if (kind === HT_TEXT) return `s${latin1Text(memory.u8, text + low, text + low + size)}`
  if (kind === HT_UTF8) return `s${latin1Text(bytes, from + low, from + low + size)}`
  if (kind === HT_DATA) return `d${latin1Text(bytes, from + low, from + low + size)}`
  if (kind === HT_UUID) return `u${latin1Text(bytes, from + low, from + low + 16)}`
  return `${kind}:${low}:${high}`
}
