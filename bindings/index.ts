/**
 * What all formats share: errors, the JSON form of values, and the choice of the backend. The codecs are at `wiretape/websocket`,
 * `wiretape/dbus`, `wiretape/hds`, `wiretape/opack`, `wiretape/hpack` and `wiretape/katcp`.
 *
 * @packageDocumentation
 */
export { type ErrorKind, type ExceededLimit, type Protocol, WireError, type WireErrorCode } from './core/error'
export { type FromJsonOptions, fromJson, type JsonForm, jsonForm, toJson } from './core/json'
export type { Bytes, BytesMode, Decoded, DictMode, Int64Mode, TypesMode } from './core/options'
export { type Backend, type BackendChoice, backend, backendReason, initCore, useBackend } from './engine/load'
