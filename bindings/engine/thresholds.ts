/**
 * From how many bytes of input on a kernel is faster as WebAssembly, copy in and call included; below, `auto` takes its
 * JavaScript form. Found by bench/thresholds.
 */
export const THRESHOLDS = {
  katcpScan: 0,
  katcpUnescape: 0,
  katcpNumbers: 0,
  katcpEscape: 16,
  hpackDecode: 0,
  hpackEncode: 0,
  hpackHuffman: 0,
  wsScan: 1,
  wsUnmask: 62,
  wsEncode: 0,
  dbusScan: 0,
  dbusWalk: 0,
  hdsScan: 0,
  hdsPackInts: 0,
} as const
