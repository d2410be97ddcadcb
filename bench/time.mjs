// Time per operation: tinybench runs the cells of one process side by side, a batch of each in turn, so that whatever else the
// machine does hits all alike.
import { Bench } from 'tinybench'

const SETTINGS = {
  // The clock is read once a batch. 20 µs would hide its cost; longer ones also hide that of going back to cold caches.
  batchMs: 1,
  warmupMs: 150,
  timeMs: 900,
  // A long operation fills a batch alone and must still be seen often enough for a median.
  minimumSamples: 30,
}

// Optimised code must not find out that nobody looks at the results.
let sink = 0
export const consumed = () => sink

/** Runs `count` operations on the cell's inputs in turn; `milliseconds` of the last batch stands in the result. */
function batches(cell) {
  const { before, run, inputs } = cell
  let next = 0
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
  return cell.async ? batchAsync : batch
}

/** Runs the cells in turn until each is optimised, and finds how many operations of each fill a batch. */
async function warmUp(runners, { batchMs, warmupMs }) {
  const counts = runners.map(() => 1)
  const spent = runners.map(() => 0)
  while (spent.some((milliseconds) => milliseconds < warmupMs)) {
    for (const [index, runner] of runners.entries()) {
      const milliseconds = await runner(counts[index])
      spent[index] += milliseconds
      // Towards the wanted length, at most doubling: the first batches run unoptimised and one may be interrupted.
      const wanted = counts[index] * (batchMs / Math.max(milliseconds, batchMs / 16))
      counts[index] = Math.max(1, Math.round(Math.min(wanted, counts[index] * 2)))
    }
  }
  return counts
}

const nanoseconds = (milliseconds) => milliseconds * 1e6

/** [{ workload, contender, ns, mbPerS, … }], one for every cell. */
export async function timeCells(cells, given = {}) {
  const settings = { ...SETTINGS, ...given }
  const runners = cells.map(batches)
  const counts = await warmUp(runners, settings)
  const bench = new Bench({
    // Side by side means: each task yields after every batch, and the next one's turn comes.
    concurrency: 'bench',
    iterations: settings.minimumSamples,
    time: settings.timeMs,
    warmup: false,
    throws: true,
  })
  for (const [index, { workload, contender }] of cells.entries()) {
    const count = counts[index]
    const runner = runners[index]
    bench.add(
      `${workload} ${contender}`,
      async () => {
        const milliseconds = await runner(count)
        return { overriddenDuration: milliseconds / count, overriddenIterationCost: milliseconds }
      },
      { async: true },
    )
  }
  await bench.run()
  return bench.tasks.map(({ result }, index) => {
    const { workload, contender, bytes } = cells[index]
    const { p50, p75, mad, mean, samplesCount } = result.latency
    return {
      workload,
      contender,
      ns: nanoseconds(p50),
      mbPerS: (bytes / nanoseconds(p50)) * 1e3,
      madNs: nanoseconds(mad),
      p75Ns: nanoseconds(p75),
      meanNs: nanoseconds(mean),
      samples: samplesCount,
      batch: counts[index],
    }
  })
}
