// Charts of the figures as SVG, by echarts without a page.
import { init } from 'echarts'
import { bestPeer, duration } from './report.mjs'

const WIDTH = 760
const INK = '#24292f'
/** Width of a letter in any of the fonts; without a page nobody can measure text. */
const LETTER = 7
const FAINT = '#8c959f'
const GRID = '#d8dee4'
const COLOURS = { 'wiretape-wasm': '#0b7285', 'wiretape-js': '#e8a33d' }
// No quotes: echarts writes it into an attribute as it is.
const FONT = 'system-ui, -apple-system, sans-serif'

function drawn(height, option) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: FONT, color: INK },
    ...option,
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  // Names count the charts of the process and their parts: the same chart is to be the same file.
  const names = new Map()
  const own = (name) => names.get(name) ?? names.set(name, `part-${names.size}`).get(name)
  return `${svg.replace(/\bzr\d+-[\w-]+/g, own)}\n`
}

const title = (text, subtext) => ({
  text,
  subtext,
  left: 12,
  top: 8,
  textStyle: { fontSize: 15, fontWeight: 600, color: INK },
  subtextStyle: { fontSize: 12, color: FAINT },
})

/** Bars of how many times as fast, a pair for each name: `times` gives them by contender. */
function timesChart(heading, subtext, names, times) {
  const bar = (contender) => ({
    name: contender,
    type: 'bar',
    silent: true,
    emphasis: { disabled: true },
    barGap: '10%',
    barCategoryGap: '38%',
    itemStyle: { color: COLOURS[contender] },
    label: {
      show: true,
      position: 'right',
      fontSize: 11,
      color: INK,
      formatter: ({ value }) => (Number.isFinite(value) ? `${value.toPrecision(value < 100 ? 2 : 3)}×` : ''),
    },
    data: names.map((name) => times(name, contender) ?? '-'),
  })
  const series = Object.keys(COLOURS).map(bar)
  series[0].markLine = {
    silent: true,
    symbol: 'none',
    lineStyle: { color: INK, type: 'solid', width: 1 },
    label: { show: false },
    data: [{ xAxis: 1 }],
  }
  const values = series.flatMap(({ data }) => data.filter(Number.isFinite))
  return drawn(96 + 44 * names.length, {
    title: title(heading, `${subtext}; logarithmic, the line is 1×`),
    legend: { right: 32, top: 10, itemGap: 32, itemWidth: 12, itemHeight: 12, textStyle: { color: INK } },
    grid: { left: 24 + LETTER * Math.max(...names.map(({ length }) => length)), right: 56, top: 60, bottom: 32 },
    xAxis: {
      type: 'log',
      min: Math.min(...values) < 0.5 ? 0.1 : 0.5,
      axisLabel: { color: FAINT, formatter: (value) => `${value}×` },
      splitLine: { lineStyle: { color: GRID } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: names,
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: INK },
    },
    series,
  })
}

/** How many times as fast as the best peer a contender is on a workload; undefined where one of them is not measured. */
function timesOf({ rows, natives }, id, contender) {
  const best = bestPeer(rows, id, natives)
  const row = rows.find(({ workload, contender: name }) => workload === id && name === contender)
  return best && row && best.ns / row.ns
}

/** Workloads that have both a peer and a backend. */
const shownOf = (report) =>
  report.workloads
    .map(({ id }) => id)
    .filter((id) => Object.keys(COLOURS).some((contender) => timesOf(report, id, contender) !== undefined))

/** Of each workload, how many times as fast as its best peer either backend is. */
export function ratioChart(report) {
  const { format, cpu, node } = report
  const heading = `${format}: times as fast as the best peer`
  return timesChart(heading, `${cpu}, Node ${node}`, shownOf(report), (id, contender) => timesOf(report, id, contender))
}

/** Of each format, the geometric mean over all its workloads, so that none can be left out of it. */
export function overviewChart(reports) {
  const mean = (format, contender) => {
    const report = reports.find((one) => one.format === format)
    const times = shownOf(report).map((id) => timesOf(report, id, contender))
    return Math.exp(times.reduce((sum, value) => sum + Math.log(value), 0) / times.length)
  }
  const [{ cpu, node }] = reports
  const names = reports.map(({ format }) => format)
  return timesChart(
    'Times as fast as the best peer',
    `geometric mean of all workloads. ${cpu}, Node ${node}`,
    names,
    mean,
  )
}

const LINES = ['#0b7285', '#e8a33d', '#5c7cfa', '#c2255c', '#2b8a3e', '#862e9c', '#495057', '#d9480f']

/** Time against size, both logarithmic: cost in proportion to size is a straight line that rises by a decade for a decade. */
export function scaleChart(format, backend, lines) {
  return drawn(420, {
    title: title(`${format}, ${backend}: time against size`, 'both logarithmic; dashed: in proportion to size'),
    legend: {
      left: 12,
      bottom: 8,
      itemGap: 28,
      itemWidth: 10,
      icon: 'circle',
      textStyle: { color: INK, fontSize: 11 },
    },
    grid: { left: 72, right: 48, top: 64, bottom: 80 },
    xAxis: {
      type: 'log',
      name: 'size',
      nameLocation: 'middle',
      nameGap: 26,
      splitLine: { lineStyle: { color: GRID } },
    },
    yAxis: {
      type: 'log',
      axisLabel: { color: FAINT, formatter: (value) => duration(value) },
      splitLine: { lineStyle: { color: GRID } },
    },
    series: lines.flatMap(({ id, points }, index) => {
      const color = LINES[index % LINES.length]
      const [last] = points.slice(-1)
      const ideal = points.map(({ size }) => [size, (last.ns * size) / last.size])
      return [
        {
          name: id,
          type: 'line',
          symbolSize: 6,
          color,
          lineStyle: { width: 2 },
          data: points.map(({ size, ns }) => [size, ns]),
        },
        {
          type: 'line',
          symbol: 'none',
          silent: true,
          color,
          lineStyle: { width: 1, type: 'dashed', opacity: 0.4 },
          data: ideal,
        },
      ]
    }),
  })
}
