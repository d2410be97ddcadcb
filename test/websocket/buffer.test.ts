import { describe, expect, it } from 'vitest'
import { useBackend } from '../../bindings/index'
import { Decoder, encode } from '../../bindings/websocket/index'

/** Node's sockets give Buffers, whose `slice` is a view: a copy has to be one all the same. */
describe.each(['wasm', 'js'] as const)('chunks that are Buffers, %s', (backend) => {
  it('are copied', () => {
    useBackend(backend)
    const payload = Uint8Array.from({ length: 100 }, (_, i) => i)
    for (const type of ['ping', 'pong', 'binary'] as const) {
      const chunk = Buffer.from(encode({ type, data: payload }, { role: 'server' }))
      const decoder = new Decoder({ role: 'client' })
      const message = decoder.push(chunk).read() as { data: Uint8Array }
      chunk.fill(0xff)
      expect([...message.data], type).toEqual([...payload])
      expect(Object.getPrototypeOf(message.data)).toBe(Uint8Array.prototype)
    }
  })
})
