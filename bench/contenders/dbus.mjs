// The four D-Bus libraries of npm that parse and write in JavaScript, and wiretape on each backend.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { useBackend } from 'wiretape'
import { Decoder, decode, encode, encodeChunks, Variant } from 'wiretape/dbus'
import { libdbus } from '../native/libdbus.mjs'
import { plainBody, shapeBody } from '../payloads/dbus.mjs'

const require = createRequire(import.meta.url)

/** What the libraries need of a stream, without the cost of a stream: read(n), on('readable'), removeListener. */
class Feed {
  #bytes
  #at = 0
  #readable
  on(event, listener) {
    if (event === 'readable') this.#readable = listener
  }
  removeListener() {}
  emit(event, error) {
    if (event === 'error') throw error
  }
  read(n) {
    if (this.#at + n > this.#bytes.length) return null
    const bytes = this.#bytes.subarray(this.#at, this.#at + n)
    this.#at += n
    return bytes
  }
  push(bytes) {
    this.#bytes = bytes
    this.#at = 0
    this.#readable()
  }
}

const touch = ({ serial, body }) => serial + body.length
const touchHead = (serial, path, member) => serial + path.length + member.length
const touchBytes = (bytes) => bytes.length

const NAMES = ['path', 'interface', 'member', 'errorName', 'replySerial', 'destination', 'sender', 'signature']
function headOf({ type, flags, serial, fields }) {
  const head = { type, flags, serial }
  for (const name of NAMES) if (fields[name] !== undefined) head[name] = fields[name]
  return head
}

const objectOf = (pairs) => Object.fromEntries(pairs)
const hex = (bytes) => Buffer.from(bytes).toString('hex')
/** A message that was written, read back by wiretape. */
const backAgain = (bytes, message) =>
  plainBody(message, decode(bytes, { dict: 'pairs', validate: 'eager' }).body, wiretapeForms)

/**
 * The operations of a library: `start(feed, take)` reads messages, `write(head, body)` makes the bytes of one, `forms` take its
 * values apart, `api` makes them. What a library cannot do at all is left out.
 */
function peer(name, { start, write, forms, api, lacks = [] }) {
  const reader = () => {
    const feed = new Feed()
    let take
    start(feed, (message) => take(message))
    return (bytes, each) => {
      take = each
      feed.push(bytes)
    }
  }
  const read = () => {
    const feed = reader()
    let last
    const keep = (message) => {
      last = message
    }
    return {
      run: ({ bytes }) => {
        feed(bytes, keep)
        return touch({ serial: last.serial, body: last.body ?? [] })
      },
      neutral: ({ bytes, message }) => {
        feed(bytes, keep)
        return { serial: last.serial, body: plainBody(message, last.body, forms) }
      },
    }
  }
  const headOnly = ({ serial, path, interface: face, member }) => ({ serial, path, interface: face, member })
  const readHeader = () => {
    const feed = reader()
    let last
    const keep = (message) => {
      last = message
    }
    return {
      run: ({ bytes }) => {
        feed(bytes, keep)
        return touchHead(last.serial, last.path, last.member)
      },
      neutral: ({ bytes }) => {
        feed(bytes, keep)
        return headOnly(last)
      },
    }
  }
  const stream = () => {
    const feed = reader()
    return {
      run: ({ bytes }) => {
        let sum = 0
        feed(bytes, (message) => {
          sum += touch(message)
        })
        return sum
      },
      neutral: ({ bytes, messages }) => {
        const all = []
        feed(bytes, ({ serial, body }) => all.push({ serial, body: plainBody(messages[all.length], body, forms) }))
        return all
      },
    }
  }
  const filter = () => {
    const feed = reader()
    return {
      run: ({ bytes }) => {
        let sum = 0
        feed(bytes, ({ serial, path, member }) => {
          sum += touchHead(serial, path, member)
        })
        return sum
      },
      neutral: ({ bytes }) => {
        const all = []
        feed(bytes, (message) => all.push(headOnly(message)))
        return all
      },
    }
  }
  const writer = () => {
    // Values are made once for each message, outside of what is timed.
    const made = new Map()
    const inputOf = ({ message }) => {
      if (!made.has(message)) made.set(message, { head: headOf(message), body: shapeBody(message, api) })
      return made.get(message)
    }
    return {
      run: (input) => {
        const { head, body } = inputOf(input)
        return touchBytes(write({ ...head, body }))
      },
      neutral: (input) => {
        const { head, body } = inputOf(input)
        return backAgain(write({ ...head, body }), input.message)
      },
    }
  }
  const operations = {
    read,
    readExact: read,
    readHeader,
    stream,
    filter,
    write: writer,
    writeKeys: writer,
    writeBytes: writer,
    writeChunks: writer,
  }
  for (const operation of lacks) delete operations[operation]
  return { name, operations }
}

const bufferForms = {
  variant: ({ signature, value }) => [signature, value],
  entries: (object) => Object.entries(object),
  bytes: hex,
}

function dbusNext() {
  const message = require('dbus-next/lib/message.js')
  const compat = require('dbus-next/lib/marshall-compat.js')
  const { Message } = require('dbus-next/lib/message-type.js')
  const values = require('dbus-next/lib/variant.js')
  return peer('dbus-next', {
    start: (feed, take) =>
      message.unmarshalMessages(feed, (parsed) => take(new Message(compat.messageToJsFmt(parsed))), {}),
    write: (input) => compat.marshallMessage(input)[0],
    forms: bufferForms,
    api: {
      variant: (type, value) => new values.Variant(type, value),
      dict: objectOf,
      int64: BigInt,
      bytes: (bytes) => bytes,
    },
    // It has no keys but strings; 1 MiB of bytes takes it a fifth of a second.
    lacks: ['writeKeys', 'writeBytes', 'writeChunks'],
  })
}

function jellybrick() {
  // Only a bundle is published: its inner functions are reached by loading it with one more line at its end.
  const file = require.resolve('@jellybrick/dbus-next')
  const module = new Module(file)
  module.filename = file
  module.paths = Module._nodeModulePaths(dirname(file))
  const inner = '\nmodule.exports.inner = { unmarshalMessages, messageToJsFmt, marshallMessage };'
  module._compile(readFileSync(file, 'utf8') + inner, file)
  const { Message, Variant: Tagged, inner: functions } = module.exports
  return peer('@jellybrick/dbus-next', {
    start: (feed, take) =>
      functions.unmarshalMessages(feed, (parsed) => take(new Message(functions.messageToJsFmt(parsed))), {}),
    write: (input) => functions.marshallMessage(input)[0],
    forms: bufferForms,
    api: { variant: (type, value) => new Tagged(type, value), dict: objectOf, int64: BigInt, bytes: (bytes) => bytes },
    // 1 MiB of bytes takes it half a second.
    lacks: ['writeBytes', 'writeChunks'],
  })
}

function dbusNative() {
  const message = require('dbus-native/lib/message')
  const values = require('dbus-native/lib/values')
  return peer('dbus-native', {
    start: (feed, take) => message.unmarshalMessages(feed, take, {}),
    write: (input) => message.marshall(input),
    forms: {
      variant: (value, { sig }) => [sig, value],
      entries: (dict) => (Array.isArray(dict) ? dict : Object.entries(dict)),
      bytes: hex,
    },
    api: {
      variant: (type, value) => new values.Variant(type, value),
      dict: (pairs) => pairs,
      int64: BigInt,
      bytes: (bytes) => bytes,
    },
    lacks: ['writeChunks'],
  })
}

function homebridge() {
  const message = require('@homebridge/dbus-native/lib/message.js')
  return peer('@homebridge/dbus-native', {
    start: (feed, take) => message.unmarshalMessages(feed, take, {}),
    write: (input) => message.marshall(input),
    forms: {
      variant: ([, [value]], { sig }) => [sig, value],
      entries: (pairs) => pairs,
      bytes: hex,
    },
    api: {
      variant: (type, value) => [type, value],
      dict: (pairs) => pairs,
      int64: Number,
      bytes: (bytes) => [...bytes],
    },
    // Its 64-bit integers are rounded; 1 MiB of bytes takes it seconds.
    lacks: ['readExact', 'writeBytes', 'writeChunks'],
  })
}

const ARRAYS = { d: Float64Array, n: Int16Array, q: Uint16Array, i: Int32Array, u: Uint32Array }
const wiretapeApi = {
  variant: (type, value) => new Variant(type, value),
  dict: (pairs) => new Map(pairs),
  int64: BigInt,
  bytes: (bytes) => bytes,
  array: (type, items) => (ARRAYS[type] ? ARRAYS[type].from(items) : items),
}
const wiretapeForms = {
  variant: (value, { sig }) => (value instanceof Variant ? [value.signature, value.value] : [sig, value]),
  entries: (dict) => [...dict],
  bytes: hex,
}
const TYPES = ['', 'methodCall', 'methodReturn', 'error', 'signal']
/** As the others do it: values of variants alone, bytes as part of what was read. */
const PLAIN = { types: 'plain', bytes: 'view' }

function writes(make) {
  const made = new Map()
  const inputOf = ({ message }) => {
    if (!made.has(message)) {
      made.set(message, { ...headOf(message), type: TYPES[message.type], body: shapeBody(message, wiretapeApi) })
    }
    return made.get(message)
  }
  return () => ({
    run: (input) => touchBytes(make(inputOf(input))),
    neutral: (input) => {
      const bytes = make(inputOf(input))
      return backAgain(bytes, input.message)
    },
  })
}

const headOnly = ({ serial, path, interface: face, member }) => ({ serial, path, interface: face, member })
const operations = {
  read: () => ({
    run: ({ bytes }) => touch(decode(bytes, PLAIN)),
    neutral: ({ bytes, message }) => {
      const { serial, body } = decode(bytes, PLAIN)
      return { serial, body: plainBody(message, body, wiretapeForms) }
    },
  }),
  readHeader: () => ({
    run: ({ bytes }) => {
      const { serial, path, member } = decode(bytes, PLAIN)
      return touchHead(serial, path, member)
    },
    neutral: ({ bytes }) => headOnly(decode(bytes, PLAIN)),
  }),
  stream: () => ({
    run: ({ bytes }) => {
      let sum = 0
      for (const message of new Decoder(PLAIN).push(bytes)) sum += touch(message)
      return sum
    },
    neutral: ({ bytes, messages }) =>
      new Decoder(PLAIN)
        .push(bytes)
        .readAll()
        .map(({ serial, body }, i) => ({ serial, body: plainBody(messages[i], body, wiretapeForms) })),
  }),
  filter: () => ({
    run: ({ bytes }) => {
      let sum = 0
      for (const { serial, path, member } of new Decoder(PLAIN).push(bytes)) sum += touchHead(serial, path, member)
      return sum
    },
    neutral: ({ bytes }) => new Decoder(PLAIN).push(bytes).readAll().map(headOnly),
  }),
  write: writes(encode),
}
operations.readExact = operations.read
operations.writeKeys = operations.write
operations.writeBytes = operations.write
operations.writeChunks = () => {
  const { neutral } = operations.write()
  const made = new Map()
  return {
    run: ({ message }) => {
      if (!made.has(message)) {
        made.set(message, { ...headOf(message), type: TYPES[message.type], body: shapeBody(message, wiretapeApi) })
      }
      let length = 0
      for (const piece of encodeChunks(made.get(message))) length += piece.length
      return length
    },
    neutral,
  }
}

const wiretape = (name, choice) => ({ name, before: () => useBackend(choice), operations })

export const contenders = [
  dbusNext(),
  jellybrick(),
  dbusNative(),
  homebridge(),
  wiretape('wiretape-wasm', 'wasm'),
  wiretape('wiretape-js', 'js'),
  wiretape('wiretape', 'auto'),
]

export const natives = [libdbus]
