// Installs HAP-python, with what its HDS part needs, into .venv/hds: `npm run setup:peers`. Does nothing where it is there. HAP-NodeJS
// comes with `npm ci`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const at = (path, base = root) => fileURLToPath(new URL(path, base))
const requirements = at('requirements.txt', import.meta.url)
const folder = at('.venv/hds')
const python = at('.venv/hds/bin/python')
const stamp = at('.venv/hds/installed.txt')

const quietly = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

const USABLE = 'import sys; sys.exit(sys.version_info[:2] < (3, 10))'

function findPython() {
  const found = ['python3', 'python3.12', 'python3.11', 'python3.10'].find((name) => quietly(name, '-c', USABLE))
  if (found) return found
  console.error('Python 3.10 or later is needed')
  return process.exit(1)
}

const wanted = readFileSync(requirements, 'utf8')
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && quietly(python, '-c', 'import pyhap.hds_server')) {
  console.log('HAP-python is installed')
} else {
  const base = findPython()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(at('.venv'), { recursive: true })
  if (!quietly(base, '-m', 'venv', folder)) {
    // Debian keeps what venv needs in a package of its own.
    run('apt-get', 'update')
    run('apt-get', 'install', '-y', '--no-install-recommends', 'python3-venv')
    run(base, '-m', 'venv', '--clear', folder)
  }
  run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements)
  run(python, '-c', 'import pyhap.hds_server')
  writeFileSync(stamp, wanted)
}
