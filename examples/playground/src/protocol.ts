import type { CaptureFormat, CaptureFormatName } from 'wiretape/capture'

/** How a capture is to be read. */
export interface Reading {
  readonly format: CaptureFormatName
  readonly options: Readonly<Record<string, string | boolean>>
  /** Bad units stand among the others, where the format can go on behind them. */
  readonly keepGoing: boolean
}

/** What the library says of its formats, without what reads them: the page itself does not load that. */
export type Formats = Readonly<Record<CaptureFormatName, Pick<CaptureFormat, 'about' | 'options' | 'keepsGoing'>>>

/** Bytes [from, to) of the capture. */
export type Range = readonly [from: number, to: number]

export interface Fault {
  readonly code: string
  readonly kind: string
  readonly message: string
  /** Of the first byte that shows it, in the capture; undefined where the reader cannot say. */
  readonly offset: number | undefined
}

/** A row of the list. */
export interface Row {
  readonly kind: string
  readonly text: string
  readonly start: number
  readonly size: number
  readonly bad: boolean
}

export interface Unit {
  readonly index: number
  /** Its JSON, cut where it is long. */
  readonly json: string
  /** Characters that were cut off. */
  readonly more: number
  readonly ranges: readonly Range[]
  readonly fault: Fault | undefined
}

export interface Progress {
  readonly units: number
  /** Bad ones among them. */
  readonly bad: number
  readonly position: number
  readonly done: boolean
  /** What ended it early: the last row. */
  readonly fault: Fault | undefined
}

/** To the worker; `session` counts the captures, so that answers about an old one are known. */
export type Request =
  | { readonly type: 'open'; readonly session: number; readonly file: Blob; readonly reading: Reading }
  | { readonly type: 'rows'; readonly session: number; readonly from: number; readonly to: number }
  | { readonly type: 'unit'; readonly session: number; readonly index: number }
  | { readonly type: 'find'; readonly session: number; readonly offset: number }

export type Answer =
  | { readonly type: 'ready'; readonly backend: 'wasm' | 'js'; readonly reason: string; readonly formats: Formats }
  | { readonly type: 'refused'; readonly session: number; readonly message: string }
  | ({ readonly type: 'progress'; readonly session: number } & Progress)
  | { readonly type: 'rows'; readonly session: number; readonly from: number; readonly rows: readonly Row[] }
  | ({ readonly type: 'unit'; readonly session: number } & Unit)
  | { readonly type: 'found'; readonly session: number; readonly index: number }

/** To the worker that measures, and from it: the capture up to its fault, if it has one. */
export interface MeasureRequest {
  readonly file: Blob
  readonly reading: Reading
}
export interface Sample {
  readonly backend: 'wasm' | 'js'
  readonly megabytesPerSecond: number
}
export type MeasureAnswer =
  | { readonly type: 'sample'; readonly sample: Sample; readonly rounds: number; readonly repeats: number }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string }
