/**
 * What only Node has, for the codecs: reading sockets straight into the memory of the kernels, and its zlib as the compression
 * of WebSocket.
 *
 * @packageDocumentation
 */
export { type NodeDeflateOptions, nodeDeflate } from './deflate'
export { type Attachment, attach, type Handlers } from './socket'
