// Installs the KATCP peers of requirements.txt into .venv/katcp: `npm run setup:peers`. Does nothing where they are there.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const at = (path, base = root) => fileURLToPath(new URL(path, base))
const requirements = at('requirements.txt', import.meta.url)
const folder = at('.venv/katcp')
const python = at('.venv/katcp/bin/python')
const stamp = at('.venv/katcp/installed.txt')

const quietly = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** katcp 0.9.3 needs tornado 4, which Python 3.12 can no longer load. */
const USABLE = 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 11))'

function findPython() {
  const found = ['python3.11', 'python3', 'python3.10', 'python3.9'].find((name) => quietly(name, '-c', USABLE))
  if (found) return found
  console.error('Python 3.8 … 3.11 is needed')
  return process.exit(1)
}

const wanted = readFileSync(requirements, 'utf8')
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && quietly(python, '-c', 'import aiokatcp, katcp')) {
  console.log('the KATCP peers are installed')
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
  run(python, '-c', 'import aiokatcp, katcp')
  writeFileSync(stamp, wanted)
}
