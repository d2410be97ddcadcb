/** A call that cannot be done: says why and ends. */
export function fail(text) {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}
