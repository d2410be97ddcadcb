// node bench/thresholds.mjs [format…]: from which size on each kernel is faster as WebAssembly, for bindings/engine/thresholds.ts.
//
// kernels/<format>.mjs exports `kernels`, a list of { name, bytes, inputs(size), size(input), run(input) → number }.
import { existsSync } from 'node:fs'
import { useBackend } from 'wiretape'
import { holdLock } from './lock.mjs'
import { formats } from './registry.mjs'
import { duration } from './report.mjs'
import { timeCells } from './time.mjs'

const SMALLEST = 8
const LARGEST = 8192
const STEP = Math.SQRT2
const SETTINGS = { batchMs: 0.2, warmupMs: 25, timeMs: 80, minimumSamples: 50 }

async function atSize(kernel, size) {
  const inputs = kernel.inputs(size)
  const bytes = inputs.reduce((sum, input) => sum + kernel.size(input), 0) / inputs.length
  const cells = ['wasm', 'js'].map((choice) => ({
    workload: kernel.name,
    contender: choice,
    before: () => useBackend(choice),
    run: kernel.run,
    inputs,
    bytes,
  }))
  const [wasm, js] = await timeCells(cells, SETTINGS)
  return { bytes: Math.round(bytes), wasm: wasm.ns, js: js.ns }
}

/** Where the two lines cross for good: between the last size at which JavaScript was faster and the next, by their ratios. */
function crossing(points) {
  const last = points.findLastIndex(({ wasm, js }) => js < wasm)
  if (last < 0) return `0: WebAssembly is faster from the smallest size on`
  if (last === points.length - 1) return 'none: JavaScript is faster at the largest size'
  const [below, above] = [points[last], points[last + 1]]
  const [from, to] = [below, above].map(({ wasm, js }) => Math.log(js / wasm))
  return String(Math.round(below.bytes + ((above.bytes - below.bytes) * -from) / (to - from)))
}

const asked = process.argv.length > 2 ? process.argv.slice(2) : formats
await holdLock()
for (const format of asked) {
  const file = new URL(`./kernels/${format}.mjs`, import.meta.url)
  if (!existsSync(file)) throw new Error(`there is no ${file.pathname}`)
  const { kernels } = await import(file.href)
  for (const kernel of kernels) {
    process.stdout.write(`${kernel.name} (bytes ${kernel.bytes})\n`)
    const points = []
    for (let size = SMALLEST; size <= LARGEST; size *= STEP) {
      const point = await atSize(kernel, Math.round(size))
      if (point.bytes === points.at(-1)?.bytes) continue
      points.push(point)
      const { bytes, wasm, js } = point
      const cells = [String(bytes).padStart(6), duration(wasm).padStart(9), duration(js).padStart(9)]
      process.stdout.write(`  ${cells[0]} B   wasm ${cells[1]}   js ${cells[2]}   ${(js / wasm).toFixed(2)}×\n`)
    }
    process.stdout.write(`  crossover: ${crossing(points)}\n`)
  }
}
