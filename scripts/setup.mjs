// Makes a fresh clone ready: installs what package-lock.json names and builds dist, each only where it is missing or older than
// what it is made from. Uses nothing but Node, so that it runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))
const quiet = process.argv.includes('--quiet')

const newest = (path) => {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

function run(title, command, args) {
  if (!quiet) console.log(`${title} …`)
  const result = spawnSync(command, args, { stdio: quiet ? 'pipe' : 'inherit', encoding: 'utf8' })
  if (result.error) throw result.error
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout}${result.stderr}`)
    process.exit(result.status ?? 1)
  }
}

if (newest('node_modules/.package-lock.json') < newest('package-lock.json')) {
  run('Installing', 'npm', ['ci', '--no-audit', '--no-fund'])
}
const sources = ['assembly', 'bindings', 'asconfig.json', 'package.json', 'tsup.config.ts', 'scripts/build.mjs']
const generated = join('bindings', 'engine', 'wasm_bytes.ts')
const made = sources.flatMap((path) =>
  path === 'bindings' ? readdirSync(path).map((name) => join(path, name)) : [path],
)
const sourceTime = Math.max(
  ...made.flatMap((path) =>
    path === join('bindings', 'engine')
      ? readdirSync(path)
          .map((name) => join(path, name))
          .filter((file) => file !== generated)
          .map(newest)
      : [newest(path)],
  ),
)
if (newest('dist/.built') < sourceTime) run('Building', process.execPath, ['scripts/build.mjs'])
