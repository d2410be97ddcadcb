import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { decodeAll } from '../../bindings/websocket/index'

interface Server {
  readonly port: number
  close(): void
}
/** The examples are JavaScript, run as they stand. */
const example = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../../examples/websocket/${name}.mjs`, import.meta.url).href)) as T
const { startEcho } = await example<{ startEcho(): Promise<Server> }>('echo')
const { startBroadcast } = await example<{ startBroadcast(): Promise<Server> }>('broadcast')
const { default: worker } = await example<{ default: { fetch(request: Request): Promise<Response> } }>('worker')

const running: Server[] = []
afterEach(() => {
  for (const one of running.splice(0)) one.close()
})
async function started(server: Promise<Server>): Promise<number> {
  const one = await server
  running.push(one)
  return one.port
}
async function open(port: number, options = {}): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, options)
  await once(socket, 'open')
  return socket
}

describe('the example servers', () => {
  it.each([true, false])('echo, compression %s', async (perMessageDeflate) => {
    const socket = await open(await started(startEcho()), { perMessageDeflate })
    const sent = [
      Buffer.from('hello'),
      Buffer.alloc(0),
      Buffer.from('ünïcödé '.repeat(20_000)),
      Buffer.alloc(300_000, 7),
    ]
    for (const [i, data] of sent.entries()) {
      for (const binary of [false, true]) {
        if (i === 3 && !binary) continue
        socket.send(data, { binary })
        const [back, isBinary] = (await once(socket, 'message')) as [Buffer, boolean]
        expect(isBinary).toBe(binary)
        expect(Buffer.compare(back, data)).toBe(0)
      }
    }
    socket.ping('x')
    expect(String((await once(socket, 'pong'))[0])).toBe('x')
    socket.close(3000, 'enough')
    expect((await once(socket, 'close'))[0]).toBe(3000)
  })

  it('broadcast loses nothing of those that read, whoever does not', async () => {
    const port = await started(startBroadcast())
    const idle = await open(port)
    const raw = (idle as unknown as { _socket: import('node:net').Socket })._socket
    raw.pause()
    const [sender, reader] = [await open(port), await open(port)]
    const sent = Array.from({ length: 400 }, (_, i) => Buffer.alloc(50_000, i))
    const got: Buffer[] = []
    const all = new Promise<void>((resolve) => {
      reader.on('message', (data: Buffer) => {
        got.push(data)
        if (got.length === sent.length) resolve()
      })
    })
    for (const data of sent) sender.send(data)
    await all
    expect(Buffer.compare(Buffer.concat(got), Buffer.concat(sent))).toBe(0)
    // What is there to be read hides the end of the connection.
    raw.resume()
    expect((await once(idle, 'close'))[0]).toBe(1006)
    sender.terminate()
    reader.terminate()
  })

  it('say what was wrong, and refuse what is no handshake', async () => {
    const port = await started(startEcho())
    const socket = await open(port)
    const raw = (socket as unknown as { _socket: import('node:net').Socket })._socket
    raw.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]))
    expect((await once(socket, 'close'))[0]).toBe(1002)
    const page = await fetch(`http://127.0.0.1:${port}`)
    expect(await page.text()).toContain('<title>WebSocket</title>')
    const old = new WebSocket(`ws://127.0.0.1:${port}`, { protocolVersion: 8 })
    const [error] = (await once(old, 'error')) as [Error]
    expect(error.message).toContain('426')
  })

  it('broadcast', async () => {
    const port = await started(startBroadcast())
    const members = await Promise.all([open(port), open(port), open(port)])
    const received = members.map((member) => once(member, 'message'))
    members[0]!.send('to all')
    expect((await Promise.all(received)).map(([data]) => String(data))).toEqual(['to all', 'to all', 'to all'])
    const closed = members.map((member) => once(member, 'close'))
    for (const one of running.splice(0)) one.close()
    expect((await Promise.all(closed)).map(([code]) => code)).toEqual([1001, 1001, 1001])
  })
})

describe('the example worker', () => {
  const session = readFileSync(new URL('../../examples/websocket/session.bin', import.meta.url))

  it('tells of the frames of the recorded stream', async () => {
    const body = new Uint8Array(session)
    const response = await worker.fetch(new Request('http://x/?role=server', { method: 'POST', body }))
    expect(response.status).toBe(200)
    const lines = (await response.text()).trim().split('\n')
    expect(lines.length).toBeGreaterThan(5)
    expect(lines[0]).toBe('0 text, 5 bytes')
    expect(lines.at(-1)).toMatch(/ close, \d+ bytes$/)
    expect(decodeAll(body, { role: 'server' }).map(({ type }) => type)).toEqual([
      'text',
      'binary',
      'ping',
      'text',
      'text',
      'pong',
      'close',
    ])
  })

  it('names a fault', async () => {
    const body = Uint8Array.of(0x83, 0)
    const response = await worker.fetch(new Request('http://x/?role=client', { method: 'POST', body }))
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('WT_WEBSOCKET_BAD_OPCODE')
  })
})
