import type { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'
import { backend } from '../engine/load'
import { errorLine } from './exit'
import type { Input } from './input'

/** A bar pays off where decoding takes longer than a glance. */
const LARGE = 1 << 24

/** What the command says on standard error: faults, the figures of --stats, and how far it is. */
export class Report {
  readonly #stderr: Writable
  readonly #name: string
  readonly #started = performance.now()
  #bar: SingleBar | undefined
  units = 0
  bytes = 0
  faults = 0

  constructor(stderr: Writable, input: Input, bar: boolean) {
    this.#stderr = stderr
    this.#name = input.name
    if (!bar || input.size === undefined || input.size < LARGE) return
    this.#bar = new SingleBar({
      stream: stderr as NodeJS.WritableStream,
      format: '{bar} {percentage}% of {megabytes} MB, {eta_formatted} left',
      clearOnComplete: true,
      hideCursor: null,
      etaBuffer: 100,
    })
    this.#bar.start(input.size, 0, { megabytes: (input.size / 1e6).toFixed(1) })
  }

  /** So many bytes more have been read. */
  advance(bytes: number): void {
    this.bytes += bytes
    this.#bar?.update(this.bytes)
  }

  /** One line for a fault; `place`: where in the input, if the error does not say so itself. */
  fault(error: unknown, place = ''): void {
    this.faults++
    this.#say(`${this.#name}: ${place}${errorLine(error)}`)
  }

  stats(): void {
    const seconds = (performance.now() - this.#started) / 1000
    const speed = (this.bytes / 1e6 / seconds).toFixed(1)
    this.#say(`${this.units} units, ${this.bytes} bytes, ${seconds.toFixed(3)} s, ${speed} MB/s, ${backend()}`)
  }

  /** Takes the bar away. */
  close(): void {
    this.#bar?.stop()
    this.#bar = undefined
  }

  #say(line: string): void {
    this.close()
    this.#stderr.write(`wiretape: ${line}\n`)
  }
}
