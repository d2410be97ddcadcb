// Values as text, the same for the same value whoever has read it.

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
export const quoted = (text) => `'${Buffer.from(text, 'utf8').toString('hex')}'`

/** By its bits; NaN by name, since JavaScript does not keep which one it was. */
export function double(value) {
  if (Number.isNaN(value)) return 'nan'
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return `f${hex(bytes)}`
}

/** A value of HDS; dictionaries with keys in order and the last of those that are equal. */
export function hdsValue(value, floats) {
  const show = (item) => {
    if (item === null || item === undefined || typeof item === 'boolean') return String(item)
    if (typeof item === 'string') return quoted(item)
    if (typeof item === 'bigint') return String(item)
    if (typeof item === 'number') {
      // Whole floats and integers look alike; as many digits as they stand for.
      return Number.isInteger(item) && !Object.is(item, -0) && Math.abs(item) < 1e21
        ? String(BigInt(item))
        : double(item)
    }
    if (item instanceof Uint8Array) return `x${hex(item)}`
    if (Array.isArray(item)) return `[${item.map(show).join(' ')}]`
    const special = floats?.(item)
    if (special !== undefined) return special
    const pairs = new Map([...item].map(([key, inner]) => [show(key), show(inner)]))
    return `{${[...pairs]
      .map(([key, inner]) => `${key}:${inner}`)
      .sort()
      .join(' ')}}`
  }
  return show(value)
}
