// npm run bench -- scale: cost against size, and memory over a million messages.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { scaleChart } from './charts.mjs'
import { fail } from './fail.mjs'
import { MESSAGES } from './flat.mjs'
import { holdLock } from './lock.mjs'
import { machine } from './machine.mjs'
import { measure } from './measure.mjs'
import { progress } from './progress.mjs'
import { BACKENDS, formats } from './registry.mjs'
import { size as bytes, caption, duration, textTable } from './report.mjs'
import { grown, overall, steepest } from './verdict.mjs'

const USAGE = `npm run bench -- scale [format…] [options]

Times every format at sizes over three powers of ten, and looks at memory over ${MESSAGES.toLocaleString('en')} messages. Exits with 1 where time
grows faster than size, or memory grows.
  --json    one JSON document a line on stdout and nothing else
  --write   write bench/results/scale, bench/SCALE.md and the charts; the default without --json
`
/**
 * By which power of the size time may grow, over three powers of ten and in one step. Work that is done twice is far above both;
 * inputs that leave the caches and results too large for the young generation are what the rest is for.
 */
const OVERALL = 1.2
const STEEPEST = 1.7
/** What memory may have grown by between a tenth of the messages and all of them. */
const GROWTH = 256 * 1024

function options(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        write: { type: 'boolean' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return fail(`${error.message}\n\n${USAGE}`)
  }
}

async function scaleFormat(format) {
  const { scales } = await import(`./scale/${format}.mjs`)
  const points = []
  const memory = []
  const failures = []
  const take = async (kind, id, list) => {
    progress(`${format}: ${id}`)
    const answer = await measure(kind, format, [id])
    if (answer.failure) failures.push({ id, failure: answer.failure })
    else list.push(...answer.rows)
  }
  for (const { id } of scales) await take('scale', id, points)
  for (const backend of BACKENDS) await take('flat', backend, memory)
  progress('')
  const lines = scales
    .flatMap(({ id, about }) =>
      BACKENDS.map((backend) => {
        const own = points.filter((point) => point.id === id && point.backend === backend)
        return {
          id,
          about,
          backend,
          overall: overall(own),
          steepest: steepest(own),
          points: own.map(({ size, ns }) => ({ size, ns })),
        }
      }),
    )
    .filter((line) => line.points.length > 0)
  return { format, ...machine(), lines, memory, failures }
}

const isSteep = (line) => line.steepest > STEEPEST || line.overall > OVERALL
const header = (lines) => [
  'workload',
  'backend',
  ...sizesOf(lines).map((size) => size.toLocaleString('en')),
  'steepest step',
]
const sizesOf = (lines) =>
  [...new Set(lines.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b)

const cellsOf = (lines) =>
  lines.map((line, index) => [
    lines[index - 1]?.id === line.id ? '' : line.id,
    line.backend,
    ...sizesOf(lines).map((size) => {
      const point = line.points.find((one) => one.size === size)
      return point ? duration(point.ns) : ''
    }),
    line.overall.toFixed(2),
    `${line.steepest.toFixed(2)}${isSteep(line) ? ' STEEP' : ''}`,
  ])

const MEMORY_HEADER = ['backend', 'messages', 'heap', 'external', 'linear memory']
const memoryCells = (memory) =>
  memory
    .filter((_, index) => index % 3 === 0)
    .map(({ backend, messages, heap, external, linear }) => [
      backend,
      messages.toLocaleString('en'),
      bytes(heap),
      bytes(external),
      bytes(linear),
    ])

/** What is not as it should be, in words. */
function faults({ lines, memory, failures }) {
  const steep = lines
    .filter(isSteep)
    .map(
      ({ id, backend, steepest: power }) =>
        `${id}, ${backend}: time grows by the power ${power.toFixed(2)} of the size`,
    )
  const grows = BACKENDS.flatMap((backend) => {
    const rows = memory.filter((row) => row.backend === backend)
    return ['heap', 'external', 'linear']
      .filter((kind) => grown(rows.map((row) => row[kind])) > GROWTH)
      .map((kind) => `${backend}: ${kind} memory has grown by ${bytes(grown(rows.map((row) => row[kind])))}`)
  })
  return [...steep, ...grows, ...failures.map(({ id, failure }) => `${id}: ${failure}`)]
}

const mdTable = (head, rows) =>
  [head, head.map((_, column) => (column < 2 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

const INTRODUCTION = `# Cost against size

Written by \`npm run bench -- scale\`. Median time of one operation at sizes over three powers of ten or more; *power*: by which power
of the size the time grows over the last three of them, 1 is in proportion, less means a fixed cost that becomes small; *steepest step*: the
same between two neighbours. More than ${OVERALL} and ${STEEPEST} would be faults. What rises in the last step leaves the caches, or
makes results that the engine allocates outside of its young generation: strings of more than 127 KiB, buffers that the system has to map.
Then what memory is held after a full collection, while ${MESSAGES.toLocaleString('en')} different messages pass through one connection.
`

const place = (name) => new URL(name, import.meta.url)
const resultOf = (format) => place(`results/scale/${format}.json`)

function section(report) {
  const { format, lines, memory } = report
  const found = faults(report)
  return [
    `## ${format}`,
    '',
    caption(report),
    '',
    ...BACKENDS.map((backend) => `![${format}, ${backend}](charts/scale-${format}-${backend}.svg)`),
    '',
    ...lines.filter((line) => line.backend === BACKENDS[0]).map(({ id, about }) => `- \`${id}\`: ${about}`),
    '',
    mdTable(header(lines), cellsOf(lines)),
    '',
    mdTable(MEMORY_HEADER, memoryCells(memory)),
    ...(found.length > 0 ? ['', ...found.map((fault) => `- ${fault}`)] : []),
  ].join('\n')
}

/** What follows from the files in bench/results/scale, by name below bench. */
export function scaleFiles() {
  const reports = formats.map((format) => JSON.parse(readFileSync(resultOf(format), 'utf8')))
  const charts = reports.flatMap(({ format, lines }) =>
    BACKENDS.map((backend) => [
      `charts/scale-${format}-${backend}.svg`,
      scaleChart(
        format,
        backend,
        lines.filter((line) => line.backend === backend),
      ),
    ]),
  )
  return [['SCALE.md', `${[INTRODUCTION.trimEnd(), ...reports.map(section)].join('\n\n')}\n`], ...charts]
}

const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

export async function main(args) {
  const { values, positionals } = options(args)
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const unknown = positionals.find((name) => !formats.includes(name))
  if (unknown !== undefined) fail(`no benchmark of ${unknown}; there are: ${formats.join(', ')}`)
  await holdLock()
  let failed = false
  for (const format of positionals.length > 0 ? positionals : formats) {
    const report = await scaleFormat(format)
    const found = faults(report)
    failed ||= found.length > 0
    if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
    else {
      const { lines, memory } = report
      const parts = [textTable(header(lines), cellsOf(lines)), textTable(MEMORY_HEADER, memoryCells(memory)), ...found]
      process.stdout.write(`${format}: ${caption(report)}\n${parts.join('\n\n')}\n`)
    }
    if (values.write ?? !values.json) writeFileSync(resultOf(format), `${JSON.stringify(report, rounded, 1)}\n`)
  }
  if ((values.write ?? !values.json) && positionals.length === 0) {
    for (const [name, text] of scaleFiles()) writeFileSync(place(name), text)
  }
  return failed ? 1 : 0
}
