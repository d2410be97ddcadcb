import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS } from './cases'
import type { Row } from './place'

/** Where each place leaves what came of it. */
export const REPORTS = fileURLToPath(new URL('../../build/runtimes/', import.meta.url))

export interface Report {
  readonly name: string
  /** Why nothing ran. */
  readonly absent?: string | undefined
  readonly backend?: string | undefined
  readonly reason?: string | undefined
  readonly rows: readonly Row[]
}

function cell(rows: readonly Row[]): string {
  if (rows.length === 0) return '-'
  const failed = rows.filter(({ ok }) => !ok).length
  return failed > 0 ? `${failed} FAILED` : String(rows.reduce((sum, { count }) => sum + count, 0))
}

/** Runtime × format × backend: how many cases hold, wasm/js; `-` where that backend is not to be had. */
export function table(): string {
  if (!existsSync(REPORTS)) return ''
  const reports = readdirSync(REPORTS)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(REPORTS, file), 'utf8')) as Report)
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  const lines = [['runtime', 'answers', ...FORMATS, 'note']]
  for (const { name, absent, backend, reason, rows } of reports) {
    const cells = FORMATS.map((format) => {
      const of = (test: (backend: string) => boolean) =>
        cell(rows.filter((r) => r.format === format && test(r.backend)))
      return `${of((b) => b === 'wasm')}/${of((b) => b === 'js')}`
    })
    const note = absent ? `NOT RUN: ${absent}` : (reason ?? '')
    lines.push([name, backend ?? '-', ...(absent ? FORMATS.map(() => '-') : cells), note.slice(0, 100)])
  }
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
