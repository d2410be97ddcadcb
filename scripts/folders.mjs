// What the folder names say: the one list of formats and subpaths that every generated file and config is made from.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folders = (dir) =>
  readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

/** Folders of assembly/ with kernels: one a wire format. */
export const formats = folders('assembly').filter(
  (name) => !['abi', 'lib'].includes(name) && existsSync(join('assembly', name, 'index.ts')),
)

/** Folders of bindings/ that are a public subpath: `wiretape/<name>`. */
export const subpaths = folders('bindings').filter(
  (name) => !['core', 'engine', 'portable', 'cli'].includes(name) && existsSync(join('bindings', name, 'index.ts')),
)

/** Subpaths that also exist without any WebAssembly text: `wiretape/js/<name>`. */
export const scriptOnly = subpaths.filter((name) => !['node', 'noble', 'fflate', 'capture'].includes(name))

/** Every file below `dir` whose path ends in `suffix`, in a fixed order. */
export const filesBelow = (dir, suffix = '.ts') =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true })
        .flatMap((entry) => {
          const path = join(dir, entry.name)
          return entry.isDirectory() ? filesBelow(path, suffix) : path.endsWith(suffix) ? [path] : []
        })
        .sort()
    : []
