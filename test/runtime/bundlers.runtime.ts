import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bundle } from './bundle'
import { peerFile, peerModule } from './peers'
import { inPlace, type Outcome } from './place'
import { outcomeOf, print } from './process'

/*
 * What bundlers make of the package, each output executed. Those of esbuild for browsers are run there, those for workerd in workerd.
 */

const NODE_BUILTINS = ['node:crypto', 'node:module', 'node:zlib']
/** A module starts with NUL and "asm". */
const WASM_TEXT = '0061736d'

const execute = (file: string, project: string, options: object): Promise<Outcome> =>
  outcomeOf(process.execPath, [file, JSON.stringify(options)], project)

for (const platform of ['browser', 'node', 'neutral'] as const) {
  for (const format of ['esm', 'cjs'] as const) {
    inPlace({
      name: `esbuild ${platform} ${format}`,
      run: async (project, options) => {
        const extension = format === 'esm' ? 'mjs' : 'cjs'
        const folder = await bundle(project, `esbuild-${platform}-${format}`, 'print.mjs', {
          platform,
          format,
          minify: true,
          outExtension: { '.js': `.${extension}` },
        })
        return execute(join(folder, `print.${extension}`), project, options)
      },
    })
  }
}

inPlace({
  name: 'esbuild, wiretape/js/* alone',
  scriptOnly: true,
  run: async (project, options) => {
    const folder = await bundle(project, 'esbuild-js', 'script_only.mjs', {})
    const file = join(folder, 'script_only.mjs')
    expect(readFileSync(file, 'utf8')).not.toContain(WASM_TEXT)
    return execute(file, project, options)
  },
})

interface Webpack {
  readonly default: (options: object, done: (error: Error | null, stats?: WebpackStats) => void) => void
}
interface WebpackStats {
  hasErrors(): boolean
  toString(): string
}

async function webpack(project: string, name: string, entry: string, target: string): Promise<string> {
  const { default: run } = await peerModule<Webpack>('webpack')
  const path = join(project, 'out', name)
  const options = {
    mode: 'production',
    target,
    context: project,
    entry: join(project, 'suite', entry),
    output: { path, filename: 'bundle.cjs' },
  }
  await new Promise<void>((resolve, reject) => {
    run(options, (error, stats) => {
      if (error || stats?.hasErrors()) reject(error ?? new Error(stats!.toString()))
      else resolve()
    })
  })
  return join(path, 'bundle.cjs')
}

const hasWebpack = [['webpack', peerFile('webpack/package.json')]] as const
for (const target of ['web', 'webworker', 'node']) {
  inPlace({
    name: `webpack ${target}`,
    needs: hasWebpack,
    run: async (project, options) =>
      execute(await webpack(project, `webpack-${target}`, 'print.mjs', target), project, options),
  })
}

inPlace({
  name: 'webpack, wiretape/js/* alone',
  needs: hasWebpack,
  scriptOnly: true,
  run: async (project, options) => {
    const file = await webpack(project, 'webpack-js', 'script_only.mjs', 'web')
    expect(readFileSync(file, 'utf8')).not.toContain(WASM_TEXT)
    return execute(file, project, options)
  },
})

for (const kind of ['build', 'ssr']) {
  inPlace({
    name: `vite ${kind}`,
    run: async (project, options) => {
      const { build } = await import('vite')
      const outDir = join(project, 'out', `vite-${kind}`)
      const entry = join(project, 'suite/print.mjs')
      await build({
        root: project,
        configFile: false,
        logLevel: 'error',
        build: {
          outDir,
          ...(kind === 'ssr' ? { ssr: entry } : {}),
          rollupOptions: { input: entry, output: { entryFileNames: 'bundle.mjs' } },
        },
        ...(kind === 'ssr' ? { ssr: { noExternal: true, external: NODE_BUILTINS } } : {}),
      })
      return execute(join(outDir, 'bundle.mjs'), project, options)
    },
  })
}

const jest = peerFile('jest/bin/jest.js')
inPlace({
  name: 'Jest CommonJS',
  needs: [['Jest', jest]],
  run: async (project, options) => {
    const folder = join(project, 'jest')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'smoke.test.cjs'),
      `const { run } = require('../suite/all.cjs')
test('the suite', async () => {
  const outcome = await run(${JSON.stringify(options)})
  require('node:fs').writeFileSync(__dirname + '/outcome.json', JSON.stringify(outcome))
}, 60_000)
`,
    )
    const config = { rootDir: folder, testMatch: ['**/*.test.cjs'], transform: {}, testEnvironment: 'node' }
    await print(process.execPath, [jest!, '--runInBand', '--config', JSON.stringify(config)], project)
    return JSON.parse(readFileSync(join(folder, 'outcome.json'), 'utf8')) as Outcome
  },
})
