// The figures as text: a table for the terminal and one for bench/RESULTS.md, from the same rows.
import { isOurs } from './registry.mjs'

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

export const ratio = (value) => (value === undefined ? '' : `${grouped(value, digits(value))}×`)

/** Contenders that are not wiretape, in the order of the rows: each gets a column of ratios. */
const peersOf = (rows) => [...new Set(rows.map(({ contender }) => contender).filter((name) => !isOurs(name)))]

/** How many times as fast as `contender` on the same workload. */
function speedup(rows, row, contender) {
  const other = rows.find((candidate) => candidate.workload === row.workload && candidate.contender === contender)
  return other && other !== row ? other.ns / row.ns : undefined
}

/** The fastest contender of a workload that is neither wiretape nor native. */
export function bestPeer(rows, workload, natives) {
  const peers = rows.filter(
    (row) => row.workload === workload && !isOurs(row.contender) && !natives.includes(row.contender),
  )
  return peers.reduce((best, row) => (best && best.ns <= row.ns ? best : row), undefined)
}

/** How many times as fast as the best peer, and which that is; for rows of wiretape. */
function againstBest(rows, row, natives) {
  const best = isOurs(row.contender) ? bestPeer(rows, row.workload, natives) : undefined
  return best ? `${ratio(best.ns / row.ns)} ${best.contender}` : ''
}

/** Workloads where what one gets by default is more than a tenth slower than the better of the two backends. */
export function badChoices(rows) {
  return rows.flatMap((row) => {
    if (row.contender !== 'wiretape') return []
    const backends = rows.filter(
      ({ workload, contender }) => workload === row.workload && /^wiretape-(wasm|js)$/.test(contender),
    )
    const better = backends.reduce((best, one) => (best && best.ns <= one.ns ? best : one), undefined)
    if (!better || row.ns <= 1.1 * better.ns) return []
    return [`${row.workload}: wiretape takes ${ratio(row.ns / better.ns)} the time of ${better.contender}`]
  })
}

/** Header and lines of cells; the workload's name stands in its first line only. */
export function cellsOf({ rows, workloads, natives }) {
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
    'vs best peer',
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
    againstBest(rows, row, natives),
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

export const TEXT_COLUMNS = 2
export const caption = ({ cpu, cores, memoryGiB, platform, node, date, commit }) =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, ${date.slice(0, 10)}, commit ${commit}`

/** Header and lines of cells for a terminal; what begins with a name is ruled off from what stands before. */
export function textTable(header, lines) {
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((line) => line[column].length)))
  const print = (line) =>
    line
      .map((cell, column) => (column < TEXT_COLUMNS ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd()
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2))
  const body = lines.flatMap((line, index) => (line[0] && index ? [rule, print(line)] : [print(line)]))
  return [print(header), rule, ...body].join('\n')
}

/** For a terminal. */
export function table(report) {
  const { header, lines, pairs } = cellsOf(report)
  const notes = [...pairs, ...badChoices(report.rows)]
  return [`${report.format}: ${caption(report)}`, textTable(header, lines), ...notes].join('\n')
}
