/**
 * ChaCha20-Poly1305 of HomeKit Data Stream in JavaScript, for runtimes whose own crypto lacks it. Needs the package
 * `@noble/ciphers`.
 *
 * @packageDocumentation
 */
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { Cipher } from '../hds/cipher'

/** The cipher to be given to Decoder, Encoder, `sealFrame` and `openFrame`. */
export const nobleCipher: Cipher = chacha20poly1305
