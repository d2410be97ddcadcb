// A program on a message bus: lists who is there, serves two methods, and prints who comes and goes.
//
//   node examples/dbus/client.mjs                       (on the session bus; --address for another)
//   gdbus call --session --dest org.example.Wiretape --object-path /org/example/Wiretape \
//     --method org.example.Wiretape.Sum '[1.5, 2.5]'
import { parseArgs } from 'node:util'
import { variant } from 'wiretape/dbus'
import { isMain } from '../connection.mjs'
import { BUS, BusConnection, BusError } from './connection.mjs'

export const NAME = 'org.example.Wiretape'
const NO_OWNER = 'org.freedesktop.DBus.Error.NameHasNoOwner'
export const PATH = '/org/example/Wiretape'

/** Names on the bus, each with the unique name of its owner. @param {BusConnection} bus */
export async function listNames(bus) {
  const [names] = (await bus.call({ ...BUS, member: 'ListNames' })).bodyAs('as')
  /** @type {Map<string, string>} */
  const owners = new Map()
  const ask = async (/** @type {string} */ name) => {
    try {
      const [owner] = (await bus.call({ ...BUS, member: 'GetNameOwner' }, 's', [name])).bodyAs('s')
      owners.set(name, owner)
    } catch (error) {
      // Programs come and go between the two questions.
      if (!(error instanceof BusError) || error.errorName !== NO_OWNER) throw error
    }
  }
  await Promise.all(names.map(ask))
  return owners
}

/** Serves `Sum` and `Describe` under the name `org.example.Wiretape`. @param {BusConnection} bus */
export async function serve(bus) {
  bus.serve(PATH, NAME, {
    Sum: {
      in: 'ad',
      out: 'd',
      handle: (call) => {
        const [numbers] = call.bodyAs('ad')
        return [numbers.reduce((sum, one) => sum + one, 0)]
      },
    },
    Describe: {
      in: 'v',
      out: 'a{sv}',
      handle: (call) => {
        const [value] = call.bodyAs('v')
        return [{ signature: variant('s', value.signature), value, sender: variant('s', call.sender ?? '') }]
      },
    },
  })
  await bus.requestName(NAME)
}

/**
 * Calls `seen` with each name that has got another owner, from and to; '' for none.
 *
 * @param {BusConnection} bus
 * @param {(name: string, from: string, to: string) => void} seen
 */
export async function watchNames(bus, seen) {
  bus.onSignal = (signal) => {
    if (signal.member !== 'NameOwnerChanged' || signal.interface !== BUS.interface) return
    seen(...signal.bodyAs('sss'))
  }
  await bus.addMatch(`type='signal',sender='${BUS.destination}',member='NameOwnerChanged'`)
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { address: { type: 'string' } } })
  const bus = await BusConnection.connect(values.address)
  console.log(`we are ${bus.name}`)
  for (const [name, owner] of await listNames(bus)) console.log(`${name} belongs to ${owner}`)
  await watchNames(bus, (name, from, to) => console.log(`${name}: ${from || 'nobody'} → ${to || 'nobody'}`))
  await serve(bus)
  console.log(`serving ${NAME}`)
  for (const stop of ['SIGINT', 'SIGTERM']) process.once(stop, () => bus.close())
  await bus.closed
}
