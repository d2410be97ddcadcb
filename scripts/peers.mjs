// How the programs that tests talk to come onto a machine.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether the command exists and succeeds. */
export const quietly = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Runs a command, and ends the process where it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs Debian packages. */
export function debian(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update'], { env })
  run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })
}

/**
 * Installs what test/interop/<format>/requirements.txt names into .venv/<format>, unless it is there.
 *
 * modules   what has to be importable then, separated by commas
 * versions  the oldest Python that will do, and the newest, where there is one, as numbers: [[3, 8], [3, 11]]
 */
export function pythonPeers(format, modules, [oldest, newest = [3, 99]]) {
  const root = new URL('../', import.meta.url)
  const at = (path) => fileURLToPath(new URL(path, root))
  const folder = at(`.venv/${format}`)
  const python = `${folder}/bin/python`
  const stamp = `${folder}/installed.txt`
  const requirements = at(`test/interop/${format}/requirements.txt`)
  const wanted = readFileSync(requirements, 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && quietly(python, '-c', `import ${modules}`)) {
    console.log(`${modules}: installed`)
    return
  }
  const usable = `import sys; sys.exit(not (${oldest[0]}, ${oldest[1]}) <= sys.version_info[:2] <= (${newest[0]}, ${newest[1]}))`
  const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3.9', 'python3.8']
  const base = names.find((name) => quietly(name, '-c', usable))
  if (!base) {
    console.error(`Python ${oldest.join('.')} or later is needed${newest[1] < 99 ? `, up to ${newest.join('.')}` : ''}`)
    process.exit(1)
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(at('.venv'), { recursive: true })
  if (!quietly(base, '-m', 'venv', folder)) {
    // Debian keeps what venv needs in a package of its own.
    debian('python3-venv')
    run(base, ['-m', 'venv', '--clear', folder])
  }
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements])
  run(python, ['-c', `import ${modules}`])
  writeFileSync(stamp, wanted)
}
