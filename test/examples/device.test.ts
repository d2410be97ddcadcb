import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decode, float, readings, string } from '../../bindings/katcp/index'
import { Peer, type Running, runExample, startDevice, words } from './client'

describe('the example device', () => {
  let device: Running
  let client: Peer

  beforeEach(async () => {
    device = await startDevice()
    client = await Peer.connect(device.port)
  })
  afterEach(async () => {
    client.close()
    await device.close()
  })

  it('introduces itself', async () => {
    expect(words(await client.next())).toEqual(['#version-connect', 'katcp-protocol', '5.1-IMB'])
    expect((await client.next()).args.at(0)).toBe('katcp-library')
    expect((await client.next()).args.at(0)).toBe('katcp-device')
    const { informs, reply } = await client.ask('version-list')
    expect(informs.map((inform) => inform.args.at(0))).toEqual(['katcp-protocol', 'katcp-library', 'katcp-device'])
    expect(words(reply)).toEqual(['!version-list[1]', 'ok', '3'])
  })

  it('answers with the id of the request, and without one where it had none', async () => {
    client.send('?watchdog\r\n?watchdog[2147483647]\r')
    expect(words(await client.named('watchdog'))).toEqual(['!watchdog', 'ok'])
    expect(words(await client.next())).toEqual(['!watchdog[2147483647]', 'ok'])
  })

  it('helps', async () => {
    const all = await client.ask('help')
    expect(all.informs.map((inform) => inform.args.at(0))).toEqual(
      expect.arrayContaining(['help', 'watchdog', 'sensor-list', 'sensor-value', 'sensor-sampling', 'gain', 'halt']),
    )
    expect(words(all.reply)).toEqual(['!help[1]', 'ok', String(all.informs.length)])
    expect((await client.ask('help', ['gain'])).informs.map((inform) => inform.args.at(0))).toEqual(['gain'])
    expect(words((await client.ask('help', ['none'])).reply)).toEqual(['!help[3]', 'fail', 'Unknown request: none'])
    expect(words((await client.ask('none')).reply)).toEqual(['!none[4]', 'invalid', 'Unknown request.'])
    expect((await client.ask('constructor')).reply.args.at(0)).toBe('invalid')
  })

  it('says what is wrong with arguments', async () => {
    const { reply } = await client.ask('mode', ['fly'])
    expect(reply.args.at(0)).toBe('invalid')
    expect(reply.args.at(1)).toContain('one of stop, track, slew-to expected, got "fly"')
    expect((await client.ask('watchdog', ['now'])).reply.args.at(1)).toContain('0 expected, got 1')
    expect((await client.ask('gain', ['m000h', '1+2j', 'x'])).reply.args.at(1)).toContain('complex')
    expect(words((await client.ask('gain', ['m000h', 1, 2])).reply)).toEqual([
      '!gain[4]',
      'fail',
      '1 or 4096 gains expected, got 2',
    ])
  })

  it('lists and reads sensors', async () => {
    const list = await client.ask('sensor-list')
    expect(words(list.reply)).toEqual(['!sensor-list[1]', 'ok', '5'])
    expect(list.informs.map(words)).toContainEqual([
      '#sensor-list[1]',
      'mode',
      'What the dish does',
      '',
      'discrete',
      'stop',
      'track',
      'slew-to',
    ])
    const value = await client.ask('sensor-value', ['temperature'])
    expect(readings(value.informs[0]!, float).readings).toEqual([
      { name: 'temperature', status: 'nominal', value: 18.5 },
    ])
    expect((await client.ask('sensor-value')).informs).toHaveLength(5)
    expect((await client.ask('sensor-value', ['none'])).reply.args.at(0)).toBe('fail')
    const note = list.informs.find((inform) => inform.args.at(0) === 'note')!
    expect(note.args.at(1)).toBe('A text with blanks, \\ and a\nsecond line')
  })

  it('tells of events only who has asked, and only until it asks no more', async () => {
    const other = await Peer.connect(device.port)
    client.send('?sensor-sampling[1] mode,gain.updates event\n')
    expect(readings(await client.named('sensor-status'), string).readings[0]).toMatchObject({
      name: 'mode',
      value: 'stop',
    })
    expect(readings(await client.next()).readings[0]!.name).toBe('gain.updates')
    expect(words(await client.next())).toEqual(['!sensor-sampling[1]', 'ok', 'mode,gain.updates', 'event'])
    client.send('?sensor-sampling[2] mode\n')
    expect(words(await client.next())).toEqual(['!sensor-sampling[2]', 'ok', 'mode', 'event'])

    expect((await other.ask('mode', ['track'])).reply.args.at(1)).toBe('track')
    expect(readings(await client.next()).readings).toEqual([{ name: 'mode', status: 'nominal', value: 'track' }])
    // No change, no event: the next is that of the change after it.
    await other.ask('mode', ['track'])
    await other.ask('mode', ['slew-to'])
    expect(readings(await client.next()).readings[0]!.value).toBe('slew-to')

    client.send('?sensor-sampling[3] mode none\n')
    expect(words(await client.next())).toEqual(['!sensor-sampling[3]', 'ok', 'mode', 'none'])
    await other.ask('mode', ['stop'])
    client.send('?watchdog[4]\n')
    expect(words(await client.next())).toEqual(['!watchdog[4]', 'ok'])
    other.close()
  })

  it('tells of a value once a period', async () => {
    client.send('?sensor-sampling[1] temperature period 0.001\n')
    for (let i = 0; i < 3; i++) {
      expect(readings(await client.named('sensor-status')).readings[0]!.value).toBe('18.5')
    }
    expect(words((await client.ask('sensor-sampling', ['temperature', 'period'])).reply)[1]).toBe('fail')
    expect(words((await client.ask('sensor-sampling', ['temperature', 'event', '1'])).reply)[1]).toBe('fail')
    expect(words((await client.ask('sensor-sampling', ['temperature', 'period', '0'])).reply)[1]).toBe('fail')
    expect(words((await client.ask('sensor-sampling', ['temperature', 'none'])).reply)[1]).toBe('ok')
  })

  it('takes and gives 4096 complex gains bit for bit', async () => {
    const gains = Float64Array.from({ length: 8192 }, (_, i) => Math.sin(i * 1.7) / (i + 1))
    const texts = Array.from({ length: 4096 }, (_, i) => {
      const [re, im] = [gains[i * 2]!, gains[i * 2 + 1]!]
      return `${re}${im < 0 ? '' : '+'}${im}j`
    })
    const { reply } = await client.ask('gain', ['m000v', ...texts])
    expect(reply.args.length).toBe(4097)
    expect(reply.args.toComplexArray(1)).toEqual(gains)
    const one = await client.ask('gain', ['m000h', '-0.5-2e-5j'])
    expect(one.reply.args.at(4096)).toBe('-0.5-2e-05j')
    expect((await client.ask('gain', ['m000v'])).reply.args.toComplexArray(1)).toEqual(gains)
    const updates = await client.ask('sensor-value', ['gain.updates'])
    expect(readings(updates.informs[0]!).readings[0]!.value).toBe('2')
  })

  it('sends every byte back', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    const { informs, reply } = await client.ask('echo', [bytes, '', 'a b', bytes.subarray(128)])
    expect(informs[0]!.args.bytes(0)).toEqual(bytes)
    expect(informs[0]!.args.at(1)).toBe('')
    expect(informs[0]!.args.bytes(3)).toEqual(bytes.slice(128))
    expect(words(reply)).toEqual(['!echo[1]', 'ok', '4'])
  })

  it('logs a bad line and goes on with the next', async () => {
    client.send('?watchdog[1] \\x\n!watchdog ok\n#note\n \t\n?watch', 'dog[2]\n')
    const log = await client.named('log')
    expect(words(log).slice(0, 2)).toEqual(['#log', 'error'])
    expect(log.args.at(3)).toContain('backslash')
    expect(words(await client.next())).toEqual(['!watchdog[2]', 'ok'])
  })

  it('answers what was asked before the client said its last, and reports half a line', async () => {
    client.socket.end('?watchdog[1]\n?watchdog[2]')
    expect(words(await client.named('watchdog'))).toEqual(['!watchdog[1]', 'ok'])
    expect(words(await client.next())[0]).toBe('#log')
    expect(await client.ended).toEqual([])
  })

  it('says who is connected', async () => {
    const { port } = client.socket.address() as { port: number }
    const other = await Peer.connect(device.port)
    const { informs, reply } = await other.ask('client-list')
    expect(informs.map((inform) => inform.args.at(0))).toContain(`127.0.0.1:${port}`)
    expect(words(reply)).toEqual(['!client-list[1]', 'ok', '2'])
    other.close()
  })

  it('halts', async () => {
    const other = await Peer.connect(device.port)
    const { reply } = await client.ask('halt')
    expect(words(reply)).toEqual(['!halt[1]', 'ok'])
    expect(words(await client.next())).toEqual(['#disconnect', 'the device was halted'])
    expect(words(await other.named('disconnect'))).toEqual(['#disconnect', 'the device was halted'])
    expect(await client.ended).toEqual([])
    await device.closed
  })

  it('runs from the shell, and ends by a signal', async () => {
    const { port, process } = await runExample('device')
    const peer = await Peer.connect(port)
    const { reply } = await peer.ask('mode', ['track'])
    expect(reply.args).toHaveLength(2)
    expect(decode(new TextEncoder().encode('!mode[1] ok track')).args.toArray()).toEqual(reply.args.toArray())
    process.kill('SIGTERM')
    expect(words(await peer.named('disconnect'))).toEqual(['#disconnect', 'the device ends'])
    expect(process.exitCode ?? (await once(process, 'exit'))[0]).toBe(0)
  })
})
