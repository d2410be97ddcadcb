import { Chart, median } from './chart'
import type { MeasureAnswer, Reading, Sample } from './protocol'

export interface Measured {
  readonly name: string
  /** What is decoded without a fault. */
  readonly file: Blob
  readonly reading: Reading
}

const TITLES = { wasm: 'WebAssembly', js: 'JavaScript' } as const
const speed = (value: number): string => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} MB/s`
const size = (bytes: number): string =>
  bytes < 10_000
    ? `${bytes.toLocaleString('en')} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(0)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`

/** The panel that measures what is open on both backends, in a worker, so that the page goes on. */
export class Measurement {
  readonly #button = document.getElementById('measure') as HTMLButtonElement
  readonly #result = document.getElementById('speed-result') as HTMLElement
  readonly #note = document.getElementById('speed-note') as HTMLElement
  readonly #place = document.getElementById('chart') as HTMLElement
  readonly #chart = new Chart(this.#place)
  readonly #idle = this.#result.textContent ?? ''
  #worker: Worker | undefined
  #samples: Sample[] = []

  constructor(what: () => Measured | undefined) {
    this.#button.addEventListener('click', () => {
      if (this.#worker) return this.#stop()
      const measured = what()
      if (measured) this.#start(measured)
    })
  }

  clear(): void {
    this.#stop()
    this.#button.disabled = true
    this.#chart.clear()
    this.#result.textContent = this.#idle
    this.#note.textContent = ''
    this.#place.ariaLabel = 'No measurement yet'
  }

  /** There is something to measure. */
  ready(): void {
    this.#button.disabled = false
  }

  #stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#button.textContent = 'Measure'
  }

  #start({ name, file, reading }: Measured): void {
    this.#samples = []
    this.#chart.clear()
    this.#note.textContent = ''
    this.#result.textContent = 'Measuring …'
    this.#button.textContent = 'Stop'
    const worker = new Worker(new URL('./measure.worker.ts', import.meta.url), { type: 'module' })
    this.#worker = worker
    let [rounds, repeats] = [0, 0]
    worker.addEventListener('message', ({ data }: MessageEvent<MeasureAnswer>) => {
      if (worker !== this.#worker) return
      if (data.type === 'sample') {
        this.#samples.push(data.sample)
        rounds = data.rounds
        repeats = data.repeats
        this.#chart.show(this.#samples, rounds)
        return
      }
      this.#stop()
      if (data.type === 'failed') {
        this.#result.textContent = `Not measured: ${data.message}`
        return
      }
      this.#tell()
      const times = repeats === 1 ? 'once' : `${repeats.toLocaleString('en')} times`
      this.#note.textContent =
        `Each point is a round, in which the ${size(file.size)} of ${name} are decoded ${times} to units in chunks of 64 KiB, without ` +
        `writing JSON. ${rounds} rounds of each, in turn, in a Web Worker of this browser; the figures are medians.`
    })
    worker.postMessage({ file, reading })
  }

  #tell(): void {
    const of = (backend: 'wasm' | 'js') => {
      const values = this.#samples.flatMap((sample) => (sample.backend === backend ? [sample.megabytesPerSecond] : []))
      return values.length > 0 ? median(values) : undefined
    }
    const [wasm, js] = [of('wasm'), of('js')]
    const figure = (backend: 'wasm' | 'js', value: number) => {
      const strong = document.createElement('strong')
      strong.className = backend
      strong.textContent = speed(value)
      return [`${TITLES[backend]} `, strong]
    }
    const parts: (string | Node)[] = []
    if (wasm !== undefined) parts.push(...figure('wasm', wasm), ', ')
    if (js !== undefined) parts.push(...figure('js', js))
    if (wasm !== undefined && js !== undefined) parts.push(`: ${(wasm / js).toFixed(2)} times`)
    else parts.push('; WebAssembly cannot be had here')
    this.#result.replaceChildren(...parts)
    this.#place.ariaLabel = `Megabytes a second in each round. ${this.#result.textContent}`
  }
}
