import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

/** A Worker as its files: the entry, and the WebAssembly modules that it imports by name. */
export interface Worker {
  readonly entry: string
  readonly script: string
  readonly modules: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

/** What a folder with one script and any number of .wasm files holds. */
export function workerIn(folder: string): Worker {
  const files = readdirSync(folder)
  const entry = files.find((file) => /\.m?js$/.test(file))!
  return {
    entry,
    script: readFileSync(join(folder, entry), 'utf8'),
    modules: files
      .filter((file) => file.endsWith('.wasm'))
      .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) })),
  }
}

/** Bundles a file of the project's suite/ with esbuild into a folder of its own, and returns that folder. */
export async function bundle(project: string, name: string, entry: string, options: BuildOptions): Promise<string> {
  const outdir = join(project, 'out', name)
  mkdirSync(outdir, { recursive: true })
  await build({
    entryPoints: [join(project, 'suite', entry)],
    outdir,
    bundle: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    ...options,
  })
  return outdir
}
