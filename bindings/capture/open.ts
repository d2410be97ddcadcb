import { usageError } from '../core/errors'
import { objectArgument } from '../core/options'
import type { Adapters, CaptureOption, UnitReader } from './format'
import { FORMATS } from './registry'

/** `websocket`, `dbus` … */
export type CaptureFormatName = keyof typeof FORMATS

export interface CaptureSettings extends Adapters {
  /** Values of the format's own options, by name; `true` for a switch. What is not given has its default. */
  readonly options?: Readonly<Record<string, string | boolean | undefined>> | undefined
  /** As for the decoder of the format. */
  readonly limits?: Readonly<Record<string, number>> | undefined
  /** Where the format can: bad units come as WireErrors among the others. Default false: the first one ends the capture. */
  readonly keepGoing?: boolean | undefined
}

/**
 * A reader of a capture of that format: what one end of a connection has sent, in the forms that the `wiretape` command reads. Push
 * its chunks, and read the units behind each. Throws a WireError of kind 'usage' where an option or limit is wrong.
 */
export function openCapture(name: CaptureFormatName, settings: CaptureSettings = {}): UnitReader {
  if (!Object.hasOwn(FORMATS, name)) throw new TypeError(`there is no format ${String(name)}`)
  objectArgument(name, 'settings', settings)
  const { options = {}, limits = {}, keepGoing = false, ...adapters } = settings
  const { options: known = [], keepsGoing = false, decoder } = FORMATS[name]
  if (keepGoing && !keepsGoing) throw usageError(name, 'decoding cannot go on after a fault of this format')
  for (const given of Object.keys(options)) {
    if (!known.some((option) => option.name === given)) throw usageError(name, `there is no option ${given}`)
  }
  const values = known.map((option) => [option.name, settingOf(name, option, options[option.name])])
  return decoder({ ...adapters, options: Object.fromEntries(values), limits, keepGoing })
}

function settingOf(format: CaptureFormatName, option: CaptureOption, given: string | boolean | undefined) {
  const { name, value, optional = false, choices, required = false } = option
  if (given === undefined || given === false) {
    if (required) throw usageError(format, `the option ${name} is needed${choices ? `: ${choices.join(' or ')}` : ''}`)
    return option.default
  }
  if (given === true ? value !== undefined && !optional : value === undefined) {
    throw usageError(format, value === undefined ? `${name} is a switch and takes no value` : `${name} needs a value`)
  }
  if (choices && !choices.includes(String(given))) throw usageError(format, `${name} must be ${choices.join(' or ')}`)
  return given
}
