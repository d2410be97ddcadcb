import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encode, type Message, reply } from '../../bindings/katcp/index'
import { Listener, Peer, type Running, runExample, startDevice, startRelay, words } from './client'

/** A deep comparison of so many bytes takes seconds. */
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

describe('the example relay', () => {
  let listener: Listener
  let relay: Running
  let device: Peer
  let reports: string[]
  const peers: Peer[] = []

  async function join(): Promise<Peer> {
    const peer = await Peer.connect(relay.port)
    peers.push(peer)
    return peer
  }

  /** A client that the relay knows of: a request of its has come through. */
  async function joined(): Promise<Peer> {
    const peer = await join()
    peer.send('?hello\n')
    const message = await device.named('hello')
    device.send(reply(message, ['ok']))
    await peer.named('hello')
    return peer
  }

  beforeEach(async () => {
    listener = await Listener.start()
    reports = []
    relay = await startRelay({ devicePort: listener.port, report: (text) => reports.push(text) })
    device = await listener.accept()
  })
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.close()
    device.close()
    listener.close()
    await relay.close()
  })

  it('gives each request an id of its own, and the answers back the id that the client gave', async () => {
    const [a, b] = [await join(), await join()]
    a.send('?gain[7] x\n')
    const first = await device.next()
    b.send('?gain[7] y\n?gain z\n')
    const second = await device.next()
    const third = await device.next()
    expect([first, second, third].map((message) => message.args.at(0))).toEqual(['x', 'y', 'z'])
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    // The answers come in another order, their informs in between.
    device.send(`#gain[${third.id}] 1\n#gain[${first.id}] 2\n!gain[${third.id}] ok\n#gain[${second.id}] 3\n`)
    device.send(`!gain[${second.id}] ok\n!gain[${first.id}] ok\n`)
    expect([await a.next(), await a.next()].map(words)).toEqual([
      ['#gain[7]', '2'],
      ['!gain[7]', 'ok'],
    ])
    expect([await b.next(), await b.next(), await b.next(), await b.next()].map(words)).toEqual([
      ['#gain', '1'],
      ['!gain', 'ok'],
      ['#gain[7]', '3'],
      ['!gain[7]', 'ok'],
    ])
  })

  it('passes arguments as they stand on the wire', async () => {
    const client = await join()
    // Not in canonical form: two blanks, a tab, escapes of nothing, bytes that are no UTF-8.
    const args = 'a\\@b  \\_\\0\\n\\r\\e\\t\\\\\t\xb0C \\@'
    client.send(`?x[3]  ${args}\n`)
    const raw = await new Promise<Buffer>((resolve) => device.socket.prependOnceListener('data', resolve))
    const { id } = await device.next()
    expect(raw.toString('latin1')).toBe(`?x[${id}] ${args}\n`)
    device.send(`!x[${id}] ${args}\n`)
    const back = await new Promise<Buffer>((resolve) => client.socket.prependOnceListener('data', resolve))
    expect(back.toString('latin1')).toBe(`!x[3] ${args}\n`)
  })

  it('brings what nobody has asked for to all, and how the device introduces itself also to those who come later', async () => {
    const a = await joined()
    const b = await joined()
    device.send('#version-connect katcp-protocol 5.1-IMB\n#sensor-status 1 1 a\\_b nominal 2\n')
    for (const client of [a, b]) {
      expect(words(await client.next())).toEqual(['#version-connect', 'katcp-protocol', '5.1-IMB'])
      expect(words(await client.next())).toEqual(['#sensor-status', '1', '1', 'a b', 'nominal', '2'])
    }
    const c = await join()
    c.send('?x[1]\n')
    const { id } = await device.next()
    device.send(`!x[${id}] ok\n`)
    expect(words(await c.next())).toEqual(['#version-connect', 'katcp-protocol', '5.1-IMB'])
    expect(words(await c.next())).toEqual(['!x[1]', 'ok'])
  })

  it('tells a client of its bad line, and nobody else', async () => {
    const [a, b] = [await joined(), await joined()]
    a.send('?x[0]\n?good[1]\n')
    const good = await device.next()
    expect(good.name).toBe('good')
    device.send(reply(good, ['ok']))
    const log = await a.next()
    expect(words(log).slice(0, 2)).toEqual(['#log', 'error'])
    expect(log.args.at(3)).toContain('message id')
    expect(words(await a.next())).toEqual(['!good[1]', 'ok'])
    device.send('#last\n')
    expect(words(await b.next())).toEqual(['#last'])
  })

  it('says nothing to a device that sends bad lines or asks something', async () => {
    const client = await joined()
    device.send('!x \\q\n?what\n!x[77] ok\n!x ok\n#x[78]\n')
    expect((await client.next()).args.at(3)).toContain('backslash')
    client.send('?next\n')
    // Nothing came to the device before this.
    expect((await device.next()).name).toBe('next')
    expect(reports.join('\n')).toContain('a bad line of the device')
    expect(reports.filter((text) => text.startsWith('ignored'))).toHaveLength(4)
  })

  it('passes on only requests', async () => {
    const client = await join()
    client.send('!x ok\n#y\n?z\n')
    expect((await device.next()).name).toBe('z')
    expect(reports).toHaveLength(2)
  })

  it('puts lines together from any pieces', async () => {
    const client = await join()
    client.socket.setNoDelay(true)
    for (const byte of '?x[5] one\\_two\n') {
      client.send(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { id, args } = await device.next()
    expect(args.toArray()).toEqual(['one two'])
    client.send('?half')
    for (const byte of `!x[${id}] ok\n`) {
      device.send(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(words(await client.next())).toEqual(['!x[5]', 'ok'])
  })

  it('carries long messages both ways', async () => {
    const client = await join()
    const gains = Array.from({ length: 4096 }, (_, i) => `${i}.25-${i}e-3j`)
    const memory = new Uint8Array(700_000).map((_, i) => i * 31)
    client.send({ type: 'request', name: 'gain', id: 9, args: ['m000h', ...gains] })
    client.send({ type: 'request', name: 'write', id: 10, args: [memory] })
    const [gain, write] = [await device.next(), await device.next()]
    expect(gain.args.toArray()).toEqual(['m000h', ...gains])
    expect(same(write.args.bytes(0)!, memory)).toBe(true)
    device.send({ ...write, type: 'reply' }, { ...gain, type: 'reply' })
    const first = await client.next()
    expect(first.id).toBe(10)
    expect(same(first.args.bytes(0)!, memory)).toBe(true)
    const second = await client.next()
    expect(second.id).toBe(9)
    expect(second.args.toArray()).toEqual(['m000h', ...gains])
  })

  it('speaks to a device without message ids, whose answers come in the order of requests of one name', async () => {
    const [a, b] = [await joined(), await joined()]
    device.send('#version-connect katcp-protocol 4.3-M\n')
    await Promise.all([a.next(), b.next()])
    a.send('?x[1] a\n')
    expect(words(await device.next())).toEqual(['?x', 'a'])
    b.send('?x[1] b\n?y[2]\n')
    expect(words(await device.next())).toEqual(['?x', 'b'])
    expect(words(await device.next())).toEqual(['?y'])
    device.send('!y ok\n#x 1\n!x ok a\n#note\n!x ok b\n')
    expect([await a.next(), await a.next(), await a.next()].map(words)).toEqual([
      ['#x[1]', '1'],
      ['!x[1]', 'ok', 'a'],
      ['#note'],
    ])
    expect([await b.next(), await b.next(), await b.next()].map(words)).toEqual([
      ['!y[2]', 'ok'],
      ['#note'],
      ['!x[1]', 'ok', 'b'],
    ])
  })

  it('keeps to ids where a device states flags that its version does not have', async () => {
    const client = await joined()
    device.send('#version-connect katcp-protocol 4.0-I\n')
    await client.next()
    client.send('?x\n')
    expect((await device.next()).id).toBeGreaterThan(0)
    expect(reports.join()).toContain('WireError')
  })

  it('goes on when a client leaves with questions open', async () => {
    const [a, b] = [await join(), await joined()]
    a.send('?x[1]\n')
    const { id } = await device.next()
    a.close()
    await a.ended
    b.send('?y[1]\n')
    const other = await device.next()
    device.send(`#x[${id}]\n!x[${id}] ok\n!y[${other.id}] ok\n`)
    expect(words(await b.next())).toEqual(['!y[1]', 'ok'])
  })

  it('lets a client that has said its last wait for its answers', async () => {
    const client = await join()
    client.socket.end('?x[1]\n?y[2]\n')
    const [x, y] = [await device.next(), await device.next()]
    device.send(reply(y, ['ok']), reply(x, ['ok']))
    expect(words(await client.next())[0]).toBe('!y[2]')
    expect(words(await client.next())[0]).toBe('!x[1]')
    expect(await client.ended).toEqual([])
  })

  it('answers what is open and says goodbye when the device goes', async () => {
    const [a, b] = [await joined(), await joined()]
    a.send('?x[4]\n')
    await device.next()
    device.close()
    expect(words(await a.next())).toEqual(['!x[4]', 'fail', 'the device closed the connection'])
    expect(words(await a.next())).toEqual(['#disconnect', 'the device closed the connection'])
    expect(words(await b.next())).toEqual(['#disconnect', 'the device closed the connection'])
    await Promise.all([a.ended, b.ended, relay.closed])
  })

  it('does not start without a device', async () => {
    const gone = await Listener.start()
    const { port } = gone
    gone.close()
    await expect(startRelay({ devicePort: port })).rejects.toThrow('ECONNREFUSED')
  })

  it('takes no more from a client than the device does', async () => {
    const client = await join()
    device.socket.pause()
    const line = encode({ type: 'request', name: 'write', args: [new Uint8Array(1_000_000).fill(0x61)] })
    const lines = 64
    for (let i = 0; i < lines; i++) client.send(line)
    // All of it runs on this one event loop: when nothing has moved for many turns, nothing will.
    let still = 0
    for (let left = -1; still < 500; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = client.socket.writableLength
      still = now === left ? still + 1 : 0
      left = now
    }
    // The sockets in between hold some megabytes; the rest is still with the client.
    expect(client.socket.writableLength).toBeGreaterThan(line.length)
    device.socket.resume()
    for (let i = 0; i < lines; i++) expect((await device.named('write')).args.bytes(0)).toHaveLength(1_000_000)
  })

  it('drops a client that does not read, and serves the others meanwhile', async () => {
    const [slow, quick] = [await joined(), await joined()]
    slow.socket.pause()
    const gone = once(slow.socket, 'close')
    const line = encode({ type: 'inform', name: 'dump', args: [new Uint8Array(1_000_000).fill(0x62)] })
    for (let i = 0; i < 64; i++) {
      device.send(line)
      await quick.named('dump')
    }
    slow.socket.resume()
    await gone
    quick.send('?x[1]\n')
    device.send(reply(await device.named('x'), ['ok']))
    expect(words(await quick.next())).toEqual(['!x[1]', 'ok'])
  })

  it('serves several clients of the example device at once', async () => {
    const real = await startDevice()
    const { port, close } = await startRelay({ devicePort: real.port })
    const clients = await Promise.all(Array.from({ length: 8 }, () => Peer.connect(port)))
    const answers = await Promise.all(
      clients.flatMap((client, i) => {
        const ids = Array.from({ length: 25 }, (_, k) => k + 1)
        client.send(...ids.map((id) => `?echo[${id}] ${i} ${id}\n`))
        return (async () => {
          const all: Message[] = []
          for (const _ of ids) {
            all.push(await client.next(({ name }) => name === 'echo'), await client.next(({ name }) => name === 'echo'))
          }
          return all.map(words)
        })()
      }),
    )
    answers.forEach((list, i) => {
      expect(list).toEqual(
        Array.from({ length: 25 }, (_, k) => [
          [`#echo[${k + 1}]`, String(i), String(k + 1)],
          [`!echo[${k + 1}]`, 'ok', '2'],
        ]).flat(),
      )
    })
    for (const client of clients) client.close()
    await close()
    await real.close()
  })

  it('runs from the shell, and ends with its device', async () => {
    const shellDevice = await runExample('device')
    const shellRelay = await runExample('relay', '--device-port', String(shellDevice.port))
    const client = await Peer.connect(shellRelay.port)
    const { informs } = await client.ask('sensor-value', ['mode'])
    expect(informs[0]!.args.at(4)).toBe('stop')
    expect((await client.ask('halt')).reply.args.at(0)).toBe('ok')
    expect(words(await client.named('disconnect'))).toEqual(['#disconnect', 'the device was halted'])
    for (const { process } of [shellDevice, shellRelay]) {
      expect(process.exitCode ?? (await once(process, 'exit'))[0]).toBe(0)
    }
  })
})
