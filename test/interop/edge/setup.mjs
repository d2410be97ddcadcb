// Installs Miniflare and wrangler, as the manifest of the example names them: `npm run setup:peers`. Does nothing where they are there.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(`../../../examples/edge/${path}`, import.meta.url))
const installed = at('node_modules/.package-lock.json')

if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs) {
  console.log('Miniflare is installed')
} else {
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: at(''), stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
