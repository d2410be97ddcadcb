import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCommand, SAMPLES, type Sample, sampleBytes } from '../samples'
import { buildWorker, startWorker, withMiniflare } from './miniflare'

const LINE = '#sensor-status 1427043968.500000 1 pump nominal 68.9\n'
const BODY_BYTES = 64 << 20
const LINES = Math.ceil(BODY_BYTES / LINE.length)
/** About a megabyte of whole lines. */
const BLOCK_LINES = Math.ceil((1 << 20) / LINE.length)

/** Bytes between the body and the answer at most: a chunk of the body, and a few of the answer. */
const MOST_HELD = 1 << 18

type Counts = { readonly received: number; readonly answered: number; readonly held: number }

describe('the example for the edge, in workerd', () => {
  withMiniflare(() => {
    let worker: Awaited<ReturnType<typeof startWorker>>
    let counting: Awaited<ReturnType<typeof startWorker>>
    beforeAll(async () => {
      buildWorker()
      worker = await startWorker('worker.js')
      counting = await startWorker('counting.js')
    })
    afterAll(async () => {
      await worker?.stop()
      await counting?.stop()
    })

    const decode = (path: string, body: Uint8Array<ArrayBuffer>) =>
      fetch(new URL(`/decode/${path}`, worker.url), { method: 'POST', body })
    const path = ({ format, options }: Sample) => `${format}?${new URLSearchParams(options)}`

    it.each(SAMPLES.map((sample) => [sample.file, sample] as const))(
      'prints of %s what the command does',
      async (_, sample) => {
        const bytes = sampleBytes(sample)
        const response = await decode(path(sample), bytes)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('application/x-ndjson')
        const { stdout, stderr } = decodeCommand(sample, bytes)
        expect(stderr).toBe('')
        expect(await response.text()).toBe(stdout)
      },
    )

    it.each(SAMPLES.map((sample) => [sample.file, sample] as const))(
      'prints of a cut %s the units before the fault, then the fault',
      async (_, sample) => {
        const bytes = sampleBytes(sample).slice(0, -1)
        const { stdout, stderr } = decodeCommand(sample, bytes)
        const lines = (await (await decode(path(sample), bytes)).text()).split('\n')
        expect(lines.pop()).toBe('')
        const { error } = JSON.parse(lines.pop()!) as { error: { code: string; offset: number; message: string } }
        expect(lines.map((line) => `${line}\n`).join('')).toBe(stdout)
        expect(stderr).toBe(`wiretape: standard input: ${error.code}: ${error.message}\n`)
        expect(error.offset).toBe(bytes.length)
      },
    )

    it('says where a capture is wrong', async () => {
      const body = new TextEncoder().encode(`${LINE}#a\n1bad\n`)
      const lines = (await (await decode('katcp', body)).text()).trim().split('\n')
      expect(lines).toHaveLength(3)
      expect(JSON.parse(lines[2]!)).toMatchObject({ error: { code: 'WT_KATCP_BAD_TYPE', offset: LINE.length + 3 } })
    })

    it('inflates', async () => {
      // `Hello`, compressed, of RFC 7692, section 7.2.3.1.
      const body = Uint8Array.of(0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00)
      const response = await decode('websocket?role=client&deflate', body)
      expect(JSON.parse(await response.text())).toEqual({ type: 'text', data: 'Hello' })
    })

    it('says how it is used, and refuses what it cannot do', async () => {
      const answer = async (path: string, init?: RequestInit) => {
        const response = await fetch(new URL(path, worker.url), init)
        return [response.status, await response.text()] as const
      }
      const post = { method: 'POST', body: LINE }
      const [status, help] = await answer('/')
      expect(status).toBe(200)
      for (const word of ['curl', ...new Set(SAMPLES.map(({ format }) => format)), 'role']) expect(help).toContain(word)
      expect((await answer('/', post))[0]).toBe(405)
      expect((await answer('/decode/katcp'))[0]).toBe(405)
      expect((await answer('/decode/toString', post))[0]).toBe(404)
      expect((await answer('/decode/telnet', post))[0]).toBe(404)
      expect((await answer('/elsewhere', post))[0]).toBe(404)
      const wrong = {
        websocket: 'role is needed',
        'websocket?role=both': 'role must be server or client',
        'websocket?role': 'role needs a value',
        'katcp?role=server': 'no option role',
        'hds?key=12': '64 hexadecimal digits',
        'hds?tagged=yes': 'takes no value',
        'websocket?role=server&deflate=window%3D9': 'no parameter window',
      }
      for (const [path, reason] of Object.entries(wrong)) {
        const [status, text] = await answer(`/decode/${path}`, post)
        expect([path, status]).toEqual([path, 400])
        expect(text).toContain(reason)
      }
      expect(await answer('/decode/katcp', { method: 'POST' })).toEqual([200, ''])
    })

    const counts = async () => (await (await fetch(new URL('/count', counting.url))).json()) as Counts

    /** Sends 64 MB of lines as fast as they are taken. */
    function sendLines(): { sending: ClientRequest; response: Promise<IncomingMessage> } {
      const sending = request(new URL(`/?unitBytes=${LINE.length}`, counting.url), { method: 'POST' })
      const response = once(sending, 'response').then(([message]) => message as IncomingMessage)
      const block = Buffer.from(LINE.repeat(BLOCK_LINES))
      const write = async () => {
        for (let sent = 0; sent < LINES; sent += BLOCK_LINES) {
          const piece = block.subarray(0, Math.min(BLOCK_LINES, LINES - sent) * LINE.length)
          if (!sending.write(piece)) await once(sending, 'drain')
        }
        sending.end()
      }
      // The test ends where the answer does.
      write().catch(() => {})
      return { sending, response }
    }

    it('holds little of 64 MB', async () => {
      const { response } = sendLines()
      let lines = 0
      for await (const chunk of await response) for (const byte of chunk as Uint8Array) if (byte === 10) lines++
      expect(lines).toBe(LINES)
      const { received, answered, held } = await counts()
      expect([received, answered]).toEqual([LINES * LINE.length, LINES])
      expect(held).toBeLessThan(MOST_HELD)
    })

    it('reads no more while nobody takes the answer', async () => {
      const { response } = sendLines()
      const answer = await response
      answer.pause()
      /** The first state that has not changed for a while. */
      const settled = async () => {
        let last = await counts()
        for (let same = 0; same < 10; ) {
          await pause(100)
          const now = await counts()
          same = now.received === last.received && now.received > 0 ? same + 1 : 0
          last = now
        }
        return last
      }
      const { received, held } = await settled()
      // What sockets hold on the way counts as taken; it is far from all.
      expect(received).toBeLessThan(BODY_BYTES / 2)
      expect(held).toBeLessThan(MOST_HELD)
      const lines = (await text(answer)).split('\n')
      expect(lines).toHaveLength(LINES + 1)
      expect(new Set(lines.slice(0, -1)).size).toBe(1)
    })
  })
})
