// Installs what the packed tarball is tried with: the runtimes and bundlers of package.json beside this file, and from Debian the browsers.
// `npm run setup:runtimes`. Does nothing where they are there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { debian, quietly, run } from '../../../scripts/peers.mjs'

const folder = fileURLToPath(new URL('./', import.meta.url))
const lock = readFileSync(`${folder}package-lock.json`, 'utf8')
const stamp = `${folder}node_modules/.installed`

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) console.log('the runtimes and bundlers are installed')
else {
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  writeFileSync(stamp, lock)
}

const wanted = [
  ['chromium', ['chromium']],
  ['firefox-esr', ['firefox-esr']],
  // MiniBrowser comes along; it needs a display.
  ['WebKitWebDriver', ['webkit2gtk-driver']],
  ['xvfb-run', ['xvfb', 'xauth']],
]
const missing = wanted.filter(([program]) => !quietly('which', program)).flatMap(([, packages]) => packages)
if (missing.length === 0) console.log('the browsers are installed')
else debian(...missing)
