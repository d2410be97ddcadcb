import { constants } from 'node:buffer'
import { Accumulator } from '../core/accumulator'
import { type FromJsonOptions, fromJson } from '../core/json'
import type { Input } from './input'
import type { Output } from './output'
import type { Report } from './report'

const LF = 10
const BATCH = 1 << 16

/** Encodes one unit as `fromJson` gives it. */
type Encode = (unit: unknown) => Uint8Array | readonly Uint8Array[]

/** Writes the bytes of the units that stand in the input, a line each; the first bad line ends it, after the bytes of those before. */
export async function encodeInput(
  encode: Encode,
  revive: FromJsonOptions['revive'],
  input: Input,
  output: Output,
  report: Report,
): Promise<void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const batch = new Batch(output)
  const partial = new Accumulator()
  let number = 0

  /** False: the line is bad. */
  const take = async (line: Uint8Array): Promise<boolean> => {
    number++
    try {
      const text = utf8.decode(line)
      if (text.trim() !== '') {
        const encoded = encode(fromJson(text, { revive }))
        for (const piece of 'byteLength' in encoded ? [encoded] : encoded) batch.add(piece)
        report.units++
      }
    } catch (error) {
      await batch.write()
      report.fault(error, `line ${number}: `)
      return false
    }
    if (batch.length >= BATCH) await batch.write()
    return true
  }

  for await (const chunk of input.chunks) {
    report.advance(chunk.length)
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const rest = chunk.subarray(start, end)
      if (!(await take(partial.length > 0 ? partial.take(rest) : rest))) return
      start = end + 1
    }
    partial.append(chunk, start)
    if (partial.length > constants.MAX_STRING_LENGTH) {
      await batch.write()
      report.fault(new Error('the line is longer than a string may be'), `line ${number + 1}: `)
      return
    }
    await batch.write()
  }
  if (partial.length > 0 && !(await take(partial.take()))) return
  await batch.write()
}

/** Bytes that are written together: a write for each small unit would cost more than its encoding. */
class Batch {
  readonly #output: Output
  #pieces: Uint8Array[] = []
  length = 0

  constructor(output: Output) {
    this.#output = output
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.length += piece.length
  }

  async write(): Promise<void> {
    if (this.length === 0) return
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.length)
    this.#pieces = []
    this.length = 0
    await this.#output.write(whole)
  }
}
