// One measuring process: `child.mjs <time|memory> <format> <workload id>…`, `child.mjs compare <format> <workload id>… -- <label>…`
// or `child.mjs <scale|flat> <format> <id>`. Sends its rows to the parent.
import { checkResults, checkSums } from './agree.mjs'
import { memoryOfCells } from './memory.mjs'
import { cellsOf, cellsOfBuilds, nativeCellsOf } from './registry.mjs'
import { loadSeveralBuilds } from './several.mjs'
import { timeCells } from './time.mjs'

const [measure, format, ...ids] = process.argv.slice(2)

/** The same work by each build, in turn; what they make is compared as ever. */
async function compare(format, ids, labels) {
  loadSeveralBuilds()
  const cells = await cellsOfBuilds(format, ids, labels)
  if (cells.length === 0) return { rows: [] }
  await checkResults(cells)
  const timed = await timeCells(cells, { timeMs: 500, allMs: 4500, leastMs: 250 })
  return {
    rows: timed.map(({ workload, contender, ns }, index) => ({ workload, contender, label: cells[index].label, ns })),
  }
}

const runners = {
  compare: (format, args) => {
    const end = args.indexOf('--')
    return compare(format, args.slice(0, end), args.slice(end + 1))
  },
  scale: async (format, [id]) => (await import('./scaling.mjs')).scaling(format, id),
  flat: async (format, [backend]) => (await import('./flat.mjs')).flat(format, backend),
}

async function rows() {
  if (runners[measure]) return runners[measure](format, ids)
  const cells = await cellsOf(format, ids)
  if (measure === 'memory') return { rows: await memoryOfCells(cells) }
  await checkResults(cells)
  const samples = cells.flatMap((cell) => cell.samples ?? [])
  const timed = await timeCells(cells, samples.length > 0 ? { minimumSamples: Math.min(...samples) } : {})
  await checkSums(cells)
  const { rows: native, missing } = timeNatives(await nativeCellsOf(format, ids))
  return { rows: [...timed, ...native], missing }
}

/** Programs of their own, one after the other; one that cannot be had here is missing, and said to be. */
function timeNatives(cells) {
  const rows = []
  const missing = []
  for (const { workload, contender, bytes, time } of cells) {
    try {
      const ns = time()
      rows.push({ workload, contender, ns, mbPerS: (bytes / ns) * 1e3, madNs: 0, heapBytes: 0, arrayBufferBytes: 0 })
    } catch (error) {
      missing.push({ workload, contender, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { rows, missing }
}

async function answer() {
  try {
    return await rows()
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.send(await answer(), () => process.disconnect())
