// The legs of .ci/run, one after the other. A leg that runs vitest counts its tests, from vitest's own report; any other
// counts as one. Uses nothing but Node, so that it runs before anything is installed.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A leg that hangs must not take the result of the others with it. */
const LEG_MINUTES = 25

const reports = join('build', 'ci')
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const total = { passed: 0, failed: 0 }
const summary = []

function count(name, passed, failed, note = '') {
  total.passed += passed
  total.failed += failed
  summary.push(`${failed ? '✗' : '✓'} ${name}: ${passed} passed, ${failed} failed${note ? ` (${note})` : ''}`)
}

/** Runs a command; resolves with whether it exited with 0, and what it wrote to stdout where that is asked for. */
function run(command, args, { env = {}, keepOutput = false } = {}) {
  console.log(`\n=== ${[command, ...args].join(' ')}`)
  return new Promise((resolve) => {
    // A process group of its own, so that what hangs can be ended with all its children.
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', keepOutput ? 'pipe' : 'inherit', 'inherit'],
      detached: true,
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    const timer = setTimeout(() => {
      console.log(`ended after ${LEG_MINUTES} minutes`)
      process.kill(-child.pid, 'SIGKILL')
    }, LEG_MINUTES * 60_000)
    child.on('error', (error) => {
      clearTimeout(timer)
      console.log(String(error))
      resolve({ ok: false, output })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ ok: code === 0, output })
    })
  })
}

/** A leg that passes or fails as a whole. */
async function step(name, command, ...args) {
  const { ok } = await run(command, args)
  count(name, ok ? 1 : 0, ok ? 0 : 1)
  return ok
}

/** A leg of tests: an npm script that ends with vitest. */
async function tests(name, script, env) {
  const file = join(reports, `${script.replace(':', '-')}.json`)
  const { ok } = await run(
    'npm',
    ['run', script, '--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    { env },
  )
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    count(name, 0, 1, `no report: ${error.message}`)
    return
  }
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests, numTodoTests } = report
  // A file that could not be loaded has no tests to count, nor has an error outside of any test; neither may pass unseen.
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const unseen = broken.length || (!ok && failed === 0) || passed + failed === 0 ? Math.max(1, broken.length) : 0
  const skipped = numPendingTests + numTodoTests
  count(name, passed, failed + unseen, skipped ? `${skipped} skipped` : '')
}

/** The Autobahn testsuite: each of its cases counts. */
async function autobahn(name) {
  const { ok, output } = await run('npm', ['run', '-s', 'autobahn', '--', '--quick'], { keepOutput: true })
  process.stdout.write(output)
  const [, cases = '0', faults = '0'] = output.match(/^(\d+) cases, (\d+) not as they should be$/m) ?? []
  const failed = Math.max(Number(faults), ok ? 0 : 1)
  count(name, Math.max(0, Number(cases) - failed), failed)
}

/** Two builds of the same revision in one process: the rows are there; what they measure is not judged. */
async function compare(name) {
  const args = [
    'run',
    '-s',
    'bench',
    '--',
    'compare',
    'HEAD',
    'katcp',
    '--only',
    'parse-one-arg',
    '--rounds',
    '1',
    '--json',
  ]
  const { output } = await run('npm', args, { keepOutput: true })
  let fault = ''
  try {
    const { rows, failures } = JSON.parse(output)
    if (failures.length > 0) fault = failures[0].failure
    else if (
      rows.length !== 3 ||
      !rows.every(({ rounds: [round] }) => round.base > 0 && round.again > 0 && round.head > 0)
    ) {
      fault = 'rows are missing'
    }
  } catch (error) {
    fault = `no JSON: ${error.message}`
  }
  count(name, fault ? 0 : 1, fault ? 1 : 0, fault)
}

/** Fewer inputs than docs/disagreements.md counts, and other mutations; each peer counts. */
async function differential(name) {
  const args = ['run', '-s', 'differential', '--', '--count', '10000', '--seed', '2']
  const { ok, output } = await run('npm', args, { env: { REQUIRE_PEERS: '1' }, keepOutput: true })
  process.stdout.write(output)
  const [, passed = '0', faults = '0'] = output.match(/^(\d+) peers agree or are explained, (\d+) not$/m) ?? []
  count(name, Number(passed), Math.max(Number(faults), ok ? 0 : 1))
}

/** The benchmark runs and prints what it promises. What it measures is not judged: this machine is shared. */
async function bench(name) {
  const { ok, output } = await run('npm', ['run', '-s', 'bench', '--', 'katcp', '--json', '--only', 'parse-one-arg'], {
    keepOutput: true,
  })
  let fault = ok ? '' : 'it exited with a fault'
  try {
    const { format, rows } = JSON.parse(output)
    if (format !== 'katcp') fault ||= 'wrong format'
    for (const contender of ['idiomatic-js', 'wiretape', 'wiretape-wasm', 'wiretape-js']) {
      if (!rows.some((row) => row.contender === contender && row.ns > 0)) fault ||= `no row of ${contender}`
    }
  } catch (error) {
    fault ||= `no JSON: ${error.message}`
  }
  count(name, fault ? 0 : 1, fault ? 1 : 0, fault)
}

if (await step('install', 'npm', 'ci', '--no-audit', '--no-fund')) {
  await step('check', 'npm', 'run', 'check')
  await step('docs', 'npm', 'run', 'docs')
  await tests('tests', 'test')
  await tests('package', 'test:package')
  await step('peers', 'npm', 'run', 'setup:peers')
  await tests('interop', 'test:interop', { REQUIRE_PEERS: '1' })
  await step('runtimes are there', 'npm', 'run', 'setup:runtimes')
  await tests('runtimes', 'test:runtimes', { REQUIRE_PEERS: '1' })
  await autobahn('autobahn')
  await differential('differential')
  await step('fuzz', 'npm', 'run', 'fuzz', '--', '--time', '20')
  await step('soak', 'npm', 'run', 'soak', '--', '--seconds', '30')
  await bench('bench')
  await compare('compare')
}

console.log(`\n${summary.join('\n')}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
