// The figures as text: a table for the terminal and one for bench/RESULTS.md, from the same rows.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const results = new URL('./RESULTS.md', import.meta.url)

const digits = (value) => (value >= 100 ? 0 : value >= 10 ? 1 : 2)
const grouped = (value, places) =>
  value.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places })

export function duration(ns) {
  const [value, unit] = ns >= 1e6 ? [ns / 1e6, 'ms'] : ns >= 1e3 ? [ns / 1e3, 'µs'] : [ns, 'ns']
  return `${grouped(value, digits(value))} ${unit}`
}

export function size(bytes) {
  if (bytes === null) return '–'
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB']
  return `${grouped(value, digits(value))} ${unit}`
}

const isOurs = (contender) => contender === 'wiretape' || contender.startsWith('wiretape-')
const ratio = (value) => (value === undefined ? '' : `${grouped(value, digits(value))}×`)

/** Contenders that are not wiretape, in the order of the rows: each gets a column of ratios. */
const peersOf = (rows) => [...new Set(rows.map(({ contender }) => contender).filter((name) => !isOurs(name)))]

/** How many times as fast as `contender` on the same workload. */
function speedup(rows, row, contender) {
  const other = rows.find((candidate) => candidate.workload === row.workload && candidate.contender === contender)
  return other && other !== row ? other.ns / row.ns : undefined
}

/** Header and lines of cells; the workload's name stands in its first line only. */
function cellsOf({ rows, workloads }) {
  const peers = peersOf(rows)
  const wholes = workloads.filter(({ measuredWith }) => measuredWith !== undefined)
  const header = [
    'workload',
    'contender',
    'median',
    '±',
    'MB/s',
    'heap',
    'buffers',
    ...peers.map((peer) => `vs ${peer}`),
  ]
  const lines = rows.map((row, index) => [
    rows[index - 1]?.workload === row.workload ? '' : row.workload,
    row.contender,
    duration(row.ns),
    `${grouped((100 * row.madNs) / row.ns, 1)} %`,
    grouped(row.mbPerS, digits(row.mbPerS)),
    size(row.heapBytes),
    size(row.arrayBufferBytes),
    ...peers.map((peer) => ratio(speedup(rows, row, peer))),
  ])
  const pairs = wholes.flatMap(({ id, measuredWith }) =>
    rows
      .filter(({ workload }) => workload === measuredWith)
      .flatMap((row) => {
        const other = rows.find(({ workload, contender }) => workload === id && contender === row.contender)
        return other ? [`${row.contender}: ${measuredWith} takes ${ratio(row.ns / other.ns)} the time of ${id}`] : []
      }),
  )
  return { header, lines, pairs }
}

const TEXT_COLUMNS = 2
const caption = ({ cpu, cores, memoryGiB, platform, node, date, commit }) =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, ${date.slice(0, 10)}, commit ${commit}`

/** For a terminal. */
export function table(report) {
  const { header, lines, pairs } = cellsOf(report)
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((line) => line[column].length)))
  const print = (line) =>
    line
      .map((cell, column) => (column < TEXT_COLUMNS ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd()
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2))
  const body = lines.flatMap((line, index) => (line[0] && index ? [rule, print(line)] : [print(line)]))
  return [`${report.format}: ${caption(report)}`, print(header), rule, ...body, ...pairs].join('\n')
}

/** The format's section of RESULTS.md, between two comments that carry its name. */
function section(report) {
  const { header, lines, pairs } = cellsOf(report)
  const row = (cells) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column < TEXT_COLUMNS ? '---' : '---:'))
  return [
    `## ${report.format}`,
    '',
    caption(report),
    '',
    ...report.workloads.map(({ id, about }) => `- \`${id}\`: ${about}`),
    '',
    row(header),
    row(rule),
    ...lines.map(row),
    '',
    ...pairs.map((pair) => `- ${pair}`),
  ].join('\n')
}

const INTRODUCTION = `# Measured

Written by \`npm run bench\`; each section names its machine, date and commit. A time is the median of batches of at least a
millisecond, taken in turn with those of the other contenders; ± is the median deviation of the batches from it. MB/s counts
bytes on the wire. Heap and buffers are the bytes that one operation allocates on the JavaScript heap and in ArrayBuffers.
"vs x" is how many times as fast as x: below 1× is slower. \`wiretape-wasm\` and \`wiretape-js\` are the two backends alone,
\`wiretape\` is what you get by default.
`

export function writeResults(report) {
  const text = existsSync(results) ? readFileSync(results, 'utf8') : INTRODUCTION
  const begin = `<!-- begin ${report.format} -->`
  const end = `<!-- end ${report.format} -->`
  const block = `${begin}\n${section(report).trimEnd()}\n${end}`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  const next =
    from >= 0 && to > from
      ? text.slice(0, from) + block + text.slice(to + end.length)
      : `${text.trimEnd()}\n\n${block}\n`
  writeFileSync(results, next)
}
