// Does memory stay flat over a million messages?
import { setImmediate } from 'node:timers/promises'

export const MESSAGES = 1_000_000
const SAMPLES = 10

/** Memories of the instances that are made from now on. */
function watchedMemories() {
  const memories = []
  const { Instance } = WebAssembly
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, args) {
      const instance = new target(...args)
      if (instance.exports.memory) memories.push(instance.exports.memory)
      return instance
    },
  })
  return memories
}

/** { rows: [{ backend, messages, heap, external, linear }] }, bytes after a full collection. */
export async function flat(format, backend) {
  const memories = watchedMemories()
  const { useBackend } = await import('wiretape')
  useBackend(backend)
  const { flow } = await import(`./scale/${format}.mjs`)
  const one = flow()
  const rows = []
  let sum = 0
  for (let sample = 1; sample <= SAMPLES; sample++) {
    for (let i = 0; i < MESSAGES / SAMPLES; i++) sum += one()
    // Finalizers of what was collected run between turns of the event loop.
    for (let i = 0; i < 3; i++) {
      globalThis.gc()
      await setImmediate()
    }
    const { heapUsed, external } = process.memoryUsage()
    const linear = memories.reduce((bytes, memory) => bytes + memory.buffer.byteLength, 0)
    rows.push({ backend, messages: (sample * MESSAGES) / SAMPLES, heap: heapUsed, external, linear })
  }
  return { rows, sum }
}
