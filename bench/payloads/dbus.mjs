// Recorded D-Bus messages (test/vectors/dbus/captures) and what they mean, in a form that all libraries can be compared in.
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const folder = new URL('../../test/vectors/dbus/captures/', import.meta.url)

function load(name) {
  const plain = new URL(name, folder)
  return existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(new URL(`${name}.gz`, folder)))
}

/** [{ bytes, message }] of one recording; `message` as the vectors' README has it. */
export function recording(name) {
  const bytes = load(`${name}.bin`)
  const { messages } = JSON.parse(load(`${name}.json`).toString())
  return messages.map(({ offset, length, message }) => ({
    bytes: Buffer.from(bytes.subarray(offset, offset + length)),
    message,
  }))
}

/** Complete types of a good signature. */
export function split(signature) {
  const end = (i) => {
    if (signature[i] === 'a') return end(i + 1)
    const close = signature[i] === '(' ? ')' : signature[i] === '{' ? '}' : undefined
    if (!close) return i + 1
    let at = i + 1
    while (signature[at] !== close) at = end(at)
    return at + 1
  }
  const types = []
  for (let i = 0; i < signature.length; ) {
    const next = end(i)
    types.push(signature.slice(i, next))
    i = next
  }
  return types
}

function float(value) {
  if (typeof value !== 'string') return value
  return value.startsWith('nan:') ? Number.NaN : value === '-0' ? -0 : Number(value)
}

const byKey = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)

/** The value of a variant and its type where the library says it; else both from the recording. */
const recorded = { variant: ({ sig, value }) => [sig, value], entries: (pairs) => pairs, bytes: (hex) => hex }

/**
 * A value as plain data: variants as what they hold, dictionaries as pairs sorted by key, 64-bit integers as text. `api` takes a
 * library's own forms apart: variant(value) → [type, value], entries(dictionary) → pairs, bytes(value) → hex. `model` is the
 * value of the recording, which tells the type where a library's variants don't.
 */
export function plain(type, value, model, api = recorded) {
  switch (type[0]) {
    case 'v': {
      const [inner, held] = api.variant(value, model)
      return plain(inner, held, model.value, api)
    }
    case 'x':
    case 't':
      return String(value)
    case 'd':
      return float(value)
    case '(':
      return split(type.slice(1, -1)).map((inner, i) => plain(inner, value[i], model[i], api))
    case 'a': {
      const element = type.slice(1)
      if (element === 'y') return api.bytes(value)
      if (element[0] !== '{') return Array.from(value, (item, i) => plain(element, item, model[i], api))
      const [key, inner] = split(element.slice(1, -1))
      const models = new Map(model.map(([k, v]) => [String(k), v]))
      return api
        .entries(value)
        .map(([k, v]) => [String(plain(key, k, k, recorded)), plain(inner, v, models.get(String(k)), api)])
        .sort(byKey)
    }
    default:
      return value
  }
}

export const plainBody = ({ fields, body }, given = body, api = recorded) =>
  split(fields.signature ?? '').map((type, i) => plain(type, given[i], body[i], api))

/** The body of a recording in a library's own form: `api` = { variant(type, value), dict(pairs, keyType), int64, bytes, array? }. */
export function shapeBody({ fields, body }, api) {
  return split(fields.signature ?? '').map((type, i) => shape(type, body[i], api))
}

function shape(type, value, api) {
  switch (type[0]) {
    case 'v':
      return api.variant(value.sig, shape(value.sig, value.value, api))
    case 'x':
    case 't':
      return api.int64(value)
    case 'd':
      return float(value)
    case '(':
      return split(type.slice(1, -1)).map((inner, i) => shape(inner, value[i], api))
    case 'a': {
      const element = type.slice(1)
      if (element === 'y') return api.bytes(Buffer.from(value, 'hex'))
      if (element[0] === '{') {
        const [key, inner] = split(element.slice(1, -1))
        return api.dict(value.map(([k, v]) => [shape(key, k, api), shape(inner, v, api)]))
      }
      const items = value.map((item) => shape(element, item, api))
      return api.array ? api.array(element, items) : items
    }
    default:
      return value
  }
}
