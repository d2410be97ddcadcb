import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { control, dataSend, deriveKeys, type Keys, Reason, response } from '../../../bindings/hds/index'
import { pattern } from '../../hds/words'
import { Connection } from './peers'

/** The parts of HAP-NodeJS's server that are used. */
interface Session {
  readonly port: number
  readonly accessoryKeySalt: Uint8Array
  accessoryToControllerEncryptionKey: Buffer
  controllerToAccessoryEncryptionKey: Buffer
}
interface TheirConnection {
  sendResponse(protocol: string, topic: string, id: number, status?: number, body?: object): void
  sendEvent(protocol: string, topic: string, body: object): void
  sendRequest(
    protocol: string,
    topic: string,
    body: object,
    done: (error: Error | undefined, status: number | undefined, body: object) => void,
  ): void
  close(): void
}
interface Server extends EventEmitter {
  prepareSession(connection: object, salt: Buffer, done: (error?: Error, session?: Session) => void): void
  onRequestMessage(
    protocol: string,
    topic: string,
    handler: (connection: TheirConnection, id: number, body: Record<string, unknown>) => void,
  ): void
  onEventMessage(
    protocol: string,
    topic: string,
    handler: (connection: TheirConnection, body: Record<string, unknown>) => void,
  ): void
}
const { DataStreamServer } = createRequire(import.meta.url)(
  '@homebridge/hap-nodejs/dist/lib/datastream/DataStreamServer.js',
) as { DataStreamServer: new () => Server }

describe('HAP-NodeJS', () => {
  const secret = pattern(21, 32)
  const salt = pattern(22, 32)
  let server: Server
  let connection: Connection | undefined
  afterEach(async () => {
    if (!connection) return
    // The server closes itself with its last connection.
    const closed = once(server, 'connection-closed')
    connection.end()
    await closed
  })

  /** Its server; `swapped` as a hub: with the keys of the other role. */
  async function start(swapped: boolean): Promise<{ port: number; keys: Keys }> {
    server = new DataStreamServer()
    const hap = Object.assign(new EventEmitter(), {
      sessionID: 'test',
      encryption: { sharedSecret: Buffer.from(secret) },
    })
    const session = await new Promise<Session>((resolve, reject) => {
      server.prepareSession(hap, Buffer.from(salt), (error, made) => (made ? resolve(made) : reject(error)))
    })
    const keys = deriveKeys(secret, salt, session.accessoryKeySalt)
    if (swapped) {
      const { accessoryToControllerEncryptionKey: one, controllerToAccessoryEncryptionKey: two } = session
      session.accessoryToControllerEncryptionKey = two
      session.controllerToAccessoryEncryptionKey = one
    }
    return { port: session.port, keys }
  }

  it('hands a recording over as a camera, close and all', async () => {
    const { port, keys } = await start(false)
    const closed = new Promise<object>((resolve) => {
      server.onEventMessage('dataSend', 'close', (_, body) => resolve({ ...body }))
    })
    const fragments = [pattern(1, 900), pattern(2, 300_000)]
    server.onRequestMessage('dataSend', 'open', (theirs, id, body) => {
      theirs.sendResponse('dataSend', 'open', id, 0, { status: 0 })
      // As its recording does: one packet an event, 256 KiB at most.
      fragments.forEach((fragment, i) => {
        for (let at = 0, chunk = 1; at < fragment.length; at += 0x40000, chunk++) {
          const isLastDataChunk = at + 0x40000 >= fragment.length
          theirs.sendEvent('dataSend', 'data', {
            streamId: body['streamId'],
            packets: [
              {
                data: Buffer.from(fragment.subarray(at, at + 0x40000)),
                metadata: {
                  dataType: i === 0 ? 'mediaInitialization' : 'mediaFragment',
                  dataSequenceNumber: i + 1,
                  dataChunkSequenceNumber: chunk,
                  isLastDataChunk,
                  ...(chunk === 1 ? { dataTotalSize: fragment.length } : {}),
                },
              },
            ],
            ...(isLastDataChunk ? { endOfStream: i === fragments.length - 1 } : {}),
          })
        }
      })
    })
    connection = new Connection(port, 'controller', keys)
    connection.send(control.hello(1))
    expect(await connection.next()).toMatchObject({ type: 'response', topic: 'hello', id: 1n, status: 0, body: {} })
    connection.send(
      dataSend.open(2, { streamId: 1, type: 'ipcamera.recording', target: 'controller', reason: 'record' }),
    )
    expect(await connection.next()).toMatchObject({ type: 'response', topic: 'open', id: 2n, body: { status: 0 } })
    const chunks: Uint8Array[] = []
    for (;;) {
      const { packets, endOfStream } = dataSend.readData(await connection.next())
      for (const { data, metadata } of packets) {
        chunks.push(data)
        expect(metadata['dataSequenceNumber']).toBe(chunks.length === 1 ? 1 : 2)
      }
      if (endOfStream) break
    }
    expect(chunks.map(({ length }) => length)).toEqual([900, 262_144, 37_856])
    expect(Buffer.concat(chunks.slice(1)).equals(fragments[1]!)).toBe(true)
    connection.send(dataSend.ack(1))
    connection.send(dataSend.close(1, Reason.timeout))
    expect(await closed).toEqual({ streamId: 1, reason: 6 })
  })

  it('takes a recording as a hub', async () => {
    const { port, keys } = await start(true)
    const events: Record<string, unknown>[] = []
    const ended = new Promise<void>((resolve) => {
      server.onEventMessage('dataSend', 'data', (theirs, body) => {
        events.push(body)
        if (body['endOfStream'] !== true) return
        theirs.sendEvent('dataSend', 'ack', { streamId: 1, endOfStream: true })
        resolve()
      })
    })
    const opened = once(server, 'connection-opened') as Promise<[TheirConnection]>
    connection = new Connection(port, 'accessory', keys, { profile: 'hap-nodejs' })
    connection.send(control.hello(1))
    expect(await connection.next()).toMatchObject({ type: 'response', topic: 'hello', status: 0 })
    const [theirs] = await opened
    const answered = new Promise<unknown[]>((resolve) => {
      const body = { streamId: 1, type: 'ipcamera.recording', target: 'controller' }
      theirs.sendRequest('dataSend', 'open', body, (...given) => resolve(given))
    })
    const open = await connection.next()
    expect(dataSend.readOpen(open)).toEqual({ streamId: 1, type: 'ipcamera.recording', target: 'controller' })
    if (open.type !== 'request') throw new Error('a request expected')
    connection.send(response(open, { status: 0 }))
    expect(await answered).toMatchObject([undefined, 0, { status: 0 }])

    const fragments = [pattern(1, 20), pattern(2, 500_000), pattern(3, 33)]
    for (const event of dataSend.events(1, fragments)) connection.send(event)
    await ended
    expect(dataSend.readAck(await connection.next())).toEqual({ streamId: 1, endOfStream: true })
    const packets = events.map((event) => (event['packets'] as { data: Buffer; metadata: object }[])[0]!)
    expect(packets.map(({ metadata }) => Object.values(metadata))).toEqual([
      ['mediaInitialization', 1, 1, true, 20],
      ['mediaFragment', 2, 1, false, 500_000],
      ['mediaFragment', 2, 2, true],
      ['mediaFragment', 3, 1, true, 33],
    ])
    expect(packets[0]!.data.equals(fragments[0]!)).toBe(true)
    expect(Buffer.concat([packets[1]!.data, packets[2]!.data]).equals(fragments[1]!)).toBe(true)
    expect(events.map((event) => event['endOfStream'])).toEqual([false, undefined, false, true])
  })
})
