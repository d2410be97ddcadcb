import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'
import { it } from 'vitest'

/** The names that the browser goes by; CHROMIUM may name another. */
const NAMES = [process.env['CHROMIUM'], 'chromium-headless-shell', 'chromium', 'google-chrome'].filter(
  (name): name is string => name !== undefined,
)
const program = NAMES.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()).find(
  (path) => path !== '' && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0,
)

/** Runs the tests where the browser is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withChromium(tests: () => void): void {
  if (program !== undefined) tests()
  else
    it('NOT RUN: Chromium is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error('there is no Chromium')
    })
}

// Nothing of it talks to anyone but the page.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser of its own, without windows. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: program!, args: FLAGS, headless: true })
