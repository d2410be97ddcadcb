import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Cipher,
  Decoder,
  DecoderStream,
  dataSend,
  decodeStream,
  deriveKeys,
  Encoder,
  EncoderStream,
  encodeMessage,
  event,
  type Keys,
  openFrame,
  request,
  response,
  sealFrame,
} from '../../bindings/hds/index'
import { sha512 } from '../../bindings/hds/sha512'
import { type Backend, useBackend } from '../../bindings/index'
import { nobleCipher } from '../../bindings/noble/index'
import { nodeCipher } from '../../bindings/node/index'
import { faultOf } from '../fault'
import { Random } from '../random'
import { fromHex, toHex, vectorJson } from '../vectors'
import { type BytesForm, bytesOf, type Case, codeOf, pattern } from './words'

interface FrameCase extends Case {
  readonly sharedSecret: string
  readonly controllerKeySalt: string
  readonly accessoryKeySalt: string
  readonly accessoryToController: string
  readonly controllerToAccessory: string
  readonly steps: readonly { open: string; error?: string; payload?: string; counterAfter?: string }[]
  readonly payloads: readonly BytesForm[]
  readonly chunkSizes: number | readonly number[]
  readonly tail: string
  readonly streamSha256: string
  readonly streamByteLength: number
  readonly expect: { payloadCount: number; bytesLeft: number }
}

const cases = ['frames', 'framing'].flatMap((name) => vectorJson<{ cases: FrameCase[] }>(`hds/${name}.json`).cases)
const of = (...ops: string[]) =>
  cases.filter(({ op }) => ops.includes(op)).map((vector) => [vector.id, vector] as const)

const KEYS: Keys = { accessoryToController: pattern(1, 32), controllerToAccessory: pattern(2, 32) }
const OTHER: Keys = { accessoryToController: pattern(3, 32), controllerToAccessory: pattern(4, 32) }
const both = (key: Uint8Array): Keys => ({ accessoryToController: key, controllerToAccessory: key })

/** The nonce and additional data of a frame, which a cipher is given. */
const CIPHERS: readonly (readonly [string, Cipher | undefined])[] = [
  ['that of the runtime', undefined],
  ['nodeCipher', nodeCipher],
  ['nobleCipher', nobleCipher],
]

describe.each(CIPHERS)('frames of HDS, cipher: %s', (_name, cipher) => {
  it.each(of('frame'))('seals and opens %s', (_, { key, counter, payload, frame }) => {
    const plain = bytesOf(payload!)
    const wanted = sealFrame(plain, fromHex(key!), BigInt(counter!), { cipher, maxPayloadBytes: 0xffffff })
    if (frame!.hex !== undefined) expect(toHex(wanted)).toBe(frame!.hex)
    else expect(createHash('sha256').update(wanted).digest('hex')).toBe(frame!.sha256)
    const opened = openFrame(wanted, fromHex(key!), BigInt(counter!), { cipher })
    expect(toHex(opened)).toBe(toHex(plain))
    expect(Object.getPrototypeOf(opened)).toBe(Uint8Array.prototype)
  })

  it.each(of('frame-open-error'))('refuses %s', (_, { key, counter, frame, error }) => {
    const bytes = bytesOf(frame!)
    expect(faultOf(() => openFrame(bytes, fromHex(key!), BigInt(counter!), { cipher })).code).toBe(codeOf(error!))
  })

  it.each(of('frame-header-ok', 'frame-header-error'))('takes the length of %s', (_, { header, error }) => {
    const fault = faultOf(() => openFrame(fromHex(header!), KEYS.accessoryToController, 0, { cipher }))
    expect(fault.code).toBe(error ? codeOf(error) : 'WT_TRUNCATED')
    const decoder = new Decoder({
      role: 'accessory',
      keys: KEYS,
      cipher,
      limits: { maxUnauthenticatedBytes: 0xfffff },
    }).push(fromHex(header!))
    if (error) expect(faultOf(() => decoder.read()).code).toBe(codeOf(error))
    else expect(decoder.read()).toBeUndefined()
  })

  it.each(of('frame-sequence'))('opens in order: %s', (_, { key, steps }) => {
    let counter = 0
    for (const { open, error, payload, counterAfter } of steps) {
      const run = () => openFrame(fromHex(open), fromHex(key!), counter, { cipher })
      if (error) expect(faultOf(run).code).toBe(codeOf(error))
      else {
        expect(toHex(run())).toBe(payload)
        counter++
        expect(counter).toBe(Number(counterAfter))
      }
    }
  })

  it.each(of('frame-stream'))('reassembles %s', (_, vector) => {
    const key = fromHex(vector.key!)
    const payloads = vector.payloads.map(bytesOf)
    const stream = Buffer.concat([
      ...payloads.map((payload, i) => sealFrame(payload, key, i, { cipher })),
      fromHex(vector.tail),
    ])
    expect(stream.length).toBe(vector.streamByteLength)
    expect(createHash('sha256').update(stream).digest('hex')).toBe(vector.streamSha256)
    const limits = { maxUnauthenticatedBytes: 0xfffff }
    const decoder = new Decoder({ role: 'accessory', keys: both(key), cipher, emit: 'payloads', limits })
    const sizes = [vector.chunkSizes].flat()
    const read: Uint8Array[] = []
    for (let at = 0, i = 0; at < stream.length; i++) {
      const size = sizes[i % sizes.length]!
      const chunk = new Uint8Array(stream.subarray(at, at + size))
      decoder.push(chunk)
      chunk.fill(0xee)
      at += size
      if (i % 3 !== 1) read.push(...decoder.readAll())
    }
    read.push(...decoder.readAll())
    expect(read.length).toBe(vector.expect.payloadCount)
    expect(decoder.buffered).toBe(vector.expect.bytesLeft)
    expect(decoder.offset).toBe(stream.length - vector.expect.bytesLeft)
    for (const [i, payload] of read.entries()) expect(Buffer.compare(payload, payloads[i]!)).toBe(0)
    decoder.end()
    if (vector.expect.bytesLeft > 0) expect(faultOf(() => decoder.read()).code).toBe('WT_TRUNCATED')
    else expect(decoder.read()).toBeUndefined()
  })
})

describe('key derivation', () => {
  it.each(of('derive-keys'))('derives %s', (_, vector) => {
    const keys = deriveKeys(
      fromHex(vector.sharedSecret),
      fromHex(vector.controllerKeySalt),
      fromHex(vector.accessoryKeySalt),
    )
    expect(toHex(keys.accessoryToController)).toBe(vector.accessoryToController)
    expect(toHex(keys.controllerToAccessory)).toBe(vector.controllerToAccessory)
  })

  it('hashes like any other', () => {
    const random = new Random(7)
    for (const length of [0, 1, 111, 112, 113, 127, 128, 129, 239, 240, 1000]) {
      const bytes = random.bytes(length)
      expect(toHex(sha512(bytes.subarray(0, 5), bytes.subarray(5)))).toBe(
        createHash('sha512').update(bytes).digest('hex'),
      )
    }
  })

  it('refuses what is no key', () => {
    for (const keys of [undefined, {}, both(new Uint8Array(31)), both('x' as never)]) {
      expect(faultOf(() => new Decoder({ role: 'accessory', keys: keys as never })).kind).toBe('usage')
      expect(faultOf(() => new Encoder({ role: 'accessory', keys: keys as never })).kind).toBe('usage')
    }
    expect(faultOf(() => new Decoder({ role: 'accessory', keys: [] })).kind).toBe('usage')
    expect(faultOf(() => new Decoder({ role: 'camera' as never, keys: KEYS })).kind).toBe('usage')
    expect(faultOf(() => new Decoder({ keys: KEYS } as never)).kind).toBe('usage')
    expect(faultOf(() => new Decoder({ role: 'accessory', keys: KEYS, cipher: 5 as never })).kind).toBe('usage')
    expect(faultOf(() => sealFrame(new Uint8Array(1), new Uint8Array(5), 0)).kind).toBe('usage')
    for (const counter of [-1, 0.5, '1', Number.NaN]) {
      expect(faultOf(() => sealFrame(new Uint8Array(1), pattern(1, 32), counter as never)).kind).toBe('usage')
    }
    expect(faultOf(() => sealFrame(new Uint8Array(1), pattern(1, 32), 2n ** 64n)).code).toBe('WT_HDS_COUNTER')
  })
})

describe.each<Backend>(['wasm', 'js'])('sessions of HDS, %s', (backend) => {
  beforeEach(() => {
    expect(useBackend(backend)).toBe(backend)
  })

  const accessory = () => ({
    encoder: new Encoder({ role: 'accessory', keys: KEYS }),
    decoder: new Decoder({ role: 'accessory', keys: KEYS }),
  })
  const controller = () => ({
    encoder: new Encoder({ role: 'controller', keys: KEYS }),
    decoder: new Decoder({ role: 'controller', keys: KEYS }),
  })

  it('talks both ways, at any split and byte by byte', () => {
    const camera = accessory()
    const hub = controller()
    const hello = hub.encoder.encode(request('control', 'hello', 1))
    const stream = Buffer.concat([hello, hub.encoder.encode(dataSend.open(2, { streamId: 1, type: 'a', target: 'b' }))])
    for (let split = 0; split <= stream.length; split++) {
      camera.decoder.reset()
      const messages = [
        ...camera.decoder.push(stream.subarray(0, split)).readAll(),
        ...camera.decoder.push(stream.subarray(split)).readAll(),
      ]
      expect(messages.map(({ topic }) => topic)).toEqual(['hello', 'open'])
      expect(camera.decoder.keys).toBe(KEYS)
      expect(camera.decoder.counter).toBe(2n)
    }
    camera.decoder.reset()
    expect(camera.decoder.keys).toBeUndefined()
    const topics: string[] = []
    for (const byte of stream) for (const { topic } of camera.decoder.push(Uint8Array.of(byte))) topics.push(topic)
    expect(topics).toEqual(['hello', 'open'])
    hub.decoder.push(camera.encoder.encode(response(request('control', 'hello', 1n))))
    expect(hub.decoder.read()).toEqual({
      type: 'response',
      protocol: 'control',
      topic: 'hello',
      id: 1n,
      status: 0,
      body: {},
    })
  })

  it('advances two decoders in turn, with loop bodies that encode', () => {
    const streams = [5, 6].map((seed) => {
      const encoder = new Encoder({ role: 'controller', keys: KEYS })
      return encoder.encodeAll(
        Array.from({ length: 30 }, (_, i) => event('p', `t${i}`, { seed, i, text: 'é'.repeat(i) })),
      )
    })
    const [one, two] = streams.map((stream) => new Decoder({ role: 'accessory', keys: KEYS }).push(stream))
    for (let i = 0; i < 30; i++) {
      for (const [decoder, seed] of [
        [one!, 5],
        [two!, 6],
      ] as const) {
        const message = decoder.read()!
        encodeMessage(
          event('x', 'y', { list: Array.from({ length: 100 }, (_, n) => n * 1000), text: 'abc'.repeat(50) }),
        )
        expect(message).toMatchObject({ topic: `t${i}`, body: { seed, i, text: 'é'.repeat(i) } })
      }
    }
    expect([one!.read(), two!.read()]).toEqual([undefined, undefined])
  })

  it('finds the keys that the first frame was sealed with', () => {
    const frames = new Encoder({ role: 'controller', keys: OTHER }).encodeAll([event('a', 'b'), event('a', 'c')])
    const decoder = new Decoder({ role: 'accessory', keys: [KEYS, OTHER] })
    expect(decoder.push(frames).readAll().length).toBe(2)
    expect(decoder.keys).toBe(OTHER)
    decoder.reset()
    const wrong = new Decoder({ role: 'accessory', keys: [KEYS] }).push(frames)
    expect(faultOf(() => wrong.read()).code).toBe('WT_HDS_AUTHENTICATION')
    expect(wrong.counter).toBe(0n)
    // Keys that opened a frame are the only ones from then on.
    const mixed = Buffer.concat([
      new Encoder({ role: 'controller', keys: KEYS }).encode(event('a', 'b')),
      new Encoder({ role: 'controller', keys: OTHER, counter: 1 }).encode(event('a', 'c')),
    ])
    decoder.push(mixed)
    expect(decoder.read()).toMatchObject({ topic: 'b' })
    const fault = faultOf(() => decoder.read())
    expect([fault.code, faultOf(() => decoder.read())]).toEqual(['WT_HDS_AUTHENTICATION', fault])
  })

  it('names places in the stream, and gives what comes before a fault', () => {
    const encoder = new Encoder({ role: 'controller', keys: KEYS })
    const good = encoder.encode(event('a', 'b', { list: [1, 2, 3] }))
    const bad = sealFrame(fromHex('14e24870726f746f636f6c4161456576656e74416200'), KEYS.controllerToAccessory, 1)
    for (const chunk of [1, 7, 1000]) {
      const decoder = new Decoder({ role: 'accessory', keys: KEYS })
      const stream = Buffer.concat([good, bad])
      for (let at = 0; at < stream.length; at += chunk) decoder.push(stream.subarray(at, at + chunk))
      expect(decoder.read()).toMatchObject({ topic: 'b' })
      const fault = faultOf(() => decoder.read())
      expect([fault.code, fault.offset, fault.status]).toEqual(['WT_HDS_TAG', good.length + 4 + 21, 4])
    }
    const payloads = new Decoder({ role: 'accessory', keys: KEYS, emit: 'payloads' }).push(Buffer.concat([good, bad]))
    expect(payloads.readAll().length).toBe(2)
    const type = new Decoder({ role: 'accessory', keys: KEYS }).push(Buffer.concat([good, Uint8Array.of(2)]))
    type.read()
    expect(faultOf(() => type.read())).toMatchObject({ code: 'WT_HDS_FRAME_TYPE', offset: good.length })
  })

  it('keeps its limits, before it verifies and after', () => {
    const message = (size: number) => event('a', 'b', { data: new Uint8Array(size) })
    const overhead = encodeMessage(message(4000)).length - 4000
    const stream = (...sizes: number[]) =>
      new Encoder({ role: 'controller', keys: KEYS }).encodeAll(sizes.map((size) => message(size - overhead)))
    for (const [size, ok] of [
      [4095, true],
      [4096, true],
      [4097, false],
    ] as const) {
      const decoder = new Decoder({ role: 'accessory', keys: KEYS }).push(stream(size).subarray(0, ok ? undefined : 4))
      if (ok) expect(decoder.readAll().length).toBe(1)
      else {
        expect(faultOf(() => decoder.read())).toMatchObject({
          code: 'WT_HDS_UNAUTHENTICATED',
          offset: 1,
          limit: { name: 'maxUnauthenticatedBytes', max: 4096, actual: 4097 },
        })
      }
    }
    for (const [size, ok] of [
      [9999, true],
      [10_000, true],
      [10_001, false],
    ] as const) {
      const limits = { maxPayloadBytes: 10_000 }
      const decoder = new Decoder({ role: 'accessory', keys: KEYS, limits }).push(stream(500, size))
      expect(decoder.read()).toBeDefined()
      if (ok) expect(decoder.read()).toBeDefined()
      else expect(faultOf(() => decoder.read()).limit).toEqual({ name: 'maxPayloadBytes', max: 10_000, actual: 10_001 })
    }
    for (const [held, ok] of [
      [99, true],
      [100, true],
      [101, false],
    ] as const) {
      const decoder = new Decoder({ role: 'accessory', keys: KEYS, limits: { maxBufferedBytes: 100 } })
      const bytes = stream(3000)
      decoder.push(bytes.subarray(0, held))
      if (ok) expect(decoder.read()).toBeUndefined()
      else expect(faultOf(() => decoder.read()).code).toBe('WT_TOO_MUCH_BUFFERED')
    }
  })

  it('takes linear time for frames in pieces and for many frames', () => {
    const encoder = new Encoder({ role: 'controller', keys: KEYS })
    const first = encoder.encode(event('a', 'b'))
    const large = encoder.encode(event('a', 'c', { data: new Uint8Array(1_000_000) }))
    let copied = 0
    const counting: Cipher = (key, nonce, aad) => {
      const inner = nodeCipher(key, nonce, aad)
      return {
        ...inner,
        decrypt: (bytes) => {
          copied += bytes.length
          return inner.decrypt(bytes)
        },
      }
    }
    const decoder = new Decoder({ role: 'accessory', keys: KEYS, cipher: counting }).push(first)
    for (let at = 0; at < large.length; at += 1460) decoder.push(large.subarray(at, at + 1460))
    expect(decoder.readAll().length).toBe(2)
    expect(copied).toBe(first.length + large.length - 8)

    const count = 20_000
    const key = KEYS.controllerToAccessory
    const one = sealFrame(new Uint8Array(0), key, 0)
    const stream = new Uint8Array(one.length * count)
    for (let i = 0; i < count; i++) stream.set(one, i * one.length)
    const passing: Cipher = () => ({ encrypt: (bytes) => bytes, decrypt: () => new Uint8Array(0) })
    const many = new Decoder({ role: 'accessory', keys: KEYS, cipher: passing, emit: 'payloads' })
    expect(many.push(stream).readAll().length).toBe(count)
  })

  it('shows no plaintext of a frame that was changed', () => {
    const random = new Random(99)
    const frame = new Encoder({ role: 'controller', keys: KEYS }).encode(event('a', 'b', { secret: 'x'.repeat(100) }))
    for (let i = 0; i < 300; i++) {
      const changed = Uint8Array.from(frame)
      changed[4 + random.below(frame.length - 4)]! ^= 1 << random.below(8)
      const decoder = new Decoder({ role: 'accessory', keys: KEYS }).push(changed)
      const fault = faultOf(() => decoder.read())
      expect(fault.code).toBe('WT_HDS_AUTHENTICATION')
      expect(JSON.stringify(fault)).not.toContain('xxx')
      decoder.reset()
      expect(decoder.push(frame).readAll().length).toBe(1)
    }
  })

  it('uses up no counter where it throws', () => {
    const encoder = new Encoder({ role: 'accessory', keys: KEYS })
    const small = new Uint8Array(10).fill(0xee)
    expect(faultOf(() => encoder.encodeInto(event('a', 'b'), small)).code).toBe('WT_TARGET_TOO_SMALL')
    expect(small.every((byte) => byte === 0xee)).toBe(true)
    expect(faultOf(() => encoder.encode(event('a', 'b', { f: () => 1 }))).code).toBe('WT_HDS_VALUE')
    expect(encoder.counter).toBe(0n)
    const frame = encoder.encode(event('a', 'b'))
    expect(encoder.counter).toBe(1n)
    const target = new Uint8Array(frame.length + 3).fill(0xee)
    const again = new Encoder({ role: 'accessory', keys: KEYS })
    expect(again.encodeInto(event('a', 'b'), target, 2)).toBe(frame.length + 2)
    expect(toHex(target)).toBe(`eeee${toHex(frame)}ee`)
    expect(again.encodeChunks(event('a', 'b')).length).toBe(1)
    expect(faultOf(() => again.reset(KEYS)).kind).toBe('usage')
    again.reset(OTHER)
    expect(again.counter).toBe(0n)
    again.close()
    expect(faultOf(() => again.encode(event('a', 'b'))).kind).toBe('usage')
    const last = new Encoder({ role: 'accessory', keys: KEYS, counter: 2n ** 64n - 1n })
    last.encode(event('a', 'b'))
    expect(faultOf(() => last.encode(event('a', 'b'))).code).toBe('WT_HDS_COUNTER')
  })

  it('has streams', async () => {
    const messages = Array.from({ length: 5 }, (_, i) => event('a', `t${i}`, { data: pattern(i, 3000) }))
    const source = () =>
      new ReadableStream({
        start(control) {
          for (const message of messages) control.enqueue(message)
          control.close()
        },
      })
    const options = { role: 'controller', keys: KEYS } as const
    const frames = source().pipeThrough(new EncoderStream({ ...options, role: 'accessory' }))
    const topics: string[] = []
    for await (const message of decodeStream(frames, options)) topics.push(message.topic)
    expect(topics).toEqual(['t0', 't1', 't2', 't3', 't4'])
    const piped = source()
      .pipeThrough(new EncoderStream({ ...options, role: 'accessory' }))
      .pipeThrough(new DecoderStream(options))
    const reader = piped.getReader()
    expect((await reader.read()).value).toMatchObject({ topic: 't0', body: { data: pattern(0, 3000) } })
    await reader.cancel()
  })
})
