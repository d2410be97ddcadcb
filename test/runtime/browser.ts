import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { program } from './peers'
import type { Outcome } from './place'

/** A browser is a program that opens a page in a profile of its own; the page itself tells what came of it. */
export interface Browser {
  readonly name: string
  readonly needs: readonly (readonly [what: string, found: string | undefined])[]
  command(url: string, profile: string): string[]
}

const chromium = program('chromium', 'google-chrome')
const firefox = program('firefox-esr', 'firefox')
const xvfb = program('xvfb-run')
const libraries = '/usr/lib/x86_64-linux-gnu/'
const miniBrowser = (existsSync(libraries) ? readdirSync(libraries) : [])
  .filter((name) => name.startsWith('webkit2gtk-4'))
  .map((name) => join(libraries, name, 'MiniBrowser'))
  .find((file) => existsSync(file))

/** Firefox has no flags for these. */
const FIREFOX_PREFERENCES = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.update.auto': false,
  'browser.startup.homepage_override.mstone': 'ignore',
}

export const BROWSERS: readonly Browser[] = [
  {
    name: 'Chromium',
    needs: [['Chromium', chromium]],
    command: (url, profile) => [
      chromium!,
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[`--user-data-dir=${profile}`, '--remote-debugging-port=0', url],
    ],
  },
  {
    name: 'Firefox',
    needs: [['Firefox', firefox]],
    command: (url, profile) => {
      const lines = Object.entries(FIREFOX_PREFERENCES).map(([k, v]) => `user_pref("${k}", ${JSON.stringify(v)});\n`)
      writeFileSync(join(profile, 'user.js'), lines.join(''))
      return [firefox!, '--headless', '--no-remote', '--profile', profile, url]
    },
  },
  {
    name: 'WebKitGTK',
    needs: [
      ['WebKitGTK', miniBrowser],
      ['xvfb', xvfb],
    ],
    command: (url) => [xvfb!, '-a', miniBrowser!, '--private', url],
  },
]

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  mjs: 'text/javascript',
  wasm: 'application/wasm',
}

const bodyOf = async (request: IncomingMessage) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Opens `path` of `folder` in a browser, served with the headers given, and returns what the page reports. */
export async function openPage(
  browser: Browser,
  folder: string,
  path: string,
  options: { readonly backends: readonly string[] },
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  let told: (outcome: Outcome & { error?: string }) => void
  const outcome = new Promise<Outcome & { error?: string }>((resolve) => {
    told = resolve
  })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://page')
    if (request.method === 'POST') {
      bodyOf(request).then((text) => told(JSON.parse(text) as Outcome))
      response.end()
      return
    }
    const file = join(folder, normalize(pathname))
    if (!existsSync(file)) response.writeHead(404).end()
    else {
      response.writeHead(200, { 'content-type': TYPES[file.split('.').at(-1)!] ?? '', ...headers })
      response.end(readFileSync(file))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), 'wiretape-browser-'))
  const url = `http://127.0.0.1:${port}/${path}?backends=${options.backends.join(',')}`
  const [command, ...args] = browser.command(url, profile)
  // A group of its own, to be ended with all its processes.
  const child = spawn(command!, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const closed = once(child, 'close')
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 120_000)
  try {
    const result = await Promise.race([outcome, closed.then(() => undefined)])
    if (!result) throw new Error(`${browser.name} has ended: ${errors.slice(-2000)}`)
    if (result.error) throw new Error(result.error)
    return result
  } finally {
    clearTimeout(timer)
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    await closed
    server.close()
    server.closeAllConnections()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
