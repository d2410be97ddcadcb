// A WebSocket server in a process of its own: `server.mjs <contender>`. It counts the messages that one connection floods it
// with and tells what they cost in processor time, reading from the socket included.
import { createServer } from 'node:http'

const [contender] = process.argv.slice(2)
let wanted = Number.POSITIVE_INFINITY
let seen = 0
let bytes = 0
let before

function take(length) {
  bytes += length
  if (++seen < wanted) return
  const { user, system } = process.cpuUsage(before)
  const count = seen
  const sum = bytes
  seen = 0
  bytes = 0
  wanted = Number.POSITIVE_INFINITY
  process.send({ milliseconds: (user + system) / 1000, count, bytes: sum })
}

async function serveWiretape(server) {
  const { acceptUpgrade, Decoder } = await import('wiretape/websocket')
  const { attach } = await import('wiretape/node')
  server.on('upgrade', ({ headers }, socket, head) => {
    socket.write(acceptUpgrade(headers).response)
    const decoder = new Decoder({ role: 'server', bytes: 'view' })
    attach(
      socket,
      decoder,
      { unit: ({ data }) => take(data.length), error: (error) => socket.destroy(error) },
      { head },
    )
    socket.on('error', () => {})
  })
}

async function serveWs(server) {
  if (contender === 'ws') process.env.WS_NO_BUFFER_UTIL = '1'
  const { WebSocketServer } = await import('ws')
  const all = new WebSocketServer({ server, perMessageDeflate: false })
  all.on('connection', (socket) => socket.on('message', ({ length }) => take(length)))
}

const server = createServer()
await (contender.startsWith('ws') ? serveWs(server) : serveWiretape(server))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', ({ count }) => {
  wanted = count
  before = process.cpuUsage()
  process.send({ ready: true })
})
process.on('disconnect', () => process.exit())
