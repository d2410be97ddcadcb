import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { scriptOnly, subpaths } from './scripts/folders.mjs'

/** The loader assigns Object.hasOwn when it is imported, which throws where intrinsics are frozen: keep its fallback local. */
const loaderWithoutGlobals: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'loader-without-globals',
  setup(build) {
    build.onLoad({ filter: /@assemblyscript[\\/]loader[\\/]index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const contents = source.replace(/Object\.hasOwn = Object\.hasOwn \|\| /, 'const hasOwn = Object.hasOwn || ')
      if (contents === source) throw new Error('the loader no longer assigns Object.hasOwn: drop this plugin')
      return { contents: contents.replaceAll('Object.hasOwn(', 'hasOwn('), loader: 'js' }
    })
  },
}

const entries = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `bindings/${name}/index.ts`]))
const library = { index: 'bindings/index.ts', ...entries(subpaths) }
const shared: Options = {
  outDir: 'dist',
  target: 'es2022',
  sourcemap: true,
  splitting: true,
  clean: false,
  silent: true,
  noExternal: ['@assemblyscript/loader'],
  esbuildPlugins: [loaderWithoutGlobals],
  // What is made by these alone and then not used is left out by bundlers.
  pure: ['Object.freeze', 'Array.from'],
}

export default defineConfig([
  {
    ...shared,
    entry: { ...library, 'core-inline': 'bindings/engine/core_inline.ts' },
    format: ['esm', 'cjs'],
    dts: { entry: library },
    external: [/^#core$/, /^node:/],
  },
  {
    ...shared,
    entry: { 'core-workerd': 'bindings/engine/core_workerd.ts' },
    format: ['esm'],
    external: [/\.wasm$/],
  },
  {
    ...shared,
    entry: { standalone: 'bindings/standalone.ts' },
    format: ['esm'],
    dts: true,
    splitting: false,
    sourcemap: false,
    minify: true,
    esbuildOptions(options) {
      options.alias = { '#core': './bindings/engine/core_inline.ts' }
    },
  },
  {
    ...shared,
    outDir: 'dist/js',
    entry: entries(scriptOnly),
    format: ['esm', 'cjs'],
    dts: true,
    esbuildOptions(options) {
      const none = './bindings/engine/core_none.ts'
      options.alias = { '#core': none, '@assemblyscript/loader': none }
    },
  },
  {
    ...shared,
    entry: { cli: 'bindings/cli/main.ts' },
    format: ['esm'],
    platform: 'node',
    splitting: false,
    sourcemap: false,
    noExternal: [/^(?!node:|#core$)/],
    external: [/^#core$/, /^node:/],
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
])
