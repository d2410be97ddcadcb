import type { Side } from '../../lib/side'

/** How the kernels of one format are called, as its bindings do. */
export interface KernelTarget {
  /** Functions of the module that it calls. */
  readonly exported: readonly string[]
  /** Inputs to begin with. */
  readonly seeds: () => Uint8Array[]
  /** Byte sequences that mean something. */
  readonly tokens: readonly Uint8Array[]
  /** Everything that the kernels say and write of an input. Throws where a kernel makes no progress or writes where it must not. */
  readonly run: (side: Side, input: Uint8Array) => unknown
}

export function demand(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}
