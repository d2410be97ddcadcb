// Sends every message to all: encoded once, compressed once. `node examples/websocket/broadcast.mjs --port 9002`
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { encode } from 'wiretape/websocket'
import { serve } from './server.mjs'

const page = readFileSync(new URL('./client.html', import.meta.url), 'utf8')

/** @param {{ port?: number }} [options] */
export function startBroadcast({ port } = {}) {
  /** @type {Set<import('./server.mjs').Connection>} */
  const members = new Set()
  return serve({
    ...(port === undefined ? {} : { port }),
    page,
    // One frame goes to all, so no connection has a context of its own.
    deflate: false,
    onOpen: (connection) => members.add(connection),
    onClose: (connection) => members.delete(connection),
    onMessage(message) {
      const frame = encode(message, { role: 'server' })
      for (const { closed, socket } of members) {
        // Who does not keep up is let go rather than waited for.
        if (socket.writableLength > 1 << 20) socket.destroy()
        else if (!closed) socket.write(frame)
      }
    },
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9002' } } })
  const { port } = await startBroadcast({ port: Number(values.port) })
  console.log(`listening on ws://127.0.0.1:${port}`)
}
