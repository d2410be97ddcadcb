// HAP-NodeJS: its reader of values.
import { hdsValue } from './shown.mjs'

export function hapNodeJsPeer(require) {
  const {
    DataStreamParser,
    DataStreamReader,
    ...classes
  } = require('@homebridge/hap-nodejs/dist/lib/datastream/DataStreamParser.js')
  // Its values are plain, but for those that it wraps.
  const special = (item) => {
    for (const name of ['Int8', 'Int16', 'Int32', 'Int64']) if (item instanceof classes[name]) return String(item.value)
    for (const name of ['Float32', 'Float64']) if (item instanceof classes[name]) return hdsValue(item.value)
    if (item instanceof classes.SecondsSince2001) return hdsValue(item.value)
    if (item instanceof classes.UUID) return hdsValue(item.value.toLowerCase())
    return undefined
  }
  const plain = (item) => {
    if (item === null || typeof item !== 'object' || item instanceof Uint8Array) return item
    if (Array.isArray(item)) return item.map(plain)
    return special(item) === undefined ? new Map(Object.entries(item).map(([key, inner]) => [key, plain(inner)])) : item
  }
  const one = (bytes) => {
    try {
      const value = DataStreamParser.decode(new DataStreamReader(bytes))
      return `ok ${hdsValue(plain(value), (item) => (item instanceof Map ? undefined : special(item)))}`
    } catch {
      // Whatever it dies of is a refusal.
      return 'error'
    }
  }
  return { ask: async (inputs) => inputs.map(one), close() {} }
}
