// A client of theirs, and a server of ours: the example device, also behind the example relay.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Running, startDevice, startRelay } from '../../examples/client'
import { AWKWARD, GAIN_TEXTS, GAINS, PEERS, PythonClient, startServer, text, withPeers } from './peers'

/** Python's complex of every text, as pairs. */
function complexes(texts: readonly string[]): Float64Array {
  const all = new Float64Array(texts.length * 2)
  texts.forEach((it, i) => {
    const [, real, imaginary] = /^(.+?)([+-][^+-]+(?:e[+-]\d+)?)j$/.exec(it)!
    all[i * 2] = Number(real)
    all[i * 2 + 1] = Number(imaginary)
  })
  return all
}

withPeers(() => {
  describe.each(PEERS)('a client of %s', (peer) => {
    describe.each(['the device', 'the device behind the relay'] as const)('of %s', (which) => {
      let device: Running
      let relay: Running | undefined
      let client: PythonClient
      let other: PythonClient

      beforeEach(async () => {
        device = await startDevice()
        if (which === 'the device behind the relay') relay = await startRelay({ devicePort: device.port })
        const port = relay?.port ?? device.port
        ;[client, other] = await Promise.all([PythonClient.connect(peer, port), PythonClient.connect(peer, port)])
      })
      afterEach(async () => {
        await Promise.all([client.end(), other.end()])
        await relay?.close()
        relay = undefined
        await device.close()
      })

      it('reads the version', () => {
        expect(client.flags).toBe('BIM')
      })

      it('gets awkward arguments back', async () => {
        const { reply, informs } = await client.ask('echo', AWKWARD)
        expect(text(reply)).toEqual(['ok', String(AWKWARD.length)])
        expect(informs).toEqual([AWKWARD])
      })

      it('sets and reads 4096 complex gains', async () => {
        const set = await client.ask('gain', ['m000v', ...GAIN_TEXTS])
        expect(text(set.reply.slice(0, 1))).toEqual(['ok'])
        const { reply } = await other.ask('gain', ['m000v'])
        expect(reply).toHaveLength(4097)
        const gains = complexes(text(reply.slice(1)))
        expect(Buffer.compare(Buffer.from(gains.buffer), Buffer.from(GAINS.buffer))).toBe(0)
      })

      it('gets a line of 600 KB back', async () => {
        const memory = new Uint8Array(400_000).map((_, i) => i * 31)
        const { informs } = await client.ask('echo', [memory])
        expect(Buffer.compare(informs[0]![0]!, memory)).toBe(0)
      })

      it('lists requests, versions, clients and sensors', async () => {
        for (const name of ['help', 'version-list', 'client-list', 'sensor-list', 'sensor-value']) {
          const { reply, informs } = await client.ask(name)
          expect(text(reply), name).toEqual(['ok', String(informs.length)])
          expect(informs.length, name).toBeGreaterThan(0)
        }
      })

      it('is told of events', async () => {
        const { reply } = await client.ask('sensor-sampling', ['mode', 'event'])
        expect(text(reply)).toEqual(['ok', 'mode', 'event'])
        expect(text(await client.inform('sensor-status')).slice(1)).toEqual(['1', 'mode', 'nominal', 'stop'])
        await other.ask('mode', ['slew-to'])
        expect(text(await client.inform('sensor-status')).slice(1)).toEqual(['1', 'mode', 'nominal', 'slew-to'])
      })

      it('is told what is wrong', async () => {
        const invalid = text((await client.ask('mode', ['fly'])).reply)
        expect(invalid[0]).toBe('invalid')
        expect(invalid[1]).toContain('one of stop, track, slew-to expected, got "fly"')
        expect(text((await client.ask('sensor-value', ['none'])).reply)).toEqual(['fail', 'Unknown sensor name: none'])
        expect(text((await client.ask('none')).reply)).toEqual(['invalid', 'Unknown request.'])
      })

      it('is told when the device ends', async () => {
        expect(text((await client.ask('halt')).reply)).toEqual(['ok'])
        expect(text(await client.inform('disconnect'))).toEqual(['the device was halted'])
      })
    })
  })

  it('the sensor watcher of aiokatcp mirrors the sensors of the device', async () => {
    const device = await startDevice()
    const client = await PythonClient.connect('aiokatcp', device.port)
    const sensors = await client.sensors('mode', 'temperature', 'gain.updates', 'note', 'started')
    expect(sensors).toEqual({
      mode: ['discrete', 'nominal', "'stop'"],
      temperature: ['float', 'nominal', '18.5'],
      'gain.updates': ['integer', 'nominal', '0'],
      note: ['string', 'nominal', "b''"],
      started: ['timestamp', 'nominal', expect.stringMatching(/^\d+\.\d+$/)],
    })
    await client.ask('mode', ['track'])
    expect((await client.sensors('mode'))['mode']![2]).toBe("'track'")
    await client.end()
    await device.close()
  })

  describe('the example relay between a client and a server of theirs', () => {
    let server: Awaited<ReturnType<typeof startServer>>
    beforeAll(async () => {
      server = await startServer('katcp')
    })
    afterAll(() => server.end())

    it.each(PEERS)('passes everything for %s', async (peer) => {
      const relay = await startRelay({ devicePort: server.port })
      const [one, two] = await Promise.all([
        PythonClient.connect(peer, relay.port),
        PythonClient.connect(peer, relay.port),
      ])
      const answers = await Promise.all([one.ask('echo', AWKWARD), two.ask('echo', AWKWARD.slice(3))])
      expect(answers.map(({ informs }) => informs[0])).toEqual([AWKWARD, AWKWARD.slice(3)])
      await one.ask('tell', ['note', 'a b'])
      expect(text(await two.inform('note'))).toEqual(['a b'])
      await Promise.all([one.end(), two.end()])
      await relay.close()
    })
  })
})
