// The Autobahn testsuite against the example echo server.
//   npm run autobahn                        all 517 cases; writes verdicts.json
//   npm run autobahn -- --quick             groups 1 to 7 and 10, one case each of 12 and 13
// The suite is written for Python 2.7: `python2.7`, or what PYTHON27 names, installs it into .venv/autobahn with virtualenv.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEcho } from '../../../examples/websocket/echo.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const verdictsFile = fileURLToPath(new URL('./verdicts.json', import.meta.url))
const requirements = fileURLToPath(new URL('./requirements.txt', import.meta.url))
const program = join(root, '.venv/autobahn/bin/wstest')
const quick = process.argv.includes('--quick')
const QUICK = ['1.*', '2.*', '3.*', '4.*', '5.*', '6.*', '7.*', '10.*', '12.1.1', '13.1.1']
/** Informational cases have no right answer; all others must be OK. */
const GOOD = new Set(['OK', 'INFORMATIONAL'])

function install() {
  if (existsSync(program)) return
  const steps = [
    [process.env['PYTHON27'] ?? 'python2.7', '-m', 'virtualenv', '.venv/autobahn'],
    ['.venv/autobahn/bin/pip', 'install', '--quiet', '--requirement', requirements],
  ]
  for (const [command, ...args] of steps) {
    const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0) throw new Error(`${command} failed`)
  }
}

async function run() {
  install()
  const folder = mkdtempSync(join(tmpdir(), 'wiretape-autobahn-'))
  const server = await startEcho()
  try {
    const spec = join(folder, 'spec.json')
    const settings = {
      outdir: join(folder, 'reports'),
      servers: [{ agent: 'wiretape', url: `ws://127.0.0.1:${server.port}` }],
      cases: quick ? QUICK : ['*'],
      'exclude-cases': [],
      'exclude-agent-cases': {},
    }
    writeFileSync(spec, JSON.stringify(settings))
    const child = spawn(program, ['--mode', 'fuzzingclient', '--spec', spec], { cwd: folder, stdio: 'ignore' })
    await once(child, 'exit')
    return JSON.parse(readFileSync(join(folder, 'reports', 'index.json'), 'utf8')).wiretape
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const natural = (a, b) => a.localeCompare(b, 'en', { numeric: true })
const cases = await run()
const verdicts = Object.fromEntries(
  Object.keys(cases)
    .sort(natural)
    .map((id) => [id, cases[id].behavior]),
)
const bad = Object.entries(cases).filter(
  ([, { behavior, behaviorClose }]) => !GOOD.has(behavior) || !GOOD.has(behaviorClose),
)
for (const [id, { behavior, behaviorClose }] of bad) console.log(`${id}: ${behavior}, close ${behaviorClose}`)
console.log(`${Object.keys(cases).length} cases, ${bad.length} not OK`)
if (!quick) writeFileSync(verdictsFile, `${JSON.stringify(verdicts, null, 1)}\n`)
const expected = quick ? 200 : 517
process.exit(bad.length > 0 || Object.keys(cases).length < expected ? 1 : 0)
