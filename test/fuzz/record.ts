import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { repository } from '../vectors'
import type { Outcome } from './loop'

const PAGE = 'docs/fuzzing.md'
const BEGIN = '<!-- figures: written by npm run fuzz -- --record -->'
const END = '<!-- end of figures -->'
const HEAD =
  '| format | what | executions | seconds | blocks reached | findings | seed | commit | date |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |'

/** What is run: taken at the start, since a run is long. */
export const commitNow = (): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()

/** Puts the figures of a run into the page, in place of those that the format had before. */
export function record(format: string, seed: number, commit: string, outcomes: readonly Outcome[]): void {
  const path = repository(PAGE)
  if (!existsSync(path)) return
  const text = readFileSync(path, 'utf8')
  const from = text.indexOf(BEGIN)
  const to = text.indexOf(END)
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no place for the figures`)
  const date = new Date().toISOString().slice(0, 10)
  const rows = outcomes.map(({ mode, executions, seconds, blocks, findings }) => {
    const reached = blocks ? `${blocks.reached} of ${blocks.all}` : ''
    return `| ${format} | ${mode} | ${executions.toLocaleString('en')} | ${seconds.toFixed(0)} | ${reached} | ${findings.length} | ${seed} | ${commit} | ${date} |`
  })
  const others = text
    .slice(from + BEGIN.length, to)
    .split('\n')
    .filter((line) => /^\| \w+ \| (kernels|bindings|values) /.test(line))
    .filter((line) => !outcomes.some(({ mode }) => line.startsWith(`| ${format} | ${mode} `)))
  const table = [HEAD, ...[...others, ...rows].sort()].join('\n')
  writeFileSync(path, `${text.slice(0, from)}${BEGIN}\n\n${table}\n\n${text.slice(to)}`)
}
