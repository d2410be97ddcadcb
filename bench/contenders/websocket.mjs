// ws with and without its native helper, websocket-driver, the parser of undici, and wiretape on each backend.
import { createHash } from 'node:crypto'
import http from 'node:http'
import { createRequire } from 'node:module'
import { useBackend } from 'wiretape'
import { nodeDeflate } from 'wiretape/node'
import { Decoder, Encoder } from 'wiretape/websocket'
import { flooder } from '../flood/client.mjs'

const require = createRequire(import.meta.url)

/** ws decides when it is loaded how it masks: a copy of its own for each way. The masking of Node's core (26) is left out. */
function loadWs(native) {
  const inWs = (path) => /[\\/]node_modules[\\/]ws[\\/]/.test(path)
  for (const path of Object.keys(require.cache)) if (inWs(path)) delete require.cache[path]
  const { websocketMask, websocketUnmask } = http
  if (websocketMask) http.websocketMask = http.websocketUnmask = undefined
  if (native) delete process.env.WS_NO_BUFFER_UTIL
  else process.env.WS_NO_BUFFER_UTIL = '1'
  try {
    return require('ws')
  } finally {
    delete process.env.WS_NO_BUFFER_UTIL
    if (websocketMask) Object.assign(http, { websocketMask, websocketUnmask })
  }
}

/** Feeds chunks to a parser that tells of each message, and counts. */
function counted(feed, lengths) {
  return {
    run: (chunks) => {
      lengths.sum = 0
      for (let i = 0; i < chunks.length; i++) feed(chunks[i])
      return lengths.sum
    },
    neutral: (chunks) => {
      lengths.list = []
      for (const chunk of chunks) feed(chunk)
      const { list } = lengths
      lengths.list = undefined
      return list
    },
  }
}
const counter = () => {
  const lengths = {
    sum: 0,
    list: undefined,
    take(data) {
      lengths.sum += 1 + data.length
      lengths.list?.push(data.length)
    },
  }
  return lengths
}
const copied = (make) => () => {
  const { run, neutral } = make()
  const copies = (chunks) => chunks.map((chunk) => Buffer.from(chunk))
  return { run: (chunks) => run(copies(chunks)), neutral: (chunks) => neutral(copies(chunks)) }
}

/** Messages of one call that is compared, not timed. */
const FLOOD = 1000
/** The server's own processor time is measured, per message. */
const flood = (contender) => () => {
  const run = flooder(contender)
  return {
    async: true,
    run: async (input) => (await run(input, FLOOD)).bytes,
    neutral: async (input) => (await run(input, FLOOD)).bytes,
    measure: async (input, count) => {
      const result = await run(input, count)
      return { milliseconds: result.milliseconds, count: result.count }
    },
  }
}

const NO_LIMIT = 0

function wsContender(name, { Receiver, Sender, PerMessageDeflate }) {
  const receiver = (isServer, text, extensions) => {
    const lengths = counter()
    const one = new Receiver({ isServer, maxPayload: NO_LIMIT, extensions })
    one.on('message', (data) => lengths.take(text ? data.toString() : data))
    one.on('error', (error) => {
      throw error
    })
    return { one, lengths }
  }
  const reading = (isServer, text) => () => {
    const { one, lengths } = receiver(isServer, text)
    return counted((chunk) => one.write(chunk), lengths)
  }
  /** One connection for each run: its context starts empty. ws inflates in the thread pool. */
  const inflate = () => {
    const start = (chunks) => {
      const deflate = new PerMessageDeflate({ isServer: false, threshold: 0 })
      deflate.accept([{}])
      const { one, lengths } = receiver(false, true, { 'permessage-deflate': deflate })
      lengths.list = []
      return new Promise((resolve) => {
        one.on('message', () => {
          if (lengths.list.length < chunks.length) return
          deflate.cleanup()
          resolve(lengths)
        })
        for (const chunk of chunks) one.write(chunk)
      })
    }
    return {
      async: true,
      run: async (chunks) => (await start(chunks)).sum,
      neutral: async (chunks) => (await start(chunks)).list,
    }
  }
  const encodeBatch = () => {
    const encode = (messages) => {
      const list = []
      for (const data of messages) {
        list.push(
          ...Sender.frame(data, {
            fin: true,
            rsv1: false,
            opcode: 2,
            mask: true,
            readOnly: true,
            generateMask: undefined,
          }),
        )
      }
      return Buffer.concat(list)
    }
    return { run: (messages) => encode(messages).length, neutral: (messages) => batchShape(encode(messages)) }
  }
  const server = reading(true, false)
  return {
    name,
    operations: {
      server,
      serverText: reading(true, true),
      serverCopied: copied(server),
      client: reading(false, false),
      inflate,
      encodeBatch,
      flood: flood(name),
    },
  }
}

/** What a batch of short masked frames holds. */
function batchShape(bytes) {
  const lengths = []
  for (let at = 0; at < bytes.length; at += 6 + (bytes[at + 1] & 127)) lengths.push(bytes[at + 1] & 127)
  return { length: bytes.length, lengths }
}

const undici = (() => {
  const { ByteParser } = require('undici/lib/web/websocket/receiver.js')
  const client = () => {
    const lengths = counter()
    const handler = {
      onMessage: (_, data) => lengths.take(data),
      onPing() {},
      onPong() {},
      onFail(code, reason) {
        throw new Error(`${code} ${reason}`)
      },
      socket: { write() {}, writableNeedDrain: false },
      closeState: new Set(),
      readyState: 1,
    }
    const parser = new ByteParser(handler, null)
    return counted((chunk) => parser.write(chunk), lengths)
  }
  return { name: 'undici', operations: { client } }
})()

const websocketDriver = (() => {
  const driver = require('websocket-driver')
  const ready = (one, lengths) => {
    one.on('message', ({ data }) => lengths.take(data))
    one.on('error', (error) => {
      throw error
    })
    if (one.readyState !== 1) throw new Error('websocket-driver is not open')
    return counted((chunk) => one.parse(chunk), lengths)
  }
  const options = { maxLength: 1 << 28 }
  const server = () => {
    const headers = {
      host: 'x',
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const request = { url: '/', method: 'GET', headers, connection: {} }
    const one = driver.http(request, { ...options, requireMasking: true })
    one.io.on('data', () => {})
    one.start()
    return ready(one, counter())
  }
  const client = () => {
    const one = driver.client('ws://x/', options)
    one.io.on('data', () => {})
    one.start()
    const accept = createHash('sha1').update(`${one._key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    one.parse(
      Buffer.from(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      ),
    )
    return ready(one, counter())
  }
  return {
    name: 'websocket-driver',
    operations: { server, serverText: server, serverCopied: copied(server), client },
  }
})()

const PARAMS = {
  serverNoContextTakeover: false,
  clientNoContextTakeover: false,
  serverMaxWindowBits: 15,
  clientMaxWindowBits: 15,
}
const reading = (role) => () => {
  const decoder = new Decoder({ role, bytes: 'view' })
  return {
    run: (chunks) => {
      let sum = 0
      for (let i = 0; i < chunks.length; i++) {
        decoder.push(chunks[i])
        for (let message = decoder.read(); message !== undefined; message = decoder.read()) {
          sum += 1 + message.data.length
        }
      }
      return sum
    },
    neutral: (chunks) =>
      chunks.flatMap((chunk) =>
        decoder
          .push(chunk)
          .readAll()
          .map(({ data }) => data.length),
      ),
  }
}
const server = reading('server')
const operations = {
  server,
  serverText: server,
  serverCopied: copied(server),
  client: reading('client'),
  inflate: () => {
    const read = (chunks, take) => {
      const decoder = new Decoder({ role: 'client', bytes: 'view', deflate: nodeDeflate(PARAMS) })
      for (const chunk of chunks) for (const { data } of decoder.push(chunk).readAll()) take(data)
    }
    return {
      run: (chunks) => {
        let sum = 0
        read(chunks, (data) => {
          sum += 1 + data.length
        })
        return sum
      },
      neutral: (chunks) => {
        const lengths = []
        read(chunks, (data) => lengths.push(data.length))
        return lengths
      },
    }
  },
  encodeBatch: () => {
    const encoder = new Encoder({ role: 'client' })
    const encode = (messages) => encoder.encodeAll(messages.map((data) => ({ type: 'binary', data })))
    return { run: (messages) => encode(messages).length, neutral: (messages) => batchShape(encode(messages)) }
  },
}
const wiretape = (name, choice) => ({ name, before: () => useBackend(choice), operations })
const direct = { ...operations, flood: flood('wiretape') }

export const contenders = [
  wsContender('ws+bufferutil', loadWs(true)),
  wsContender('ws', loadWs(false)),
  undici,
  websocketDriver,
  wiretape('wiretape-wasm', 'wasm'),
  wiretape('wiretape-js', 'js'),
  { name: 'wiretape', before: () => useBackend('auto'), operations: direct },
]
