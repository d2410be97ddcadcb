import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium, withChromium } from '../chromium'
import { decodeCommand, SAMPLES, type Sample, sampleBytes } from '../samples'
import { buildPlayground, servePlayground } from './pages'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'wiretape-playground-'))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const TITLES = ['WebSocket', 'D-Bus', 'HPACK', 'KATCP', 'HDS messages', 'HDS frames, sealed', 'OPACK']
const KATCP = SAMPLES.find(({ format }) => format === 'katcp')!
const printed = (sample: Sample, bytes = sampleBytes(sample)) =>
  decodeCommand(sample, bytes).stdout.split('\n').slice(0, -1)

describe('the playground in Chromium', () => {
  withChromium(() => {
    let browser: Browser
    let server: Awaited<ReturnType<typeof servePlayground>>
    let context: BrowserContext
    let page: Page
    /** What the page should not say. */
    let complaints: string[]

    beforeAll(async () => {
      buildPlayground()
      server = await servePlayground()
      browser = await launchChromium()
    })
    afterAll(async () => {
      await browser?.close()
      await server?.stop()
      rmSync(folder, { recursive: true })
    })
    afterEach(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })

    async function openPage(url = server.url, options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
      context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      page = await context.newPage()
      complaints = []
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await page.goto(url)
      await decoded(printed(KATCP).length)
    }

    const text = async (selector: string) => (await page.locator(selector).textContent()) ?? ''
    const count = async () => Number((await text('#units-note')).replaceAll(',', ''))
    /** Waits until so many units are there and decoding has ended. */
    async function decoded(units: number): Promise<void> {
      await vi.waitFor(
        async () => {
          expect(await text('#summary')).not.toBe('')
          expect(await count()).toBe(units)
        },
        { timeout: 30_000, interval: 20 },
      )
    }
    /** Rows are drawn with the next frame. */
    const selected = (index: number) => page.locator(`#unit-${index}[aria-selected=true]`).waitFor({ timeout: 10_000 })
    /** The value of the unit with that number, once it is shown. */
    async function value(index: number): Promise<unknown> {
      await vi.waitFor(
        async () => expect(await text('#value-note')).toContain(` ${index.toLocaleString('en')}, `),
        10_000,
      )
      return JSON.parse(await text('#value'))
    }
    const marked = async (kind: string) => (await page.locator(`.byte.${kind}`).allTextContents()).join('')
    const openFile = (name: string, bytes: Uint8Array) =>
      page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) })
    const chooseSample = (index: number) => page.getByRole('button', { name: TITLES[index]!, exact: true }).click()

    it.each(SAMPLES.map((sample, i) => [sample.file, i] as const))(
      'shows the units of %s as the command does',
      async (_, i) => {
        const sample = SAMPLES[i]!
        const lines = printed(sample)
        await openPage()
        await chooseSample(i)
        await decoded(lines.length)
        expect(await page.locator('#fault').isVisible()).toBe(false)
        expect(await page.locator('#format').inputValue()).toBe(sample.format)
        expect(await text('#backend')).toBe('WebAssembly')
        const last = lines.length - 1
        for (const [key, index] of [
          ['Home', 0],
          ['ArrowDown', 1],
          ['ArrowDown', 2],
          ['End', last],
          ['ArrowUp', last - 1],
        ] as const) {
          await page.locator('#units').press(key)
          expect(await value(index)).toEqual(JSON.parse(lines[index]!))
          await selected(index)
          expect(await page.locator(`#unit-${index}`).getAttribute('aria-posinset')).toBe(String(index + 1))
          expect(await page.locator(`#unit-${index}`).getAttribute('aria-setsize')).toBe(String(lines.length))
        }
      },
    )

    it('marks the bytes of the unit that is clicked, and selects the unit of a byte', async () => {
      await openPage()
      const capture = sampleBytes(KATCP)
      const ends = [...capture].flatMap((byte, i) => (byte === 10 ? [i + 1] : []))
      for (const index of [3, 4, 9]) {
        await page.locator(`#unit-${index}`).click()
        await value(index)
        const line = capture.slice(ends[index - 1], ends[index])
        await vi.waitFor(async () => expect(await marked('of-unit')).toBe(Buffer.from(line).toString('hex')), 5000)
        expect(await page.locator('.char.of-unit').allTextContents()).toHaveLength(line.length)
      }
      await page.locator(`.byte[data-offset="${ends[8]! - 1}"]`).click()
      await value(8)
      await selected(8)
    })

    it('shows what is wrong with a capture, and where', async () => {
      await openPage()
      const bytes = new TextEncoder().encode('?good\n!fine ok\n1bad line\n?good\n')
      await openFile('broken.katcp', bytes)
      await decoded(2)
      expect(await text('#fault code')).toBe('WT_KATCP_BAD_TYPE')
      expect(await text('#fault span')).toContain('at offset 15')
      await vi.waitFor(async () => expect(await marked('wrong')).toBe('31'), 5000)
      expect(await page.locator('.byte.wrong').getAttribute('data-offset')).toBe('15')
      expect(await page.locator('.row.bad').count()).toBe(1)
      // Somewhere else, and back.
      await page.locator('#unit-0').click()
      await vi.waitFor(async () => expect(await marked('wrong')).toBe(''), 5000)
      await page.getByRole('button', { name: 'Show it' }).click()
      await vi.waitFor(async () => expect(await marked('wrong')).toBe('31'), 5000)
      // Behind it too, on request.
      await page.getByLabel('Go on behind bad units').check()
      await decoded(4)
      expect(await text('#summary')).toContain('3 units in 31 bytes, 1 bad')
      // Where a capture ends too soon there is no byte to mark, but its place.
      const cut = bytes.subarray(0, 10)
      await openFile('cut.katcp', cut)
      await decoded(1)
      expect(await text('#fault span')).toContain('at offset 10')
      await vi.waitFor(async () => expect(await marked('wrong')).toBe('··'), 5000)
    })

    it('takes what is dropped, and guesses what it is', async () => {
      await openPage()
      const sample = SAMPLES[0]!
      const bytes = [...sampleBytes(sample)]
      const transfer = await page.evaluateHandle((bytes) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([new Uint8Array(bytes)], 'some.bin'))
        return transfer
      }, bytes)
      await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer })
      expect(await page.locator('#drop').isVisible()).toBe(true)
      await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
      await decoded(printed(sample).length)
      expect(await page.locator('#drop').isVisible()).toBe(false)
      expect(await page.locator('#format').inputValue()).toBe('websocket')
      expect(await page.locator('#option-role').inputValue()).toBe('server')
      // The other role is wrong, and a word that is no option is refused.
      await page.locator('#option-role').selectOption('client')
      await vi.waitFor(async () => expect(await text('#fault')).toContain('WT_WEBSOCKET_MASKED'), 5000)
      await page.locator('#option-role').selectOption('server')
      await page.locator('#option-emit').selectOption('frames')
      await decoded(printed({ ...sample, options: { ...sample.options, emit: 'frames' } }).length)
      await page.locator('#switch-deflate').check()
      await page.locator('#option-deflate').fill('window=9')
      await page.locator('#option-deflate').blur()
      await vi.waitFor(async () => expect(await text('#fault')).toContain('no parameter window'), 5000)
    })

    it('measures both backends', async () => {
      await openPage()
      await page.getByRole('button', { name: 'Measure' }).click()
      await page.locator('#speed-note:not(:empty)').waitFor({ timeout: 60_000 })
      expect(await text('#speed-result')).toMatch(/^WebAssembly [\d.]+ MB\/s, JavaScript [\d.]+ MB\/s: [\d.]+ times$/)
      expect(await text('#speed-note')).toMatch(
        /^Each point is a round, in which the 19 kB of session.katcp are decoded/,
      )
      expect(await page.locator('#chart').getAttribute('aria-label')).toContain(await text('#speed-result'))
      // Something was drawn, in both colours.
      const colours = await page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('#chart canvas')!
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        const seen = new Set<string>()
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`)
        return [...seen]
      })
      expect(colours).toEqual(expect.arrayContaining(['8,112,95', '168,98,11']))
    })

    it('is used with keys alone', async () => {
      await openPage()
      const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent)
      const order: unknown[] = []
      for (let i = 0; i < 14; i++) {
        await page.keyboard.press('Tab')
        order.push(await focused())
      }
      expect(order).toEqual(['file', ...TITLES, 'format', 'keep-going', 'units', 'bytes', 'value', 'measure'])
      // What has the focus can be seen: the box of a control, or of the label around it.
      for (const id of ['format', 'units', 'bytes', 'value', 'measure']) {
        await page.locator(`#${id}`).focus()
        await page.keyboard.press('Shift')
        const outline = await page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).outlineStyle)
        expect([id, outline]).toEqual([id, 'solid'])
      }
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      const before = await page.locator('#bytes').evaluate((element) => element.scrollTop)
      await page.keyboard.press('PageDown')
      await vi.waitFor(
        async () =>
          expect(await page.locator('#bytes').evaluate((element) => element.scrollTop)).toBeGreaterThan(before),
        5000,
      )
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).toBe('units')
      const last = printed(KATCP).length - 1
      for (const [key, index] of [
        ['End', last],
        ['ArrowUp', last - 1],
        ['Home', 0],
        ['ArrowDown', 1],
      ] as const) {
        await page.keyboard.press(key)
        await value(index)
        expect(await page.locator('#units').getAttribute('aria-activedescendant')).toBe(`unit-${index}`)
        await selected(index)
      }
      await page.keyboard.press('PageDown')
      const active = await page.locator('#units').getAttribute('aria-activedescendant')
      expect(Number(active!.slice('unit-'.length))).toBeGreaterThan(8)
      // A sample, and another format.
      while ((await focused()) !== 'D-Bus') await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await decoded(printed(SAMPLES[1]!).length)
      while ((await focused()) !== 'format') await page.keyboard.press('Tab')
      await page.keyboard.press('w')
      await vi.waitFor(async () => expect(await page.locator('#format').inputValue()).toBe('websocket'), 5000)
      expect(await focused()).toBe('format')
      await vi.waitFor(async () => expect(await page.locator('#fault').isVisible()).toBe(true), 5000)
    })

    it('goes on while 50 MB are decoded, and reaches all of them', async () => {
      await openPage()
      const line = '#sensor-status 1427043968.500000 1 pump nominal 68.9\n'
      const units = Math.ceil((50 << 20) / line.length)
      const file = join(folder, 'large.katcp')
      writeFileSync(file, line.repeat(units))
      await page.evaluate(() => {
        const bar = document.querySelector('progress')!
        const seen: number[] = []
        Object.assign(window, { seen })
        new MutationObserver(() => seen.push(bar.value)).observe(bar, { attributes: true })
      })
      await page.locator('#file').setInputFiles(file)
      // Keys are answered while it runs.
      await page.locator('progress').waitFor({ state: 'visible' })
      await page.locator('#units').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      expect(await value(2)).toMatchObject({ name: 'sensor-status' })
      expect(await page.locator('progress').isVisible()).toBe(true)
      await vi.waitFor(async () => expect(await text('#summary')).toContain('large.katcp'), {
        timeout: 60_000,
        interval: 50,
      })
      expect(await count()).toBe(units)
      // It came in many slices, of which each let the page show how far it was.
      const seen = (await page.evaluate('seen')) as number[]
      expect(new Set(seen).size).toBeGreaterThan(10)
      await page.keyboard.press('End')
      await value(units - 1)
      await page.locator(`#unit-${units - 1}`).waitFor()
      await vi.waitFor(async () => expect(await marked('of-unit')).toBe(Buffer.from(line).toString('hex')), 5000)
      // Every row can be reached by small steps of a wheel too, though no element is as high as all of them.
      await page.locator('#units').hover()
      await page.mouse.wheel(0, -240)
      await page.locator(`#unit-${units - 25}`).waitFor()
    })

    it('opens without a network', async () => {
      const gone = await servePlayground()
      await openPage(gone.url)
      await page.evaluate(() => navigator.serviceWorker.ready)
      await vi.waitFor(
        async () => expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true),
        10_000,
      )
      await gone.stop()
      await page.reload()
      await decoded(printed(KATCP).length)
      for (const [i, sample] of SAMPLES.entries()) {
        await chooseSample(i)
        await decoded(printed(sample).length)
      }
      await page.getByRole('button', { name: 'Measure' }).click()
      await page.locator('#speed-note:not(:empty)').waitFor({ timeout: 60_000 })
    })

    it('says that JavaScript answers where a policy forbids WebAssembly', async () => {
      const strict = await servePlayground({ 'content-security-policy': "script-src 'self'" })
      try {
        await openPage(strict.url)
        expect(await text('#backend')).toMatch(/^JavaScript answers.*(WebAssembly|unsafe-eval)/)
        for (const [i, sample] of SAMPLES.entries()) {
          await chooseSample(i)
          await decoded(printed(sample).length)
          expect(await value(0)).toEqual(JSON.parse(printed(sample)[0]!))
        }
        await page.getByRole('button', { name: 'Measure' }).click()
        await page.locator('#speed-note:not(:empty)').waitFor({ timeout: 60_000 })
        expect(await text('#speed-result')).toMatch(/^JavaScript [\d.]+ MB\/s; WebAssembly cannot be had here$/)
      } finally {
        await strict.stop()
      }
      // Chromium says so itself.
      complaints = complaints.filter((text) => !/wasm|WebAssembly|script-src/i.test(text))
    })

    it.each([
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const)('is as accessible as axe can tell, %i wide and %s', async (width, colorScheme) => {
      await openPage(server.url, { viewport: { width, height: 844 }, colorScheme, bypassCSP: true })
      await openFile('broken.katcp', new TextEncoder().encode('?good\n1bad\n'))
      await decoded(1)
      await page.evaluate(axe)
      const violations = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
      )
      expect(violations).toEqual([])
      // Nothing is wider than the page.
      const [inner, full] = (await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')) as number[]
      expect(full).toBeLessThanOrEqual(inner!)
    })

    it('is built and served by one command', async () => {
      const child = spawn('npm', ['run', 'playground', '--', '--host', '127.0.0.1', '--port', '4319'], {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      const exit = once(child, 'exit')
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        output += piece
      })
      try {
        const address = await vi.waitFor(
          () => {
            const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(stripVTControlCharacters(output))
            if (!found) throw new Error(`nothing is served yet: ${output}`)
            return found[0]
          },
          { timeout: 240_000, interval: 100 },
        )
        await openPage(address)
      } finally {
        process.kill(-child.pid!, 'SIGTERM')
        await exit
      }
      // Where the library has to be built first, that takes most of it.
    }, 300_000)
  })
})
