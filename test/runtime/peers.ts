import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = fileURLToPath(new URL('./peers/', import.meta.url))

/** A file that `npm run setup:runtimes` installs from peers/package.json; undefined where it is not there. */
export function peerFile(path: string): string | undefined {
  const file = join(folder, 'node_modules', path)
  return existsSync(file) ? file : undefined
}

/** A module of the same folder. Its types are not there when the tests are checked, so the caller says what it uses. */
export async function peerModule<T>(name: string): Promise<T> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as T
}

/** A program that Debian's packages install. */
export function program(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((path) => join(path, name))).find((file) => existsSync(file))
}
