import { afterEach, describe, expect, it } from 'vitest'
import { FRAMINGS, type Framing, HeaderBlockReader, type HeaderList } from '../../bindings/capture/header_blocks'
import { hpack } from '../../bindings/cli/formats/hpack'
import { encode } from '../../bindings/hpack/index'
import { useBackend } from '../../bindings/index'
import { faultOf } from '../fault'
import { fromHex, toHex, vectorJson } from '../vectors'
import type { Vector } from './words'

afterEach(() => {
  useBackend('auto')
})

const example = vectorJson<{ vectors: Vector[] }>('hpack/rfc7541-examples.json').vectors.find(({ about }) =>
  about.startsWith('C.4'),
)!
const blocks = example.steps.map(({ hex }) => fromHex(hex!))
const lists = example.steps.map(({ headers }) => headers!.map(([name, value]) => ({ name, value, sensitive: false })))
const join = (pieces: readonly Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]))
const text = (value: string) => new TextEncoder().encode(value)
const PREFACE = text('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Uint8Array {
  const head = new Uint8Array(9)
  const view = new DataView(head.buffer)
  view.setUint32(0, (payload.length << 8) | type)
  head[4] = flags
  view.setUint32(5, stream)
  return join([head, payload])
}

/** Everything that a reader gives, fed in pieces of `size`. */
function read(bytes: Uint8Array, size: number, framing: Framing = 'auto'): readonly HeaderList[] {
  const reader = new HeaderBlockReader(framing, {})
  const all: HeaderList[] = []
  for (let at = 0; at < bytes.length; at += size) {
    reader.push(bytes.slice(at, at + size))
    all.push(...reader.readAll())
  }
  reader.end()
  all.push(...reader.readAll())
  return all
}

describe.each([1, 7, 10_000])('blocks in pieces of %i', (size) => {
  it('are lines of hexadecimal digits', () => {
    const lines = `${blocks.map(toHex).join('\n\n')}`
    expect(read(text(lines), size)).toEqual(lists.map((fields) => ({ fields })))
    expect(read(text(` ${lines.toUpperCase()} \r\n`), size)).toEqual(lists.map((fields) => ({ fields })))
    expect(faultOf(() => read(text('82\n8\n'), size))).toMatchObject({ code: 'WT_HPACK_FRAMING', offset: 3 })
    expect(faultOf(() => read(text('82\nxx\n'), size, 'hex'))).toMatchObject({ code: 'WT_HPACK_FRAMING', offset: 3 })
  })

  it('stand behind their length', () => {
    const counted = blocks.flatMap((block) => [Uint8Array.of(0, 0, 0, block.length), block])
    expect(read(join(counted), size)).toEqual(lists.map((fields) => ({ fields })))
    expect(faultOf(() => read(join(counted).slice(0, -1), size)).code).toBe('WT_TRUNCATED')
    expect(faultOf(() => read(Uint8Array.of(1, 0, 0, 0, 0), size)).code).toBe('WT_HPACK_FRAMING')
  })

  it('are frames of a connection', () => {
    const [first, second, third] = blocks as [Uint8Array, Uint8Array, Uint8Array]
    const connection = join([
      PREFACE,
      frame(4, 0, 0, new Uint8Array(6)),
      // Padded, with a dependency and weight.
      frame(1, 0x2d, 1, join([Uint8Array.of(3), new Uint8Array(5), first, new Uint8Array(3)])),
      frame(0, 1, 1, text('body')),
      frame(1, 0, 3, second.subarray(0, 2)),
      frame(9, 0, 3, second.subarray(2, 3)),
      frame(9, 4, 3, second.subarray(3)),
      frame(5, 4, 3, join([Uint8Array.of(0, 0, 0, 2), third])),
    ])
    const expected = [
      { stream: 1, endStream: true, fields: lists[0] },
      { stream: 3, endStream: false, fields: lists[1] },
      { stream: 3, endStream: false, fields: lists[2] },
    ]
    expect(read(connection, size)).toEqual(expected)
    // A server has no preface.
    expect(read(connection.slice(PREFACE.length), size, 'http2')).toEqual(expected)
    expect(faultOf(() => read(connection.slice(0, -1), size)).code).toBe('WT_TRUNCATED')
    const bad = (...frames: Uint8Array[]) => faultOf(() => read(join([PREFACE, ...frames]), size)).code
    expect(bad(frame(1, 0, 1, first), frame(0, 0, 1, first))).toBe('WT_HPACK_FRAMING')
    expect(bad(frame(9, 4, 1, first))).toBe('WT_HPACK_FRAMING')
    expect(bad(frame(1, 12, 1, Uint8Array.of(9)))).toBe('WT_HPACK_FRAMING')
    expect(bad(frame(1, 0, 1, first))).toBe('WT_TRUNCATED')
    expect(bad(frame(1, 4, 1, Uint8Array.of(0x82, 0x80)))).toBe('WT_HPACK_INDEX_ZERO')
  })
})

it('lists come before the fault that ends them', () => {
  const reader = new HeaderBlockReader('hex', {})
  reader.push(text('82\n80\n84\n'))
  expect(reader.readAll().length).toBe(1)
  expect(faultOf(() => reader.readAll()).code).toBe('WT_HPACK_INDEX_ZERO')
  reader.push(text('82\n'))
  reader.end()
  expect(faultOf(() => reader.readAll()).code).toBe('WT_HPACK_INDEX_ZERO')
})

it('encodes lists one after the other', () => {
  const settings = (framing: string) => ({ options: { framing }, limits: {}, keepGoing: false })
  const toHexLines = hpack.encoder(settings('auto'))
  const lines = lists.map((fields) => new TextDecoder().decode(toHexLines({ fields }) as Uint8Array))
  expect(lines).toEqual(blocks.map((block) => `${toHex(block)}\n`))
  const reader = hpack.decoder(settings('length'))
  const counted = hpack.encoder(settings('length'))
  for (const piece of lists.flatMap((fields) => counted(fields) as Uint8Array[])) reader.push(piece)
  expect(reader.readAll()).toEqual(lists.map((fields) => ({ fields })))
  expect(faultOf(() => toHexLines({})).code).toBe('WT_HPACK_FIELD')
  expect(faultOf(() => hpack.encoder(settings('http2'))).kind).toBe('usage')
  expect(FRAMINGS).toContain('http2')
  expect(encode([]).length).toBe(0)
})
