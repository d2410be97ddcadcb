import type { Random } from '../random'

/** Reads choices from the front of an input, then hands out the rest: a mutation changes either. */
export class Input {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** 0 … 255; 0 behind the end. */
  byte(): number {
    return this.#bytes[this.#at++] ?? 0
  }

  below(limit: number): number {
    return this.byte() % limit
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** Up to `length` bytes, in memory of their own, so that nothing stands around them. */
  take(length: number): Uint8Array<ArrayBuffer> {
    const from = Math.min(this.#at, this.#bytes.length)
    this.#at = Math.min(from + length, this.#bytes.length)
    return this.#bytes.slice(from, this.#at) as Uint8Array<ArrayBuffer>
  }

  rest(): Uint8Array<ArrayBuffer> {
    return this.take(this.#bytes.length)
  }

  /** Bytes that are left. */
  get left(): number {
    return Math.max(0, this.#bytes.length - this.#at)
  }
}

/** Bytes behind choices, as `Input` reads them. */
export const inputOf = (choices: readonly number[], bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...choices, ...bytes])

export const MAX_INPUT = 2048

const EDGES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 125, 126, 127, 128, 129, 254, 255]
const WIDE_EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff]

function put(bytes: Uint8Array, at: number, size: number, value: number, big: boolean): void {
  for (let i = 0; i < size && at + i < bytes.length; i++) {
    const shift = 8 * (big ? size - 1 - i : i)
    bytes[at + i] = shift >= 32 ? 0 : value >>> shift
  }
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** One change of many kinds. `tokens`: byte sequences that mean something in the format; `others`: inputs to take parts from. */
function changed(
  bytes: Uint8Array,
  random: Random,
  tokens: readonly Uint8Array[],
  others: readonly Uint8Array[],
): Uint8Array {
  const { length } = bytes
  const at = random.below(length + 1)
  switch (random.below(11)) {
    case 0: {
      const copy = bytes.slice()
      if (at < length) copy[at] = copy[at]! ^ (1 << random.below(8))
      return copy
    }
    case 1: {
      const copy = bytes.slice()
      if (at < length) copy[at] = random.below(2) ? random.below(256) : random.pick(EDGES)
      return copy
    }
    case 2: {
      const copy = bytes.slice()
      if (at < length) copy[at] = copy[at]! + random.below(9) - 4
      return copy
    }
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(random.pick([1, 4, 40]))))
    case 4:
      return joined(bytes.subarray(0, at), random.bytes(1 + random.below(random.pick([1, 4, 20]))), bytes.subarray(at))
    case 5: {
      const part = bytes.subarray(at, at + 1 + random.below(random.pick([4, 20, 100])))
      return joined(
        bytes.subarray(0, at),
        ...Array.from({ length: random.pick([1, 1, 2, 17]) }, () => part),
        bytes.subarray(at),
      )
    }
    case 6: {
      const copy = bytes.slice()
      put(
        copy,
        at,
        random.pick([2, 4, 8]),
        random.below(3) ? random.pick(WIDE_EDGES) : length - random.below(9),
        random.below(2) === 1,
      )
      return copy
    }
    case 7: {
      if (tokens.length === 0) return bytes
      const token = random.pick(tokens)
      const end = random.below(2) ? at : at + token.length
      return joined(bytes.subarray(0, at), token, bytes.subarray(end))
    }
    case 8: {
      const other = random.pick(others)
      return joined(bytes.subarray(0, at), other.subarray(random.below(other.length + 1)))
    }
    case 9: {
      const other = random.pick(others)
      const from = random.below(other.length + 1)
      const part = other.subarray(from, from + 1 + random.below(60))
      return joined(bytes.subarray(0, at), part, bytes.subarray(random.below(2) ? at : at + part.length))
    }
    default:
      return bytes.subarray(0, at)
  }
}

export function mutate(
  bytes: Uint8Array,
  random: Random,
  tokens: readonly Uint8Array[],
  others: readonly Uint8Array[],
): Uint8Array {
  let result = bytes
  for (let times = random.pick([1, 1, 2, 3, 6]); times > 0; times--) {
    result = changed(result, random, tokens, others).subarray(0, MAX_INPUT)
  }
  return result
}

/** The smallest input that still fails in the same way, as far as leaving out and zeroing bytes finds one. */
export function minimise(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array {
  let best = bytes
  for (let size = best.length; size >= 1; size = size >>> 1) {
    for (let at = 0; at < best.length; ) {
      const less = joined(best.subarray(0, at), best.subarray(at + size))
      if (fails(less)) best = less
      else at += size
    }
  }
  for (let at = 0; at < best.length; at++) {
    if (best[at] === 0) continue
    const zeroed = best.slice()
    zeroed[at] = 0
    if (fails(zeroed)) best = zeroed
  }
  return best
}
