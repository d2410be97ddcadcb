// The Autobahn testsuite against the example echo server.
//   npm run autobahn                        all 517 cases
//   npm run autobahn -- --quick             groups 1 to 7 and 10, one case each of 12 and 13
//   npm run autobahn -- --update            all cases; writes ../verdicts.json instead of comparing with it
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEcho } from '../../../examples/websocket/echo.mjs'
import { suiteCommand } from './suite.mjs'

const verdictsFile = fileURLToPath(new URL('../verdicts.json', import.meta.url))
const quick = process.argv.includes('--quick')
const update = process.argv.includes('--update')
const QUICK = ['1.*', '2.*', '3.*', '4.*', '5.*', '6.*', '7.*', '10.*', '12.1.1', '13.1.1']
/** Informational cases have no right answer; all others must be OK. */
const GOOD = new Set(['OK', 'INFORMATIONAL'])
const MOST_MINUTES = quick ? 10 : 60

async function runSuite() {
  const [command, ...args] = suiteCommand()
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
    const child = spawn(command, [...args, '--mode', 'fuzzingclient', '--spec', spec], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: MOST_MINUTES * 60_000,
      killSignal: 'SIGKILL',
    })
    const [code, signal] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the suite ended with ${signal ?? `code ${code}`}`)
    return JSON.parse(readFileSync(join(folder, 'reports', 'index.json'), 'utf8')).wiretape
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The cases that a run has to have: all of the table, or those that the patterns name. */
const isAsked = (id) =>
  !quick || QUICK.some((pattern) => (pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern))

const natural = (a, b) => a.localeCompare(b, 'en', { numeric: true })
const cases = await runSuite()
const ids = Object.keys(cases).sort(natural)
const faults = ids
  .filter((id) => !GOOD.has(cases[id].behavior) || !GOOD.has(cases[id].behaviorClose))
  .map((id) => `${id}: ${cases[id].behavior}, close ${cases[id].behaviorClose}`)
if (update) {
  const verdicts = Object.fromEntries(ids.map((id) => [id, cases[id].behavior]))
  writeFileSync(verdictsFile, `${JSON.stringify(verdicts, null, 2)}\n`)
} else {
  const verdicts = JSON.parse(readFileSync(verdictsFile, 'utf8'))
  for (const id of new Set([...Object.keys(verdicts).filter(isAsked), ...ids])) {
    const [was, is] = [verdicts[id] ?? 'not there', cases[id]?.behavior ?? 'not there']
    if (was !== is) faults.push(`${id}: ${is}, in verdicts.json ${was}`)
  }
}
for (const fault of faults) console.log(fault)
console.log(`${ids.length} cases, ${faults.length} not as they should be`)
process.exit(faults.length > 0 || ids.length === 0 ? 1 : 0)
