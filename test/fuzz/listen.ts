import type { Random } from '../random'
import { attempt, faultText, must, on, same } from './oracle'
import { poison } from './poison'

interface Reading {
  push(chunk: Uint8Array): unknown
  read(): unknown
  end(): unknown
  reset(): void
  readonly buffered: number
}

/** Where a stream is cut: byte by byte, at a few places, or not at all. */
export function cutsOf(length: number, random: Random): number[] {
  const how = random.below(4)
  if (how === 0 && length <= 600) return Array.from({ length }, (_, i) => i + 1)
  const cuts = Array.from({ length: how === 1 ? 1 : random.below(8) }, () => random.below(length + 1))
  return [...cuts, length].sort((a, b) => a - b)
}

/** Units up to a fault, and the fault, as one text. What is in memory around each call is poison. */
export function listen(
  decoder: Reading,
  bytes: Uint8Array,
  cuts: readonly number[],
  tell: (unit: unknown) => string,
  early: boolean,
): string {
  let said = ''
  const drain = (): boolean => {
    for (;;) {
      poison()
      const { value, error } = attempt(() => decoder.read())
      if (error) {
        const again = attempt(() => decoder.read())
        must(again.error === error, 'a fault is not thrown again')
        said += `! ${faultText(error)}`
        return false
      }
      if (value === undefined) return true
      said += `${tell(value)}\n`
    }
  }
  let from = 0
  for (const to of cuts) {
    poison()
    decoder.push(bytes.slice(from, to))
    from = to
    if (early && !drain()) return said
  }
  decoder.end()
  drain()
  return said
}

/** A decoder says the same of a stream on either backend and in any pieces, and is as new after a reset. */
export function listenAll(
  make: () => Reading,
  bytes: Uint8Array,
  random: Random,
  tell: (unit: unknown) => string,
  sample: Uint8Array,
): string {
  const whole = [bytes.length]
  const wanted = on('wasm', () => listen(make(), bytes, whole, tell, true))
  same(
    on('js', () => listen(make(), bytes, whole, tell, true)),
    wanted,
    'js and wasm differ',
  )
  const decoder = make()
  for (const backend of ['wasm', 'js', 'auto'] as const) {
    const cuts = cutsOf(bytes.length, random)
    const early = random.below(3) > 0
    const said = on(backend, () => listen(decoder, bytes, cuts, tell, early))
    same(said, wanted, `in pieces, on ${backend}`)
    decoder.reset()
    must(decoder.buffered === 0, 'something is held after a reset')
  }
  // What is known to be good is read by a decoder that has seen all that.
  const fresh = on('auto', () => listen(make(), sample, [sample.length], tell, true))
  same(
    on('auto', () => listen(decoder, sample, [sample.length], tell, true)),
    fresh,
    'after a reset',
  )
  return wanted
}
