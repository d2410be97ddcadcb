// How the cost of one operation grows with its size.
//
// scale/<format>.mjs exports `scales`, a list of
//   id, about     as of a workload
//   sizes         four or more, over three powers of ten
//   make(size, seed)  what an operation is given
//   variants      optional: how many different inputs of a size take turns, by size
//   run(input)    does it and returns a number
// and flow(), which returns a function that takes one message, another one each time, through one connection: see flat.mjs.
import { useBackend } from 'wiretape'
import { BACKENDS } from './registry.mjs'
import { timeCells } from './time.mjs'

/** { rows: [{ id, backend, size, ns }] }; each backend in the same rounds as the other, each size in rounds of its own. */
export async function scaling(format, id) {
  const { scales } = await import(`./scale/${format}.mjs`)
  const { sizes, make, run, variants = () => 1 } = scales.find((scale) => scale.id === id)
  const rows = []
  for (const size of sizes) {
    const inputs = Array.from({ length: variants(size) }, (_, seed) => make(size, seed))
    const cells = BACKENDS.map((backend) => ({
      workload: id,
      contender: backend,
      before: () => useBackend(backend),
      run,
      inputs,
      bytes: size,
    }))
    const timed = await timeCells(cells, { timeMs: 300, minimumSamples: 10, slowMs: 20 })
    rows.push(...timed.map(({ contender, ns }) => ({ id, backend: contender, size, ns })))
  }
  return { rows }
}
