// The other end of server.mjs: floods it with one frame, over and over, and asks what that has cost.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('./server.mjs', import.meta.url))

async function start(contender) {
  const child = fork(path, [contender], { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] })
  const [{ port }] = await once(child, 'message')
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  )
  await once(socket, 'data')
  socket.on('error', () => {})
  child.unref()
  child.channel.unref()
  socket.unref()
  return { child, socket }
}

/** A flood of messages on a connection that stays; resolves with what the server says of it. */
export function flooder(contender) {
  let started
  return async ({ chunk, messages }, count) => {
    started ??= start(contender)
    const { child, socket } = await started
    child.channel.ref()
    // Whole chunks, so that every write is one.
    const chunks = Math.max(1, Math.ceil(count / messages))
    child.send({ count: chunks * messages })
    await once(child, 'message')
    const answer = once(child, 'message')
    for (let i = 0; i < chunks; i++) if (!socket.write(chunk)) await once(socket, 'drain')
    const [result] = await answer
    child.channel.unref()
    return result
  }
}
