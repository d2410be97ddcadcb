/**
 * Captures: what one end of a connection has sent, in a file or a stream, as the units of its format. What the `wiretape` command
 * reads, for programs.
 *
 * @packageDocumentation
 */
export { type ErrorKind, WireError, type WireErrorCode } from '../core/error'
export type { Adapters, CaptureFormat, CaptureOption, ReaderSettings, UnitReader } from './format'
export { unitLine } from './lines'
export { type CaptureFormatName, type CaptureSettings, openCapture } from './open'
export { FORMATS } from './registry'
