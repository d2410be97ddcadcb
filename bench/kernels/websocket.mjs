// Inputs of growing size for each WebSocket kernel that `auto` chooses a backend for. See ../thresholds.mjs.
import { Decoder, Encoder } from 'wiretape/websocket'
import { ascii, binary, frame, KEY, TEXT_KEY } from '../payloads/websocket.mjs'

const VARIANTS = 8
const variants = (make) => Array.from({ length: VARIANTS }, (_, seed) => make(seed + 1))
/** One connection, read to the end of each chunk. A frame that is read in place is unmasked; the next time it is masked again. */
const decoder = new Decoder({ role: 'server', bytes: 'view' })
const read = (chunk) => decoder.push(chunk).read().data.length
const encoder = new Encoder({ role: 'client' })

/** `bytes` says what the threshold is compared with; `run` takes one of `inputs`. */
export const kernels = [
  {
    name: 'wsScan',
    bytes: 'of a chunk: one text frame',
    inputs: (bytes) => variants(() => frame(ascii(Math.max(1, bytes - 6)), { opcode: 1, key: TEXT_KEY })),
    size: (chunk) => chunk.length,
    run: read,
  },
  {
    name: 'wsUnmask',
    bytes: 'of a payload: one binary frame',
    inputs: (bytes) => variants((seed) => frame(binary(bytes, seed), { key: KEY })),
    size: (chunk) => chunk.length - (chunk.length > 131 ? 8 : 6),
    run: read,
  },
  {
    name: 'wsEncode',
    bytes: 'of a payload',
    inputs: (bytes) => variants((seed) => ({ type: 'binary', data: new Uint8Array(binary(bytes, seed)) })),
    size: ({ data }) => data.length,
    run: (message) => encoder.encode(message).length,
  },
]
