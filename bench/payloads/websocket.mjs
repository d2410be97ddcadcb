// WebSocket frames as peers send them, and what they hold. Nothing here depends on any contender.
import { below, random } from '../random.mjs'

/** Unmasking in place turns a payload into what it is XOR the key: with this key ASCII stays ASCII, so that a chunk can be read again. */
export const TEXT_KEY = [0x15, 0x2a, 0x0b, 0x13]
export const KEY = [0x37, 0xfa, 0x21, 0x3d]

export function binary(length, seed = 1) {
  const next = random(seed + length)
  return Buffer.from(Array.from({ length }, () => below(next, 256)))
}

/** Lines of JSON, ASCII alone. */
export function ascii(length) {
  const line = '{"id":18734,"sensor":"unifi-ap-7","rssi":-67,"ok":true,"name":"living room"},'
  return Buffer.from(line.repeat(Math.ceil(length / line.length)).slice(0, length))
}

/** Messages that a feed of prices sends: alike, but none the same. */
export function prices(length, count, seed) {
  const next = random(seed)
  return Array.from({ length: count }, () => {
    let text = ''
    while (text.length < length) {
      text += `{"e":"trade","s":"SYM${below(next, 40)}","p":"${below(next, 1_000_000) / 100}","q":${below(next, 5000)}},`
    }
    return Buffer.from(text.slice(0, length))
  })
}

/** One frame (RFC 6455, section 5.2). */
export function frame(payload, { opcode = 2, fin = true, rsv1 = false, key } = {}) {
  const { length } = payload
  const extended = length > 65_535 ? 8 : length > 125 ? 2 : 0
  const bytes = Buffer.alloc(2 + extended + (key ? 4 : 0) + length)
  bytes[0] = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode
  bytes[1] = (key ? 0x80 : 0) | (extended === 8 ? 127 : extended === 2 ? 126 : length)
  if (extended === 2) bytes.writeUInt16BE(length, 2)
  else if (extended === 8) bytes.writeBigUInt64BE(BigInt(length), 2)
  const start = bytes.length - length
  if (key) bytes.set(key, start - 4)
  for (let i = 0; i < length; i++) bytes[start + i] = key ? payload[i] ^ key[i & 3] : payload[i]
  return bytes
}

/** As many of a frame as fit a chunk of 64 KiB. */
export function chunkOf(one) {
  return Buffer.concat(new Array(Math.floor(65_536 / one.length)).fill(one))
}

/** A message in `count` frames. */
export function fragments(payload, count, key) {
  const size = payload.length / count
  return Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      frame(payload.subarray(i * size, (i + 1) * size), { opcode: i === 0 ? 2 : 0, fin: i === count - 1, key }),
    ),
  )
}

/** The bytes in pieces of their own memory. */
export function pieces(bytes, size) {
  const list = []
  for (let at = 0; at < bytes.length; at += size) list.push(Buffer.from(bytes.subarray(at, at + size)))
  return list
}
