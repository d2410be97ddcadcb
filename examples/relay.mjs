// A relay: many KATCP clients share one connection to a device.
//
//   node examples/relay.mjs --device-port 7147 --port 7148
//
// Each request goes on with an id of the relay's own, and its reply and informs come back with the id that the client
// gave, or with none where it gave none. What the device says unasked goes to all clients. Arguments pass as the bytes
// that they are on the wire: nothing is unescaped, escaped or copied.
//
// Settings that a device keeps for a connection, such as a sampling strategy, are shared by all clients of the relay.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { encodeChunks, inform, reply, timestamp, versionFlags } from 'wiretape/katcp'
import { Connection, isMain, runUntilStopped } from './connection.mjs'

/** @typedef {import('wiretape/katcp').Message} Message */
/** @typedef {import('wiretape/katcp').MessageInput} MessageInput */

const MAX_ID = 0x7fffffff

/** `#log level time name text` */
const log = (/** @type {string} */ level, /** @type {string} */ text) =>
  inform('log', [level, timestamp().encode(Date.now() / 1000), 'relay', text])

/**
 * Connects to the device, then listens. Resolves with the port that it listens on.
 * @param {object} options
 * @param {number} options.devicePort
 * @param {string} [options.deviceHost]
 * @param {number} [options.port] 0 (default): any that is free
 * @param {string} [options.host]
 * @param {(text: string) => void} [options.report] told what is nobody's business on the wire
 */
export async function startRelay({
  devicePort,
  deviceHost = '127.0.0.1',
  port = 0,
  host = '127.0.0.1',
  report = () => {},
}) {
  const device = new Connection(connect({ port: devicePort, host: deviceHost }))
  await once(device.socket, 'connect')

  /** @typedef {{ connection: Connection, unanswered: number, leaving: boolean }} Client */
  /** @type {Set<Client>} */
  const clients = new Set()
  /** Requests without their reply, by the id that the device knows. @type {Map<number, { client: Client, id: number | undefined, name: string }>} */
  const pending = new Map()
  /** How the device has introduced itself: clients that come later want to know, too. @type {Message[]} */
  const introduction = []
  let lastId = 0
  let deviceHasIds = true

  function freshId() {
    do lastId = (lastId % MAX_ID) + 1
    while (pending.has(lastId))
    return lastId
  }

  function fromClient(/** @type {Client} */ client, /** @type {Message} */ message) {
    if (message.type !== 'request') {
      report(`ignored: a client sent a ${message.type}, ${message.name}`)
      return
    }
    const id = freshId()
    pending.set(id, { client, id: message.id, name: message.name })
    client.unanswered++
    device.send({ ...message, id: deviceHasIds ? id : undefined })
  }

  /** The id that a reply or inform answers. A device without ids answers requests of one name in their order. */
  function answered(/** @type {Message} */ { id, name }) {
    if (id !== undefined || deviceHasIds) return id
    for (const [key, request] of pending) if (request.name === name) return key
    return undefined
  }

  function fromDevice(/** @type {Message} */ message) {
    const key = answered(message)
    const request = key === undefined ? undefined : pending.get(key)
    if (key !== undefined && request) {
      const { client, id } = request
      client.connection.send({ ...message, id })
      if (message.type !== 'reply') return
      pending.delete(key)
      client.unanswered--
      closeIfDone(client)
    } else if (message.type === 'inform' && message.id === undefined) {
      if (message.name === 'version-connect') introduce(message)
      broadcast(message)
    } else report(`ignored: the device sent a ${message.type} that nobody waits for, ${message.name}`)
  }

  function broadcast(/** @type {MessageInput} */ message) {
    const pieces = encodeChunks(message)
    for (const { connection } of clients) connection.write(pieces)
  }

  function introduce(/** @type {Message} */ { type, name, args }) {
    // Kept for long, so it should not hold on to the chunk that it came in.
    introduction.push({ type, name, args: args.detach() })
    if (args.text(0, 'latin1') !== 'katcp-protocol') return
    try {
      deviceHasIds = versionFlags(args.text(1, 'latin1') ?? '')?.flags.includes('I') ?? false
    } catch (error) {
      report(`a version of the device: ${error}`)
    }
  }

  function closeIfDone(/** @type {Client} */ client) {
    if (client.leaving && client.unanswered === 0) client.connection.close()
  }

  async function serve(/** @type {import('node:net').Socket} */ socket) {
    const connection = new Connection(socket)
    const client = { connection, unanswered: 0, leaving: false }
    clients.add(client)
    connection.closed.then(() => clients.delete(client))
    for (const message of introduction) connection.send(message)
    await connection.read({
      message: (message) => fromClient(client, message),
      badLine: (error) => connection.send(log('error', error.message)),
      // Neither the device nor a client that is slow to read may pile up what this client asks for.
      ready: () => Promise.all([device.drained(), connection.drained()]),
    })
    // It has asked its last question; the answers may still be to come.
    client.leaving = true
    closeIfDone(client)
  }

  function end(/** @type {string} */ why) {
    server.close()
    for (const { client, id, name } of pending.values()) client.connection.send(reply({ name, id }, ['fail', why]))
    pending.clear()
    for (const { connection } of clients) {
      connection.send(inform('disconnect', [why]))
      connection.close()
    }
    device.close()
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    serve(socket).catch((error) => {
      report(String(error))
      socket.destroy()
    })
  })
  const closed = once(server, 'close')
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    device.close()
    throw error
  }
  device
    .read({
      message: fromDevice,
      // A client must not answer a line that it cannot read: two peers could go on about it forever. Its own clients may know.
      badLine(error) {
        report(`a bad line of the device: ${error.message}`)
        broadcast(log('error', `a bad line of the device: ${error.message}`))
      },
      // One client that does not read must not hold up the others: it is dropped when too much waits for it.
      ready: async () => {},
    })
    .catch((error) => report(String(error)))
    .finally(() => end('the device closed the connection'))

  return {
    /** Where clients connect. */
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    /** Resolves when the relay has ended: by `close`, or with the connection to the device. */
    closed,
    async close() {
      end('the relay ends')
      await closed
    },
  }
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '7148' },
      host: { type: 'string', default: '127.0.0.1' },
      'device-port': { type: 'string', default: '7147' },
      'device-host': { type: 'string', default: '127.0.0.1' },
    },
  })
  const relay = await startRelay({
    port: Number(values.port),
    host: values.host,
    devicePort: Number(values['device-port']),
    deviceHost: values['device-host'],
    report: console.error,
  })
  console.log(`relay on ${values.host} port ${relay.port}`)
  await runUntilStopped(relay)
}
