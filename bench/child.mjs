// One measuring process: `child.mjs <time|memory> <format> <workload id>…`. Sends its rows to the parent.
import { checkResults, checkSums } from './agree.mjs'
import { memoryOfCells } from './memory.mjs'
import { cellsOf } from './registry.mjs'
import { timeCells } from './time.mjs'

const [measure, format, ...ids] = process.argv.slice(2)

async function rows() {
  const cells = await cellsOf(format, ids)
  if (measure === 'memory') return memoryOfCells(cells)
  await checkResults(cells)
  const timed = await timeCells(cells)
  await checkSums(cells)
  return timed
}

async function answer() {
  try {
    return { rows: await rows() }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.send(await answer(), () => process.disconnect())
