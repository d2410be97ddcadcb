// Installs Miniflare and wrangler, as the manifest of the example names them: `npm run setup:peers`. Does nothing where they are there.
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run } from '../../../scripts/peers.mjs'

const at = (path) => fileURLToPath(new URL(`../../../examples/edge/${path}`, import.meta.url))
const installed = at('node_modules/.package-lock.json')

if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs) {
  console.log('Miniflare is installed')
} else run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: at('') })
