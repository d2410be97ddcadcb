import {
  H_MAX_DEPTH,
  H_MAX_PAYLOAD,
  HF_ANY_KEYS,
  HF_LONG_REFERENCES,
  HF_LOOSE_TEXT,
  HF_REFERENCES,
  HF_RUNS,
  HF_SHORT_LENGTHS,
  HF_TERMINATED_DATA,
  HF_UNSIGNED,
} from '../../assembly/abi/hds'
import { resolveLimits } from '../core/limits'
import { choice, type DictMode, type Int64Mode, objectArgument } from '../core/options'
import { DEFAULT_LIMITS, type Limits } from './limits'
import type { DecodeOptions, EncodeOptions, Profile } from './types'

/** Options of reading in the form that they are used in. */
export interface Settings {
  readonly limits: Readonly<Limits>
  /** HF_… for the kernel. */
  readonly flags: number
  readonly view: boolean
  readonly int64: Int64Mode
  readonly dict: DictMode
  readonly tagged: boolean
  readonly typed: boolean
  readonly unsigned: boolean
  readonly references: 'reject' | 'hap-nodejs' | 'opack'
  readonly loose: boolean
  readonly trailing: boolean
}

const PROFILES = ['hds', 'hap-nodejs', 'opack'] as const
const BYTES = ['copy', 'view'] as const
const INT64 = ['bigint', 'number', 'auto'] as const
const TYPES = ['tagged', 'plain'] as const
const DICT = ['map', 'object', 'pairs'] as const
const NUMBERS = ['list', 'typed'] as const
const REFERENCES = ['reject', 'hap-nodejs', 'opack'] as const
const UTF8 = ['strict', 'replace'] as const
const KEYS = ['string-only', 'any'] as const
const TERMINATED = ['raw', 'reject'] as const
const TRAILING = ['reject', 'allow'] as const

/** Limits that the kernels can keep. */
function bounded(limits: Readonly<Limits>): Readonly<Limits> {
  if (limits.maxDepth <= H_MAX_DEPTH && limits.maxPayloadBytes <= H_MAX_PAYLOAD && limits.maxItems <= 0xfffffffe) {
    return limits
  }
  return Object.freeze({
    ...limits,
    maxDepth: Math.min(limits.maxDepth, H_MAX_DEPTH),
    maxPayloadBytes: Math.min(limits.maxPayloadBytes, H_MAX_PAYLOAD),
    maxItems: Math.min(limits.maxItems, 0xfffffffe),
  })
}

function settingsOf(options: DecodeOptions, limits: Readonly<Limits>): Settings {
  const profile: Profile = choice('hds', 'profile', options.profile, PROFILES, 'hds')
  const opack = profile === 'opack'
  const dict = choice('hds', 'dict', options.dict, DICT, 'object')
  const tagged = choice('hds', 'types', options.types, TYPES, 'plain') === 'tagged'
  const references = choice('hds', 'references', options.references, REFERENCES, profile === 'hds' ? 'reject' : profile)
  const loose = choice('hds', 'utf8', options.utf8, UTF8, 'strict') === 'replace'
  const anyKeys = choice('hds', 'keys', options.keys, KEYS, opack ? 'any' : 'string-only') === 'any'
  const terminated = choice('hds', 'terminatedData', options.terminatedData, TERMINATED, opack ? 'reject' : 'raw')
  let flags = 0
  if (opack) flags |= HF_UNSIGNED | HF_SHORT_LENGTHS
  if (references !== 'reject') flags |= HF_REFERENCES
  if (references === 'opack') flags |= HF_LONG_REFERENCES
  if (anyKeys && dict !== 'object') flags |= HF_ANY_KEYS
  if (loose) flags |= HF_LOOSE_TEXT
  if (terminated === 'raw') flags |= HF_TERMINATED_DATA
  if (!tagged && references === 'reject') flags |= HF_RUNS
  return Object.freeze({
    limits,
    flags,
    view: choice('hds', 'bytes', options.bytes, BYTES, 'copy') === 'view',
    int64: choice('hds', 'int64', options.int64, INT64, 'auto'),
    dict,
    tagged,
    typed: choice('hds', 'numbers', options.numbers, NUMBERS, 'list') === 'typed' && !tagged,
    unsigned: opack,
    references,
    loose,
    trailing: choice('hds', 'trailing', options.trailing, TRAILING, 'reject') === 'allow',
  })
}

const DEFAULTS = settingsOf({}, bounded(DEFAULT_LIMITS))

/** The last options and what became of them: most programs have one set, and reading it takes as long as a small payload. */
let lastSettings = DEFAULTS
let last: DecodeOptions = {}

/** Options of reading as settings. */
export function resolve(options: DecodeOptions | undefined): Settings {
  if (options === undefined) return DEFAULTS
  objectArgument('hds', 'options', options)
  if (
    options.limits === undefined &&
    options.profile === last.profile &&
    options.bytes === last.bytes &&
    options.int64 === last.int64 &&
    options.types === last.types &&
    options.dict === last.dict &&
    options.numbers === last.numbers &&
    options.references === last.references &&
    options.utf8 === last.utf8 &&
    options.keys === last.keys &&
    options.terminatedData === last.terminatedData &&
    options.trailing === last.trailing
  ) {
    return lastSettings
  }
  const settings = settingsOf(options, bounded(resolveLimits('hds', DEFAULT_LIMITS, options.limits)))
  if (options.limits === undefined) {
    const { profile, bytes, int64, types, dict, numbers, references, utf8, keys, terminatedData, trailing } = options
    last = { profile, bytes, int64, types, dict, numbers, references, utf8, keys, terminatedData, trailing }
    lastSettings = settings
  }
  return settings
}

/** Options of writing in the form that they are used in. */
export interface Dialect {
  /** Largest integer of one byte. */
  readonly inlineMost: number
  /** Bytes of data whose length is in the tag; -1: none. */
  readonly inlineData: number
  /** Values or pairs of a container that is not terminated. */
  readonly counted: number
  readonly unsigned: boolean
  readonly references: boolean
  readonly loose: boolean
  readonly maxDepth: number
  readonly maxPayloadBytes: number
}

function dialectOf(options: EncodeOptions): Dialect {
  const profile: Profile = choice('hds', 'profile', options.profile, PROFILES, 'hds')
  const opack = profile === 'opack'
  const references = choice(
    'hds',
    'references',
    options.references,
    opack ? (['reject', 'opack'] as const) : (['reject'] as const),
    opack ? 'opack' : 'reject',
  )
  const limits = bounded(resolveLimits('hds', DEFAULT_LIMITS, options.limits))
  return Object.freeze({
    inlineMost: opack ? 39 : 38,
    inlineData: profile === 'hap-nodejs' ? -1 : 32,
    counted: profile === 'hap-nodejs' ? 12 : 14,
    unsigned: opack,
    references: references === 'opack',
    loose: choice('hds', 'utf8', options.utf8, UTF8, 'strict') === 'replace',
    maxDepth: limits.maxDepth,
    maxPayloadBytes: limits.maxPayloadBytes,
  })
}

const DIALECT = dialectOf({})
const OPACK = dialectOf({ profile: 'opack' })

/** Options of writing as a dialect. */
export function dialect(options: EncodeOptions | undefined): Dialect {
  if (options === undefined) return DIALECT
  objectArgument('hds', 'options', options)
  const { profile, references, utf8, limits } = options
  if (references === undefined && utf8 === undefined && limits === undefined) {
    if (profile === undefined || profile === 'hds') return DIALECT
    if (profile === 'opack') return OPACK
  }
  return dialectOf(options)
}
