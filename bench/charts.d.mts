import type { Report } from './report.mjs'
import type { Point } from './verdict.mjs'

export function ratioChart(report: Report): string
export function overviewChart(reports: readonly Report[]): string
export function scaleChart(
  format: string,
  backend: string,
  lines: readonly { readonly id: string; readonly points: readonly Point[] }[],
): string
