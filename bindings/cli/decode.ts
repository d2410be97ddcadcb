import { unitLine } from '../capture/lines'
import { WireError } from '../core/error'
import type { UnitReader } from './format'
import type { Input } from './input'
import type { Output } from './output'
import type { Report } from './report'

/** Characters that are collected before they are written. */
const BATCH = 1 << 16

/**
 * Prints the units of the input, a line each, as they come. The first fault ends it, after the units before it; with `keepGoing`
 * each bad unit is reported and the next one follows. Faults are counted in the report.
 */
export async function decodeInput(
  decoder: UnitReader,
  input: Input,
  output: Output,
  report: Report,
  keepGoing: boolean,
): Promise<void> {
  try {
    for await (const chunk of input.chunks) {
      report.advance(chunk.length)
      decoder.push(chunk)
      if (!(await printUnits(decoder, output, report, keepGoing))) return
    }
    decoder.end()
    await printUnits(decoder, output, report, keepGoing)
  } catch (error) {
    if (!WireError.is(error)) throw error
    report.fault(error)
  }
}

/** Prints what can be read now; false: a fault, and nothing after it is wanted. */
async function printUnits(decoder: UnitReader, output: Output, report: Report, keepGoing: boolean): Promise<boolean> {
  for (;;) {
    const units = decoder.readAll()
    if (units.length === 0) return true
    let text = ''
    for (const unit of units) {
      const line = unitLine(unit)
      if (typeof line === 'string') {
        report.units++
        text += `${line}\n`
      } else {
        // In order on a terminal too: the units before the fault are printed before it is reported.
        await output.write(text)
        text = ''
        report.fault(line)
        if (!keepGoing) return false
      }
      if (text.length >= BATCH) {
        await output.write(text)
        text = ''
      }
    }
    await output.write(text)
  }
}
