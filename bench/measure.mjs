// Measuring processes: one for each group of workloads, so that none is optimised for what another has seen.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MEMORY_FLAGS } from './memory.mjs'

const child = fileURLToPath(new URL('./child.mjs', import.meta.url))
// Results of the larger sizes live while more are made; what the collector makes of that is not the decoder's cost.
const FLAGS = {
  memory: MEMORY_FLAGS,
  scale: ['--min-semi-space-size=128', '--max-semi-space-size=128'],
  flat: ['--expose-gc'],
}

/** Runs one measuring process; what it prints goes to stderr, its rows come as a message. */
export function measure(kind, format, ids) {
  return new Promise((resolve) => {
    const execArgv = FLAGS[kind] ?? []
    const worker = fork(child, [kind, format, ...ids], { execArgv, stdio: ['ignore', 2, 2, 'ipc'] })
    let answer
    worker.on('message', (message) => {
      answer = message
    })
    worker.on('close', (code, signal) => {
      resolve(answer ?? { failure: `the process ended with ${signal ?? `code ${code}`} before it had measured` })
    })
  })
}
