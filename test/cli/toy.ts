import { Writable } from 'node:stream'
import type { Format } from '../../bindings/cli/format'
import { run } from '../../bindings/cli/run'
import { commonError, usageError } from '../../bindings/core/errors'
import { type JsonForm, jsonForm } from '../../bindings/core/json'
import { ascii, LineDecoder } from '../core/lines'

/** A line as a tagged value, so that reading it back needs `revive`. */
export class Line {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  [jsonForm](): JsonForm {
    if (this.text === 'lazy fault') throw commonError('katcp', 'json', { offset: 1 })
    return { tag: 'line', value: this.text }
  }
}

/** Lines; one that starts with `bad` is a bad unit where the format keeps going. */
export const toy: Format = {
  about: 'lines of ASCII',
  limits: { maxBufferedBytes: 1_000_000 },
  options: [
    { name: 'case', value: 'name', about: 'how letters come out', choices: ['same', 'upper'], default: 'same' },
  ],
  keepsGoing: true,
  revive: { line: (text) => new Line(String(text)) },
  decoder({ limits, options, keepGoing }) {
    for (const name of Object.keys(limits))
      if (name !== 'maxBufferedBytes') throw usageError('katcp', `no limit ${name}`)
    const lines = new LineDecoder({ maxBufferedBytes: 1_000_000, ...limits, window: 65_536 })
    const unitOf = (text: string) => {
      if (keepGoing && text.startsWith('bad')) return commonError('katcp', 'json', { offset: 7, detail: 'one\nline' })
      return new Line(options['case'] === 'upper' ? text.toUpperCase() : text)
    }
    return {
      push: (chunk) => lines.push(chunk),
      readAll: () => lines.readAll().map(unitOf),
      end: () => lines.end(),
    }
  },
  encoder: () => (unit) => {
    if (!(unit instanceof Line)) throw new TypeError('not a line')
    return unit.text.length > 3 ? [ascii(unit.text), ascii('\n')] : ascii(`${unit.text}\n`)
  },
}

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A stream that keeps what it is given. */
export class Sink extends Writable {
  text = ''
  isTTY = false
  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.text += Buffer.from(chunk).toString('utf8')
    done()
  }
}

export async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/** Runs the command in this process, with the toy as its only format. */
export async function command(
  argv: readonly string[],
  stdin: AsyncIterable<Uint8Array> = chunksOf(),
  stdout = new Sink(),
  stderr = new Sink(),
): Promise<Outcome> {
  const code = await run(argv, { stdin, stdout, stderr }, { toy })
  return { code, stdout: stdout.text, stderr: stderr.text }
}
