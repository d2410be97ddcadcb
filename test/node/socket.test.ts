import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { useBackend } from '../../bindings/index'
import { Decoder as KatcpDecoder } from '../../bindings/katcp/index'
import { type Attachment, attach } from '../../bindings/node/index'
import {
  acceptUpgrade,
  Decoder,
  encode,
  encodeAll,
  type Message,
  type MessageInput,
  offerUpgrade,
  WireError,
} from '../../bindings/websocket/index'

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url))
/** For localhost, signed by itself, good for a hundred years. */
const [key, cert] = [fixture('key.pem'), fixture('certificate.pem')]

const opened: { close(): unknown }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
  useBackend('auto')
})

async function listening(server: Server): Promise<number> {
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A connection: what the server accepted, and the client's end. */
async function pair(): Promise<{ accepted: Socket; client: Socket }> {
  const server = createServer()
  const port = await listening(server)
  const client = connect(port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  await once(client, 'connect').catch(() => undefined)
  opened.push({ close: () => client.destroy() }, { close: () => accepted.destroy() })
  return { accepted, client }
}

/** A message that lives on: a payload of the window is good until the handler returns. */
const own = (message: Message): Message =>
  'data' in message && typeof message.data !== 'string'
    ? ({ ...message, data: message.data.slice() } as Message)
    : message

/** What a message holds, short enough to be compared quickly. */
const digest = (message: Message | MessageInput): string => {
  const data = 'data' in message ? (message.data ?? '') : ''
  return `${message.type} ${data.length} ${createHash('sha1').update(data).digest('hex')}`
}
const expectSame = (got: readonly Message[], wanted: readonly (Message | MessageInput)[]) =>
  expect(got.map(digest)).toEqual(wanted.map(digest))

const many: MessageInput[] = Array.from({ length: 3000 }, (_, i) =>
  i % 3 === 0
    ? { type: 'text', data: `message ${i} ünïcödé`.repeat(1 + (i % 7)) }
    : { type: 'binary', data: new Uint8Array(i % 997).fill(i) },
)
const big: MessageInput = { type: 'binary', data: new Uint8Array(300_000).fill(9) }

describe.each([
  ['wasm', true],
  ['js', false],
] as const)('attach, %s', (backend, direct) => {
  const decoderOf = (bytes: 'view' | 'copy' = 'view') => new Decoder({ role: 'server', bytes })

  it.each(['view', 'copy'] as const)('reads accepted sockets (%s)', async (bytes) => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const got: Message[] = []
    const ended = new Promise<void>((resolve, reject) => {
      const attached = attach(accepted, decoderOf(bytes), {
        unit: (message) => got.push(bytes === 'view' ? own(message) : message),
        error: reject,
        end: resolve,
      })
      expect(attached.direct).toBe(direct)
    })
    client.end(encodeAll([...many, big, ...many], { role: 'client' }))
    await ended
    expectSame(got, [...many, big, ...many])
  })

  it('leaves the bytes of the handshake alone', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const head = Buffer.from(
      encode({ type: 'binary', data: new Uint8Array(50) }, { role: 'client', maskKey: 0x01020304 }),
    )
    const before = Buffer.from(head)
    await new Promise<void>((resolve, reject) => {
      attach(accepted, decoderOf(), { unit: () => undefined, error: reject, end: resolve }, { head })
      client.end()
    })
    expect(head.equals(before)).toBe(true)
  })

  it('reads sockets that connect', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const got: Message[] = []
    const ended = new Promise<void>((resolve, reject) => {
      const decoder = new Decoder({ role: 'client', bytes: 'view' })
      expect(
        attach(client, decoder, { unit: (message) => got.push(own(message)), error: reject, end: resolve }).direct,
      ).toBe(direct)
    })
    accepted.end(encodeAll(many, { role: 'server' }))
    await ended
    expectSame(got, many)
  })

  it('reads upgraded sockets, and the bytes that came with the request', async () => {
    useBackend(backend)
    const server = createHttpServer()
    const port = await listening(server)
    const got: Message[] = []
    const ended = new Promise<void>((resolve, reject) => {
      server.on('upgrade', (request, socket: Socket, head: Buffer) => {
        socket.write(acceptUpgrade(request.headers).response)
        const attached = attach(
          socket,
          decoderOf(),
          { unit: (message) => got.push(own(message)), error: reject, end: resolve },
          { head },
        )
        expect(attached.direct).toBe(direct)
        expect(got).toEqual([])
      })
    })
    const client = connect(port, '127.0.0.1')
    opened.push({ close: () => client.destroy() })
    const early = encodeAll(many.slice(0, 10), { role: 'client' })
    client.write(Buffer.concat([offerUpgrade({ host: 'localhost' }).request, early]))
    await once(client, 'data')
    client.end(encodeAll(many.slice(10), { role: 'client' }))
    await ended
    expectSame(got, many)
  })

  it('holds back while paused, loses nothing and mixes nothing up', async () => {
    useBackend(backend)
    const pairs = await Promise.all([pair(), pair(), pair()])
    const results = pairs.map(({ accepted, client }, index) => {
      const got: Message[] = []
      const ended = new Promise<Message[]>((resolve, reject) => {
        let count = 0
        const attached: Attachment = attach(accepted, decoderOf(), {
          unit(message) {
            got.push(own(message))
            // Encoding in the handler must not touch what is still to be handed out.
            encode({ type: 'binary', data: new Uint8Array(2000).fill(0xee) }, { role: 'client' })
            if (++count % 50 === 0) {
              attached.pause()
              setTimeout(() => attached.resume(), 1)
            }
          },
          error: reject,
          end: () => resolve(got),
        })
      })
      const marked = many
        .slice(0, 600)
        .map((message) =>
          message.type === 'binary'
            ? { ...message, data: new Uint8Array(message.data.length).fill(index + 1) }
            : message,
        )
      client.end(encodeAll(marked, { role: 'client' }))
      return ended.then((messages) => expectSame(messages, marked))
    })
    await Promise.all(results)
  })

  it('hands units out before a fault, then reads no more', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const got: Message[] = []
    const error = await new Promise<WireError>((resolve, reject) => {
      attach(accepted, decoderOf(), {
        unit: (message) => got.push(own(message)),
        error: resolve,
        end: () => reject(new Error('end')),
      })
      client.write(Buffer.concat([encodeAll(many.slice(0, 5), { role: 'client' }), Buffer.from([0x83, 0x80])]))
    })
    expectSame(got, many.slice(0, 5))
    expect(error).toBeInstanceOf(WireError)
    expect(error.status).toBe(1002)
    const answer = once(client, 'data')
    accepted.end(encode({ type: 'close', code: error.status }, { role: 'server' }))
    expect([...((await answer)[0] as Buffer)]).toEqual([0x88, 2, 0x03, 0xea])
  })

  it('says when bytes end inside a message', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const error = await new Promise<WireError>((resolve) => {
      attach(accepted, decoderOf(), { unit() {}, error: resolve })
      client.end(encode(big, { role: 'client' }).subarray(0, 1000))
    })
    expect(error.code).toBe('WT_TRUNCATED')
  })

  it('lets go of a socket: the next reader has the rest', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const wire = encodeAll(many.slice(0, 40), { role: 'client' })
    const got: Message[] = []
    const rest = await new Promise<Uint8Array>((resolve, reject) => {
      const attached = attach(accepted, decoderOf(), {
        unit(message) {
          got.push(own(message))
          if (got.length === 3) resolve(attached.detach())
        },
        error: reject,
      })
      client.write(wire.subarray(0, wire.length - 9))
    })
    expect(got.length).toBe(3)
    // By events of the socket itself, to which the others are written after that.
    const next = new Decoder({ role: 'server' }).push(rest)
    accepted.on('data', (chunk: Buffer) => next.push(chunk))
    accepted.resume()
    client.write(wire.subarray(wire.length - 9))
    for (; got.length < 40; await new Promise((resolve) => setTimeout(resolve, 1))) got.push(...next.readAll())
    expectSame(got, many.slice(0, 40))
    accepted.removeAllListeners('data')
    accepted.pause()
    // And by another `attach`.
    const ended = new Promise<void>((resolve, reject) => {
      attach(accepted, decoderOf(), { unit: (message) => got.push(own(message)), error: reject, end: resolve })
    })
    const answer = once(client, 'data')
    accepted.write('x')
    await answer
    client.end(encodeAll(many, { role: 'client' }))
    await ended
    expectSame(got.slice(40), many)
  })

  it('lets go while paused, and after the end', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const got: Message[] = []
    let attached: Attachment | undefined
    await new Promise<void>((resolve, reject) => {
      attached = attach(accepted, decoderOf(), {
        unit(message) {
          got.push(own(message))
          if (got.length === 2) {
            attached!.pause()
            resolve()
          }
        },
        error: reject,
      })
      client.write(encodeAll(many.slice(0, 20), { role: 'client' }))
    })
    const rest = attached!.detach()
    expect(attached!.detach().length).toBe(0)
    expectSame([...got, ...new Decoder({ role: 'server' }).push(rest).readAll()], many.slice(0, 20))
  })

  it.each(['view', 'copy'] as const)('reads TLS sockets of both ends by data events (%s)', async (bytes) => {
    useBackend(backend)
    const server = createTlsServer({ key, cert })
    const port = await listening(server)
    const client = connectTls({ port, host: '127.0.0.1', ca: cert, servername: 'localhost' })
    const [accepted] = (await once(server, 'secureConnection')) as [TLSSocket]
    opened.push({ close: () => client.destroy() }, { close: () => accepted.destroy() })
    const reading = (socket: TLSSocket, role: 'server' | 'client'): Promise<Message[]> =>
      new Promise((resolve, reject) => {
        const got: Message[] = []
        const attached = attach(socket, new Decoder({ role, bytes }), {
          unit(message) {
            got.push(message)
            if (got.length % 1000 !== 0) return
            attached.pause()
            setImmediate(() => attached.resume())
          },
          error: reject,
          end: () => resolve(got),
        })
        expect(attached.direct).toBe(false)
      })
    const both = Promise.all([reading(accepted, 'server'), reading(client, 'client')])
    client.end(encodeAll([...many, big], { role: 'client' }))
    accepted.end(encodeAll([big, ...many], { role: 'server' }))
    const [there, here] = await both
    expectSame(there, [...many, big])
    expectSame(here, [big, ...many])
  })

  it('says the end to a reader that comes after it', async () => {
    useBackend(backend)
    for (const cut of [0, 1]) {
      const { accepted, client } = await pair()
      const first: Message[] = []
      const wire = encodeAll(
        [
          { type: 'text', data: 'a' },
          { type: 'text', data: 'b' },
        ],
        { role: 'client' },
      )
      const rest = await new Promise<Uint8Array>((resolve, reject) => {
        const attached = attach(accepted, decoderOf(), {
          unit(message) {
            first.push(message)
            resolve(attached.detach())
          },
          error: reject,
          end: () => reject(new Error('the end')),
        })
        client.end(wire.subarray(0, wire.length - cut))
      })
      expect(first).toEqual([{ type: 'text', data: 'a' }])
      // Other readers may have drained the socket to its end before the next one comes.
      accepted.resume()
      if (!accepted.readableEnded) await once(accepted, 'end')
      const got: Message[] = []
      const outcome = await new Promise<unknown>((resolve) => {
        attach(
          accepted,
          decoderOf(),
          { unit: (m) => got.push(m), error: resolve, end: () => resolve('end') },
          { head: rest },
        )
      })
      if (cut === 0) {
        expect(outcome).toBe('end')
        expect(got).toEqual([{ type: 'text', data: 'b' }])
      } else expect(outcome).toMatchObject({ code: 'WT_TRUNCATED' })
    }
  })

  it('reads other formats by data events', async () => {
    useBackend(backend)
    const { accepted, client } = await pair()
    const names: string[] = []
    await new Promise<void>((resolve) => {
      const attached = attach(accepted, new KatcpDecoder({ errors: 'throw' }), {
        unit: ({ name }) => names.push(name),
        error: () => undefined,
        end: resolve,
      })
      expect(attached.direct).toBe(false)
      client.end('?help\n?watchdog\n')
    })
    expect(names).toEqual(['help', 'watchdog'])
    const other = await pair()
    const rest = await new Promise<Uint8Array>((resolve, reject) => {
      const attached = attach(other.accepted, new KatcpDecoder({ errors: 'throw' }), {
        unit: () => resolve(attached.detach()),
        error: reject,
      })
      other.client.write('?help a\\_b\n!log ok c\\_d\n#par')
    })
    expect(String(Buffer.from(rest))).toBe('!log ok c\\_d\n#par')
  })
})

it('refuses wrong calls of attach as usage', async () => {
  const { accepted } = await pair()
  const decoder = new Decoder({ role: 'server' })
  const handlers = { unit() {}, error() {} }
  const usage = expect.objectContaining({ name: 'WireError', kind: 'usage' })
  for (const given of [null, undefined, {}, 'x'] as never[]) {
    expect(() => attach(given, decoder, handlers)).toThrow(usage)
    expect(() => attach(accepted, given, handlers)).toThrow(usage)
    expect(() => attach(accepted, decoder, given)).toThrow(usage)
  }
  for (const options of [null, 'x', { head: 'bytes' }, { head: null }] as never[]) {
    expect(() => attach(accepted, decoder, handlers, options)).toThrow(usage)
  }
  expect(() => attach(accepted, decoder, { ...handlers, end: 5 as never })).toThrow(usage)
  expect(accepted.listenerCount('data')).toBe(0)
})
