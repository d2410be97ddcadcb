export { type JsonForm, jsonForm } from './json_form'
export { type FromJsonOptions, fromJson } from './json_read'
export { toJson } from './json_write'
