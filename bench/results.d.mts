import type { Report } from './report.mjs'

export function readResults(): Report[]
export function resultFiles(reports?: readonly Report[]): [name: string, text: string][]
