import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hds } from '../../bindings/cli/formats/hds'
import { run } from '../../bindings/cli/run'
import {
  dataSend,
  date,
  dump,
  Encoder,
  encode,
  encodeMessage,
  event,
  int64,
  request,
  uuid,
} from '../../bindings/hds/index'
import { useBackend } from '../../bindings/index'
import { encode as encodeOpack } from '../../bindings/opack/index'
import { fromHex, toHex } from '../vectors'
import { pattern } from './words'

const folder = mkdtempSync(join(tmpdir(), 'wiretape-hds-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  useBackend('auto')
})

class Sink extends Writable {
  readonly chunks: Uint8Array[] = []
  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }
  get bytes(): Uint8Array {
    return Buffer.concat(this.chunks)
  }
}

async function command(argv: readonly string[], input: Uint8Array) {
  const stdout = new Sink()
  const stderr = new Sink()
  async function* stdin() {
    // Three pieces, so that units are cut.
    const third = Math.ceil(input.length / 3)
    for (let at = 0; at < input.length; at += third) yield input.slice(at, at + third)
  }
  const code = await run(argv, { stdin: stdin(), stdout, stderr }, { hds })
  const text = (sink: Sink) => new TextDecoder().decode(sink.bytes)
  return { code, stdout: text(stdout), stderr: text(stderr), bytes: stdout.bytes }
}

const KEY = pattern(5, 32)
const KEYS = { accessoryToController: KEY, controllerToAccessory: KEY }
const messages = [
  request('control', 'hello', 1),
  event('dataSend', 'data', { streamId: 1, packets: [{ data: pattern(1, 40), metadata: { id: int64(5) } }] }),
]
const payloads = Buffer.concat(messages.map((message) => encodeMessage(message)))
const frames = new Encoder({ role: 'accessory', keys: KEYS }).encodeAll(messages)

describe('the command for HDS', () => {
  it('prints messages and makes the same bytes of them again', async () => {
    const decoded = await command(['decode', 'hds', '--tagged'], payloads)
    expect([decoded.code, decoded.stderr]).toEqual([0, ''])
    expect(decoded.stdout.split('\n')[0]).toBe(
      '{"type":"request","protocol":"control","topic":"hello","id":{"$bigint":"1"},"body":{}}',
    )
    const encoded = await command(['encode', 'hds'], new TextEncoder().encode(decoded.stdout))
    expect(toHex(encoded.bytes)).toBe(toHex(payloads))
  })

  it('opens and seals frames with a key', async () => {
    const decoded = await command(['decode', 'hds', '--tagged', '--key', toHex(KEY)], frames)
    expect([decoded.code, decoded.stdout.split('\n').length]).toEqual([0, 3])
    const encoded = await command(['encode', 'hds', '--key', toHex(KEY)], new TextEncoder().encode(decoded.stdout))
    expect(toHex(encoded.bytes)).toBe(toHex(frames))
    const late = await command(['decode', 'hds', '--key', toHex(KEY), '--counter', '1'], frames)
    expect(late).toMatchObject({ code: 1, stdout: '' })
    expect(late.stderr).toContain('WT_HDS_AUTHENTICATION')
  })

  it('reads values, OPACK among them', async () => {
    const values = Buffer.concat([
      encodeOpack({ _x: 200 }),
      encodeOpack([uuid('12345678-1234-5678-1234-567812345678')]),
    ])
    const decoded = await command(['decode', 'hds', '--unit', 'value', '--profile', 'opack'], values)
    expect(decoded.stdout).toBe('{"_x":200}\n[{"$uuid":"12345678-1234-5678-1234-567812345678"}]\n')
    const again = ['encode', 'hds', '--unit', 'value', '--profile', 'opack']
    expect(toHex((await command(again, new TextEncoder().encode(decoded.stdout))).bytes)).toBe(toHex(values))
  })

  it('says what is wrong, with exit codes', async () => {
    const cut = await command(['decode', 'hds'], payloads.subarray(0, -1))
    expect([cut.code, cut.stdout.split('\n').length]).toEqual([1, 2])
    expect(cut.stderr).toContain('WT_TRUNCATED')
    expect(cut.stderr).toContain(`offset ${payloads.length - 1}`)
    const bad = await command(['decode', 'hds', '--unit', 'value'], fromHex('0800'))
    expect([bad.code, bad.stdout]).toEqual([1, '0\n'])
    expect(bad.stderr).toContain('WT_HDS_TAG')
    expect(bad.stderr).toContain('offset 1')
    for (const argv of [
      ['--key', 'abc'],
      ['--counter', '-1', '--key', toHex(KEY)],
      ['--limit', 'maxNonsense=1'],
    ]) {
      expect((await command(['decode', 'hds', ...argv], payloads)).code).toBe(2)
    }
    expect((await command(['dump', 'hds', '--key', 'abc'], payloads)).code).toBe(2)
  })

  it('dumps from files and frames', async () => {
    const path = join(folder, 'payload')
    writeFileSync(path, payloads.subarray(0, encodeMessage(messages[0]!).length))
    const { code, stdout } = await command(['dump', 'hds', path], new Uint8Array(0))
    expect(code).toBe(0)
    expect(stdout).toContain('header of 44 bytes')
    const opened = await command(['dump', 'hds', '--key', toHex(KEY)], frames)
    expect(opened.stdout.match(/^frame, payload of \d+ bytes$/gm)?.length).toBe(2)
  })
})

describe('dump', () => {
  it('has a line for every value', () => {
    const bytes = encode(
      new Map<string, unknown>([
        ['a', [1, null, int64(-5)]],
        ['when', date(0)],
        ['text', 'x'.repeat(40)],
      ]),
    )
    expect(dump(bytes)).toBe(
      [
        '000000  e3                        dictionary of 3 pairs',
        '000001  41 61                       key string "a"',
        '000003  d3                          array of 3 values',
        '000004  09                            int 1',
        '000005  04                            null',
        '000006  33 fb ff ff ff ff ff ff …     int64 -5',
        '00000f  44 77 68 65 6e              key string "when"',
        '000014  06 00 00 00 00 00 00 00 …   date 0 (2001-01-01T00:00:00.000Z)',
        '00001d  44 74 65 78 74              key string "text"',
        `000022  61 28 78 78 78 78 78 78 …   string "${'x'.repeat(40)}"`,
        '',
      ].join('\n'),
    )
  })

  it('shows bad bytes up to what is wrong with them', () => {
    const last = (hex: string, options = {}) => dump(fromHex(hex), options).trimEnd().split('\n').at(-1)!
    expect(last('d208ff')).toContain('WT_HDS_TAG')
    expect(last('d208')).toContain('the bytes end inside of 1 containers')
    expect(last('df0803')).toContain('end')
    expect(last('436162')).toContain('string: the bytes end inside of it')
    expect(last('41ff')).toContain('WT_HDS_UTF8')
    expect(last('d1'.repeat(40))).toContain('WT_HDS_DEPTH')
    expect(last('d24161a0')).toContain('reference to value 0')
    expect(last('d24161c30100ff', { profile: 'opack' })).toContain('reference to value 16711681')
    expect(dump(fromHex(''))).toBe('')
    expect(dump(encodeMessage(dataSend.ack(1)), { unit: 'message' })).toContain('header of 29 bytes')
    for (let tag = 0; tag < 256; tag++) expect(dump(Uint8Array.of(tag, 1, 2, 3)).length).toBeGreaterThan(0)
  })
})
