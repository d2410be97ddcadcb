// Clients that break off, do not read, or send what they must not. Each resolves when it has done its worst; none may bring a server to
// do more than end that one connection.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encode as encodeMessage, offerUpgrade } from 'wiretape/websocket'
import { below, pick } from '../../bench/random.mjs'
import { inputsOf, seedsOf } from '../differential/inputs.mjs'

const frames = seedsOf('websocket', ['hex', 'frame', 'wire', 'bytes', 'input'])
const lines = seedsOf('katcp', ['line', 'encoded', 'hex'])
const MOST_MS = 2000

/** Not `once` of node:events, for which an error is one. */
const event = (socket, name) => new Promise((resolve) => socket.once(name, resolve))

/** An open connection whose end, of any kind, is nobody's fault. */
async function opened(port, { read = true } = {}) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  if (read) socket.resume()
  await Promise.race([event(socket, 'connect'), event(socket, 'close')])
  return socket
}

async function upgraded(port, options) {
  const socket = await opened(port, options)
  socket.write(offerUpgrade({ host: 'localhost', deflate: true }).request)
  return socket
}

const write = (socket, bytes) => new Promise((resolve) => socket.write(bytes, () => resolve()))

/** Waits for the server to let go, for a while; then lets go. */
async function leave(socket, next) {
  if (!socket.destroyed) await Promise.race([event(socket, 'close'), sleep(below(next, MOST_MS))])
  if (next() < 0.5) socket.resetAndDestroy()
  else socket.destroy()
}

const hello = (next) => encodeMessage({ type: 'text', data: 'x'.repeat(below(next, 5000)) }, { role: 'client' })

/** A good message, cut anywhere. */
async function cut(ports, next) {
  const socket = await upgraded(pick(next, [ports.echo, ports.broadcast]))
  const bytes = hello(next)
  await write(socket, bytes.subarray(0, below(next, bytes.length)))
  if (next() < 0.5) socket.resetAndDestroy()
  else socket.destroy()
}

/** Asks for much and reads nothing of it. */
async function slow(ports, next) {
  const socket = await upgraded(pick(next, [ports.echo, ports.broadcast]), { read: false })
  const bytes = encodeMessage({ type: 'binary', data: new Uint8Array(100_000) }, { role: 'client' })
  for (let i = 0; i < 100 && !socket.destroyed; i++) socket.write(bytes)
  await leave(socket, next)
}

/** Frames as no client may send them, and the handshake of no WebSocket. */
async function hostile(ports, next) {
  const port = pick(next, [ports.echo, ports.broadcast])
  const socket = next() < 0.9 ? await upgraded(port) : await opened(port)
  for (const bytes of inputsOf(frames, 1 + below(next, 4), below(next, 2 ** 32))) await write(socket, bytes)
  await leave(socket, next)
}

/** Lines as no KATCP client may send them; some without an end. */
async function babbling(ports, next) {
  const socket = await opened(pick(next, [ports.relay, ports.device]))
  const pieces = Array.from({ length: 1 + below(next, 20) }, () => pick(next, lines))
  const bytes = Buffer.concat(pieces.flatMap((line) => [line, Buffer.from(next() < 0.8 ? '\n' : '')]))
  // It must not be a request that ends the device for all.
  const text = bytes.toString('latin1').replace(/halt|restart/g, 'stay')
  await write(socket, Buffer.from(text, 'latin1').subarray(0, below(next, bytes.length + 1)))
  await leave(socket, next)
}

/** Asks the relay and does not wait for the answer, or does not read it. */
async function impatient(ports, next) {
  const socket = await opened(ports.relay, { read: false })
  const line = `?echo[1] ${'argument '.repeat(5000)}\n`
  for (let i = below(next, 50); i >= 0 && !socket.destroyed; i--) socket.write(line)
  await leave(socket, next)
}

export const badClients = { cut, slow, hostile, babbling, impatient }
