import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toJson } from '../../bindings/core/json'
import { type BackendChoice, useBackend } from '../../bindings/engine/load'
import {
  Decoder,
  DecoderStream,
  decodeAll,
  decodeStream,
  EncoderStream,
  type Message,
  type MessageInput,
  WireError,
} from '../../bindings/katcp'
import { fromHex, vectorJson } from '../vectors'

const bytes = Buffer.concat(
  ['messages', 'escapes'].flatMap((file) =>
    vectorJson<{ cases: { encoded?: string }[] }>(`katcp/${file}.json`).cases.map(({ encoded }) =>
      fromHex(encoded ?? ''),
    ),
  ),
)

const pieces = (size: number): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(control) {
      if (at >= bytes.length) return control.close()
      control.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

async function collect<T>(units: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const unit of units) all.push(unit)
  return all
}

describe.each<BackendChoice>(['wasm', 'js'])('streams of messages on %s', (backend) => {
  beforeAll(() => {
    useBackend(backend)
  })
  afterAll(() => {
    useBackend('auto')
  })

  it.each([7, 1460, 1 << 20])('are those of the whole, in pieces of %i bytes', async (size) => {
    const whole = toJson(decodeAll(bytes, { errors: 'throw' }))
    expect(toJson(await collect(decodeStream(pieces(size), { errors: 'throw' })))).toBe(whole)
    expect(toJson(await collect(pieces(size).pipeThrough(new DecoderStream({ errors: 'throw' }))))).toBe(whole)
  })

  it('come back as the same bytes from an EncoderStream', async () => {
    const messages = pieces(1000).pipeThrough(new DecoderStream({ errors: 'throw' }))
    const back = await collect(messages.pipeThrough(new EncoderStream()))
    expect(Buffer.concat(back).equals(bytes)).toBe(true)
  })

  it('have bad lines among their units, or end with them', async () => {
    const input = async function* () {
      yield Buffer.from('?a\n?b!\n?c\n?cut')
    }
    const reported = await collect(decodeStream(input()))
    expect(reported.map((unit) => (WireError.is(unit) ? `${unit.code} ${unit.offset}` : unit.name))).toEqual([
      'a',
      'WT_KATCP_BAD_NAME 5',
      'c',
      'WT_TRUNCATED 14',
    ])
    const seen: Message[] = []
    const reading = (async () => {
      for await (const message of decodeStream(input(), { errors: 'throw' })) seen.push(message)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'WT_KATCP_BAD_NAME', offset: 5 })
    expect(seen.map(({ name }) => name)).toEqual(['a'])
  })

  it('keep messages of several streams apart, whatever the loop does in between', async () => {
    const other = new Decoder({ errors: 'throw' })
    const names: string[] = []
    for await (const message of decodeStream(pieces(333), { errors: 'throw' })) {
      other.push(Buffer.from('?other x\\_y\n'))
      names.push(`${message.name} ${other.read()?.args.at(0)}`)
    }
    expect(names).toEqual(decodeAll(bytes, { errors: 'throw' }).map(({ name }) => `${name} x y`))
  })

  it('refuse options and messages that are wrong', async () => {
    const wrong = { limits: { maxLines: 1 } } as unknown as { limits: { maxLineBytes: number } }
    expect(() => decodeStream(pieces(1), wrong)).toThrow(WireError)
    expect(() => new DecoderStream(wrong)).toThrow(WireError)
    const bad: ReadableStream<MessageInput> = new ReadableStream({
      start: (control) => control.enqueue({ type: 'request', name: 'a b' }),
    })
    await expect(collect(bad.pipeThrough(new EncoderStream()))).rejects.toMatchObject({ code: 'WT_KATCP_BAD_NAME' })
  })
})
