// Charts of the figures as SVG, by echarts without a page.
import { init } from 'echarts'
import { bestPeer, duration } from './report.mjs'

const WIDTH = 760
const INK = '#24292f'
const FAINT = '#8c959f'
const GRID = '#d8dee4'
const COLOURS = { 'wiretape-wasm': '#0b7285', 'wiretape-js': '#e8a33d' }
const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif'

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
  return `${svg}\n`
}

const title = (text, subtext) => ({
  text,
  subtext,
  left: 12,
  top: 8,
  textStyle: { fontSize: 15, fontWeight: 600, color: INK },
  subtextStyle: { fontSize: 12, color: FAINT },
})

/** Of each workload, how many times as fast as its best peer either backend is. */
export function ratioChart({ format, rows, workloads, natives, cpu, node }) {
  const shown = workloads.filter(({ id }) => bestPeer(rows, id, natives)).map(({ id }) => id)
  const bar = (contender) => ({
    name: contender,
    type: 'bar',
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
    data: shown.map((id) => {
      const row = rows.find(({ workload, contender: name }) => workload === id && name === contender)
      return row ? bestPeer(rows, id, natives).ns / row.ns : '-'
    }),
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
  return drawn(96 + 44 * shown.length, {
    title: title(`${format}: times as fast as the best peer`, `logarithmic; the line is 1×. ${cpu}, Node ${node}`),
    legend: { right: 12, top: 10, itemWidth: 12, itemHeight: 12, textStyle: { color: INK } },
    grid: { left: 12, right: 56, top: 60, bottom: 12, containLabel: true },
    xAxis: {
      type: 'log',
      min: Math.min(0.5, ...values.map((value) => value / 1.2)),
      axisLabel: { color: FAINT, formatter: (value) => `${value}×` },
      splitLine: { lineStyle: { color: GRID } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: shown,
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: INK },
    },
    series,
  })
}

const LINES = ['#0b7285', '#e8a33d', '#5c7cfa', '#c2255c', '#2b8a3e', '#862e9c', '#495057', '#d9480f']

/** Time against size, both logarithmic: cost in proportion to size is a straight line that rises by a decade for a decade. */
export function scaleChart(format, backend, lines) {
  return drawn(420, {
    title: title(`${format}, ${backend}: time against size`, 'both logarithmic; dashed: in proportion to size'),
    legend: { left: 12, bottom: 8, icon: 'circle', textStyle: { color: INK, fontSize: 11 } },
    grid: { left: 12, right: 24, top: 64, bottom: 64, containLabel: true },
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
