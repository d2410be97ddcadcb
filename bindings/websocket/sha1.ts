/**
 * SHA-1 (FIPS 180-4) of a short text of ASCII, as the handshake asks for it (RFC 6455, section 4.2.2); the runtimes' own
 * one is asynchronous. It protects nothing: it shows that the server understood the request.
 */
export function sha1(text: string): Uint8Array {
  const { length } = text
  const blocks = (length + 8 + 64) >>> 6
  const message = new DataView(new ArrayBuffer(blocks << 6))
  for (let i = 0; i < length; i++) message.setUint8(i, text.charCodeAt(i))
  message.setUint8(length, 0x80)
  message.setUint32((blocks << 6) - 4, length << 3)
  const hash = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0])
  const words = new Int32Array(80)
  for (let block = 0; block < blocks; block++) {
    for (let t = 0; t < 16; t++) words[t] = message.getInt32((block << 6) + (t << 2))
    for (let t = 16; t < 80; t++) {
      words[t] = rotated(words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!, 1)
    }
    let [a, b, c, d, e] = hash as unknown as [number, number, number, number, number]
    for (let t = 0; t < 80; t++) {
      const [mixed, constant] =
        t < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : t < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : t < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6]
      const next = (rotated(a, 5) + mixed + e + constant + words[t]!) | 0
      e = d
      d = c
      c = rotated(b, 30)
      b = a
      a = next
    }
    hash[0]! += a
    hash[1]! += b
    hash[2]! += c
    hash[3]! += d
    hash[4]! += e
  }
  const digest = new DataView(new ArrayBuffer(20))
  for (let i = 0; i < 5; i++) digest.setInt32(i << 2, hash[i]!)
  return new Uint8Array(digest.buffer)
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))
