import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { transformSync } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'

/*
 * Every `ts` block of the README and the guides is run against dist, as a reader would run it. `// →` says what is printed: behind the
 * call, or on lines of its own below a loop; every printed line has to be named.
 */
const pages = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))].filter((path) =>
  path.endsWith('.md'),
)
const out = resolve('build', 'docs')
mkdirSync(out, { recursive: true })

afterEach(() => {
  vi.restoreAllMocks()
})

for (const page of pages) {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)
  if (blocks.length === 0) continue
  describe(page, () => {
    it.each(blocks.map((code, i) => [i + 1, code] as const))('block %i prints what it says', async (i, code) => {
      const expected = [...code.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]!)
      const file = join(out, `${page.replace(/\W+/g, '-')}-${i}.mjs`)
      writeFileSync(file, transformSync(code, { loader: 'ts', format: 'esm' }).code)
      const printed: string[] = []
      vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
        printed.push(...format(...values).split('\n'))
      })
      await import(/* @vite-ignore */ pathToFileURL(file).href)
      expect(printed).toEqual(expected)
    })
  })
}
