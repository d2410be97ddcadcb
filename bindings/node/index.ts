/**
 * What only Node has, for the codecs: reading sockets straight into the memory of the kernels, its zlib as the compression
 * of WebSocket, and its crypto as the cipher of HomeKit Data Stream.
 *
 * @packageDocumentation
 */
export { nodeCipher } from './cipher'
export { type NodeDeflateOptions, nodeDeflate } from './deflate'
export { type Attachment, attach, type Handlers } from './socket'
