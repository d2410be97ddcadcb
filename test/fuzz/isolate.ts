import { Broken } from './oracle'
import { memories } from './poison'

/** Objects that a name from the wire could reach. */
const SHARED: readonly object[] = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  Map.prototype,
  String.prototype,
  Uint8Array.prototype,
  Error.prototype,
]

const snapshot = (): string =>
  JSON.stringify(
    SHARED.map((each) =>
      Reflect.ownKeys(each)
        .map((key) => String(key))
        .sort(),
    ),
  )

/** What may stay in use after many thousand inputs: caches are bounded, and the collector is late. */
const GROWTH_BYTES = 64 << 20

/** Bytes in use but for the memories of the backends, which have a bound of their own. */
function heapBytes(): number {
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.()
  // Buffers are among what is external.
  const { heapUsed, external } = process.memoryUsage()
  return memories().reduce((bytes, { u8 }) => bytes - u8.length, heapUsed + external)
}

/** Watches what no input may change: prototypes, and the memory that stays in use. */
export function isolate() {
  const before = snapshot()
  let base: number | undefined
  let runs = 0
  return {
    check: (): void => {
      if (snapshot() !== before) throw new Broken('a prototype was changed')
      // The first inputs fill tables and caches.
      if (++runs === 20) base = heapBytes()
    },
    end: (executions: number): void => {
      for (const { u8 } of memories()) {
        if (u8.length > 16 << 20) throw new Broken(`a memory of ${u8.length} bytes`)
      }
      if (base === undefined) return
      const grown = heapBytes() - base
      if (grown > GROWTH_BYTES) throw new Broken(`${grown} bytes more in use after ${executions} inputs`)
    },
  }
}
