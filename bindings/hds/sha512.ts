/*
 * SHA-512 (FIPS 180-4) and HMAC and HKDF over it (RFC 2104, RFC 5869), for the few blocks of a key derivation: the runtimes'
 * own ones are asynchronous, or Node's alone.
 */

const MASK = (1n << 64n) - 1n
const BLOCK = 128

/** The first 64 bits behind the point of the nth root of a prime. */
function fraction(prime: bigint, root: bigint): bigint {
  // The largest x with x^root ≤ prime × 2^(64 root), bit by bit from above.
  const goal = prime << (64n * root)
  let x = 0n
  for (let bit = 1n << 68n; bit > 0n; bit >>= 1n) if ((x + bit) ** root <= goal) x += bit
  return x & MASK
}

interface Constants {
  readonly start: readonly bigint[]
  readonly rounds: readonly bigint[]
}
let constants: Constants | undefined

function makeConstants(): Constants {
  const primes: bigint[] = []
  for (let n = 2n; primes.length < 80; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n)
  return {
    start: primes.slice(0, 8).map((prime) => fraction(prime, 2n)),
    rounds: primes.map((prime) => fraction(prime, 3n)),
  }
}

const turned = (word: bigint, by: bigint): bigint => ((word >> by) | (word << (64n - by))) & MASK

/** The hash of all parts, one after the other. */
export function sha512(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  constants ??= makeConstants()
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const padded = new Uint8Array(Math.ceil((length + 17) / BLOCK) * BLOCK)
  let at = 0
  for (const part of parts) {
    padded.set(part, at)
    at += part.length
  }
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n)
  const hash = [...constants.start]
  const words = new Array<bigint>(80)
  for (let block = 0; block < padded.length; block += BLOCK) {
    for (let t = 0; t < 16; t++) words[t] = view.getBigUint64(block + t * 8)
    for (let t = 16; t < 80; t++) {
      const a = words[t - 15]!
      const b = words[t - 2]!
      const low = turned(a, 1n) ^ turned(a, 8n) ^ (a >> 7n)
      const high = turned(b, 19n) ^ turned(b, 61n) ^ (b >> 6n)
      words[t] = (words[t - 16]! + low + words[t - 7]! + high) & MASK
    }
    let [a, b, c, d, e, f, g, h] = hash as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint]
    for (let t = 0; t < 80; t++) {
      const mixed = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n)
      const chosen = (e & f) ^ (~e & MASK & g)
      const first = (h + mixed + chosen + constants.rounds[t]! + words[t]!) & MASK
      const second = (turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + first) & MASK
      d = c
      c = b
      b = a
      a = (first + second) & MASK
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i]! + word) & MASK
  }
  const digest = new DataView(new ArrayBuffer(64))
  for (let i = 0; i < 8; i++) digest.setBigUint64(i * 8, hash[i]!)
  return new Uint8Array(digest.buffer)
}

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const short = key.length > BLOCK ? sha512(key) : key
  const inner = new Uint8Array(BLOCK).fill(0x36)
  const outer = new Uint8Array(BLOCK).fill(0x5c)
  for (let i = 0; i < short.length; i++) {
    inner[i]! ^= short[i]!
    outer[i]! ^= short[i]!
  }
  return sha512(outer, sha512(inner, ...parts))
}

/** HKDF-SHA-512 of at most 64 bytes: one round of its expansion is enough. */
export const hkdf = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array<ArrayBuffer> =>
  hmac(hmac(salt, secret), info, Uint8Array.of(1)).slice(0, length)
