import { type Backend, useBackend } from 'wiretape'
import { openCapture } from 'wiretape/capture'
import { fflateDeflate } from 'wiretape/fflate'
import { nobleCipher } from 'wiretape/noble'
import type { MeasureAnswer, MeasureRequest, Reading } from './protocol'

/** Rounds of each backend, in turn: fewer where a capture is so large that they would take long. */
const MOST_ROUNDS = 12
const LEAST_ROUNDS = 3
const ALL_ROUNDS = 6000
/** A round takes about so many milliseconds, the clock of a browser being coarse. */
const ROUND = 80
/** Before that, each backend runs so long. */
const WARM = 400
const CHUNK = 1 << 16

const say = (answer: MeasureAnswer): void => postMessage(answer)

/** Decodes all of it to units, which are dropped. */
function decode(chunks: readonly Uint8Array[], { format, options, keepGoing }: Reading): void {
  const reader = openCapture(format, { options, keepGoing, deflate: fflateDeflate, cipher: nobleCipher })
  for (const chunk of chunks) {
    reader.push(chunk)
    reader.readAll()
  }
}

const cut = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, i) => bytes.slice(i * CHUNK, (i + 1) * CHUNK))

/** The backends that can be had here. */
function available(): Backend[] {
  try {
    return [useBackend('wasm'), 'js']
  } catch {
    return ['js']
  }
}

addEventListener('message', async ({ data: { file, reading } }: MessageEvent<MeasureRequest>) => {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const backends = available()
    /** Milliseconds of a pass on the slower backend. */
    let spent = 0
    // Both are warm before anything counts.
    for (const backend of backends) {
      useBackend(backend)
      let passes = 0
      const from = performance.now()
      do {
        decode(cut(bytes), reading)
        passes++
      } while (performance.now() - from < WARM)
      spent = Math.max(spent, (performance.now() - from) / passes)
    }
    const repeats = Math.max(1, Math.min(20_000, Math.round(ROUND / spent)))
    const rounds = Math.min(MOST_ROUNDS, Math.max(LEAST_ROUNDS, Math.round(ALL_ROUNDS / (2 * repeats * spent))))
    for (let round = 0; round < rounds; round++) {
      for (const backend of backends) {
        useBackend(backend)
        // Decoders may write into the chunks that they are given, so each pass has its own. One clock for all of a round.
        const passes = Array.from({ length: repeats }, () => cut(bytes))
        const from = performance.now()
        for (const chunks of passes) decode(chunks, reading)
        const seconds = (performance.now() - from) / 1000
        const sample = { backend, megabytesPerSecond: (bytes.length * repeats) / 1e6 / Math.max(seconds, 1e-6) }
        say({ type: 'sample', sample, rounds, repeats })
        await new Promise((resolve) => setTimeout(resolve))
      }
    }
    say({ type: 'done' })
  } catch (error) {
    say({ type: 'failed', message: (error as Error).message })
  }
})
