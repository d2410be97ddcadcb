import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { suiteData } from './cases'
import { REPORTS, table } from './table'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder outside of the repository that has the packed tarball installed, with the suite in suite/. */
    project: string
    /** How many cases each format has. */
    counts: Readonly<Record<string, number>>
  }
}

const root = fileURLToPath(new URL('../../', import.meta.url))

function npm(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
  return stdout
}

export default async function setup(context: TestProject): Promise<() => void> {
  rmSync(REPORTS, { recursive: true, force: true })
  const work = mkdtempSync(join(tmpdir(), 'wiretape-runtime-'))
  const project = join(work, 'project')
  mkdirSync(join(project, 'suite'), { recursive: true })
  const packed = npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', work)
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true }\n')
  npm(project, 'install', '--offline', '--no-audit', '--no-fund', join(work, filename))
  // The optional peer of HDS sessions is the user's to install; this is the one that the project is tested with.
  cpSync(join(root, 'node_modules/@noble'), join(project, 'node_modules/@noble'), {
    recursive: true,
    dereference: true,
  })

  const suite = join(project, 'suite')
  cpSync(fileURLToPath(new URL('./suite/', import.meta.url)), suite, { recursive: true })
  const data = await suiteData(join(root, 'dist/core.wasm'))
  writeFileSync(
    join(suite, 'cases.mjs'),
    `export const cases = ${JSON.stringify(data.cases)}\nexport const wasm = '${data.wasm}'\n`,
  )
  // As CommonJS: the cipher is bundled, since its package has ES modules alone.
  await build({
    entryPoints: [join(suite, 'print.mjs'), join(suite, 'all.mjs')],
    outdir: suite,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    plugins: [
      {
        name: 'as-required',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^wiretape/ }, ({ path }) =>
            path === 'wiretape/noble' ? undefined : { external: true },
          ),
      },
    ],
  })

  const counts: Record<string, number> = {}
  for (const { format } of data.cases) counts[format] = (counts[format] ?? 0) + 1
  context.provide('project', project)
  context.provide('counts', counts)
  return () => {
    console.log(`\nCases that hold, wasm/js:\n${table()}\n`)
    rmSync(work, { recursive: true, force: true })
  }
}
