// npm run bench [-- <format>…] [--only <workload prefix>] [--json] [--write]
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { holdLock } from './lock.mjs'
import { machine } from './machine.mjs'
import { MEMORY_FLAGS } from './memory.mjs'
import { formats, groupsOf, workloadsOf } from './registry.mjs'
import { table, writeResults } from './report.mjs'

const USAGE = `npm run bench -- [format…] [options]

Times every workload of the formats (default: all of ${formats.join(', ')}) with every contender.
  --only <prefix>   only the workloads whose id starts so
  --json            one JSON document on stdout and nothing else (npm run -s)
  --write           write the figures into bench/RESULTS.md; the default for a whole format without --json
  --help            this text
`
const child = fileURLToPath(new URL('./child.mjs', import.meta.url))

function fail(text) {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return fail(`${error.message}\n\n${USAGE}`)
  }
}

/** Runs one measuring process; what it prints goes to stderr, its rows come as a message. */
function measure(kind, format, ids) {
  return new Promise((resolve) => {
    const execArgv = kind === 'memory' ? MEMORY_FLAGS : []
    const worker = fork(child, [kind, format, ...ids], { execArgv, stdio: ['ignore', 2, 2, 'ipc'] })
    let answer
    worker.on('message', (message) => {
      answer = message
    })
    worker.on('close', (code, signal) => {
      resolve(answer ?? { failure: `the process ended with ${signal ?? `code ${code}`} before it had measured` })
    })
  })
}

/** A progress line where stderr is a terminal, a line a step elsewhere. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}

async function measureFormat(format, prefix) {
  const workloads = await workloadsOf(format)
  const chosen = workloads.filter(({ id }) => id.startsWith(prefix))
  const groups = [...groupsOf(chosen).values()]
  const rows = []
  const failures = []
  const missing = []
  for (const [index, group] of groups.entries()) {
    const ids = group.map(({ id }) => id)
    progress(`${format} ${index + 1}/${groups.length}: ${ids.join(', ')}`)
    const timed = await measure('time', format, ids)
    const allocated = timed.failure ? timed : await measure('memory', format, ids)
    const failure = timed.failure ?? allocated.failure
    if (failure) {
      failures.push({ workloads: ids, failure })
      continue
    }
    rows.push(...timed.rows.map((row, at) => ({ ...row, ...allocated.rows[at] })))
    missing.push(...timed.missing)
  }
  progress('')
  return { format, ...machine(), rows, failures, missing, workloads: chosen, whole: chosen.length === workloads.length }
}

const { values, positionals } = options()
if (values.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
const unknown = positionals.find((name) => !formats.includes(name))
if (unknown !== undefined) fail(`no benchmark of ${unknown}; there are: ${formats.join(', ')}\n\n${USAGE}`)
const asked = positionals.length ? positionals : formats
if (values.json && asked.length !== 1) fail('--json prints one document: name one format')
if (values.write && values.only !== undefined) fail('--write takes a whole format: leave --only out')
const prefix = values.only ?? ''
for (const format of asked) {
  if ((await workloadsOf(format)).some(({ id }) => id.startsWith(prefix))) continue
  fail(`no workload of ${format} starts with ${prefix}`)
}

await holdLock()
let failed = false
for (const format of asked) {
  const report = await measureFormat(format, prefix)
  for (const { workloads, failure } of report.failures) {
    failed = true
    process.stderr.write(`${workloads.join(', ')} FAILED: ${failure}\n`)
  }
  for (const { workload, contender, why } of report.missing) {
    process.stderr.write(`${workload}: ${contender} is MISSING: ${why}\n`)
  }
  if (values.json) {
    const { workloads, whole, failures, missing, ...document } = report
    const notes = { ...(failures.length && { failures }), ...(missing.length && { missing }) }
    process.stdout.write(`${JSON.stringify({ ...document, ...notes }, null, 2)}\n`)
  } else {
    process.stdout.write(`${table(report)}\n`)
  }
  if (report.whole && report.failures.length === 0 && (values.write ?? !values.json)) writeResults(report)
}
process.exitCode = failed ? 1 : 0
