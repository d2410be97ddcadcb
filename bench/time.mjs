// Time per operation: tinybench runs the cells of one process side by side, a batch of each in turn, so that whatever else the
// machine does hits all alike.
import { Bench } from 'tinybench'
import { below, random } from './random.mjs'

const SETTINGS = {
  // The clock is read once a batch. 20 µs would hide its cost; longer batches also hide that of coming back to cold caches.
  batchMs: 1,
  warmupMs: 150,
  // Of each cell; where many share the process, of all of them together, so that a format is done within three minutes.
  timeMs: 900,
  allMs: 4500,
  leastMs: 400,
  // Operations of many milliseconds must still be seen often enough for a median; those of hundreds, less often.
  minimumSamples: 30,
  slowMs: 100,
  slowSamples: 8,
  // Beside a slow operation, the batches of the others are no longer than this.
  longestBatchMs: 20,
}

/** How many orders the cells take turns in. */
const ORDERS = 5

// Exported, so that optimised code cannot find out that nobody looks at the results.
export let sink = 0

/** Runs `count` operations on the cell's inputs in turn and returns the milliseconds that they took together. */
function batches(cell) {
  const { before, run, inputs, measure } = cell
  let next = 0
  /** An operation that knows itself what it has cost, in milliseconds, may round the count up. */
  async function batchMeasured(count) {
    before()
    const input = inputs[next]
    if (++next === inputs.length) next = 0
    const measured = await measure(input, count)
    return (measured.milliseconds / measured.count) * count
  }
  function batch(count) {
    before()
    let sum = 0
    const start = performance.now()
    for (let i = 0; i < count; i++) {
      sum += run(inputs[next])
      if (++next === inputs.length) next = 0
    }
    const milliseconds = performance.now() - start
    sink += sum
    return milliseconds
  }
  async function batchAsync(count) {
    before()
    let sum = 0
    const start = performance.now()
    for (let i = 0; i < count; i++) {
      sum += await run(inputs[next])
      if (++next === inputs.length) next = 0
    }
    const milliseconds = performance.now() - start
    sink += sum
    return milliseconds
  }
  if (measure) return batchMeasured
  return cell.async ? batchAsync : batch
}

/**
 * Runs the cells in turn until each is optimised, and finds how many operations of each fill a batch: one as long as the
 * slowest operation, as far as that is not too long, so that all have their turns until the end. Also the milliseconds of the
 * slowest.
 */
async function warmUp(runners, { batchMs, warmupMs, longestBatchMs }) {
  const counts = runners.map(() => 1)
  const spent = runners.map(() => 0)
  const fastest = runners.map(() => Number.POSITIVE_INFINITY)
  while (spent.some((milliseconds) => milliseconds < warmupMs)) {
    for (const [index, runner] of runners.entries()) {
      // One that takes seconds an operation need not go on until the others are warm.
      if (spent[index] > 4 * warmupMs) continue
      const milliseconds = await runner(counts[index])
      spent[index] += milliseconds
      // The first batches run unoptimised and any may be interrupted: the fastest says what an operation takes.
      fastest[index] = Math.min(fastest[index], Math.max(milliseconds, 1e-3) / counts[index])
      const wanted = batchMs / fastest[index]
      counts[index] = Math.max(1, Math.round(Math.min(wanted, counts[index] * 2)))
    }
  }
  const slowest = Math.max(...fastest)
  const length = Math.min(Math.max(batchMs, slowest), longestBatchMs)
  return { slowest, counts: fastest.map((milliseconds) => Math.max(1, Math.round(length / milliseconds))) }
}

/**
 * The orders that the cells take turns in. What a batch leaves behind, garbage and memory to give back, falls to the one after it: no cell
 * is to have the same one before it all the time.
 */
function orders(count) {
  const next = random(count)
  return Array.from({ length: ORDERS }, () => {
    const order = Array.from({ length: count }, (_, index) => index)
    for (let i = count - 1; i > 0; i--) {
      const j = below(next, i + 1)
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  })
}

/** Milliseconds an operation of every batch of every cell, cells in the order given. */
async function samplesOf(runners, counts, order, settings) {
  const bench = new Bench({
    // Side by side means: each task yields after every batch, and the next one's turn comes.
    concurrency: 'bench',
    ...settings,
    warmup: false,
    throws: true,
    retainSamples: true,
  })
  for (const index of order) {
    const count = counts[index]
    const runner = runners[index]
    bench.add(
      String(index),
      async () => {
        const milliseconds = await runner(count)
        return { overriddenDuration: milliseconds / count, overriddenIterationCost: milliseconds }
      },
      { async: true },
    )
  }
  await bench.run()
  return runners.map((_, index) => bench.getTask(String(index)).result.latency.samples)
}

const nanoseconds = (milliseconds) => milliseconds * 1e6
const sorted = (numbers) => Float64Array.from(numbers).sort()
/** The number below which that part of the sorted numbers lies. */
function quantile(numbers, part) {
  const at = (numbers.length - 1) * part
  const below = numbers[Math.floor(at)]
  return below + (numbers[Math.ceil(at)] - below) * (at % 1)
}

/** [{ workload, contender, ns, mbPerS, … }], one for every cell. */
export async function timeCells(cells, given = {}) {
  const settings = { ...SETTINGS, ...given }
  const runners = cells.map(batches)
  const { slowest, counts } = await warmUp(runners, settings)
  const { timeMs, allMs, leastMs } = settings
  const time = Math.min(timeMs, Math.max(leastMs, allMs / cells.length)) / ORDERS
  const iterations = Math.ceil((slowest > settings.slowMs ? settings.slowSamples : settings.minimumSamples) / ORDERS)
  const all = cells.map(() => [])
  for (const order of orders(cells.length)) {
    const samples = await samplesOf(runners, counts, order, { time, iterations })
    for (const [index, more] of samples.entries()) all[index].push(...more)
  }
  return cells.map(({ workload, contender, bytes }, index) => {
    const samples = sorted(all[index])
    const p50 = quantile(samples, 0.5)
    const deviations = sorted(samples.map((sample) => Math.abs(sample - p50)))
    return {
      workload,
      contender,
      ns: nanoseconds(p50),
      mbPerS: (bytes / nanoseconds(p50)) * 1e3,
      madNs: nanoseconds(quantile(deviations, 0.5)),
      p75Ns: nanoseconds(quantile(samples, 0.75)),
      meanNs: nanoseconds(samples.reduce((sum, sample) => sum + sample, 0) / samples.length),
      samples: samples.length,
      batch: counts[index],
    }
  })
}
