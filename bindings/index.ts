export { type ErrorKind, type Protocol, WireError, type WireErrorCode } from './core/error'
export { type FromJsonOptions, fromJson, type JsonForm, jsonForm, toJson } from './core/json'
export type { Bytes, BytesMode, DictMode, Int64Mode, TypesMode } from './core/options'
export { type Backend, type BackendChoice, backend, backendReason, initCore, useBackend } from './engine/load'
