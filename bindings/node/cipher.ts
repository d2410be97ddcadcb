import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type Cipher, cipherOfNode, type NodeCrypto } from '../hds/cipher'

/** ChaCha20-Poly1305 of Node's crypto, as sessions of HomeKit Data Stream use it unless they are given another. */
export const nodeCipher: Cipher = cipherOfNode({ createCipheriv, createDecipheriv } as unknown as NodeCrypto)
