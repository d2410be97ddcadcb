// A server of theirs, and a client of ours.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  address,
  boolean,
  bytes,
  decode,
  discrete,
  encode,
  float,
  integer,
  readings,
  request,
  rest,
  string,
  timestamp,
  versionFlags,
  WireError,
} from '../../../bindings/katcp/index'
import { Peer, startRelay, words } from '../../examples/client'
import { AWKWARD, GAIN_TEXTS, GAINS, PEERS, startServer, text, withPeers } from './peers'

withPeers(() => {
  describe.each(PEERS)('a server of %s', (peer) => {
    let server: Awaited<ReturnType<typeof startServer>>
    let client: Peer

    beforeAll(async () => {
      server = await startServer(peer)
    })
    afterAll(() => server.end())
    beforeEach(async () => {
      client = await Peer.connect(server.port)
      return () => client.close()
    })

    it('introduces itself', async () => {
      const protocol = await client.named('version-connect')
      expect(protocol.args.at(0)).toBe('katcp-protocol')
      const version = versionFlags(protocol.args.at(1)!)!
      expect(version.major).toBe(5)
      expect(version.flags).toContain('I')
      expect(version.flags).toContain('M')
    })

    it('understands and returns awkward arguments', async () => {
      const { informs, reply } = await client.ask('echo', AWKWARD)
      expect(informs[0]!.args).toHaveLength(AWKWARD.length)
      expect(AWKWARD.map((_, i) => informs[0]!.args.bytes(i))).toEqual(AWKWARD)
      expect(words(reply)).toEqual(['!echo[1]', 'ok', String(AWKWARD.length)])
    })

    it('understands arguments as a relay passes them', async () => {
      // As bytes that are not in canonical form.
      const args = 'a\\@b \t \\_\\0\\n\\r\\e\\t\\\\ \xb0C \\@\\@  '
      client.send(`?echo[5]  ${args}\r\n`)
      const inform = await client.named('echo')
      expect(words(inform)).toEqual(['#echo[5]', 'ab', ' \0\n\r\x1b\t\\', '\xb0C', ''])
    })

    it('writes the same bytes for the same arguments', async () => {
      const line = encode(request('echo', AWKWARD))
      const answer = new Promise<Buffer>((resolve) => {
        const pieces: Buffer[] = []
        client.socket.on('data', (piece) => {
          pieces.push(piece)
          const all = Buffer.concat(pieces)
          if (/^!echo .*\n/m.test(all.toString('latin1'))) resolve(all)
        })
      })
      client.send(line)
      const theirs = (await answer)
        .toString('latin1')
        .split('\n')
        .find((it) => it.startsWith('#echo '))
      expect(`?${theirs!.slice(1)}\n`).toBe(Buffer.from(line).toString('latin1'))
    })

    it('keeps ids apart, and does without', async () => {
      client.send('?echo[1] a\n?echo[2147483647] b\n?echo c\n')
      const seen: unknown[] = []
      for (let i = 0; i < 6; i++) seen.push(words(await client.named('echo')))
      expect(seen).toEqual(
        expect.arrayContaining([
          ['#echo[1]', 'a'],
          ['!echo[1]', 'ok', '1'],
          ['#echo[2147483647]', 'b'],
          ['!echo[2147483647]', 'ok', '1'],
          ['#echo', 'c'],
          ['!echo', 'ok', '1'],
        ]),
      )
    })

    it('takes 4096 complex gains and gives them back bit for bit', async () => {
      const { reply } = await client.ask('gain', ['m000v', ...GAIN_TEXTS])
      expect(reply.args).toHaveLength(4097)
      const gains = reply.args.toComplexArray(1)
      expect(Buffer.compare(Buffer.from(gains.buffer), Buffer.from(GAINS.buffer))).toBe(0)
    })

    it('takes a line of 600 KB', async () => {
      const memory = new Uint8Array(400_000).map((_, i) => i * 31)
      const { informs } = await client.ask('echo', [memory])
      expect(Buffer.compare(informs[0]!.args.bytes(0)!, memory)).toBe(0)
    })

    it('takes a line byte by byte', async () => {
      client.socket.setNoDelay(true)
      for (const byte of encode(request('echo', ['a b', '', '\\'], 7))) {
        client.send(Uint8Array.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(words(await client.named('echo'))).toEqual(['#echo[7]', 'a b', '', '\\'])
    })

    it('has sensors of every type', async () => {
      const of = async (name: string) => {
        const { informs } = await client.ask('sensor-value', [name])
        expect(informs).toHaveLength(1)
        return informs[0]!
      }
      const value = { status: 'nominal' }
      const time = { timestamp: 1500000000.25 }
      expect(readings(await of('count'), integer)).toEqual({
        ...time,
        readings: [{ ...value, name: 'count', value: 9007199254740993n }],
      })
      expect(readings(await of('temperature'), float).readings[0]!.value).toBe(-0.1)
      expect(readings(await of('alive'), boolean).readings[0]!.value).toBe(true)
      expect(readings(await of('mode'), discrete('stop', 'track', 'slew-to')).readings[0]!.value).toBe('stop')
      expect(readings(await of('last-sync'), timestamp()).readings[0]!.value).toBe(1427043968.954988)
      expect(readings(await of('peer'), address).readings[0]!.value).toEqual({ host: '2001:db8::1', port: 7148 })
      expect(readings(await of('note'), string).readings[0]!.value).toBe('café \\ naïve')
      expect(text([readings(await of('note'), bytes).readings[0]!.value])).toEqual(['caf\xc3\xa9 \\ na\xc3\xafve'])
      const { informs, reply } = await client.ask('sensor-list')
      for (const inform of informs) {
        const [name, description] = inform.args.read(string, string, string, string, rest(string))
        expect([name, description]).toEqual([expect.stringMatching(/^[a-z-]+$/), 'A sensor, with blanks'])
      }
      expect(words(reply)).toEqual([expect.any(String), 'ok', '7'])
    })

    it('tells of events, and each value reads back', async () => {
      client.send(request('sensor-sampling', ['temperature', 'event'], 900))
      const first = readings(await client.named('sensor-status'), float)
      expect(first.readings[0]!.name).toBe('temperature')
      const other = await Peer.connect(server.port)
      for (const value of [1e-5, 12, -33.333333333333336, 1.7976931348623157e308, 5e-324]) {
        await other.ask('set-sensor', ['temperature', float.encode(value)])
        expect(readings(await client.named('sensor-status'), float)).toEqual({
          timestamp: 1500000001.5,
          readings: [{ name: 'temperature', status: 'nominal', value }],
        })
      }
      await other.ask('set-sensor', ['temperature', '-0.1'])
      other.close()
    })

    it('brings informs to all clients', async () => {
      const other = await Peer.connect(server.port)
      await other.ask('watchdog')
      await client.ask('watchdog')
      other.send(request('tell', ['note', ...AWKWARD], 8))
      for (const one of [client, other]) {
        const note = await one.named('note')
        expect(note.id).toBeUndefined()
        expect(AWKWARD.map((_, i) => note.args.bytes(i))).toEqual(AWKWARD)
      }
      other.close()
    })

    it('says what fails', async () => {
      expect(words((await client.ask('boom')).reply)).toEqual([
        '!boom[1]',
        'fail',
        'It did not work, sorry.\nTry again',
      ])
      const { reply } = await client.ask('none')
      expect(reply.args.at(0)).toBe('invalid')
      expect(reply.args.at(1)!.toLowerCase()).toContain('unknown request')
    })

    it.each(['?1', '?a_b', '?a[x]', 'x', '?echo \\x', '?echo a\\', '?echo \0', '?echo a\x1bb'])(
      'finds a fault in %j too, and goes on',
      async (line) => {
        expect(() => decode(Buffer.from(line, 'latin1'))).toThrow(WireError)
        client.send(`${line}\n?echo[6] after\n`)
        const log = await client.named('log')
        expect(log.args.at(0)).toBe('error')
        expect(words(await client.named('echo'))).toEqual(['#echo[6]', 'after'])
      },
    )

    it('serves several clients through the example relay', async () => {
      const relay = await startRelay({ devicePort: server.port })
      const clients = await Promise.all([1, 2, 3].map(() => Peer.connect(relay.port)))
      const answers = await Promise.all(clients.map((one) => one.ask('echo', AWKWARD)))
      for (const { informs, reply } of answers) {
        expect(AWKWARD.map((_, i) => informs[0]!.args.bytes(i))).toEqual(AWKWARD)
        expect(words(reply)).toEqual(['!echo[1]', 'ok', String(AWKWARD.length)])
      }
      for (const one of clients) one.close()
      await relay.close()
    })
  })
})
