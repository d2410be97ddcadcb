import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const pagesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.name === 'node_modules') return []
      return entry.isDirectory() ? pagesBelow(path) : [path]
    })
    .filter((path) => path.endsWith('.md'))

/** What users read. */
export const guides = ['README.md', ...pagesBelow('docs')]

/** Every page of the repository that a person has written or a script has made. */
export const pages = [
  ...guides,
  ...readdirSync('.').filter((name) => name.endsWith('.md') && name !== 'README.md'),
  ...['bench', 'examples', 'test'].flatMap(pagesBelow),
]

/** A fenced block of code: its language, what stands in it, and the number of its first line. */
export interface Block {
  readonly language: string
  readonly code: string
  readonly line: number
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    code: match[2]!,
    line: text.slice(0, match.index).split('\n').length + 1,
  }))
}
