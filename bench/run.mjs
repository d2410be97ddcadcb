// npm run bench [-- <format>…] [--only <workload prefix>] [--json] [--write]
// npm run bench -- compare <revision> …, npm run bench -- scale …: see compare.mjs and scale.mjs.
import { parseArgs } from 'node:util'
import { fail } from './fail.mjs'
import { holdLock } from './lock.mjs'
import { machine, versionsOf } from './machine.mjs'
import { measure } from './measure.mjs'
import { progress } from './progress.mjs'
import { formats, groupsOf, peersAndNatives, workloadsOf } from './registry.mjs'
import { table } from './report.mjs'
import { writeResults } from './results.mjs'

const USAGE = `npm run bench -- [format…] [options]
npm run bench -- compare <revision> [format…] [options]
npm run bench -- scale [format…] [options]

Times every workload of the formats (default: all of ${formats.join(', ')}) with every contender.
  --only <prefix>   only the workloads whose id starts so
  --json            one JSON document on stdout and nothing else (npm run -s)
  --write           write the figures into bench/results, bench/RESULTS.md and the charts; the default for a whole format without --json
  --help            this text; compare --help and scale --help have theirs
`

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
  const { peers, natives } = await peersAndNatives(format)
  const about = chosen.map(({ id, about, measuredWith }) => ({ id, about, ...(measuredWith && { measuredWith }) }))
  const whole = chosen.length === workloads.length
  return {
    format,
    ...machine(),
    versions: versionsOf(peers, natives),
    natives: natives.map(({ name }) => name),
    workloads: about,
    rows,
    failures,
    missing,
    whole,
  }
}

const commands = { compare: './compare.mjs', scale: './scale.mjs' }
const command = commands[process.argv[2]]
if (command) {
  const { main } = await import(command)
  process.exit(await main(process.argv.slice(3)))
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
    const { whole, failures, missing, ...document } = report
    const notes = { ...(failures.length && { failures }), ...(missing.length && { missing }) }
    process.stdout.write(`${JSON.stringify({ ...document, ...notes }, null, 2)}\n`)
  } else {
    process.stdout.write(`${table(report)}\n`)
  }
  if (report.whole && report.failures.length === 0 && (values.write ?? !values.json)) await writeResults(report)
}
process.exitCode = failed ? 1 : 0
