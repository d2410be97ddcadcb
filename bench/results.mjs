// bench/results/<format>.json holds what was measured; bench/RESULTS.md and the charts are drawn from these files alone, so that
// `npm run gen` can draw them again and no figure is typed by hand.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { overviewChart, ratioChart } from './charts.mjs'
import { badChoices, caption, cellsOf, TEXT_COLUMNS } from './report.mjs'

const folder = new URL('./results/', import.meta.url)

/** The whole formats that were measured, each as it was when it was. */
export function readResults() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
}

const list = (lines) => lines.map((line) => `- ${line}`)

/** The format's section of RESULTS.md. */
function section(report) {
  const { header, lines, pairs } = cellsOf(report)
  const row = (cells) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column < TEXT_COLUMNS ? '---' : '---:'))
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`)
  const notes = [
    ...pairs,
    ...badChoices(report.rows),
    ...report.missing.map(({ workload, contender, why }) => `${workload}: ${contender} was missing: ${why}`),
  ]
  return [
    `## ${report.format}`,
    '',
    `${caption(report)}${versions.length > 0 ? `; ${versions.join(', ')}` : ''}`,
    '',
    `![${report.format}: times as fast as the best peer](charts/${report.format}.svg)`,
    '',
    ...list(report.workloads.map(({ id, about }) => `\`${id}\`: ${about}`)),
    '',
    row(header),
    row(rule),
    ...lines.map(row),
    '',
    ...list(notes),
  ]
    .join('\n')
    .trimEnd()
}

const INTRODUCTION = `# Measured

Written by \`npm run bench\` from [bench/results](results); each section names its machine, date, commit and the versions of what it was
measured against. A time is the median of one operation over batches of at least a millisecond, taken in turn and in changing order
with those of the other contenders; ± is the median deviation of the batches from it. MB/s counts bytes on the wire. Heap and buffers are the bytes that
one operation allocates on the JavaScript heap and in ArrayBuffers. "vs x" is how many times as fast as x: below 1× is slower; the
best peer is the fastest contender of the row that runs in JavaScript and is not wiretape. \`wiretape-wasm\` and \`wiretape-js\` are the
two backends alone, \`wiretape\` is what you get by default. How cost grows with size: [SCALE.md](SCALE.md).
`

/** What follows from the files in bench/results, by name below bench. */
export function resultFiles(reports = readResults()) {
  const text = `${[INTRODUCTION.trimEnd(), ...reports.map(section)].join('\n\n')}\n`
  const charts = reports.map((report) => [`charts/${report.format}.svg`, ratioChart(report)])
  return [['RESULTS.md', text], ['charts/overview.svg', overviewChart(reports)], ...charts]
}

/** Three digits are more than any of these figures is worth; the file is read by people, in diffs. */
const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

export function writeResults({ whole, failures, ...report }) {
  mkdirSync(folder, { recursive: true })
  mkdirSync(new URL('./charts/', import.meta.url), { recursive: true })
  const { rows, ...rest } = report
  const lines = rows.map((row) => `    ${JSON.stringify(row, rounded)}`)
  const head = JSON.stringify(rest, rounded, 2).replace(/\n\}$/, '')
  writeFileSync(new URL(`${report.format}.json`, folder), `${head},\n  "rows": [\n${lines.join(',\n')}\n  ]\n}\n`)
  for (const [name, text] of resultFiles()) writeFileSync(new URL(name, import.meta.url), text)
}
