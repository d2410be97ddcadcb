import { open } from 'node:fs/promises'
import { UsageError } from './exit'

export interface Input {
  /** For messages. */
  readonly name: string
  /** Bytes of a regular file; undefined: nobody knows. */
  readonly size: number | undefined
  readonly chunks: AsyncIterable<Uint8Array>
}

const CHUNK = 1 << 18

/** The file of that name, or standard input for `-`. Throws UsageError where there is no such file. */
export async function openInput(path: string, stdin: AsyncIterable<Uint8Array>): Promise<Input> {
  if (path === '-') return { name: 'standard input', size: undefined, chunks: stdin }
  const file = await open(path).catch((error: Error) => {
    throw new UsageError(error.message)
  })
  const stat = await file.stat()
  if (stat.isDirectory()) {
    await file.close()
    throw new UsageError(`${path} is a directory`)
  }
  const size = stat.isFile() ? stat.size : undefined
  return { name: path, size, chunks: file.createReadStream({ highWaterMark: CHUNK }) }
}
