// A Cloudflare Worker that tells of the frames in a recorded stream: POST the bytes that one end has sent after the handshake.
//   npx wrangler dev examples/websocket/worker.mjs
//   curl --data-binary @examples/websocket/session.bin 'http://127.0.0.1:8787/?role=server'
import { decodeStream, WireError } from 'wiretape/websocket'

/** @type {Readonly<Record<number, string>>} */
const OPCODES = { 0: 'continuation', 1: 'text', 2: 'binary', 8: 'close', 9: 'ping', 10: 'pong' }

export default {
  /** @param {Request} request */
  async fetch(request) {
    if (!request.body) return new Response('POST the bytes of a stream\n', { status: 400 })
    const role = new URL(request.url).searchParams.get('role') === 'client' ? 'client' : 'server'
    const lines = []
    let status = 200
    try {
      for await (const frame of decodeStream(request.body, { role, emit: 'frames' })) {
        const { offset, opcode, fin, payload } = frame
        lines.push(`${offset} ${OPCODES[opcode]}${fin ? '' : ', not the last'}, ${payload.length} bytes`)
      }
    } catch (error) {
      if (!WireError.is(error)) throw error
      lines.push(`${error.code}: ${error.message}`)
      status = 422
    }
    return new Response(`${lines.join('\n')}\n`, { status })
  },
}
