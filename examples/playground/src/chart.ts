import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Sample } from './protocol'

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Rounds of a measurement, a line for each backend. */
export class Chart {
  readonly #place: HTMLElement
  #plot: uPlot | undefined
  #samples: readonly Sample[] = []
  #rounds = 0

  constructor(place: HTMLElement) {
    this.#place = place
    new ResizeObserver(() => this.#plot?.setSize(this.#size)).observe(place)
    // Colours are painted, not styled.
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.#make())
    }
  }

  show(samples: readonly Sample[], rounds: number): void {
    const made = this.#rounds === rounds && this.#plot !== undefined
    this.#samples = samples
    this.#rounds = rounds
    if (made) this.#plot!.setData(this.#data)
    else this.#make()
  }

  clear(): void {
    this.#plot?.destroy()
    this.#plot = undefined
    this.#samples = []
  }

  get #size(): { width: number; height: number } {
    return { width: Math.max(120, this.#place.clientWidth), height: Math.max(80, this.#place.clientHeight) }
  }

  get #data(): uPlot.AlignedData {
    const of = (backend: string) => {
      const values = this.#samples.flatMap((sample) => (sample.backend === backend ? [sample.megabytesPerSecond] : []))
      return Array.from({ length: this.#rounds }, (_, i) => values[i] ?? null)
    }
    return [Array.from({ length: this.#rounds }, (_, i) => i + 1), of('wasm'), of('js')]
  }

  #make(): void {
    if (this.#samples.length === 0) return
    this.#plot?.destroy()
    const [ink, line] = [colour('--quiet'), colour('--line')]
    const font = `11px ${getComputedStyle(this.#place).fontFamily}`
    const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } }
    const labelled = (label: string) => ({ label, labelFont: font, labelSize: 16, labelGap: 0 })
    const series = (label: string, stroke: string, dash?: number[]): uPlot.Series => ({
      label,
      stroke,
      width: 2,
      ...(dash ? { dash } : {}),
      points: { show: true, size: 6, fill: stroke },
      value: (_, value) => (value === null ? '–' : `${value.toFixed(value < 10 ? 2 : 0)} MB/s`),
    })
    this.#plot = new uPlot(
      {
        ...this.#size,
        cursor: { drag: { x: false, y: false } },
        legend: { show: false },
        scales: {
          x: { time: false, range: [0.5, this.#rounds + 0.5] },
          y: { range: (_, __, most) => [0, (most || 1) * 1.08] },
        },
        axes: [
          { ...axis, ...labelled('round'), size: 24, incrs: [1, 2, 5], grid: { show: false } },
          {
            ...axis,
            ...labelled('MB/s'),
            size: 44,
            values: (_, values) => values.map((value) => value.toLocaleString('en')),
          },
        ],
        series: [{}, series('WebAssembly', colour('--wasm')), series('JavaScript', colour('--js'), [5, 4])],
      },
      this.#data,
      this.#place,
    )
  }
}
