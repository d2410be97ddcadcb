// When is a workload slower than it was? The rule of `bench -- compare`.

/** What a revision may lose. */
export const ALLOWED = 0.05

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Rounds of { base, again, head }, nanoseconds each, `again` being another build of the base: what these two differ by is noise.
 * `change`: of head against base, 0.1 = a tenth slower; `noise`: the largest difference seen between equals, of any round, or
 * between the changes of the rounds and their median where that is larger. Slower means by more than ALLOWED with the noise off.
 */
export function verdictOf(rounds) {
  const ratios = rounds.map(({ base, again, head }) => head / Math.sqrt(base * again))
  const middle = median(ratios)
  const differences = rounds.map(({ base, again }) => Math.abs(Math.log(again / base)))
  const spread = median(ratios.map((ratio) => Math.abs(Math.log(ratio / middle))))
  const noise = Math.expm1(Math.max(spread, ...differences))
  return { change: middle - 1, noise, slower: middle > (1 + ALLOWED) * (1 + noise) }
}

/** By which power of the size the time grows between two of the points { size, ns }; 1 is in proportion. */
const power = (from, to) => Math.log(to.ns / from.ns) / Math.log(to.size / from.size)

/** The steepest step between neighbours. */
export const steepest = (points) => Math.max(...points.slice(1).map((point, i) => power(points[i], point)))

/** The power over the last `decades` powers of ten. */
export function overall(points, decades = 3) {
  const last = points[points.length - 1]
  const first = points.findLast(({ size }) => size * 10 ** decades <= last.size) ?? points[0]
  return power(first, last)
}

/** By how much values have grown from the first to the least of the last three: a collection may be late. */
export const grown = (values) => Math.min(...values.slice(-3)) - values[0]
