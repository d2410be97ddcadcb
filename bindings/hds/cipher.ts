import { usageError } from '../core/errors'

/**
 * ChaCha20-Poly1305 (RFC 8439) in the shape of `@noble/ciphers`, whose `chacha20poly1305` is one. `decrypt` throws where the tag
 * is not that of the rest, and gives no plaintext before it has compared them.
 */
export type Cipher = (
  key: Uint8Array,
  nonce: Uint8Array,
  aad?: Uint8Array,
) => {
  /** Ciphertext and tag; into `output`, where it is given. */
  encrypt(plaintext: Uint8Array, output?: Uint8Array): Uint8Array
  /** Of ciphertext and tag; into `output`, where it is given. */
  decrypt(ciphertext: Uint8Array, output?: Uint8Array): Uint8Array
}

/** The part of Node's crypto that is used. */
export interface NodeCrypto {
  createCipheriv(
    name: 'chacha20-poly1305',
    key: Uint8Array,
    nonce: Uint8Array,
    options: { authTagLength: 16 },
  ): NodeSeal
  createDecipheriv(
    name: 'chacha20-poly1305',
    key: Uint8Array,
    nonce: Uint8Array,
    options: { authTagLength: 16 },
  ): NodeOpen
}
interface NodeSeal {
  setAAD(aad: Uint8Array, options: { plaintextLength: number }): unknown
  update(plaintext: Uint8Array): Uint8Array
  final(): Uint8Array
  getAuthTag(): Uint8Array
}
interface NodeOpen {
  setAAD(aad: Uint8Array, options: { plaintextLength: number }): unknown
  setAuthTag(tag: Uint8Array): unknown
  update(ciphertext: Uint8Array): Uint8Array
  final(): Uint8Array
}

const NAME = 'chacha20-poly1305'
const TAG_BYTES = 16
const OPTIONS = { authTagLength: TAG_BYTES } as const

/** Bytes as a plain Uint8Array of their own memory, or in `output`. */
function given(bytes: Uint8Array, output: Uint8Array | undefined): Uint8Array {
  if (output) {
    output.set(bytes)
    return output
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The cipher of Node's crypto. */
export function cipherOfNode(crypto: NodeCrypto): Cipher {
  return (key, nonce, aad = new Uint8Array(0)) => ({
    encrypt(plaintext, output = new Uint8Array(plaintext.length + TAG_BYTES)) {
      const cipher = crypto.createCipheriv(NAME, key, nonce, OPTIONS)
      cipher.setAAD(aad, { plaintextLength: plaintext.length })
      output.set(cipher.update(plaintext))
      cipher.final()
      output.set(cipher.getAuthTag(), plaintext.length)
      return output
    },
    decrypt(ciphertext, output) {
      const length = ciphertext.length - TAG_BYTES
      const decipher = crypto.createDecipheriv(NAME, key, nonce, OPTIONS)
      decipher.setAAD(aad, { plaintextLength: length })
      decipher.setAuthTag(ciphertext.subarray(length))
      const plaintext = decipher.update(ciphertext.subarray(0, length))
      // Throws unless the tag is right: only then may anyone see the plaintext.
      decipher.final()
      return given(plaintext, output)
    },
  })
}

/** What Node, Deno and Bun have of their own; undefined in browsers, and in Electron, whose crypto lacks the cipher. */
function ownCipher(): Cipher | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const crypto = process?.getBuiltinModule?.('node:crypto') as
    | (NodeCrypto & { getCiphers?: () => readonly string[] })
    | undefined
  if (typeof crypto?.createCipheriv !== 'function' || !crypto.getCiphers?.().includes(NAME)) return undefined
  return cipherOfNode(crypto)
}

let own: Cipher | undefined | null = null

/** The given cipher, or that of the runtime. Throws WT_USAGE where there is neither. */
export function cipherOf(cipher: Cipher | undefined): Cipher {
  if (cipher !== undefined) {
    if (typeof cipher !== 'function') throw usageError('hds', 'cipher must be a function')
    return cipher
  }
  if (own === null) own = ownCipher()
  if (!own) throw usageError('hds', 'this runtime has no ChaCha20-Poly1305: give a cipher, that of wiretape/noble')
  return own
}
