// A connection to a message bus: what the client and the monitor have in common. The codec knows nothing of sockets; this
// is all that is needed around it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Authenticator, Decoder, Encoder, errorReply, methodCall, methodReturn, WireError } from 'wiretape/dbus'
import { attach } from 'wiretape/node'

/** @typedef {import('wiretape/dbus').Message} Message */
/** @typedef {import('wiretape/dbus').MethodCall} MethodCall */
/** @typedef {import('wiretape/dbus').Signal} Signal */
/** @typedef {import('wiretape/dbus').Numbered} Numbered */

/**
 * @typedef {object} Method a method that others may call
 * @property {string} in signature of its arguments
 * @property {string} out signature of its results
 * @property {(call: MethodCall) => readonly unknown[] | Promise<readonly unknown[]>} handle gives the results; what it throws is the error that the caller gets
 */

/** @typedef {{ resolve(reply: import('wiretape/dbus').MethodReturn): void, reject(reason: unknown): void }} Waiting */

export const BUS = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** An error that another program has replied with, or that a served method throws to reply with. */
export class BusError extends Error {
  /**
   * @param {string} name such as `org.freedesktop.DBus.Error.ServiceUnknown`
   * @param {string} [text]
   */
  constructor(name, text) {
    super(text ? `${name}: ${text}` : name)
    this.errorName = name
    this.text = text ?? ''
  }
}

const UNKNOWN_METHOD = 'org.freedesktop.DBus.Error.UnknownMethod'
const UNKNOWN_OBJECT = 'org.freedesktop.DBus.Error.UnknownObject'
const INVALID_ARGS = 'org.freedesktop.DBus.Error.InvalidArgs'
const FAILED = 'org.freedesktop.DBus.Error.Failed'
const NO_REPLY_EXPECTED = 1

/**
 * The sockets of an address such as `unix:path=/run/user/1000/bus;tcp:host=localhost,port=12434`, in its order
 * (specification, "Server Addresses"); transports that Node does not have are left out.
 *
 * @param {string} address
 */
export function socketsOf(address) {
  const sockets = []
  for (const one of address.split(';')) {
    const colon = one.indexOf(':')
    /** @type {Map<string, string>} */
    const keys = new Map()
    for (const pair of one.slice(colon + 1).split(',')) {
      const [key = '', value = ''] = pair.split('=')
      keys.set(key, decodeURIComponent(value))
    }
    const path = keys.get('path')
    const abstract = keys.get('abstract')
    const transport = one.slice(0, colon)
    if (transport === 'unix' && path !== undefined) sockets.push({ path })
    else if (transport === 'unix' && abstract !== undefined) sockets.push({ path: `\0${abstract}` })
    else if (transport === 'tcp')
      sockets.push({ host: keys.get('host') ?? 'localhost', port: Number(keys.get('port')) })
  }
  return sockets
}

/** @param {string} address */
async function open(address) {
  const sockets = socketsOf(address)
  /** @type {unknown} */
  let reason = new Error(`no socket in the address '${address}'`)
  for (const options of sockets) {
    const socket = connect(options)
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

export class BusConnection {
  /**
   * Connects, proves who we are, and says Hello.
   *
   * @param {string | undefined} [address] default: that of the session bus
   */
  static async connect(address = process.env['DBUS_SESSION_BUS_ADDRESS']) {
    if (!address) throw new Error('no address: DBUS_SESSION_BUS_ADDRESS is not set')
    const socket = await open(address)
    const authenticator = new Authenticator({ uid: process.getuid?.() })
    socket.write(authenticator.hello)
    /** @type {Uint8Array | undefined} */
    let head
    try {
      while (head === undefined) {
        const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'end').then(() => [undefined])])
        if (chunk === undefined) throw new Error('the bus has closed the connection')
        head = authenticator.push(chunk)
        const { reply } = authenticator
        if (reply) socket.write(reply)
      }
      socket.pause()
    } catch (error) {
      socket.destroy()
      throw error
    }
    const connection = new BusConnection(socket, head)
    const [name] = (await connection.call({ ...BUS, member: 'Hello' })).bodyAs('s')
    connection.name = name
    return connection
  }

  #encoder = new Encoder()
  /** Calls that wait for a reply, by serial. @type {Map<number, Waiting>} */
  #calls = new Map()
  /** @type {Map<string, Map<string, Record<string, Method>>>} */
  #objects = new Map()
  /** The unique name that the bus has given us. */
  name = ''
  /** Of a monitor: called with each message, which is then not ours to answer. @type {((message: Message) => void) | undefined} */
  #watcher
  /** Called with each signal. @type {(signal: Signal) => void} */
  onSignal = () => {}
  /** Called with each message that is malformed: it costs only itself. @type {(error: WireError) => void} */
  onBadMessage = () => {}

  /**
   * @param {import('node:net').Socket} socket authenticated
   * @param {Uint8Array} head bytes that came behind the authentication
   */
  constructor(socket, head) {
    this.socket = socket
    /** Resolves when the connection is gone. */
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.once('close', () => {
      for (const { reject } of this.#calls.values()) reject(new Error('the connection is closed'))
      this.#calls.clear()
    })
    // Node never writes to a chunk again, so messages may point into it.
    const decoder = new Decoder({ bytes: 'view', errors: 'report' })
    attach(
      socket,
      decoder,
      {
        unit: (unit) => {
          if (unit instanceof WireError) this.onBadMessage(unit)
          else this.#take(unit)
        },
        error: (error) => socket.destroy(error),
        end: () => socket.end(),
      },
      { head },
    )
  }

  /** @param {Numbered} message */
  send(message) {
    const { socket } = this
    socket.cork()
    for (const piece of this.#encoder.encodeChunks(message)) socket.write(piece)
    process.nextTick(() => socket.uncork())
  }

  /**
   * Calls a method; rejects with a BusError where the other program replies with an error.
   *
   * @param {{ destination?: string, path: string, interface?: string, member: string, flags?: number }} header
   * @param {string} [signature]
   * @param {readonly unknown[]} [body]
   * @returns {Promise<import('wiretape/dbus').MethodReturn>}
   */
  call(header, signature, body) {
    const serial = this.#encoder.nextSerial()
    return new Promise((resolve, reject) => {
      this.send(methodCall({ ...header, serial }, signature, body))
      this.#calls.set(serial, { resolve, reject })
    })
  }

  /** Has the bus send us the signals of a rule: `type='signal',member='NameOwnerChanged'`. @param {string} rule */
  async addMatch(rule) {
    await this.call({ ...BUS, member: 'AddMatch' }, 's', [rule])
  }

  /** Takes a well-known name; throws where another program has it. @param {string} name */
  async requestName(name) {
    const [answer] = (await this.call({ ...BUS, member: 'RequestName' }, 'su', [name, 4])).bodyAs('u')
    if (answer !== 1 && answer !== 4) throw new Error(`${name} belongs to another program`)
  }

  /**
   * Offers methods of an interface on an object.
   *
   * @param {string} path
   * @param {string} interfaceName
   * @param {Record<string, Method>} methods
   */
  serve(path, interfaceName, methods) {
    const interfaces = this.#objects.get(path) ?? new Map()
    interfaces.set(interfaceName, methods)
    this.#objects.set(path, interfaces)
  }

  /** From now on all messages go to `watcher`, and none is answered. @param {(message: Message) => void} watcher */
  watch(watcher) {
    this.#watcher = watcher
  }

  /** Ends the connection after what was sent. */
  async close() {
    this.socket.end()
    await this.closed
  }

  /** @param {Message} message */
  #take(message) {
    const call = this.#calls.get(message.type === 'methodReturn' || message.type === 'error' ? message.replySerial : 0)
    // A monitor also sees the replies that others wait for.
    if (call && message.destination === (this.name || message.destination)) this.#settle(message, call)
    else if (this.#watcher) this.#watcher(message)
    else if (message.type === 'signal') this.onSignal(message)
    else if (message.type === 'methodCall') this.#answer(message)
  }

  /**
   * @param {Message} reply
   * @param {Waiting} call
   */
  #settle(reply, { resolve, reject }) {
    if (reply.type === 'methodReturn') {
      this.#calls.delete(reply.replySerial)
      resolve(reply)
    } else if (reply.type === 'error') {
      this.#calls.delete(reply.replySerial)
      reject(new BusError(reply.errorName, reply.signature.startsWith('s') ? String(reply.body[0]) : ''))
    }
  }

  /** @param {MethodCall} call */
  async #answer(call) {
    const silent = (call.flags & NO_REPLY_EXPECTED) !== 0
    try {
      const { out, results } = await this.#run(call)
      if (!silent) this.send(methodReturn(call, this.#encoder.nextSerial(), out, results))
    } catch (error) {
      if (silent) return
      const { errorName = WireError.is(error) ? INVALID_ARGS : FAILED, text = String(error) } =
        error instanceof BusError ? error : {}
      this.send(errorReply(call, this.#encoder.nextSerial(), errorName, text))
    }
  }

  /** @param {MethodCall} call */
  async #run(call) {
    if (call.interface === 'org.freedesktop.DBus.Peer' && call.member === 'Ping') return { out: '', results: [] }
    const interfaces = this.#objects.get(call.path)
    if (!interfaces) throw new BusError(UNKNOWN_OBJECT, `there is no object ${call.path}`)
    if (call.interface === 'org.freedesktop.DBus.Introspectable' && call.member === 'Introspect') {
      return { out: 's', results: [describe(interfaces)] }
    }
    for (const [name, methods] of interfaces) {
      if (call.interface !== undefined && call.interface !== name) continue
      const method = Object.hasOwn(methods, call.member) ? methods[call.member] : undefined
      if (!method) continue
      if (call.signature !== method.in) throw new BusError(INVALID_ARGS, `'${method.in}' expected`)
      return { out: method.out, results: await method.handle(call) }
    }
    throw new BusError(UNKNOWN_METHOD, `there is no method ${call.member}`)
  }
}

/** Introspection data, from which tools such as gdbus know the types. @param {Map<string, Record<string, Method>>} interfaces */
function describe(interfaces) {
  const argument = (/** @type {string} */ type, /** @type {string} */ direction) =>
    type === '' ? '' : `<arg type="${type}" direction="${direction}"/>`
  let text = '<node>'
  for (const [name, methods] of interfaces) {
    text += `<interface name="${name}">`
    for (const [member, method] of Object.entries(methods)) {
      const arguments_ = [
        ...completeTypes(method.in).map((type) => argument(type, 'in')),
        ...completeTypes(method.out).map((type) => argument(type, 'out')),
      ]
      text += `<method name="${member}">${arguments_.join('')}</method>`
    }
    text += '</interface>'
  }
  return `${text}</node>`
}

/** The complete types of a signature. @param {string} signature */
function completeTypes(signature) {
  const types = []
  let from = 0
  let open = 0
  for (let at = 0; at < signature.length; at++) {
    const letter = signature.charAt(at)
    if ('({'.includes(letter)) open++
    else if (')}'.includes(letter)) open--
    if (open > 0 || letter === 'a') continue
    types.push(signature.slice(from, at + 1))
    from = at + 1
  }
  return types
}
