import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium, withChromium } from '../chromium'

interface Server {
  readonly port: number
  close(): void
}
/** The example, as it stands, with its page. */
const echo = new URL('../../../examples/websocket/echo.mjs', import.meta.url).href
const { startEcho } = (await import(/* @vite-ignore */ echo)) as { startEcho(): Promise<Server> }

describe('the WebSocket of Chromium', () => {
  withChromium(() => {
    let server: Server
    let browser: Browser
    let page: Page
    const lines = () => page.evaluate(`document.querySelector('pre')?.textContent ?? ''`)

    beforeAll(async () => {
      server = await startEcho()
      browser = await launchChromium()
      page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${server.port}/`)
      await vi.waitFor(async () => expect(await lines()).toBe('open\n'), { timeout: 20_000, interval: 50 })
    })
    afterAll(async () => {
      await browser?.close()
      server?.close()
    })

    it('agrees on compression', async () => {
      expect(await page.evaluate('socket.extensions')).toContain('permessage-deflate')
    })

    it('is echoed what a person types', async () => {
      await page.evaluate(`form.firstChild.value = 'grüß dich 😀'; form.requestSubmit()`)
      await vi.waitFor(async () => expect(await lines()).toBe('open\ngrüß dich 😀\n'), { timeout: 5000, interval: 20 })
    })

    it('is echoed text and bytes of all lengths', async () => {
      const wrong = await page.evaluate(`(async () => {
        const back = () => new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
        const wrong = []
        for (const length of [0, 1, 125, 126, 1000, 65535, 65536, 1000000]) {
          const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) ^ (i >> 8))
          socket.send(bytes)
          const { data } = await back()
          if (!(data instanceof ArrayBuffer) || data.byteLength !== length) wrong.push('bytes ' + length)
          else if (new Uint8Array(data).some((byte, i) => byte !== bytes[i])) wrong.push('bytes in ' + length)
          const text = 'ünïcödé 😀'.repeat(length).slice(0, length).replace(/[\\ud800-\\udbff]$/, '')
          socket.send(text)
          if ((await back()).data !== text) wrong.push('text ' + length)
        }
        return wrong
      })()`)
      expect(wrong).toEqual([])
    })

    it('is echoed many messages at once, in order', async () => {
      const count = await page.evaluate(`new Promise((resolve, reject) => {
        const sent = Array.from({ length: 3000 }, (_, i) => 'message ' + i + ' '.repeat(i % 500))
        let next = 0
        const take = ({ data }) => {
          if (data !== sent[next]) reject(new Error('message ' + next))
          if (++next < sent.length) return
          socket.removeEventListener('message', take)
          resolve(next)
        }
        socket.addEventListener('message', take)
        for (const text of sent) socket.send(text)
      })`)
      expect(count).toBe(3000)
    })

    it('is answered a close', async () => {
      const closed = await page.evaluate(`new Promise((resolve) => {
        socket.addEventListener('close', ({ code, reason, wasClean }) => resolve([code, reason, wasClean]))
        socket.close(3000, 'enough')
      })`)
      // The answer repeats the code, not the reason (RFC 6455, section 5.5.1).
      expect(closed).toEqual([3000, '', true])
      expect(await lines()).toMatch(/closed 3000 \n$/)
    })
  })
})
