// Clients that keep to the rules and check that nothing of theirs is lost. Each has run(until), which resolves with the number of
// messages that came back and rejects at the first that did not.
import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket as UndiciWebSocket } from 'undici'
import { Decoder, encode, request, WireError } from 'wiretape/katcp'
import WebSocket from 'ws'
import { below, pick } from '../../bench/random.mjs'

/** Longer than anything should take, even on a machine that does ten other things. */
const PATIENCE_MS = 20_000
const IN_FLIGHT = 16

function inTime(promise, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Things that arrive, for one that waits. */
class Mailbox {
  #waiting
  #things = []

  put(thing) {
    this.#things.push(thing)
    this.#waiting?.resolve()
  }
  fail(error) {
    this.error ??= error
    this.#waiting?.resolve()
  }
  async take(what) {
    while (this.#things.length === 0) {
      if (this.error) throw this.error
      const waiting = new Promise((resolve) => {
        this.#waiting = { resolve }
      })
      await inTime(waiting, what)
    }
    return this.#things.shift()
  }
}

const SIZES = [0, 1, 125, 126, 1000, 65_535, 65_536, 200_000]

function message(next) {
  const size = pick(next, SIZES)
  if (next() < 0.5) return `${'é'.repeat(below(next, 20))}${'text '.repeat(size / 5)}`
  return Buffer.alloc(size, below(next, 256))
}

const same = (sent, got) => (typeof sent === 'string' ? sent === got : Buffer.compare(sent, Buffer.from(got)) === 0)

/** Sends messages to the echo server and takes each back, whole and in order. */
async function echoing(open, name, next, until) {
  const mailbox = new Mailbox()
  const { send, close } = await inTime(open(mailbox), `${name}: opening`)
  const sent = []
  let count = 0
  while (Date.now() < until() || sent.length > 0) {
    while (sent.length < IN_FLIGHT && Date.now() < until()) {
      const one = message(next)
      sent.push(one)
      send(one)
    }
    const got = await mailbox.take(name)
    if (!same(sent.shift(), got)) throw new Error(`${name}: another message came back`)
    count++
  }
  await inTime(close(), `${name}: closing`)
  return count
}

async function openWs(port, perMessageDeflate, mailbox) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate })
  socket.on('message', (data, isBinary) => mailbox.put(isBinary ? data : data.toString()))
  socket.on('error', (error) => mailbox.fail(error))
  socket.on('close', (code) => mailbox.fail(new Error(`closed with ${code}`)))
  await once(socket, 'open')
  return {
    send: (data) => socket.send(data),
    close: () => {
      socket.close(1000)
      return once(socket, 'close')
    },
  }
}

async function openUndici(port, mailbox) {
  const socket = new UndiciWebSocket(`ws://127.0.0.1:${port}`)
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('message', ({ data }) => mailbox.put(data))
  socket.addEventListener('error', () => mailbox.fail(new Error('an error of undici')))
  socket.addEventListener('close', ({ code }) => mailbox.fail(new Error(`closed with ${code}`)))
  await once(socket, 'open')
  return {
    send: (data) => socket.send(data),
    close: () => {
      socket.close(1000)
      return once(socket, 'close')
    },
  }
}

/** Members of the broadcast server: each gets everything that each says, in its order. */
async function members(port, count, next, until) {
  const boxes = Array.from({ length: count }, () => new Mailbox())
  const sockets = await Promise.all(boxes.map((box) => openWs(port, false, box)))
  let round = 0
  while (Date.now() < until()) {
    const texts = sockets.map((_, i) => `${round} from ${i} ${'x'.repeat(below(next, 2000))}`)
    for (const [i, { send }] of sockets.entries()) send(texts[i])
    for (const [i, box] of boxes.entries()) {
      const got = new Set()
      while (got.size < count) {
        const text = await box.take(`member ${i}`)
        // What others send to all is none of our business.
        if (texts.includes(text)) got.add(text)
        else if (/^\d+ from \d/.test(text)) throw new Error(`member ${i} got what was not said in this round`)
      }
    }
    round++
  }
  await Promise.all(sockets.map(({ close }) => inTime(close(), 'member: closing')))
  return round * count * count
}

/** Asks the device, through the relay, for its arguments back. */
async function asking(port, name, next, until) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const mailbox = new Mailbox()
  const decoder = new Decoder()
  socket.on('data', (chunk) => {
    for (const unit of decoder.push(chunk)) {
      if (WireError.is(unit)) mailbox.fail(unit)
      // Informs without an id are for all.
      else if (unit.id !== undefined) mailbox.put(unit)
    }
  })
  socket.on('error', (error) => mailbox.fail(error))
  socket.on('close', () => mailbox.fail(new Error('the connection is gone')))
  await once(socket, 'connect')
  let id = 0
  while (Date.now() < until()) {
    const asked = Array.from({ length: IN_FLIGHT }, () => {
      const args = Array.from({ length: 1 + below(next, 200) }, () =>
        pick(next, ['a', ' ', '\\', 'two words', 'ünï', '']),
      )
      return { id: ++id, args }
    })
    for (const one of asked) socket.write(encode({ ...request('echo', one.args), id: one.id }))
    for (const one of asked) {
      const informed = await mailbox.take(name)
      const replied = await mailbox.take(name)
      const isAnswer =
        informed.type === 'inform' && informed.id === one.id && replied.type === 'reply' && replied.id === one.id
      if (!isAnswer || informed.args.toArray().join('\n') !== one.args.join('\n')) {
        throw new Error(`${name}: another answer than asked for`)
      }
    }
  }
  socket.destroy()
  return id
}

/** All of them; `until()` is when they shall have done. */
export function goodClients({ echo, broadcast, relay }, nextOf) {
  return [
    ['ws', (until) => echoing((box) => openWs(echo, false, box), 'ws', nextOf(), until)],
    ['ws, compressed', (until) => echoing((box) => openWs(echo, true, box), 'ws, compressed', nextOf(), until)],
    ['undici', (until) => echoing((box) => openUndici(echo, box), 'undici', nextOf(), until)],
    ['members', (until) => members(broadcast, 3, nextOf(), until)],
    ['relayed', (until) => asking(relay, 'relayed', nextOf(), until)],
    ['relayed too', (until) => asking(relay, 'relayed too', nextOf(), until)],
  ]
}
