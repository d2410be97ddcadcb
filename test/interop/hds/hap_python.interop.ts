import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { control, dataSend, deriveKeys, response } from '../../../bindings/hds/index'
import { pattern } from '../../hds/words'
import { fromHex, toHex } from '../../vectors'
import { Connection, Python, withPython } from './peers'

withPython(() => {
  describe('HAP-python', () => {
    const secret = pattern(11, 32)
    const salt = pattern(12, 32)
    let python: Python
    let connection: Connection | undefined
    afterEach(async () => {
      connection?.end()
      await python.end()
    })

    async function start(swap: boolean) {
      python = new Python()
      const { port, salt: theirs } = await python.ask<{ port: number; salt: string }>({
        secret: toHex(secret),
        salt: toHex(salt),
        swap,
      })
      return { port, keys: deriveKeys(secret, salt, fromHex(theirs)) }
    }

    it('hands a recording over as a camera', async () => {
      const { port, keys } = await start(false)
      connection = new Connection(port, 'controller', keys)
      connection.send(control.hello(1))
      expect(await connection.next()).toMatchObject({ type: 'response', topic: 'hello', id: 1n, status: 0, body: {} })
      connection.send(dataSend.open(2, { streamId: 1, type: 'ipcamera.recording', target: 'controller' }))
      expect(await connection.next()).toMatchObject({ type: 'response', topic: 'open', id: 2n, body: { status: 0 } })
      const packets = []
      for (;;) {
        const message = await connection.next()
        const { streamId, packets: some, endOfStream } = dataSend.readData(message)
        expect(streamId).toBe(1)
        packets.push(...some)
        if (endOfStream) break
      }
      const sizes = packets.map(({ data, metadata }) => [metadata['dataType'], metadata['dataTotalSize'], data.length])
      expect(sizes).toEqual([
        ['mediaInitialization', 900, 900],
        ['mediaFragment', 600_000, 262_144],
        ['mediaFragment', undefined, 262_144],
        ['mediaFragment', undefined, 75_712],
        ['mediaFragment', 0, 0],
      ])
      expect(Buffer.concat(packets.slice(1).map(({ data }) => data)).equals(pattern(2, 600_000))).toBe(true)
      connection.send(dataSend.ack(1))
      // A stream of another kind is refused, with a reason.
      connection.send(dataSend.open(3, { streamId: 2, type: 'audio.siri', target: 'controller' }))
      expect(await connection.next()).toMatchObject({ id: 3n, status: 6, body: { status: 5 } })
      connection.send(dataSend.close(1))
    })

    it('takes a recording as a hub', async () => {
      const { port, keys } = await start(true)
      connection = new Connection(port, 'accessory', keys)
      connection.send(control.hello(1))
      expect(await connection.next()).toMatchObject({ type: 'response', topic: 'hello', status: 0 })
      const answered = python.ask<object>({ do: 'open' })
      const open = await connection.next()
      expect(dataSend.readOpen(open)).toEqual({ streamId: 1, type: 'ipcamera.recording', target: 'controller' })
      if (open.type !== 'request') throw new Error('a request expected')
      connection.send(response(open, { status: 0 }))
      expect(await answered).toEqual({ status: 0, body: { status: 0 } })
      const fragments = [pattern(1, 900), pattern(2, 300_000), new Uint8Array(0)]
      for (const event of dataSend.events(1, fragments)) connection.send(event)
      const chunks = [fragments[0]!, fragments[1]!.subarray(0, 262_144), fragments[1]!.subarray(262_144), fragments[2]!]
      for (const [i, chunk] of chunks.entries()) {
        expect(await python.answer<object>()).toMatchObject({
          length: chunk.length,
          sha256: createHash('sha256').update(chunk).digest('hex'),
          metadata: { isLastDataChunk: i !== 1 },
          end: i === 3,
        })
      }
      expect(dataSend.readAck(await connection.next())).toEqual({ streamId: 1, endOfStream: true })
      connection.send(dataSend.close(1))
      expect(await python.answer<object>()).toEqual({ close: { streamId: 1, reason: 0 } })
    })
  })
})
