import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A file of the repository, whose tests are run from its root. */
export const repository = (path: string): string => resolve(path)

/** Bytes of a committed file of test/vectors, unpacked where it is gzipped. */
export function vectorFile(path: string): Uint8Array {
  const bytes = readFileSync(repository(`test/vectors/${path}`))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** A JSON file of test/vectors. */
export const vectorJson = <T>(path: string): T => JSON.parse(new TextDecoder().decode(vectorFile(path))) as T

/** A JSONL file of test/vectors, one record a line. */
export const vectorLines = <T>(path: string): T[] =>
  new TextDecoder()
    .decode(vectorFile(path))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export const fromHex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))
export const toHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
