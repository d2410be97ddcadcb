import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { changelogFaults } from '../../scripts/check_changelog.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, encoding: 'utf8' })

describe('the package', () => {
  it('is in order for publint', () => {
    const { stdout, status } = run('publint/src/cli.js', '--strict')
    expect(stdout).toContain('All good')
    expect(status).toBe(0)
  })

  it('has types that are right for import and for require', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wiretape-types-'))
    try {
      const pack = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
        cwd: root,
        encoding: 'utf8',
      })
      const [{ filename }] = JSON.parse(pack.stdout) as [{ filename: string }]
      // These two are ES modules alone: one is for pages, of the other there is no require.
      const { stdout, status } = run(
        '@arethetypeswrong/cli/dist/index.js',
        join(folder, filename),
        ...['--profile', 'node16', '--no-color', '--exclude-entrypoints', './core.wasm', './standalone'],
      )
      expect(status, stdout).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('keeps to the sizes in package.json', () => {
    const { stdout } = run('size-limit/bin.js', '--json')
    const sizes = JSON.parse(stdout) as { name: string; passed: boolean; size: number; sizeLimit: number }[]
    expect(sizes.length).toBeGreaterThan(12)
    expect(sizes.filter(({ passed }) => !passed)).toEqual([])
    expect(statSync(join(root, 'dist/core.wasm')).size).toBeLessThanOrEqual(40_000)
  })

  it('is published with a statement of where it comes from', () => {
    const { publishConfig } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { publishConfig?: object }
    expect(publishConfig).toEqual({ access: 'public', provenance: true })
    expect(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')).toContain('id-token: write')
  })
})

describe('the changelog', () => {
  const good = '# Changelog\n\n## Unreleased\n\n## 0.2.0 — 2026-02-01\n\n- More.\n\n## 0.1.0 — 2026-01-01\n\n- First.\n'

  it('may be as it should', () => {
    expect(changelogFaults(good)).toEqual([])
    expect(changelogFaults(good, { tag: 'v0.2.0', version: '0.2.0' })).toEqual([])
  })

  it.each([
    ['no section', '# Changelog\n', undefined, 'there is no section'],
    ['nothing on top for what is to come', good.replace('## Unreleased\n\n', ''), undefined, 'stands first'],
    ['a version without a date', good.replace(' — 2026-02-01', ''), undefined, 'is neither'],
    ['versions out of order', good.replace('0.2.0', '0.0.9'), undefined, 'is not older'],
    ['a version without a word', good.replace('- First.\n', ''), undefined, 'says nothing'],
    ['a release without a section', good, { tag: 'v0.3.0', version: '0.3.0' }, 'has no section'],
    ['a tag of another version', good, { tag: 'v0.1.0', version: '0.2.0' }, 'is not version'],
    [
      'a release that leaves things out',
      good.replace('Unreleased\n', 'Unreleased\n\n- This.\n'),
      { tag: 'v0.2.0', version: '0.2.0' },
      'belongs to this version',
    ],
  ] as const)('is refused with %s', (_, text, release, fault) => {
    expect(changelogFaults(text, release).join()).toContain(fault)
  })
})
