// Which formats there are, and the two shapes that a format's files export.
//
// workloads/<format>.mjs exports `workloads`, a list of
//   id            name of the row
//   about         one line for the report
//   operation     which operation of the contenders is timed
//   variants()    → [{ input, bytes, expected }]: what an operation is given (rotated, so that no branch predictor learns one
//                 input), the bytes on the wire that it stands for, and the result in neutral form
//   samples       optional: samples at least of each contender, where one takes seconds for an operation
//   measuredWith  optional: id of the workload whose process, and so whose rounds, it shares, where one row is read against another
//
// contenders/<format>.mjs exports `contenders`, a list of
//   name
//   before()      optional: called ahead of every batch
//   operations    { [operation]: () => { run, neutral } }; a contender without an operation takes no part in its workloads.
//                 run(input) does the work from bytes (encoding: from a value) and returns a number made from the result, so that
//                 nothing can be optimised away; the number must be the same for all. neutral(input) does the same work and
//                 returns the whole result as plain JSON-like data. Both may return promises where `async: true` is given too.
//                 measure(input, count), optional: does `count` operations, or some more, and resolves with { milliseconds, count },
//                 where what counts is not the time that passes here but, say, the processor time of another process.
// It may export `natives` as well, programs in another language, a list of
//   name, library (of pkg-config)
//   operations    names of the operations that it has
//   time(operation, inputs) → nanoseconds of one operation, the median; throws where the program cannot be had here
import { existsSync, readdirSync } from 'node:fs'

const folder = new URL('./workloads/', import.meta.url)

export const formats = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs') && existsSync(new URL(`./contenders/${file}`, import.meta.url)))
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort()

export const BACKENDS = ['wasm', 'js']

/** The workloads of a format, without loading what they are measured with. */
export async function workloadsOf(format) {
  const { workloads } = await import(`./workloads/${format}.mjs`)
  return workloads
}

/** The workloads by the process that they are measured in. */
export function groupsOf(workloads) {
  const groups = new Map()
  for (const workload of workloads) {
    const key = workload.measuredWith ?? workload.id
    groups.set(key, [...(groups.get(key) ?? []), workload])
  }
  return groups
}

const contendersOf = async (format, query = '') => (await import(`./contenders/${format}.mjs${query}`)).contenders

/** One pairing of workload and contender, ready to be run. */
export async function cellsOf(format, ids, contenders) {
  contenders ??= await contendersOf(format)
  const cells = []
  for (const workload of (await workloadsOf(format)).filter(({ id }) => ids.includes(id))) {
    const variants = workload.variants()
    const inputs = variants.map(({ input }) => input)
    const bytes = variants.reduce((sum, variant) => sum + variant.bytes, 0) / variants.length
    const taking = contenders.filter(({ operations }) => operations[workload.operation])
    if (taking.length === 0) throw new Error(`${workload.id}: no contender has the operation ${workload.operation}`)
    for (const { name, before = () => {}, operations } of taking) {
      const operation = operations[workload.operation]()
      const { id, samples } = workload
      cells.push({ workload: id, contender: name, before, ...operation, inputs, variants, bytes, samples })
    }
  }
  return cells
}

/** wiretape alone, from several builds: each cell has the `label` of its build. See several.mjs. */
export async function cellsOfBuilds(format, ids, labels) {
  const cells = []
  for (const label of labels) {
    const ours = (await contendersOf(format, `?build=${label}`)).filter(({ name }) => isOurs(name))
    for (const cell of await cellsOf(format, ids, ours)) cells.push({ ...cell, label })
  }
  // What measures itself does so in processes of its own, which know one build.
  return cells.filter(({ measure }) => !measure)
}

export const isOurs = (contender) => contender === 'wiretape' || contender.startsWith('wiretape-')

/** Names of the contenders that are not wiretape, and the native programs. */
export async function peersAndNatives(format) {
  const { contenders, natives = [] } = await import(`./contenders/${format}.mjs`)
  return { peers: contenders.map(({ name }) => name).filter((name) => !isOurs(name)), natives }
}

/** The pairings of workloads and native programs. */
export async function nativeCellsOf(format, ids) {
  const { natives = [] } = await import(`./contenders/${format}.mjs`)
  return (await workloadsOf(format))
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ id, operation, variants }) =>
      natives
        .filter(({ operations }) => operations.includes(operation))
        .map(({ name, time }) => {
          const made = variants()
          const bytes = made.reduce((sum, variant) => sum + variant.bytes, 0) / made.length
          const inputs = made.map(({ input }) => input)
          return { workload: id, contender: name, bytes, time: () => time(operation, inputs) }
        }),
    )
}
