// Prints the messages of a bus that have the given member, as lines of JSON. The bus sends everything; what the filter drops
// costs its header alone, since bodies are read when they are asked for.
//
//   node examples/dbus/monitor.mjs --member PropertiesChanged --path /org/bluez
import { parseArgs } from 'node:util'
import { toJson } from 'wiretape'
import { isMain } from '../connection.mjs'
import { BUS, BusConnection } from './connection.mjs'

/** @typedef {import('wiretape/dbus').Message} Message */

/**
 * Whether a message's header has what is asked for.
 *
 * @param {Message} message
 * @param {{ type?: string | undefined, interface?: string | undefined, member?: string | undefined, path?: string | undefined }} filter `path` also names all objects below it
 */
export function matches(message, { type, interface: wanted, member, path }) {
  if (type !== undefined && message.type !== type) return false
  if (message.type !== 'signal' && message.type !== 'methodCall') {
    return wanted === undefined && member === undefined && path === undefined
  }
  if (member !== undefined && message.member !== member) return false
  if (wanted !== undefined && message.interface !== wanted) return false
  return path === undefined || message.path === path || message.path.startsWith(path === '/' ? '/' : `${path}/`)
}

/**
 * Turns the connection into a monitor (specification, "org.freedesktop.DBus.Monitoring.BecomeMonitor"); `seen` gets the messages
 * that match. Returns the count of all.
 *
 * @param {BusConnection} bus
 * @param {Parameters<typeof matches>[1]} filter
 * @param {(message: Message) => void} seen
 */
export async function monitor(bus, filter, seen) {
  const counts = { all: 0, seen: 0 }
  const become = { ...BUS, interface: 'org.freedesktop.DBus.Monitoring', member: 'BecomeMonitor' }
  const answer = bus.call(become, 'asu', [[], 0])
  // From its answer on, calls come by that others make of each other: a monitor must not answer them.
  bus.watch((message) => {
    counts.all++
    if (!matches(message, filter)) return
    counts.seen++
    seen(message)
  })
  await answer
  return counts
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      address: { type: 'string' },
      type: { type: 'string' },
      interface: { type: 'string' },
      member: { type: 'string' },
      path: { type: 'string' },
    },
  })
  const { address, ...filter } = values
  const bus = await BusConnection.connect(address)
  const counts = await monitor(bus, filter, (message) => console.log(toJson(message)))
  for (const stop of ['SIGINT', 'SIGTERM']) process.once(stop, () => bus.close())
  await bus.closed
  console.error(`${counts.seen} of ${counts.all} messages`)
}
