// The Autobahn testsuite, installed into .venv/autobahn. It is written for Python 2.7, which PYTHON27 may name; without that,
// python2.7 is looked for where it usually is, then asked of apt-get and of pyenv.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const requirements = fileURLToPath(new URL('./requirements.txt', import.meta.url))
const folder = join(root, '.venv/autobahn')
const library = join(folder, 'lib')
const stamp = join(folder, 'installed.txt')

const quietly = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0
const loudly = (command, ...args) => spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0

const isPython27 = (command) => quietly(command, '-c', 'import sys, ssl; sys.exit(sys.version_info[:2] != (2, 7))')

/** Where pyenv keeps its versions: its command of that name works only in folders that have chosen that version. */
function pyenvPythons() {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions')
  if (!existsSync(versions)) return []
  return readdirSync(versions)
    .filter((name) => name.startsWith('2.7.'))
    .map((name) => join(versions, name, 'bin/python2.7'))
}

function findPython() {
  const look = () => ['python2.7', 'python2', ...pyenvPythons()].find(isPython27)
  const named = process.env['PYTHON27']
  if (named !== undefined) return named
  let found = look()
  if (!found && quietly('apt-get', 'update') && quietly('apt-get', 'install', '-y', 'python2.7')) found = look()
  if (!found && loudly('pyenv', 'install', '--skip-existing', '2.7.18')) found = look()
  if (!found) throw new Error('Python 2.7 is needed: name it in PYTHON27')
  return found
}

/** The command that runs the suite, without its arguments. Installs it where it is not there, or not as requirements.txt has it. */
export function suiteCommand() {
  const wanted = readFileSync(requirements, 'utf8')
  let python = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n', 1)[0] : ''
  if (python === '' || readFileSync(stamp, 'utf8') !== `${python}\n${wanted}` || !isPython27(python)) {
    python = findPython()
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    if (!quietly(python, '-m', 'pip', '--version')) loudly(python, '-m', 'ensurepip', '--user')
    const install = ['--quiet', '--no-deps', '--disable-pip-version-check', '--target', library, '-r', requirements]
    if (!loudly(python, '-m', 'pip', 'install', ...install))
      throw new Error('the Autobahn testsuite cannot be installed')
    writeFileSync(stamp, `${python}\n${wanted}`)
  }
  // As a site folder: packages that share a name, such as zope, are put together by what stands there.
  const program = `import site; site.addsitedir(${JSON.stringify(library)}); from autobahntestsuite.wstest import run; run()`
  return [python, '-W', 'ignore', '-c', program]
}
