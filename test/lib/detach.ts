import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const { port1, port2 } = new MessageChannel()
port1.unref()
port2.unref()

/**
 * Takes memory away, as a transfer to a worker does. Not by structuredClone: on Node 20, optimised code goes on to see the length
 * that there was.
 */
export function detach(buffer: ArrayBufferLike): void {
  port1.postMessage(0, [buffer as ArrayBuffer])
  receiveMessageOnPort(port2)
}
