// A small device: what a KATCP server does, on top of the codec.
//
//   node examples/device.mjs --port 7147
//   printf '?help[1]\n?sensor-value[2] mode\n' | nc 127.0.0.1 7147
//
// Requests: ?help ?version-list ?watchdog ?client-list ?sensor-list ?sensor-value ?sensor-sampling ?mode ?gain ?echo ?halt
import { once } from 'node:events'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import {
  address,
  discrete,
  encodeChunks,
  float,
  inform,
  optional,
  reply,
  sensorInform,
  string,
  timestamp,
  WireError,
} from 'wiretape/katcp'
import { Connection, isMain, runUntilStopped } from './connection.mjs'

/** @typedef {import('wiretape/katcp').Message} Message */
/** @typedef {import('wiretape/katcp').ArgumentInput} ArgumentInput */

const CHANNELS = 4096
const INPUTS = /** @type {const} */ (['m000h', 'm000v'])
const MODES = /** @type {const} */ (['stop', 'track', 'slew-to'])
/** What this device speaks: revision 5.1, M several clients, I message ids, B several sensors in one ?sensor-sampling. */
const VERSIONS = [
  ['katcp-protocol', '5.1-IMB'],
  ['katcp-library', 'wiretape-example-0.1'],
  ['katcp-device', 'wiretape-device-1.0', 'wiretape-device-1.0.0'],
]

/** Now, in seconds. */
const now = () => Date.now() / 1000

/** All arguments that are left as complex numbers: real, imaginary, real … @type {import('wiretape/katcp').ArgumentType<Float64Array>} */
const complexes = {
  name: 'any number of complex numbers',
  count: 'rest',
  decode: (args, i) => args.toComplexArray(i),
  encode() {
    throw new TypeError('complex numbers are written one by one, with complexTexts')
  },
}

/** Pairs of numbers as `a+bj`. @returns {string[]} */
function complexTexts(/** @type {Float64Array} */ pairs) {
  const texts = []
  for (let i = 0; i < pairs.length; i += 2) {
    const imaginary = String(float.encode(/** @type {number} */ (pairs[i + 1])))
    texts.push(`${float.encode(/** @type {number} */ (pairs[i]))}${/^[-+]/.test(imaginary) ? '' : '+'}${imaginary}j`)
  }
  return texts
}

class Sensor {
  /**
   * @param {string} name
   * @param {string} description
   * @param {string} units
   * @param {string} type
   * @param {readonly ArgumentInput[]} parameters a range, or the words of a discrete one
   * @param {ArgumentInput} value
   */
  constructor(name, description, units, type, parameters, value) {
    this.name = name
    this.about = [description, units, type, ...parameters]
    this.value = value
    this.time = now()
    /** Who wants to know of changes. @type {Set<() => void>} */
    this.watchers = new Set()
  }

  set(/** @type {ArgumentInput} */ value) {
    if (value === this.value) return
    this.value = value
    this.time = now()
    for (const tell of this.watchers) tell()
  }

  /** As `#sensor-value`, the answer to a request, or as `#sensor-status`. */
  reading(/** @type {Message | undefined} */ asked = undefined) {
    const { name, value, time } = this
    return sensorInform({ timestamp: time, readings: [{ name, status: 'nominal', value }] }, asked)
  }
}

/** A failure that the client is told of: `!name fail text`. */
class Failure extends Error {}

/**
 * Starts a device. Resolves with the port that it listens on.
 * @param {object} [options]
 * @param {number} [options.port] 0 (default): any that is free
 * @param {string} [options.host]
 */
export async function startDevice({ port = 0, host = '127.0.0.1' } = {}) {
  const mode = new Sensor('mode', 'What the dish does', '', 'discrete', MODES, 'stop')
  const updates = new Sensor('gain.updates', 'How often gains were set', '', 'integer', [0, 1e9], 0)
  const sensors = new Map(
    [
      mode,
      updates,
      new Sensor(
        'temperature',
        'Of the air around, in °C',
        'degC',
        'float',
        [float.encode(-40), float.encode(60)],
        18.5,
      ),
      new Sensor('started', 'When the device was started', '', 'timestamp', [], timestamp().encode(now())),
      new Sensor('note', 'A text with blanks, \\ and a\nsecond line', '', 'string', [], ''),
    ].map((sensor) => [sensor.name, sensor]),
  )
  const gains = new Map(INPUTS.map((input) => [input, new Float64Array(CHANNELS * 2).map((_, i) => (i + 1) % 2)]))

  /** A client, and by sensor name what it has asked to be told. @typedef {{ connection: Connection, samplings: Map<string, Sampling> }} Client */
  /** @typedef {{ strategy: ArgumentInput[], stop: () => void }} Sampling */
  /** @type {Set<Client>} */
  const clients = new Set()

  function sensorNamed(/** @type {string} */ name) {
    const sensor = sensors.get(name)
    if (!sensor) throw new Failure(`Unknown sensor name: ${name}`)
    return sensor
  }

  /**
   * What each request does: it sends its informs, and returns what stands after `ok` in the reply.
   * @type {Record<string, { help: string, run(message: Message, client: Client): ArgumentInput[] }>}
   */
  const requests = {
    help: {
      help: 'Say what can be asked: help [name]',
      run(message, { connection }) {
        const [name] = message.args.read(optional(string))
        const found = Object.entries(requests).filter(([key]) => name === undefined || key === name)
        if (found.length === 0) throw new Failure(`Unknown request: ${name}`)
        for (const [key, { help }] of found) connection.send(inform(message, [key, help]))
        return [found.length]
      },
    },
    'version-list': {
      help: 'Say which versions of what are in use.',
      run(message, { connection }) {
        message.args.read()
        for (const version of VERSIONS) connection.send(inform(message, version))
        return [VERSIONS.length]
      },
    },
    watchdog: {
      help: 'Say that the device is alive.',
      run({ args }) {
        args.read()
        return []
      },
    },
    'client-list': {
      help: 'Say who is connected.',
      run(message, client) {
        message.args.read()
        let count = 0
        for (const { connection } of clients) {
          const { remoteAddress, remotePort } = connection.socket
          // Just gone.
          if (remoteAddress === undefined) continue
          client.connection.send(inform(message, [address.encode({ host: remoteAddress, port: remotePort })]))
          count++
        }
        return [count]
      },
    },
    'sensor-list': {
      help: 'Describe the sensors: sensor-list [name]',
      run(message, { connection }) {
        const [name] = message.args.read(optional(string))
        const found = name === undefined ? [...sensors.values()] : [sensorNamed(name)]
        for (const { name, about } of found) connection.send(inform(message, [name, ...about]))
        return [found.length]
      },
    },
    'sensor-value': {
      help: 'Read the sensors: sensor-value [name]',
      run(message, { connection }) {
        const [name] = message.args.read(optional(string))
        const found = name === undefined ? [...sensors.values()] : [sensorNamed(name)]
        for (const sensor of found) connection.send(sensor.reading(message))
        return [found.length]
      },
    },
    'sensor-sampling': {
      help: 'Tell of values unasked: sensor-sampling name[,name…] [none | auto | event | period seconds]',
      run({ args }, client) {
        const [names, strategy, period] = args.read(
          string,
          optional(discrete('none', 'auto', 'event', 'period')),
          optional(float),
        )
        const found = names.split(',').map(sensorNamed)
        if ((strategy === 'period') !== (period !== undefined) || (period !== undefined && !(period >= 0.001))) {
          throw new Failure('A period, and nothing else, takes a number of seconds from 0.001 on')
        }
        if (strategy === undefined) {
          if (found.length > 1) throw new Failure('The strategy of one sensor at a time can be read')
          return [names, ...(client.samplings.get(names)?.strategy ?? ['none'])]
        }
        const words = period === undefined ? [strategy] : [strategy, float.encode(period)]
        for (const sensor of found) {
          client.samplings.get(sensor.name)?.stop()
          client.samplings.delete(sensor.name)
          if (strategy === 'none') continue
          client.connection.send(sensor.reading())
          client.samplings.set(sensor.name, { strategy: words, stop: sample(sensor, client, period) })
        }
        return [names, ...words]
      },
    },
    mode: {
      help: `Read or set the mode: mode [${MODES.join(' | ')}]`,
      run({ args }) {
        const [word] = args.read(optional(discrete(...MODES)))
        if (word !== undefined) mode.set(word)
        return [mode.value]
      },
    },
    gain: {
      help: `Read or set the gains of an input: gain ${INPUTS.join(' | ')} [one value for all, or ${CHANNELS}]`,
      run({ args }) {
        const [input, values] = args.read(discrete(...INPUTS), complexes)
        const all = /** @type {Float64Array} */ (gains.get(input))
        const count = values.length / 2
        if (count === 1) for (let i = 0; i < all.length; i += 2) all.set(values, i)
        else if (count === CHANNELS) all.set(values)
        else if (count !== 0) throw new Failure(`1 or ${CHANNELS} gains expected, got ${count}`)
        if (count > 0) updates.set(/** @type {number} */ (updates.value) + 1)
        return complexTexts(all)
      },
    },
    echo: {
      help: 'Send all arguments back, byte for byte, in an inform.',
      run(message, { connection }) {
        const { name, id, args } = message
        connection.send({ type: 'inform', name, id, args })
        return [args.length]
      },
    },
    halt: {
      help: 'End the device.',
      run({ args }) {
        args.read()
        // After the reply.
        queueMicrotask(() => end('the device was halted'))
        return []
      },
    },
  }

  /** Tells a client of a sensor from now on; returns how to stop that. */
  function sample(
    /** @type {Sensor} */ sensor,
    /** @type {Client} */ client,
    /** @type {number | undefined} */ period,
  ) {
    const tell = () => client.connection.send(sensor.reading())
    if (period !== undefined) {
      const timer = setInterval(tell, period * 1000)
      return () => clearInterval(timer)
    }
    sensor.watchers.add(tell)
    return () => void sensor.watchers.delete(tell)
  }

  function answer(/** @type {Client} */ client, /** @type {Message} */ message) {
    const { connection } = client
    // A server has no use for replies and informs of a client.
    if (message.type !== 'request') return
    const send = (/** @type {ArgumentInput[]} */ ...args) => connection.send(reply(message, args))
    const known = Object.hasOwn(requests, message.name) ? requests[message.name] : undefined
    if (!known) {
      send('invalid', 'Unknown request.')
      return
    }
    try {
      send('ok', ...known.run(message, client))
    } catch (error) {
      // Arguments that are not of the types asked for: the text says which, and what was expected.
      if (WireError.is(error)) send('invalid', error.message)
      else if (error instanceof Failure) send('fail', error.message)
      else throw error
    }
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket)
    /** @type {Client} */
    const client = { connection, samplings: new Map() }
    clients.add(client)
    connection.closed.then(() => {
      clients.delete(client)
      for (const { stop } of client.samplings.values()) stop()
    })
    for (const version of VERSIONS) connection.send(inform('version-connect', version))
    connection
      .read({
        message: (message) => answer(client, message),
        badLine: (error) =>
          connection.send(inform('log', ['error', timestamp().encode(now()), 'device', error.message])),
        // Who does not read its answers is not asked for more questions.
        ready: () => connection.drained(),
      })
      .then(
        () => connection.close(),
        (error) => {
          console.error(error)
          socket.destroy()
        },
      )
  })

  function end(/** @type {string} */ why) {
    server.close()
    const pieces = encodeChunks(inform('disconnect', [why]))
    for (const { connection } of clients) {
      connection.write(pieces)
      connection.close()
    }
  }

  const closed = once(server, 'close')
  server.listen(port, host)
  await once(server, 'listening')
  return {
    /** Where clients connect. */
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    /** Resolves when the device has ended: by `close`, or by ?halt. */
    closed,
    async close() {
      end('the device ends')
      await closed
    },
  }
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '7147' }, host: { type: 'string', default: '127.0.0.1' } },
  })
  const device = await startDevice({ port: Number(values.port), host: values.host })
  console.log(`device on ${values.host} port ${device.port}`)
  await runUntilStopped(device)
}
