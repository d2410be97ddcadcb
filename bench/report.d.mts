export interface Row {
  readonly workload: string
  readonly contender: string
  readonly ns: number
  readonly madNs: number
  readonly mbPerS: number
  readonly heapBytes: number | null
  readonly arrayBufferBytes: number | null
}
/** What one run has measured, as bench/results holds it. */
export interface Report {
  readonly format: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly platform: string
  readonly node: string
  readonly date: string
  readonly commit: string
  readonly versions: Readonly<Record<string, string>>
  readonly natives: readonly string[]
  readonly missing: readonly { readonly workload: string; readonly contender: string; readonly why: string }[]
  readonly workloads: readonly { readonly id: string; readonly about: string }[]
  readonly rows: readonly Row[]
}
export function bestPeer(rows: readonly Row[], workload: string, natives: readonly string[]): Row | undefined
export function badChoices(rows: readonly Row[]): string[]
export function table(report: Report): string
