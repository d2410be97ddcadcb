import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer, WebSocket as WsClient } from 'ws'
import { attach, nodeDeflate } from '../../../bindings/node/index'
import {
  acceptUpgrade,
  Decoder,
  type DeflateOptions,
  Encoder,
  type Message,
  type MessageInput,
  offerUpgrade,
  replyTo,
  verifyUpgrade,
} from '../../../bindings/websocket/index'
import { pythonClient, pythonServer, withPython } from './python'

const messages: MessageInput[] = [
  { type: 'text', data: '' },
  { type: 'text', data: 'ünïcödé 😀' },
  { type: 'binary', data: new Uint8Array(0) },
  ...[1, 125, 126, 65_535, 65_536, 200_000].flatMap((n): MessageInput[] => [
    { type: 'binary', data: Uint8Array.from({ length: n }, (_, i) => i * 31) },
    { type: 'text', data: `{"n":${n}}`.repeat(Math.ceil(n / 8)) },
  ]),
]
const digest = (data: string | Uint8Array): string => createHash('sha1').update(data).digest('hex')
const digestOf = (message: Message | MessageInput): string =>
  'data' in message ? `${message.type} ${digest(message.data ?? '')}` : message.type

const opened: { close(): unknown }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

/** An echo server of ours. */
async function echo(deflate: DeflateOptions | boolean): Promise<number> {
  const server = createServer()
  opened.push(server)
  server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    const accepted = acceptUpgrade(request.headers, { deflate })
    socket.write(accepted.response)
    const agreed = accepted.deflate && nodeDeflate(accepted.deflate)
    const encoder = new Encoder({ role: 'server', deflate: agreed })
    opened.push({ close: () => socket.destroy() })
    attach(
      socket,
      new Decoder({ role: 'server', deflate: agreed }),
      {
        unit(message) {
          socket.write(encoder.encode(replyTo(message) ?? (message as MessageInput)))
          if (message.type === 'close') socket.end()
        },
        error: (error) => socket.destroy(error),
        end: () => socket.end(),
      },
      { head },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A client of ours: sends the messages, and resolves with what came back before the close. */
async function talk(port: number, deflate: DeflateOptions | boolean, fragmentBytes?: number) {
  const offer = offerUpgrade({ host: 'localhost', deflate })
  const socket = connect(port, '127.0.0.1')
  opened.push({ close: () => socket.destroy() })
  socket.write(offer.request)
  let answer = Buffer.alloc(0)
  let end = -1
  while (end < 0) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    answer = Buffer.concat([answer, chunk])
    end = answer.indexOf('\r\n\r\n')
  }
  const [status, ...lines] = answer.subarray(0, end).toString().split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  const agreed = verifyUpgrade(offer, Number(status!.split(' ')[1]), headers).deflate
  const adapter = agreed && nodeDeflate(agreed)
  const encoder = new Encoder({ role: 'client', deflate: adapter, fragmentBytes })
  const got: Message[] = []
  const closed = new Promise<void>((resolve, reject) => {
    attach(
      socket,
      new Decoder({ role: 'client', deflate: adapter }),
      {
        unit(message) {
          if (message.type === 'close') return resolve()
          // Every echo and the pong: a peer that was told to close may drop what it has not sent.
          if (got.push(message) > messages.length) socket.write(encoder.encode({ type: 'close', code: 1000 }))
        },
        error: reject,
      },
      { head: answer.subarray(end + 4) },
    )
  })
  for (const message of messages) socket.write(encoder.encode(message))
  socket.write(encoder.encode({ type: 'ping', data: 'p' }))
  await closed
  return { got, agreed }
}

const windows: (DeflateOptions | boolean)[] = [
  false,
  true,
  { serverNoContextTakeover: true, clientNoContextTakeover: true },
  { serverMaxWindowBits: 10, clientMaxWindowBits: 10 },
]

describe.each(windows)('compression %o', (deflate) => {
  it('our server, the client of ws', async () => {
    const port = await echo(deflate)
    const client = new WsClient(`ws://127.0.0.1:${port}`, {
      perMessageDeflate: deflate === false ? false : { threshold: 0, clientMaxWindowBits: 15 },
    })
    await once(client, 'open')
    expect(client.extensions !== '').toBe(deflate !== false)
    const got: string[] = []
    client.on('message', (data: Buffer, isBinary: boolean) =>
      got.push(`${isBinary ? 'binary' : 'text'} ${digest(data)}`),
    )
    for (const message of messages) client.send((message as { data: string | Uint8Array }).data)
    client.ping('p')
    expect(String((await once(client, 'pong'))[0])).toBe('p')
    client.close(1000)
    await once(client, 'close')
    expect(got).toEqual(messages.map(digestOf))
  })

  it.each([undefined, 1000])('our client, the server of ws, fragments of %s', async (fragmentBytes) => {
    const server = new WebSocketServer({
      port: 0,
      host: '127.0.0.1',
      perMessageDeflate: deflate === false ? false : { threshold: 0 },
    })
    opened.push(server)
    server.on('connection', (socket) =>
      socket.on('message', (data: Buffer, isBinary: boolean) => socket.send(data, { binary: isBinary })),
    )
    await once(server, 'listening')
    const { got, agreed } = await talk((server.address() as AddressInfo).port, deflate, fragmentBytes)
    expect(agreed !== undefined).toBe(deflate !== false)
    expect(got.filter(({ type }) => type !== 'pong').map(digestOf)).toEqual(messages.map(digestOf))
  })

  it('our server, our client', async () => {
    const { got } = await talk(await echo(deflate), deflate)
    expect(got.filter(({ type }) => type !== 'pong').map(digestOf)).toEqual(messages.map(digestOf))
  })
})

it.each([false, true])('our server, the client of undici, compression %s', async (deflate) => {
  const { WebSocket } = await import('undici')
  const client = new WebSocket(`ws://127.0.0.1:${await echo(deflate)}`)
  client.binaryType = 'arraybuffer'
  await new Promise((resolve) => client.addEventListener('open', resolve, { once: true }))
  const got: string[] = []
  const done = new Promise<void>((resolve) => {
    client.addEventListener('message', ({ data }: { data: string | ArrayBuffer }) => {
      got.push(typeof data === 'string' ? `text ${digest(data)}` : `binary ${digest(new Uint8Array(data))}`)
      if (got.length === messages.length) resolve()
    })
  })
  for (const message of messages) client.send((message as { data: string }).data)
  await done
  client.close(3001, 'bye')
  await new Promise((resolve) => client.addEventListener('close', resolve, { once: true }))
  expect(got).toEqual(messages.map(digestOf))
})

describe.each(['websockets', 'aiohttp'] as const)('%s of Python', (peer) => {
  withPython(() => {
    describe.each([false, true])('compression %s', (deflate) => {
      it('our client, its server', async () => {
        const { port, end } = await pythonServer(peer, deflate)
        try {
          const { got, agreed } = await talk(port, deflate, 1000)
          expect(agreed !== undefined).toBe(deflate)
          expect(got.filter(({ type }) => type !== 'pong').map(digestOf)).toEqual(messages.map(digestOf))
        } finally {
          await end()
        }
      })

      it('our server, its client', async () => {
        const server = createServer()
        opened.push(server)
        const got: string[] = []
        let client: Promise<number | null> | undefined
        await new Promise<void>((resolve, reject) => {
          server.on('upgrade', (request, socket: Socket, head: Buffer) => {
            const accepted = acceptUpgrade(request.headers, { deflate })
            expect(accepted.deflate !== undefined).toBe(deflate)
            const agreed = accepted.deflate && nodeDeflate(accepted.deflate)
            const encoder = new Encoder({ role: 'server', deflate: agreed, fragmentBytes: 1000 })
            opened.push({ close: () => socket.destroy() })
            attach(
              socket,
              new Decoder({ role: 'server', deflate: agreed, bytes: 'view' }),
              {
                unit(message) {
                  if (message.type === 'text' || message.type === 'binary') {
                    got.push(digestOf(message))
                    if (got.length === messages.length) socket.write(encoder.encode({ type: 'close', code: 1000 }))
                  } else if (message.type === 'ping') socket.write(encoder.encode(replyTo(message)!))
                  else if (message.type === 'close') {
                    socket.end()
                    resolve()
                  }
                },
                error: reject,
              },
              { head },
            )
            socket.write(accepted.response)
            socket.write(encoder.encodeAll(messages))
          })
          server.listen(0, '127.0.0.1', () => {
            client = pythonClient(peer, deflate, (server.address() as AddressInfo).port)
          })
        })
        expect(got).toEqual(messages.map(digestOf))
        expect(await client).toBe(0)
      })
    })
  })
})
