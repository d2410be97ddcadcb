// node bench/unmask.mjs: the kernel that unmasks, and bufferutil, on the same bytes of linear memory, at every size.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { holdLock } from './lock.mjs'
import { duration } from './report.mjs'
import { timeCells } from './time.mjs'

const { unmask } = createRequire(import.meta.url)('bufferutil')
const bytes = readFileSync(new URL('../dist/core.wasm', import.meta.url))
const { wsUnmask, memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports

const SMALLEST = 16
const LARGEST = 1 << 20
const SETTINGS = { batchMs: 0.2, warmupMs: 50, timeMs: 150, minimumSamples: 50 }
/** Beyond everything that kernels use. */
const PLACE = 0x10_0000
const KEY = 0x78563412
const keyBytes = Buffer.from([0x12, 0x34, 0x56, 0x78])

memory.grow(Math.ceil((PLACE + LARGEST) / 0x1_0000))
await holdLock()
for (let size = SMALLEST; size <= LARGEST; size *= 2) {
  const payload = Buffer.from(memory.buffer, PLACE, size)
  const cell = (contender, run) => ({ workload: 'unmask', contender, before() {}, run, inputs: [payload], bytes: size })
  const [ours, theirs] = await timeCells(
    [
      cell('wsUnmask', ({ length }) => {
        wsUnmask(PLACE, PLACE + length, KEY, 0)
        return length
      }),
      cell('bufferutil', (data) => {
        unmask(data, keyBytes)
        return data.length
      }),
    ],
    SETTINGS,
  )
  const times = [ours, theirs].map(({ ns }) => duration(ns).padStart(9))
  process.stdout.write(
    `${String(size).padStart(8)} B   wsUnmask ${times[0]}   bufferutil ${times[1]}   ${(theirs.ns / ours.ns).toFixed(2)}×\n`,
  )
}
