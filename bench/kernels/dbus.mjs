// Inputs of growing size for each D-Bus kernel that `auto` chooses a backend for. See ../thresholds.mjs.
import { decode, decodeBody, encode, encodeBody, methodReturn, variant } from 'wiretape/dbus'

const VARIANTS = 8
const variants = (make) => Array.from({ length: VARIANTS }, (_, seed) => make(seed + 1))
const LEAST_HEADER = encode(methodReturn({ serial: 1 }, 1)).length

/** The smallest reply, its header grown by a sender. */
function header(bytes, seed) {
  const length = Math.min(255, Math.max(0, bytes - LEAST_HEADER - 9))
  const sender = length < 5 ? undefined : `:1.${String(seed).repeat(length - 3)}`
  return encode({ type: 'methodReturn', serial: seed, replySerial: 1, sender })
}

/** Properties, as many as there is room for: about 24 bytes each. */
function properties(bytes, seed) {
  const count = Math.max(1, Math.round((bytes - 8) / 24))
  return encodeBody('a{sv}', [Array.from({ length: count }, (_, i) => [`key${i % 20}`, variant('u', seed + i)])])
}

/** `bytes` says what the threshold is compared with; `run` takes one of `inputs`. */
export const kernels = [
  {
    name: 'dbusScan',
    bytes: 'of a message without body',
    inputs: (bytes) => variants((seed) => header(bytes, seed)),
    size: (message) => message.length,
    run: (message) => decode(message, { bytes: 'view' }).serial,
  },
  {
    name: 'dbusWalk',
    bytes: 'of a body: a dictionary',
    inputs: (bytes) => variants((seed) => properties(bytes, seed)),
    size: (body) => body.length,
    run: (body) => decodeBody('a{sv}', body).length,
  },
]
