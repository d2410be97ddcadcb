// nghttp2's coder and ours, block by block in both directions; and its server with our example as a client.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderField, WireError } from '../../../bindings/hpack/index'
import { useBackend } from '../../../bindings/index'
import { STRICTER, type Vector } from '../../hpack/words'
import { Random } from '../../random'
import { fromHex, vectorJson } from '../../vectors'
import { type Field, Nghttp2, withNghttp2 } from './peers'

const NAMES = [
  ':path',
  ':method',
  'cookie',
  'x-a',
  'x-b',
  'authorization',
  'accept',
  '__proto__',
  'constructor',
  'etag',
  '',
]
const VALUES = ['GET', '/', '', 'a', 'gzip, deflate', 'toString']

function field(random: Random): Field {
  const text = () =>
    random.below(4) > 0
      ? String.fromCharCode(...random.bytes(random.below(40), Buffer.from('abcdefgh 0123-/=%{~')))
      : String.fromCharCode(...random.bytes(random.below(30)))
  return {
    name: random.below(5) > 0 ? random.pick(NAMES) : text(),
    value: random.below(2) ? random.pick(VALUES) : text(),
    sensitive: random.below(12) === 0,
  }
}
/** nghttp2 decides itself what is sensitive besides. */
const withoutFlags = (list: readonly Field[]) => list.map(({ name, value }) => [name, value])
const flagged = (list: readonly Field[]) => list.flatMap(({ sensitive }, i) => (sensitive ? [i] : []))

withNghttp2(() => {
  describe.each(['wasm', 'js'] as const)('nghttp2 and %s', (backend) => {
    let peer: Nghttp2
    beforeAll(() => {
      peer = new Nghttp2()
    })
    afterAll(async () => {
      await peer.end()
    })
    beforeEach(async () => {
      useBackend(backend)
      await peer.reset()
    })

    it('read what the other writes, through changes of the table', async () => {
      const random = new Random(7)
      for (let connection = 0; connection < 12; connection++) {
        await peer.reset()
        const encoder = new Encoder({
          huffman: random.pick(['shorter', 'always', 'never'] as const),
          limits: { maxTableSize: 100_000 },
        })
        const decoder = new Decoder()
        for (let i = 0; i < 40; i++) {
          if (random.below(6) === 0) {
            const size = random.pick([0, 64, 200, 4096, 10_000])
            await peer.settings(size)
            encoder.setPeerMaxTableSize(size)
            decoder.setMaxTableSize(size)
          }
          const list = Array.from({ length: random.below(12) }, () => field(random))
          const theirs = await peer.decode(encoder.encode(list))
          expect(theirs && withoutFlags(theirs)).toEqual(withoutFlags(list))
          expect(flagged(theirs!)).toEqual(expect.arrayContaining(flagged(list)))
          const ours = decoder.decode(await peer.encode(list))
          expect(withoutFlags(ours)).toEqual(withoutFlags(list))
          expect(flagged(ours)).toEqual(expect.arrayContaining(flagged(list)))
        }
      }
    })

    it('refuse the same blocks', async () => {
      let refused = 0
      const files = [
        'decode-valid',
        'decode-malformed',
        'huffman-valid',
        'huffman-malformed',
        'table-size',
        'rfc7541-examples',
      ]
      for (const { id, steps } of files.flatMap(
        (name) => vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors,
      )) {
        if (STRICTER.has(id)) continue
        await peer.reset()
        const decoder = new Decoder()
        for (const { settings, hex } of steps) {
          if (settings !== undefined) {
            await peer.settings(settings)
            decoder.setMaxTableSize(settings)
          }
          if (hex === undefined) continue
          const theirs = await peer.decode(fromHex(hex))
          let ours: HeaderField[] | undefined
          try {
            ours = decoder.decode(fromHex(hex))
          } catch (error) {
            if (!(error instanceof WireError)) throw error
            refused++
          }
          expect(ours, id).toEqual(theirs)
          if (!ours) break
        }
      }
      expect(refused).toBeGreaterThan(25)
    })

    it('say the same of broken blocks', async () => {
      const random = new Random(9)
      const blocks = ['rfc7541-examples', 'huffman-valid', 'captured'].flatMap((name) =>
        vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors.flatMap(({ steps }) =>
          steps[0]?.hex ? [fromHex(steps[0].hex)] : [],
        ),
      )
      let refused = 0
      for (let i = 0; i < 1500; i++) {
        const block = random.mutate(random.pick(blocks))
        await peer.reset()
        const theirs = await peer.decode(block)
        let ours: readonly HeaderField[] | undefined
        let code = ''
        try {
          ours = new Decoder({ limits: { maxListSize: 1e6 } }).decode(block)
        } catch (error) {
          if (!(error instanceof WireError)) throw error
          code = error.code
          refused++
        }
        // Ours alone: no block needs more than two size updates.
        if (code !== 'WT_HPACK_TOO_MANY_UPDATES') expect(ours, Buffer.from(block).toString('hex')).toEqual(theirs)
      }
      expect(refused).toBeGreaterThan(300)
    })
  })

  describe('nghttpd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wiretape-nghttpd-'))
    let server: ChildProcess
    let port = 0
    beforeAll(async () => {
      writeFileSync(join(folder, 'page.html'), 'hello')
      port = await new Promise<number>((resolve) => {
        const free = createServer().listen(0, '127.0.0.1', () => {
          const { port } = free.address() as { port: number }
          free.close(() => resolve(port))
        })
      })
      server = spawn('nghttpd', ['--no-tls', '-a', '127.0.0.1', '-c', '256', '-d', folder, String(port)], {
        stdio: 'ignore',
      })
      const listening = () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1')
          socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
          socket.on('connect', () => socket.destroy())
        })
      while (!(await listening())) await sleep(50)
    })
    afterAll(() => {
      server.kill()
      rmSync(folder, { recursive: true })
    })

    it('exchanges header lists with the example', async () => {
      const example: string = '../../../examples/http2_get.mjs'
      const { get } = (await import(example)) as {
        get(options: { port: number; paths: readonly string[] }): Promise<HeaderField[][]>
      }
      const answers = await get({ port, paths: ['/page.html', '/missing', '/page.html'] })
      expect(answers.map(([status]) => [status?.name, status?.value])).toEqual([
        [':status', '200'],
        [':status', '404'],
        [':status', '200'],
      ])
      for (const list of answers) expect(list.find(({ name }) => name === 'server')?.value).toContain('nghttp2')
    })
  })
})
