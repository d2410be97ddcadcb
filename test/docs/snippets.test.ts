import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { transformSync } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { blocksOf, guides } from './pages'

/*
 * Every `ts` block of the README and the guides is run against dist, each by itself, as a reader would run it. `// →` says what is
 * printed: behind the call, or on lines of its own below a loop; every printed line has to be named. They are also compiled
 * against the declarations of dist, strictly but for libraries that come without types.
 */
const out = resolve('build', 'snippets')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })

const snippets = guides.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map(({ code, line }) => ({ page, code, line, file: `${page.replace(/\W+/g, '-')}-${line}` })),
)
for (const { code, file } of snippets) writeFileSync(join(out, `${file}.ts`), code)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('blocks of code in the guides', () => {
  it.each(snippets.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    '%s prints what it says',
    async (_, { code, file }) => {
      const expected = [...code.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]!)
      const module = join(out, `${file}.mjs`)
      writeFileSync(module, transformSync(code, { loader: 'ts', format: 'esm' }).code)
      const printed: string[] = []
      vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
        printed.push(...format(...values).split('\n'))
      })
      await import(/* @vite-ignore */ pathToFileURL(module).href)
      expect(printed).toEqual(expected)
    },
  )

  it('have no language that is neither run nor known to be something else', () => {
    const known = ['ts', 'sh', 'tape', '']
    const others = guides.flatMap((page) =>
      blocksOf(page)
        .filter(({ language }) => !known.includes(language))
        .map(({ language, line }) => `${page}:${line} ${language}`),
    )
    expect(others).toEqual([])
  })

  it('compile', () => {
    const config = {
      compilerOptions: {
        target: 'es2022',
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
        module: 'esnext',
        moduleResolution: 'bundler',
        moduleDetection: 'force',
        strict: true,
        noImplicitAny: false,
        noEmit: true,
        skipLibCheck: true,
        types: ['node'],
      },
      include: ['*.ts'],
    }
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(config))
    const tsc = resolve('node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', out], { encoding: 'utf8' })
    expect(stdout.trim().split('\n').filter(Boolean)).toEqual([])
  })
})
