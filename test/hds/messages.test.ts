import { beforeEach, describe, expect, it } from 'vitest'
import {
  control,
  dataSend,
  decodeMessage,
  decodeMessageAt,
  encodedMessageLength,
  encodeMessage,
  encodeMessageChunks,
  encodeMessageInto,
  event,
  int64,
  type Message,
  type MessageInput,
  Reason,
  reasonName,
  request,
  response,
  Status,
  statusName,
} from '../../bindings/hds/index'
import { type Backend, useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson } from '../vectors'
import { bytesOf, type Case, codeOf, inputOf, neutralOf, spelled } from './words'

const cases = ['messages', 'bugs'].flatMap((name) => vectorJson<{ cases: Case[] }>(`hds/${name}.json`).cases)
const of = (op: string) => cases.filter((vector) => vector.op === op).map((vector) => [vector.id, vector] as const)

function inputMessage({ message }: Case): MessageInput {
  const { kind, protocol, topic, id, status, message: body } = message!
  return {
    type: kind,
    protocol,
    topic,
    id: id === undefined ? undefined : BigInt(id),
    status: status === undefined ? undefined : Number(status),
    body: inputOf(body),
  }
}

describe.each<Backend>(['wasm', 'js'])('messages of HDS, %s', (backend) => {
  beforeEach(() => {
    expect(useBackend(backend)).toBe(backend)
  })

  it.each(of('message'))('reads and writes %s', (_, vector) => {
    const input = inputMessage(vector)
    const payload = bytesOf(vector.payload!)
    expect(toHex(encodeMessage(input))).toBe(toHex(payload))
    expect(encodedMessageLength(input)).toBe(payload.length)
    const target = new Uint8Array(payload.length + 2).fill(7)
    expect(encodeMessageInto(input, target, 1)).toBe(payload.length + 1)
    expect([target[0], target.at(-1)]).toEqual([7, 7])
    expect(toHex(target.slice(1, -1))).toBe(toHex(payload))
    expect(toHex(new Uint8Array(Buffer.concat(encodeMessageChunks(input))))).toBe(toHex(payload))

    const { kind, protocol, topic, id, status, message } = vector.message!
    for (const bytes of ['copy', 'view'] as const) {
      const read = decodeMessage(payload, { dict: 'pairs', bytes })
      expect(neutralOf(read.body)).toEqual(spelled(message, false))
      const { body: _body, ...head } = read
      expect(head).toEqual({
        type: kind,
        protocol,
        topic,
        ...(id === undefined ? {} : { id: BigInt(id) }),
        ...(status === undefined ? {} : { status: Number(status) }),
      })
    }
    const twice = new Uint8Array([...payload.subarray(0, 5000), ...payload.subarray(5000), ...payload.subarray(0, 10)])
    expect(decodeMessageAt(twice, 0)?.end).toBe(payload.length)
    expect(decodeMessageAt(payload.subarray(0, -1), 0)).toBeUndefined()
    for (let crop = 0; crop < Math.min(payload.length, 300); crop++) {
      const fault = faultOf(() => decodeMessage(payload.subarray(0, crop)))
      expect([fault.kind, fault.offset <= crop]).toEqual(['truncated', true])
    }
  })

  it.each(of('message-decode'))('refuses %s', (_, vector) => {
    const payload = bytesOf(vector.payload!)
    const fault = faultOf(() => decodeMessage(payload))
    expect(fault.code).toBe(codeOf(vector.error!))
    expect(fault.protocol).toBe('hds')
    expect(fault.offset).toBeLessThanOrEqual(payload.length)
  })

  it('says by its status what a request is owed', () => {
    const status = (hex: string) => faultOf(() => decodeMessage(fromHex(hex))).status
    expect(status('0108e0')).toBe(Status.headerError)
    expect(status('0200e0')).toBe(Status.headerError)
    expect(status('13e14870726f746f636f6c486461746153656e64e0')).toBe(Status.headerError)
    expect(status('0ce1456576656e744464617461e0')).toBe(Status.missingProtocol)
    expect(status('14e24870726f746f636f6c4161456576656e74416200')).toBe(Status.payloadError)
    expect(status('14e24870726f746f636f6c4161456576656e74416208')).toBe(Status.payloadError)
  })

  it('refuses headers that say two things, or lack an id or a status', () => {
    const payload = (header: object, body: unknown = {}) => {
      // Written as the body of another message, then cut out of it.
      const bytes = encodeMessage(event('', '', header as never))
      const head = bytes.subarray(1 + bytes[0]!)
      const rest = encodeMessage(event('', '', { x: body }))
      return Uint8Array.from([head.length, ...head, ...rest.subarray(1 + rest[0]! + 3)])
    }
    const code = (header: object, body?: unknown) => faultOf(() => decodeMessage(payload(header, body))).code
    expect(code({ protocol: 'a', event: 'b', request: 'c', id: 1 })).toBe('WT_HDS_MESSAGE_TYPE')
    expect(code({ protocol: 'a', event: 5 })).toBe('WT_HDS_MESSAGE_TYPE')
    expect(code({ protocol: 5, event: 'b' })).toBe('WT_HDS_MISSING_PROTOCOL')
    expect(code({ protocol: 'a', request: 'b' })).toBe('WT_HDS_HEADER')
    expect(code({ protocol: 'a', request: 'b', id: 'c' })).toBe('WT_HDS_HEADER')
    expect(code({ protocol: 'a', response: 'b', id: 1 })).toBe('WT_HDS_HEADER')
    expect(code({ protocol: 'a', response: 'b', id: 1, status: 0.5 })).toBe('WT_HDS_HEADER')
    expect(code({ protocol: 'a', event: 'b' }, [1])).toBe('WT_HDS_BODY')
    expect(
      decodeMessage(payload({ x: [1, { y: 2 }], protocol: 'a', request: 'b', id: 300, event: undefined })),
    ).toEqual({
      type: 'request',
      protocol: 'a',
      topic: 'b',
      id: 300n,
      body: {},
    })
  })

  it('keeps ids of 64 bits whatever the options', () => {
    const id = 2n ** 63n - 1n
    const payload = encodeMessage(request('a', 'b', id))
    for (const int64 of ['auto', 'bigint', 'number'] as const) {
      expect(decodeMessage(payload, { int64, types: 'tagged' })).toMatchObject({ id })
    }
    expect(faultOf(() => encodeMessage(request('a', 'b', id + 1n))).path).toBe('id')
    expect(faultOf(() => encodeMessage({ type: 'request', protocol: 'a', topic: 'b' })).path).toBe('id')
  })

  it('bounds header and payload', () => {
    const names = (protocol: number, topic: number) => event('p'.repeat(protocol), 't'.repeat(topic))
    expect(encodeMessage(names(117, 118))[0]).toBe(255)
    const long = faultOf(() => encodeMessage(names(117, 119)))
    expect([long.code, long.path]).toEqual([codeOf('header-too-long'), 'topic'])

    const ofSize = (size: number) => event('a', 'b', { data: new Uint8Array(size) })
    const overhead = encodedMessageLength(ofSize(1_000_000)) - 1_000_000
    expect(encodeMessage(ofSize(0xfffff - overhead)).length).toBe(0xfffff)
    for (const encode of [encodeMessage, encodedMessageLength, encodeMessageChunks]) {
      const large = faultOf(() => encode(ofSize(0x100000 - overhead)))
      expect(large.code).toBe(codeOf('payload-too-large'))
      expect(large.limit).toEqual({ name: 'maxPayloadBytes', max: 0xfffff, actual: 0x100000 })
    }
    const payload = encodeMessage(ofSize(0x100000 - overhead), { limits: { maxPayloadBytes: 0x100000 } })
    expect(faultOf(() => decodeMessage(payload)).limit?.actual).toBe(0x100000)
    expect(decodeMessage(payload, { limits: { maxPayloadBytes: 0x100000 } }).topic).toBe('b')
  })

  it('refuses what cannot be written, by its path', () => {
    const path = (input: unknown) => faultOf(() => encodeMessage(input as MessageInput)).path
    expect(path({ type: 'ask' })).toBe('type')
    expect(path({ type: 'event', topic: 'b' })).toBe('protocol')
    expect(path({ type: 'event', protocol: 'a' })).toBe('topic')
    expect(path(event('a', 'b', { c: [1, { d: () => 1 }] }))).toBe('body.c[1].d')
    expect(path(event('a', 'b', [1] as never))).toBe('body')
    expect(faultOf(() => encodeMessage(null as never)).kind).toBe('usage')
    expect(faultOf(() => encodeMessage(event('a', 'b'), { profile: 'opack' })).kind).toBe('usage')
    expect(toHex(encodeMessage({ type: 'event', protocol: 'a', topic: 'b' }))).toBe(
      toHex(encodeMessage(event('a', 'b'))),
    )
  })

  it('leaves a target alone that is too small', () => {
    const message = event('a', 'b', { data: new Uint8Array(20_000).fill(1) })
    const length = encodedMessageLength(message)
    const target = new Uint8Array(length + 9).fill(0xee)
    expect(faultOf(() => encodeMessageInto(message, target, 10)).code).toBe('WT_TARGET_TOO_SMALL')
    expect(target.every((byte) => byte === 0xee)).toBe(true)
    expect(encodeMessageInto(message, target, 9)).toBe(length + 9)
  })

  it('never copies a large packet for its pieces', () => {
    const data = new Uint8Array(0x40000 + 100).subarray(50, 50 + 0x40000)
    const message = event('dataSend', 'data', { streamId: 1, packets: [{ data, metadata: { isLastDataChunk: true } }] })
    const pieces = encodeMessageChunks(message)
    expect(pieces.length).toBe(3)
    expect(pieces[1]).toBe(data)
    expect(pieces[0]!.buffer).not.toBe(pieces[2]!.buffer)
    expect(Buffer.concat(pieces).equals(encodeMessage(message))).toBe(true)
  })
})

describe('the messages of dataSend', () => {
  const back = (message: MessageInput): Message => decodeMessage(encodeMessage(message))

  it('has helpers whose bytes are those of the vectors', () => {
    const hex = (id: string) => toHex(bytesOf(cases.find((vector) => vector.id === id)!.payload!))
    const open = { target: 'controller', type: 'ipcamera.recording', streamId: 1 }
    expect(toHex(encodeMessage(control.hello(1)))).toBe(hex('hello-request'))
    expect(toHex(encodeMessage(response(control.hello(1n))))).toBe(hex('seed-hello-response'))
    expect(toHex(encodeMessage(dataSend.open(2, open)))).toBe(hex('open-request'))
    expect(toHex(encodeMessage(dataSend.ack(1)))).toBe(hex('ack-event'))
    expect(toHex(encodeMessage(dataSend.close(1)))).toBe(hex('close-event'))
    expect(toHex(encodeMessage(dataSend.close(1, Reason.timeout)))).toBe(hex('close-event-timeout'))
    const busy = response(dataSend.open(3, open), { status: Reason.busy }, Status.protocolSpecificError)
    expect(toHex(encodeMessage(busy))).toBe(hex('open-response-busy'))
    expect(statusName(6)).toBe('protocolSpecificError')
    expect([reasonName(2), reasonName(10)]).toEqual(['busy', undefined])
  })

  it('reads what it writes', () => {
    const open = { streamId: 7, type: 'audio.siri', target: 'controller', reason: 'record' }
    for (const options of [{}, { dict: 'map' }, { dict: 'pairs' }, { types: 'tagged' }] as const) {
      const read = (message: MessageInput) => decodeMessage(encodeMessage(message), options) as Message
      expect(dataSend.readOpen(read(dataSend.open(1, open)))).toEqual(open)
      expect(dataSend.readClose(read(event('dataSend', 'close', { streamId: int64(7), reason: int64(6) })))).toEqual({
        streamId: 7,
        reason: 6,
      })
      expect(dataSend.readAck(read(dataSend.ack(3, false)))).toEqual({ streamId: 3, endOfStream: false })
    }
    expect(control.isHello(back(control.hello(5)))).toBe(true)
    expect(control.isHello(back(dataSend.ack(5)))).toBe(false)
    for (const wrong of [
      () => dataSend.readOpen(back(control.hello(1))),
      () => dataSend.readOpen(back(request('dataSend', 'open', 1, { streamId: 'x', type: 'a', target: 'b' }))),
      () => dataSend.readOpen(back(request('dataSend', 'open', 1, { streamId: 1, type: 2, target: 'b' }))),
      () => dataSend.readData(back(event('dataSend', 'data', { streamId: 1, packets: 5 }))),
      () => dataSend.readData(back(event('dataSend', 'data', { streamId: 1, packets: [{}] }))),
      () => dataSend.readClose(back(event('dataSend', 'close', { streamId: 1, reason: 'x' }))),
      () => dataSend.readAck(back(event('dataSend', 'ack', {}))),
    ]) {
      expect(faultOf(wrong).code).toBe('WT_HDS_SHAPE')
    }
  })

  const init = new Uint8Array(300).fill(1)
  const media = [new Uint8Array(1000).fill(2), new Uint8Array(0), new Uint8Array(512).fill(3)]
  const facts = (events: Iterable<MessageInput>) =>
    [...events].map((message) => {
      const { streamId, packets, endOfStream } = dataSend.readData(back(message))
      const { data, metadata } = packets[0]!
      expect([streamId, packets.length]).toEqual([9, 1])
      return [...Object.values(metadata), data.length, endOfStream]
    })

  it('cuts fragments into data events', () => {
    expect(facts(dataSend.events(9, [init, ...media], { chunkBytes: 512 }))).toEqual([
      ['mediaInitialization', 1, 1, true, 300, 300, false],
      ['mediaFragment', 2, 1, false, 1000, 512, false],
      ['mediaFragment', 2, 2, true, 488, false],
      ['mediaFragment', 3, 1, true, 0, 0, false],
      ['mediaFragment', 4, 1, true, 512, 512, true],
    ])
    // A long initialization segment stays one to its end.
    expect(facts(dataSend.events(9, [init], { chunkBytes: 200 })).map((fact) => fact[0])).toEqual([
      'mediaInitialization',
      'mediaInitialization',
    ])
    const [first] = dataSend.events(9, [init])
    expect(first!.body.packets[0]!.data.buffer).toBe(init.buffer)
  })

  it('always ends a stream', async () => {
    const ends = (events: readonly MessageInput[]) =>
      events.map((event) => (event.body as { endOfStream?: boolean }).endOfStream)
    expect(ends([...dataSend.events(1, [])])).toEqual([true])
    expect(ends([...dataSend.events(1, [init, { data: init, isLast: true }, init])])).toEqual([false, true])
    async function* source(...fragments: (Uint8Array | { data: Uint8Array; isLast?: boolean })[]) {
      yield* fragments
    }
    const collect = async (events: AsyncIterable<MessageInput>) => {
      const list = []
      for await (const item of events) list.push(item)
      return list
    }
    expect(ends(await collect(dataSend.events(1, source(init, init))))).toEqual([false, false, true])
    expect(ends(await collect(dataSend.events(1, source(init, { data: new Uint8Array(0), isLast: true }))))).toEqual([
      false,
      true,
    ])
  })

  it('refuses a fragment that is none, and nonsense sizes', () => {
    for (const bad of [undefined, null, { data: undefined }, 'text']) {
      const fault = faultOf(() => [...dataSend.events(1, [init, bad as never, init])])
      expect([fault.code, fault.path]).toEqual(['WT_HDS_VALUE', 'fragments[1]'])
    }
    for (const chunkBytes of [0, -1, 1.5, 0xf0001, Number.NaN]) {
      expect(faultOf(() => dataSend.events(1, [], { chunkBytes })).path).toBe('chunkBytes')
    }
  })
})
