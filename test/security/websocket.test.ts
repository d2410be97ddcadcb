import { beforeEach, describe, expect, it } from 'vitest'
import { nodeDeflate } from '../../bindings/node/index'
import { Decoder, decodeAll, encode, type Message, WireError } from '../../bindings/websocket/index'
import { faultOf } from '../fault'
import { backends, count, expectLinear, retained } from './measure'
import { inChunks, join, repeated as many, SEGMENT } from './streams'

const KEY = [1, 2, 3, 4]
/** A frame of a client with an empty or short payload. */
const frame = (first: number, length = 0): Uint8Array =>
  Uint8Array.from([first, 0x80 | length, ...KEY, ...new Array<number>(length).fill(9)])
const server = (limits = {}) => new Decoder({ role: 'server', limits })
const fragments = (length: number, times: number) => join(frame(0x02, length), many(frame(0x00, length), times))

describe.each(backends)('WebSocket under attack, %s', (backend) => {
  beforeEach(() => count(backend))

  it.each([
    ['byte by byte', 1, 10_000, 60],
    ['in segments', SEGMENT, 1_000_000, 2],
  ])('takes a frame that comes %s in work that grows with its bytes', (_, size, least, steps) => {
    expectLinear(
      least,
      steps,
      (length) => inChunks(encode({ type: 'binary', data: new Uint8Array(length) }, { role: 'client' }), size),
      ({ chunks, bytes }) => {
        const decoder = server()
        for (const chunk of chunks) decoder.push(chunk)
        expect((decoder.read() as Message & { data: Uint8Array }).data.length).toBeGreaterThan(bytes - 20)
      },
    )
  })

  it.each([0, 1])('takes messages of fragments of %i bytes in work that grows with their bytes', (length) => {
    expectLinear(
      4000,
      30,
      (size) => {
        const wire = join(fragments(length, size), frame(0x80))
        return { wire, bytes: wire.length }
      },
      ({ wire }) => {
        expect(decodeAll(wire, { role: 'server' })).toHaveLength(1)
      },
    )
  })

  it.each([0, 1])('keeps no more of fragments of %i bytes than their payload', (length) => {
    const wire = fragments(length, 100_000)
    const each = retained(20, () => {
      const decoder = server()
      for (let at = 0; at < wire.length; at += 1000) decoder.push(wire.subarray(at, at + 1000))
      expect(decoder.buffered).toBe(length * 100_001)
      return decoder
    })
    expect(each).toBeLessThan(length * 3 * 100_000 + 20_000)
  })

  it('stops at the fragment beyond maxFragments, empty ones counted', () => {
    const decoder = server({ maxFragments: 100 })
    decoder.push(join(frame(0x02), many(frame(0x00), 99)))
    expect(decoder.read()).toBeUndefined()
    decoder.push(frame(0x00))
    expect(faultOf(() => decoder.read()).code).toBe('WT_WEBSOCKET_TOO_MANY_FRAGMENTS')
    expect(decoder.buffered).toBe(0)
  })

  it('answers a flood of pings with work and memory that grow with its bytes', () => {
    expectLinear(
      2000,
      40,
      (size) => {
        const wire = many(frame(0x89, 1), size)
        return { wire, size, bytes: wire.length }
      },
      ({ wire, size }) => {
        expect(server().push(wire).readAll()).toHaveLength(size)
      },
    )
    const wire = many(frame(0x89, 1), 5000)
    const each = retained(20, () => {
      const decoder = server()
      expect(decoder.push(wire).readAll()).toHaveLength(5000)
      return decoder
    })
    expect(each).toBeLessThan(20_000)
  })

  it.each([
    ['2^24 bytes and one', [0, 0, 0, 0, 1, 0, 0, 1]],
    ['2^32 bytes', [0, 0, 0, 1, 0, 0, 0, 0]],
    ['2^53 bytes', [0, 0x20, 0, 0, 0, 0, 0, 0]],
    ['2^63 - 1 bytes', [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['2^63 bytes', [0x80, 0, 0, 0, 0, 0, 0, 0]],
  ])('allocates nothing for a frame that claims %s', (_, length) => {
    const each = retained(50, () => {
      const decoder = server()
      decoder.push(Uint8Array.from([0x82, 0xff, ...length, ...KEY, 1, 2, 3]))
      expect(WireError.is(faultOf(() => decoder.read()))).toBe(true)
      return decoder
    })
    expect(each).toBeLessThan(20_000)
  })

  it('keeps for a frame that stays away what came of it, however long it says it is', () => {
    const each = retained(50, () => {
      const decoder = server()
      decoder.push(Uint8Array.from([0x82, 0xff, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, ...KEY, 1, 2, 3]))
      expect(decoder.read()).toBeUndefined()
      return decoder
    })
    expect(each).toBeLessThan(150_000)
  })

  it('keeps of a large chunk no more than the small message that was read from it', () => {
    const wire = join(
      encode({ type: 'binary', data: new Uint8Array(10) }, { role: 'client' }),
      many(frame(0x8a), 10_000),
    )
    const [message] = server().push(wire).readAll()
    expect((message as { data: Uint8Array }).data.buffer.byteLength).toBe(10)
  })

  it('makes of a message of zlib that would become a thousand times as much no more than the limit', () => {
    const params = {
      clientMaxWindowBits: 15,
      serverMaxWindowBits: 15,
      clientNoContextTakeover: true,
      serverNoContextTakeover: true,
    }
    const wire = encode(
      { type: 'binary', data: new Uint8Array(8_000_000) },
      { role: 'client', deflate: nodeDeflate(params) },
    )
    expect(wire.length).toBeLessThan(10_000)
    const each = retained(20, () => {
      const decoder = new Decoder({
        role: 'server',
        deflate: nodeDeflate(params),
        limits: { maxMessageBytes: 1_000_000 },
      })
      expect(faultOf(() => decoder.push(wire).read()).code).toBe('WT_WEBSOCKET_MESSAGE_TOO_BIG')
      return decoder
    })
    expect(each).toBeLessThan(100_000)
  })

  it('asks the adapter to inflate no more than the limit', () => {
    let most = 0
    let made = 0
    const deflate = {
      params: {
        clientMaxWindowBits: 15,
        serverMaxWindowBits: 15,
        clientNoContextTakeover: true,
        serverNoContextTakeover: true,
      },
      inflate: (_data: Uint8Array, _dictionary: Uint8Array, _windowBits: number, maxBytes: number) => {
        most = maxBytes
        made++
        return undefined
      },
      deflate: () => new Uint8Array(0),
    }
    const decoder = new Decoder({ role: 'server', deflate, limits: { maxMessageBytes: 1000 } })
    decoder.push(frame(0xc2, 100))
    expect(faultOf(() => decoder.read()).code).toBe('WT_WEBSOCKET_MESSAGE_TOO_BIG')
    expect([made, most]).toEqual([1, 1000])
  })
})
