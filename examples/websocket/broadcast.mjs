// Sends every message to all: encoded once, compressed once. `node examples/websocket/broadcast.mjs --port 9002`
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { encode } from 'wiretape/websocket'
import { serve } from './server.mjs'

const page = readFileSync(new URL('./client.html', import.meta.url), 'utf8')

/** Bytes that may wait for a member before nobody is read any more: one who sends much must not fill the memory for all. */
const MOST_QUEUED = 1 << 20
/** How long a member may keep the others waiting. */
const PATIENCE_MS = 2000

/** @typedef {import('./server.mjs').Connection} Connection */

/** @param {{ port?: number }} [options] */
export function startBroadcast({ port } = {}) {
  /** @type {Set<Connection>} */
  const members = new Set()
  /** Members that have not taken what they were sent, and when each is let go. @type {Map<Connection, NodeJS.Timeout>} */
  const behind = new Map()
  /** Members that are not read until nobody is behind. @type {Set<Connection>} */
  const held = new Set()

  function caughtUp(/** @type {Connection} */ member) {
    clearTimeout(behind.get(member))
    if (!behind.delete(member) || behind.size > 0) return
    for (const { reading } of held) reading.resume()
    held.clear()
  }

  return serve({
    ...(port === undefined ? {} : { port }),
    page,
    // One frame goes to all, so no connection has a context of its own.
    deflate: false,
    onOpen(member) {
      members.add(member)
      member.socket.on('drain', () => caughtUp(member))
    },
    onClose(member) {
      members.delete(member)
      held.delete(member)
      caughtUp(member)
    },
    onMessage(message, sender) {
      const frame = encode(message, { role: 'server' })
      for (const member of members) {
        const { closed, socket } = member
        if (closed) continue
        socket.write(frame)
        if (socket.writableLength > MOST_QUEUED && !behind.has(member)) {
          behind.set(
            member,
            setTimeout(() => socket.destroy(), PATIENCE_MS),
          )
        }
      }
      if (behind.size === 0) return
      held.add(sender)
      sender.reading.pause()
    },
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9002' } } })
  const { port } = await startBroadcast({ port: Number(values.port) })
  console.log(`listening on ws://127.0.0.1:${port}`)
}
