export interface Stream {
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
}

/** In chunks of so many bytes. */
export function inChunks(wire: Uint8Array, size: number): Stream {
  const count = Math.ceil(wire.length / size)
  return { chunks: Array.from({ length: count }, (_, i) => wire.slice(i * size, (i + 1) * size)), bytes: wire.length }
}

/** A chunk for each byte. */
export const trickled = (wire: Uint8Array): Stream => inChunks(wire, 1)

/** What comes with one segment of TCP. */
export const SEGMENT = 1460

export const join = (...pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))

/** `one` so many whole times. */
export function repeated(one: Uint8Array, most: number): Uint8Array {
  const times = Math.floor(most)
  const all = new Uint8Array(one.length * times)
  for (let i = 0; i < times; i++) all.set(one, i * one.length)
  return all
}
