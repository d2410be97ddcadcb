// A camera and a home hub that fetches a recording from it over HomeKit Data Stream: hello, open, an initialization segment and
// fragments as data events, acknowledgement. Both ends have derived their keys from a HomeKit session (Pair Verify) before.
//
//   node examples/hds/camera.mjs
import { randomBytes } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { control, Decoder, dataSend, deriveKeys, Encoder, Reason, response, Status } from 'wiretape/hds'

/** Messages of a socket one after the other; a fault ends the connection, since nothing behind it can be trusted. */
async function* messagesOf(socket, decoder) {
  for await (const chunk of socket) yield* decoder.push(chunk)
}

/** Answers one hub after the other with the fragments that `record()` gives. */
export function startCamera({ keys, record }) {
  const server = createServer(async (socket) => {
    const encoder = new Encoder({ role: 'accessory', keys })
    const send = (message) => {
      // Where the hub is slow, the next fragment waits.
      if (!socket.write(encoder.encode(message))) return new Promise((resolve) => socket.once('drain', resolve))
    }
    try {
      for await (const message of messagesOf(socket, new Decoder({ role: 'accessory', keys }))) {
        if (control.isHello(message)) await send(response(message))
        else if (message.type === 'request' && message.topic === 'open') {
          const { streamId, type } = dataSend.readOpen(message)
          if (type !== 'ipcamera.recording') {
            await send(response(message, { status: Reason.unsupported }, Status.protocolSpecificError))
            continue
          }
          await send(response(message, { status: Status.success }))
          for await (const event of dataSend.events(streamId, record())) await send(event)
        } else if (message.topic === 'ack' || message.topic === 'close') socket.end()
      }
    } catch {
      socket.destroy()
    }
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, close: () => server.close() }))
  })
}

/** Fetches a recording: its fragments, each whole again. */
export async function fetchRecording({ port, keys, type = 'ipcamera.recording' }) {
  const socket = connect(port, '127.0.0.1')
  const encoder = new Encoder({ role: 'controller', keys })
  const fragments = []
  let chunks = []
  socket.write(encoder.encode(control.hello(1)))
  for await (const message of messagesOf(socket, new Decoder({ role: 'controller', keys }))) {
    if (message.type === 'response' && message.topic === 'hello') {
      socket.write(encoder.encode(dataSend.open(2, { streamId: 1, type, target: 'controller', reason: 'record' })))
    } else if (message.type === 'response' && message.status !== Status.success) {
      socket.end()
      throw new Error(`the camera refuses: status ${message.status}, reason ${message.body.status}`)
    } else if (message.topic === 'data') {
      const { packets, endOfStream } = dataSend.readData(message)
      for (const { data, metadata } of packets) {
        chunks.push(data)
        if (!metadata.isLastDataChunk) continue
        fragments.push(Buffer.concat(chunks))
        chunks = []
      }
      if (endOfStream) socket.end(encoder.encode(dataSend.ack(1)))
    }
  }
  return fragments
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const keys = deriveKeys(randomBytes(32), randomBytes(32), randomBytes(32))
  const record = () => [randomBytes(1200), randomBytes(600_000), randomBytes(300_000)]
  const camera = await startCamera({ keys, record })
  const fragments = await fetchRecording({ port: camera.port, keys })
  camera.close()
  for (const [i, { length }] of fragments.entries()) console.log(i === 0 ? 'initialization' : `fragment ${i}`, length)
}
