/** A progress line where stderr is a terminal, a line a step elsewhere. */
export function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}
