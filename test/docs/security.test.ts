import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/* SECURITY.md names a file and, in quotes behind it, titles of tests for each promise. Both must be there. */
const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)

describe('the promises of SECURITY.md', () => {
  it('are many', () => {
    expect(rows.length).toBeGreaterThan(12)
  })

  it.each(rows.map((row) => row.split(' | ') as [string, string]))('%s', (_, tests) => {
    const places = [...tests.matchAll(/\[[^\]]*\]\(([^)]+)\)((?:(?!\]\().)*)/g)]
    expect(places.length).toBeGreaterThan(0)
    for (const [, file, behind] of places) {
      const text = readFileSync(file!, 'utf8')
      for (const [, title] of behind!.matchAll(/"([^"]+)"/g)) expect(text).toContain(`'${title}'`)
    }
    expect(tests).toMatch(/"[^"]+"|limits\.test\.ts/)
  })
})
