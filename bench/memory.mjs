// Bytes allocated per operation, in a process of its own whose young generation is so large that nothing is collected while the
// operations run: what the heap has grown by is what they have allocated.

import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

/** The flags of that process. */
export const MEMORY_FLAGS = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']

const WARMUP_MS = 150
const HEAP_BUDGET = 96 << 20
// ArrayBuffers press for a collection long before their memory is short.
const BUFFER_BUDGET = 24 << 20
const MOST_OPERATIONS = 100_000
// What takes long allocates the same every time.
const MOST_MS = 400
const ATTEMPTS = 5

// As in time.mjs: results must look used.
export let sink = 0

const rotate = async ({ run, inputs }, count) => {
  for (let i = 0; i < count; i++) {
    const result = run(inputs[i % inputs.length])
    sink += typeof result === 'number' ? result : await result
  }
}

async function grownBy(cell, count) {
  globalThis.gc()
  globalThis.gc()
  const start = performance.now()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  await rotate(cell, count)
  const after = process.memoryUsage()
  const end = performance.now()
  return { start, end, heap: after.heapUsed - heapUsed, buffers: after.arrayBuffers - arrayBuffers }
}

/** [{ workload, contender, heapBytes, arrayBufferBytes }], one for every cell. */
export async function memoryOfCells(cells) {
  const collections = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const rows = []
  for (const cell of cells) {
    const { workload, contender, before, inputs } = cell
    before()
    const warm = performance.now()
    while (performance.now() - warm < WARMUP_MS) await rotate(cell, inputs.length)
    const trial = await grownBy(cell, inputs.length)
    const fits = Math.min(HEAP_BUDGET / Math.max(trial.heap, 1), BUFFER_BUDGET / Math.max(trial.buffers, 1))
    const lasts = MOST_MS / Math.max(trial.end - trial.start, 1e-3)
    let rounds = Math.max(1, Math.floor(Math.min(fits, lasts, Math.ceil(MOST_OPERATIONS / inputs.length))))
    for (let attempt = 1; ; attempt++) {
      const count = rounds * inputs.length
      const { start, end, heap, buffers } = await grownBy(cell, count)
      // Entries are delivered by the event loop.
      await setImmediate()
      await setImmediate()
      if (!collections.some(({ startTime }) => startTime >= start && startTime <= end)) {
        rows.push({
          workload,
          contender,
          heapBytes: Math.max(0, Math.round(heap / count)),
          arrayBufferBytes: Math.max(0, Math.round(buffers / count)),
        })
        break
      }
      if (attempt === ATTEMPTS) {
        // So much garbage that it cannot be counted: the time of the row stands all the same.
        rows.push({ workload, contender, heapBytes: null, arrayBufferBytes: null })
        break
      }
      rounds = Math.max(1, rounds >> 1)
    }
  }
  observer.disconnect()
  return rows
}
