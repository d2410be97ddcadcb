// Installs what the packed tarball is tried with: the runtimes and bundlers of package.json beside this file, and from Debian the browsers.
// `npm run setup:runtimes`. Does nothing where they are there.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('./', import.meta.url))
const lock = readFileSync(`${folder}package-lock.json`, 'utf8')
const stamp = `${folder}node_modules/.installed`

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) console.log('the runtimes and bundlers are installed')
else {
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  writeFileSync(stamp, lock)
}

const there = (name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0
const wanted = [
  ['chromium', ['chromium']],
  ['firefox-esr', ['firefox-esr']],
  // MiniBrowser comes along; it needs a display.
  ['WebKitWebDriver', ['webkit2gtk-driver']],
  ['xvfb-run', ['xvfb', 'xauth']],
]
const missing = wanted.filter(([program]) => !there(program)).flatMap(([, packages]) => packages)
if (missing.length === 0) console.log('the browsers are installed')
else {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update'], { env })
  run('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env })
}
