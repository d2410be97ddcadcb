import { toHex } from '../vectors'

/** A decoded value as one text that says all there is to say of it: classes, order, signs of zeros. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'bigint':
      return `${value}n`
    case 'object':
      break
    default:
      return String(value)
  }
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return `<${toHex(value)}>`
  const name = (value.constructor as { name?: string } | undefined)?.name ?? 'null'
  if (ArrayBuffer.isView(value)) return `${name}[${Array.from(value as unknown as Iterable<unknown>, show).join()}]`
  if (Array.isArray(value)) return `${name === 'Array' ? '' : name}[${value.map(show).join()}]`
  if (value instanceof Map) return `Map{${Array.from(value, ([key, inner]) => `${show(key)}=>${show(inner)}`).join()}}`
  const entries = Object.entries(value).map(([key, inner]) => `${key}:${show(inner)}`)
  return `${name}{${entries.join()}}`
}
