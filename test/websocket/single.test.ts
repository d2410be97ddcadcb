import { afterEach, describe, expect, it } from 'vitest'
import { useBackend } from '../../bindings/index'
import { type BinaryMessage, type DecodeOptions, Decoder, encode } from '../../bindings/websocket/index'
import { faultOf } from '../fault'
import { Random } from '../random'

afterEach(() => void useBackend('auto'))

const random = new Random(11)
const bytesOf = (length: number) => Uint8Array.from({ length }, () => random.below(256))
const sizes = [
  0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 47, 48, 95, 96, 97, 125, 126, 127, 1024, 8191, 8192, 65_535, 65_536, 70_000,
]

/** A frame with its length in 2, 4 or 10 bytes of header. */
function frame(payload: Uint8Array, key: number | undefined, form: 0 | 126 | 127): Uint8Array {
  const head = form === 0 ? [payload.length] : form === 126 ? [126, payload.length >>> 8, payload.length & 255] : [127]
  if (form === 127) head.push(0, 0, 0, 0, 0, payload.length >>> 16, (payload.length >>> 8) & 255, payload.length & 255)
  const wire = [0x82, ...head]
  if (key === undefined) return Uint8Array.from([...wire, ...payload])
  const keys = [key >>> 24, (key >>> 16) & 255, (key >>> 8) & 255, key & 255]
  wire[1]! |= 0x80
  return Uint8Array.from([...wire, ...keys, ...payload.map((byte, i) => byte ^ keys[i & 3]!)])
}
describe.each(['wasm', 'js', 'auto'] as const)('a chunk that is one whole message, %s', (backend) => {
  it.each(['copy', 'view'] as const)('comes as it does in pieces (%s)', (bytes) => {
    useBackend(backend)
    for (const role of ['server', 'client'] as const) {
      for (const size of sizes) {
        for (const key of role === 'client' ? [undefined] : [0, 0x01020304, 0xfffefdfc]) {
          for (const form of [0, 126, 127] as const) {
            if (size > (form === 0 ? 125 : form === 126 ? 65_535 : size)) continue
            const payload = bytesOf(size)
            const wire = frame(payload, key, form)
            // Behind other bytes of its buffer, as the sockets of Node give them.
            const chunk = Buffer.concat([Buffer.alloc(3), wire, Buffer.alloc(5)]).subarray(3, 3 + wire.length)
            const decoder = new Decoder({ role, bytes })
            const pieces = [...wire].slice(0, 3).map((byte) => Uint8Array.of(byte))
            for (const piece of [...pieces, wire.slice(3)]) decoder.push(piece)
            const slow = decoder.read() as BinaryMessage
            const fast = decoder.push(chunk).read() as BinaryMessage
            const where = `${role} ${size} ${key} ${form}`
            expect(fast.type, where).toBe('binary')
            expect(Object.getPrototypeOf(fast.data)).toBe(Uint8Array.prototype)
            expect(Buffer.compare(fast.data, payload), where).toBe(0)
            expect(Buffer.compare(slow.data, payload), where).toBe(0)
            expect(fast.data.buffer === chunk.buffer, where).toBe(bytes === 'view')
            if (bytes === 'copy') expect(Buffer.compare(chunk, wire), where).toBe(0)
            expect([decoder.offset, decoder.buffered, decoder.read()], where).toEqual([2 * wire.length, 0, undefined])
          }
        }
      }
    }
  })

  it('keeps to the limits', () => {
    useBackend(backend)
    const wire = (size: number) => encode({ type: 'binary', data: bytesOf(size) }, { role: 'client' })
    for (const [name, code] of [
      ['maxMessageBytes', 'WT_WEBSOCKET_MESSAGE_TOO_BIG'],
      ['maxFrameBytes', 'WT_WEBSOCKET_FRAME_TOO_BIG'],
    ] as const) {
      for (const max of [0, 10, 130]) {
        const options: DecodeOptions = { role: 'server', limits: { [name]: max } }
        expect(new Decoder(options).push(wire(max)).readAll().length).toBe(1)
        if (max > 0) expect(new Decoder(options).push(wire(max - 1)).readAll().length).toBe(1)
        const error = faultOf(() => new Decoder(options).push(wire(max + 1)).readAll())
        expect([error.code, error.status]).toEqual([code, 1009])
        expect(error.limit).toEqual({ name, max, actual: max + 1 })
      }
    }
  })

  it('is refused where it is masked wrongly, and read where a message is open', () => {
    useBackend(backend)
    const message = { type: 'binary', data: bytesOf(20) } as const
    for (const role of ['server', 'client'] as const) {
      const error = faultOf(() => new Decoder({ role }).push(encode(message, { role })).readAll())
      expect([error.code, error.offset, error.status]).toEqual([
        role === 'server' ? 'WT_WEBSOCKET_UNMASKED' : 'WT_WEBSOCKET_MASKED',
        1,
        1002,
      ])
    }
    const open = new Decoder({ role: 'client' }).push(Uint8Array.of(1, 1, 65))
    const error = faultOf(() => open.push(encode(message, { role: 'server' })).readAll())
    expect([error.code, error.offset]).toEqual(['WT_WEBSOCKET_EXPECTED_CONTINUATION', 3])
  })
})

describe('a long payload in small pieces', () => {
  it('is held up to the limit, at every byte', () => {
    for (const max of [99, 100, 101]) {
      const wire = encode({ type: 'binary', data: bytesOf(102) }, { role: 'client' })
      const decoder = new Decoder({ role: 'server', limits: { maxBufferedBytes: max } })
      let pushed = 0
      for (; pushed < 6 + max; pushed++) decoder.push(wire.subarray(pushed, pushed + 1))
      expect(decoder.read()).toBeUndefined()
      expect([decoder.buffered, decoder.offset]).toEqual([max, 6])
      decoder.push(wire.subarray(pushed, pushed + 1))
      if (max === 101) expect(decoder.readAll().length).toBe(1)
      else expect(faultOf(() => decoder.read()).limit).toEqual({ name: 'maxBufferedBytes', max, actual: max + 1 })
    }
  })
})

it('says what is no Deflate', () => {
  for (const deflate of [null, 5, {}, { params: null, inflate() {}, deflate() {} }] as never[]) {
    expect(faultOf(() => new Decoder({ role: 'server', deflate })).kind).toBe('usage')
  }
})
