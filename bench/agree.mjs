// Before anything is timed: do all contenders make of every variant what was put into it?

/** Path and values of the first difference between two plain values; undefined where there is none. */
export function difference(actual, expected, path = 'result') {
  if (Object.is(actual, expected)) return undefined
  const both = typeof actual === 'object' && typeof expected === 'object' && actual !== null && expected !== null
  if (!both || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${path} is ${short(actual)}, expected ${short(expected)}`
  }
  if (Array.isArray(expected) && actual.length !== expected.length) {
    return `${path} has ${actual.length} items, expected ${expected.length}`
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(actual[key], expected[key], Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`)
    if (found) return found
  }
  return undefined
}

function short(value) {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** Compares every contender's whole result with the expected one, then the numbers that the timed runs return with each other. */
export async function checkResults(cells) {
  for (const { workload, contender, before, neutral, variants } of cells) {
    before()
    for (const [index, { input, expected }] of variants.entries()) {
      const found = difference(await neutral(input), expected)
      if (found) throw new Error(`${workload}: ${contender} differs on variant ${index}: ${found}`)
    }
  }
  await checkSums(cells)
}

/** The sums alone: cheap enough to be asked again of the code as the timed rounds have left it, optimised. */
export async function checkSums(cells) {
  const first = new Map()
  for (const { workload, contender, before, run, inputs } of cells) {
    before()
    const sums = []
    for (const input of inputs) sums.push(await run(input))
    const known = first.get(workload)
    if (sums.some((sum) => typeof sum !== 'number' || Number.isNaN(sum))) {
      throw new Error(`${workload}: the run of ${contender} must return a number`)
    }
    if (!known) first.set(workload, { contender, sums })
    else {
      const index = sums.findIndex((sum, at) => sum !== known.sums[at])
      if (index >= 0) {
        throw new Error(
          `${workload}: on variant ${index} ${contender} returns ${sums[index]}, ${known.contender} ${known.sums[index]}`,
        )
      }
    }
  }
}
