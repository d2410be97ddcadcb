import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pages } from './pages'

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/`/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')

function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  for (const [, heading] of text.matchAll(/^#+ (.*)$/gm)) {
    const anchor = anchorOf(heading!)
    let unique = anchor
    for (let i = 1; anchors.has(unique); i++) unique = `${anchor}-${i}`
    anchors.add(unique)
  }
  for (const [, name] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name!)
  return anchors
}

/** Links of a page that lead nowhere. */
function deadLinks(page: string): string[] {
  const dead: string[] = []
  for (const [, target] of withoutCode(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target!)) continue
    const [path, anchor] = target!.split('#') as [string, string | undefined]
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(file)) dead.push(`${target}: there is no ${file}`)
    else if (anchor !== undefined && (statSync(file).isDirectory() || !anchorsOf(file).has(anchor))) {
      dead.push(`${target}: there is no such heading`)
    }
  }
  return dead
}

describe('links between pages', () => {
  it.each(pages)('%s has none that leads nowhere', (page) => {
    expect(deadLinks(page)).toEqual([])
  })

  it('are told from dead ones', () => {
    expect(anchorOf('`bytes`: who owns the memory?')).toBe('bytes-who-owns-the-memory')
    expect(anchorsOf('docs/errors.md').has('common-to-all-formats')).toBe(true)
  })
})
