// npm run soak -- [--seconds n] [--seed n]: the example servers under load from good clients and bad ones.
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { random } from '../../bench/random.mjs'
import { badClients } from './bad.mjs'
import { goodClients } from './good.mjs'
import { Server } from './server.mjs'

const ROUNDS = 6
/** Connections of bad clients at a time, of each kind. */
const AT_ONCE = 3
/** What memory may have grown by between the first round and the last: sockets and timers that have not ended yet. */
const GROWTH = 4 << 20

const whole = (text) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is needed')
  return value
}
const { seconds, seed } = new Command('npm run soak --')
  .description('Runs the example servers under load, with cut connections, slow readers and hostile frames mixed in.')
  .option('--seconds <n>', 'how long', whole, 300)
  .option('--seed <n>', 'of what clients do', whole, 1)
  .parse()
  .opts()

let generators = 0
const nextOf = () => random(seed * 1000 + generators++)
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

/** Bad clients, one after the other in each place, until it is time. */
async function misbehave(ports, until) {
  const counts = {}
  const place = async (name, client) => {
    const next = nextOf()
    while (Date.now() < until) {
      await client(ports, next)
      counts[name] = (counts[name] ?? 0) + 1
      // Those that end at once would otherwise be all that the servers do.
      await sleep(20)
    }
  }
  const places = Object.entries(badClients).flatMap(([name, client]) =>
    Array.from({ length: AT_ONCE }, () => place(name, client)),
  )
  await Promise.all(places)
  return counts
}

function add(totals, counts) {
  for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count
}

const servers = []
const start = async (...args) => {
  const server = await Server.start(...args)
  servers.push(server)
  return server
}

async function soak() {
  const echo = await start('websocket/echo.mjs')
  const broadcast = await start('websocket/broadcast.mjs')
  const device = await start('device.mjs')
  const relay = await start('relay.mjs', '--device-port', String(device.port))
  const ports = { echo: echo.port, broadcast: broadcast.port, device: device.port, relay: relay.port }

  const good = {}
  const bad = {}
  const memory = []
  for (let round = 1; round <= ROUNDS; round++) {
    const until = Date.now() + (seconds * 1000) / ROUNDS
    const clients = goodClients(ports, nextOf).map(async ([name, run]) => {
      try {
        return { [name]: await run(() => until) }
      } catch (error) {
        throw new Error(`${name} has lost something`, { cause: error })
      }
    })
    const [counts, ...answered] = await Promise.all([misbehave(ports, until), ...clients])
    add(bad, counts)
    for (const one of answered) add(good, one)
    for (const { name, fault } of servers) if (fault) throw new Error(`${name}: ${fault}`)
    // Servers give those that linger two seconds.
    await sleep(3000)
    memory.push(await Promise.all(servers.map((server) => server.memory())))
    const held = memory.at(-1).map(({ heap, external, rss }, i) => {
      return `${servers[i].name} ${megabytes(heap + external)} (rss ${megabytes(rss)})`
    })
    console.log(`round ${round} of ${ROUNDS}: ${held.join(', ')}`)
  }
  console.log(
    `good clients: ${Object.entries(good)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')} messages came back`,
  )
  console.log(
    `bad clients: ${Object.entries(bad)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')} connections`,
  )
  for (const [name, count] of Object.entries({ ...good, ...bad }))
    if (count === 0) throw new Error(`${name} has done nothing`)
  for (const [i, { name }] of servers.entries()) {
    const [first, last] = [memory[0][i], memory.at(-1)[i]].map(({ heap, external }) => heap + external)
    if (last - first > GROWTH)
      throw new Error(`${name} holds ${megabytes(last - first)} more than after the first round`)
  }
}

try {
  await soak()
  console.log('nothing lost, memory flat, no fault')
} catch (error) {
  console.error(error)
  for (const { name, fault } of servers) if (fault) console.error(`${name}: ${fault}`)
  process.exitCode = 1
} finally {
  for (const server of servers) server.stop()
}
// Clients of the last round may still be about to be told.
process.exit()
