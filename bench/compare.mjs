// npm run bench -- compare <revision>: this working tree against another revision, both built, in the same processes.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fail } from './fail.mjs'
import { holdLock } from './lock.mjs'
import { machine } from './machine.mjs'
import { measure } from './measure.mjs'
import { progress } from './progress.mjs'
import { formats, groupsOf, workloadsOf } from './registry.mjs'
import { caption, duration, textTable } from './report.mjs'
import { builtRevision } from './revisions.mjs'
import { ALLOWED, verdictOf } from './verdict.mjs'

const USAGE = `npm run bench -- compare <revision> [format…] [options]

Builds the revision beside this working tree and times wiretape's rows of both, alternating, in the same processes; the revision
takes part twice, and what it differs by from itself is the noise. Exits with 1 where a row is slower by more than
${ALLOWED * 100} % outside of that.
  --only <prefix>   only the workloads whose id starts so
  --rounds <n>      processes for each workload (5)
  --json            one JSON document on stdout and nothing else
`
const LABELS = ['base', 'again', 'head']
const percent = (part) => `${part < 0 ? '−' : '+'}${Math.abs(100 * part).toFixed(1)} %`

function options(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        only: { type: 'string', default: '' },
        rounds: { type: 'string', default: '5' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return fail(`${error.message}\n\n${USAGE}`)
  }
}

/** [{ workload, contender, rounds }] and what could not be measured. */
async function compareGroup(format, ids, rounds, say) {
  const rows = new Map()
  const failures = []
  for (let round = 0; round < rounds; round++) {
    say(round)
    // Who comes first is first at the caches too: each has its turn.
    const order = LABELS.map((_, index) => LABELS[(index + round) % LABELS.length])
    const answer = await measure('compare', format, [...ids, '--', ...order])
    if (answer.failure) {
      failures.push({ workloads: ids, failure: answer.failure })
      break
    }
    for (const { workload, contender, label, ns } of answer.rows) {
      const key = `${workload} ${contender}`
      if (!rows.has(key)) rows.set(key, { format, workload, contender, rounds: [] })
      const row = rows.get(key)
      row.rounds[round] = { ...row.rounds[round], [label]: ns }
    }
  }
  return { rows: failures.length > 0 ? [] : [...rows.values()], failures }
}

export async function main(args) {
  const { values, positionals } = options(args)
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const [revision, ...asked] = positionals
  if (revision === undefined) fail(`which revision?\n\n${USAGE}`)
  const unknown = asked.find((name) => !formats.includes(name))
  if (unknown !== undefined) fail(`no benchmark of ${unknown}; there are: ${formats.join(', ')}`)
  const rounds = Number(values.rounds)
  if (!(Number.isInteger(rounds) && rounds > 0)) fail('--rounds must be a whole number above 0')

  await holdLock()
  progress(`building ${revision}`)
  let base
  try {
    base = builtRevision(revision)
  } catch (error) {
    fail(`${revision} cannot be built: ${error.message}`)
  }
  const head = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
  process.env.WIRETAPE_BUILDS = JSON.stringify({ base: base.folder, again: base.folder, head })

  const rows = []
  const failures = []
  for (const format of asked.length > 0 ? asked : formats) {
    const chosen = (await workloadsOf(format)).filter(({ id }) => id.startsWith(values.only))
    const groups = [...groupsOf(chosen).values()]
    for (const [index, group] of groups.entries()) {
      const ids = group.map(({ id }) => id)
      const found = await compareGroup(format, ids, rounds, (round) => {
        progress(`${format} ${index + 1}/${groups.length}, round ${round + 1} of ${rounds}: ${ids.join(', ')}`)
      })
      rows.push(...found.rows.map((row) => ({ ...row, ...verdictOf(row.rounds) })))
      failures.push(...found.failures)
    }
  }
  progress('')
  if (rows.length + failures.length === 0) fail(`no workload starts with ${values.only}`)
  const report = { ...machine(), base: base.commit, rows, failures }
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  else process.stdout.write(`${text(report)}\n`)
  for (const { workloads, failure } of failures) process.stderr.write(`${workloads.join(', ')} FAILED: ${failure}\n`)
  return failures.length > 0 || rows.some(({ slower }) => slower) ? 1 : 0
}

function text(report) {
  const header = ['workload', 'contender', report.base.slice(0, 12), 'now', 'change', 'noise', '']
  const middle = (row, label) =>
    duration(row.rounds.map((round) => round[label]).sort((a, b) => a - b)[row.rounds.length >> 1])
  const lines = report.rows.map((row, index) => [
    report.rows[index - 1]?.workload === row.workload ? '' : row.workload,
    row.contender,
    middle(row, 'base'),
    middle(row, 'head'),
    percent(row.change),
    `±${(100 * row.noise).toFixed(1)} %`,
    row.slower ? 'SLOWER' : '',
  ])
  const slower = report.rows.filter((row) => row.slower).length
  return [
    `${caption(report)} against ${report.base.slice(0, 12)}`,
    textTable(header, lines),
    `${slower} of ${lines.length} rows are slower`,
  ].join('\n')
}
