// Sends every message back. `node examples/websocket/echo.mjs --port 9001`, then open http://127.0.0.1:9001 in a browser.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { serve } from './server.mjs'

const page = readFileSync(new URL('./client.html', import.meta.url), 'utf8')

/** @param {{ port?: number }} [options] */
export const startEcho = ({ port } = {}) =>
  serve({
    ...(port === undefined ? {} : { port }),
    page,
    onMessage: (message, connection) => {
      // The payload of a binary message is good until this returns, but the socket may write it later: it gets a copy.
      connection.send(message.type === 'text' ? message : { ...message, data: message.data.slice() })
    },
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9001' } } })
  const { port } = await startEcho({ port: Number(values.port) })
  console.log(`listening on ws://127.0.0.1:${port}`)
}
