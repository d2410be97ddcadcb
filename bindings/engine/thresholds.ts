/**
 * From how many bytes of input on a kernel is faster as WebAssembly, copy in and call included; below, `auto` takes its
 * JavaScript form. Found by bench/thresholds.
 */
export const THRESHOLDS = {
  katcpScan: 0,
  katcpUnescape: 96,
  katcpNumbers: 64,
  katcpEscape: 96,
} as const
