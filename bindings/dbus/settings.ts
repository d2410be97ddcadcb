import { usageError } from '../core/errors'
import { resolveLimits } from '../core/limits'
import { choice, type DictMode, type Int64Mode, objectArgument } from '../core/options'
import { DEFAULT_LIMITS, type Limits } from './limits'
import type { DecodeOptions, Shape, Units } from './types'

/** Options in the form that they are used in. */
export interface Settings {
  readonly limits: Readonly<Limits>
  readonly view: boolean
  readonly int64: Int64Mode
  readonly dict: DictMode
  readonly tagged: boolean
  readonly eager: boolean
  readonly report: boolean
  /** One more than the descriptors that came along; 0: not known. */
  readonly descriptors: number
}

export const DEFAULTS: Settings = Object.freeze({
  limits: DEFAULT_LIMITS,
  view: false,
  int64: 'bigint',
  dict: 'map',
  tagged: true,
  eager: false,
  report: false,
  descriptors: 0,
})

const BYTES = ['copy', 'view'] as const
const INT64 = ['bigint', 'number', 'auto'] as const
const DICT = ['map', 'object', 'pairs'] as const
const TYPES = ['tagged', 'plain'] as const
const VALIDATE = ['lazy', 'eager'] as const
const ERRORS = ['throw', 'report'] as const

/** The given shape over that of `base`. */
export function shaped(base: Settings, shape: Shape | undefined): Settings {
  if (shape === undefined) return base
  objectArgument('dbus', 'shape', shape)
  return settingsOf(base, shape, base.limits, base.eager, base.report, base.descriptors)
}

function settingsOf(
  base: Settings,
  { bytes, int64, dict, types }: Shape,
  limits: Readonly<Limits>,
  eager: boolean,
  report: boolean,
  descriptors: number,
): Settings {
  return {
    limits,
    view: choice('dbus', 'bytes', bytes, BYTES, base.view ? 'view' : 'copy') === 'view',
    int64: choice('dbus', 'int64', int64, INT64, base.int64),
    dict: choice('dbus', 'dict', dict, DICT, base.dict),
    tagged: choice('dbus', 'types', types, TYPES, base.tagged ? 'tagged' : 'plain') === 'tagged',
    eager,
    report,
    descriptors,
  }
}

/** Options as settings. */
export function resolve(options: DecodeOptions<keyof Units> | undefined): Settings {
  if (options === undefined) return DEFAULTS
  objectArgument('dbus', 'options', options)
  const { limits, validate, errors, descriptors } = options
  return settingsOf(
    DEFAULTS,
    options,
    resolveLimits('dbus', DEFAULT_LIMITS, limits),
    choice('dbus', 'validate', validate, VALIDATE, 'lazy') === 'eager',
    choice('dbus', 'errors', errors, ERRORS, 'throw') === 'report',
    descriptorsPlusOne(descriptors),
  )
}

function descriptorsPlusOne(descriptors: number | undefined): number {
  if (descriptors === undefined) return 0
  if (!Number.isInteger(descriptors) || descriptors < 0 || descriptors >= 0xffffffff) {
    throw usageError('dbus', 'descriptors must be a count')
  }
  return descriptors + 1
}
