// Node's own HTTP/2, which has nghttp2 inside, as a server of our blocks and as a client that writes blocks for us.
import { once } from 'node:events'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type OutgoingHttpHeaders,
  sensitiveHeaders,
} from 'node:http2'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Decoder, Encoder, type HeaderField, type HeaderInput } from '../../../bindings/hpack/index'
import { useBackend } from '../../../bindings/index'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const GOAWAY = 7
const CONTINUATION = 9

function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Calls `take` with every frame; `skip` octets come before the first. */
function frames(take: (type: number, flags: number, stream: number, payload: Buffer) => void, skip = 0) {
  let waiting = Buffer.alloc(0)
  let left = skip
  return (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    if (waiting.length < left + 9) return
    waiting = waiting.subarray(left)
    left = 0
    while (waiting.length >= 9 && waiting.length >= 9 + waiting.readUIntBE(0, 3)) {
      const length = waiting.readUIntBE(0, 3)
      take(waiting[3]!, waiting[4]!, waiting.readUInt32BE(5), waiting.subarray(9, 9 + length))
      waiting = waiting.subarray(9 + length)
    }
  }
}

/** What a Node server sees of our blocks: the lists, and the error code of its GOAWAY. */
async function readByNode(blocks: readonly Uint8Array[], headerTableSize: number, fragment: number) {
  const lists: { fields: [string, string][]; sensitive: readonly string[] }[] = []
  const server = createHttp2Server({ settings: { headerTableSize } })
  server.on('sessionError', () => {})
  // The flat list of fields as they came is the listener's fourth argument, which the declarations leave out.
  const onStream = (
    stream: { respond(headers: object, options: object): void; on(event: 'error', listener: () => void): void },
    headers: { [sensitiveHeaders]?: string[] },
    _flags: number,
    raw: string[],
  ) => {
    const fields = raw.flatMap((name, i): [string, string][] => (i % 2 ? [] : [[name, raw[i + 1]!]]))
    lists.push({ fields, sensitive: headers[sensitiveHeaders] ?? [] })
    stream.on('error', () => {})
    stream.respond({ ':status': 200 }, { endStream: true })
  }
  server.on('stream', onStream as never)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  let goaway: number | undefined
  await new Promise<void>((done) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let next = 0
    let theirs = false
    let acknowledged = false
    const send = () => {
      const block = blocks[next]
      if (!block) {
        socket.end()
        return
      }
      const stream = 1 + 2 * next++
      for (let at = 0; at === 0 || at < block.length; at += fragment) {
        const last = at + fragment >= block.length
        socket.write(
          frame(
            at === 0 ? HEADERS : CONTINUATION,
            (at === 0 ? 1 : 0) | (last ? 4 : 0),
            stream,
            block.subarray(at, at + fragment),
          ),
        )
      }
    }
    socket.on('close', () => done()).on('error', () => done())
    socket.on(
      'data',
      frames((type, flags, _stream, payload) => {
        if (type === SETTINGS) {
          if (flags & 1) acknowledged = true
          else {
            theirs = true
            socket.write(frame(SETTINGS, 1, 0))
          }
          if (theirs && acknowledged && next === 0) send()
        } else if (type === GOAWAY) {
          goaway = payload.readUInt32BE(4)
          socket.destroy()
        } else if ((type <= HEADERS && flags & 1) || type === RST_STREAM) send()
      }),
    )
    socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]))
  })
  server.close()
  return { lists, goaway }
}

/** The blocks that a Node client writes for requests, where we allow it a table of that size. */
async function writtenByNode(requests: readonly OutgoingHttpHeaders[], tableSize: number): Promise<Buffer[]> {
  const blocks: Buffer[] = []
  let open: Buffer[] = []
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(1, 0)
  setting.writeUInt32BE(tableSize, 2)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(frame(SETTINGS, 0, 0, setting))
    socket.on(
      'data',
      frames((type, flags, stream, payload) => {
        if (type === SETTINGS && (flags & 1) === 0) socket.write(frame(SETTINGS, 1, 0))
        if (type !== HEADERS && type !== CONTINUATION) return
        open.push(Buffer.from(type === HEADERS && flags & 32 ? payload.subarray(5) : payload))
        if ((flags & 4) === 0) return
        blocks.push(Buffer.concat(open))
        open = []
        socket.write(frame(HEADERS, 5, stream, Buffer.from([0x88])))
      }, PREFACE.length),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  client.on('error', () => {})
  await once(client, 'remoteSettings')
  await sleep(20)
  for (const request of requests) {
    const stream = client.request(request, { endStream: true })
    stream.resume()
    await once(stream, 'close')
  }
  client.destroy()
  server.close()
  return blocks
}

const request = (i: number): HeaderInput[] => [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'localhost'],
  [':path', `/item/${i % 5}?q=${'z'.repeat(i * 9)}`],
  ['user-agent', 'wiretape'],
  ['authorization', 'Basic abcdefghijklmnop'],
  ['x-latin', 'caf\u00e9 \u00ff'],
  ['accept', i % 2 ? '*/*' : 'text/html'],
  { name: 'x-secret', value: `s${i}`, sensitive: true },
  ['x-twice', 'a'],
  ['x-twice', 'b'],
]
const pairOf = (input: HeaderInput): [string, string] =>
  Array.isArray(input) ? [input[0], input[1]] : [(input as HeaderField).name, (input as HeaderField).value]

describe.each(['wasm', 'js'] as const)("Node's HTTP/2 and %s", (backend) => {
  it.each([
    [4096, 16_000],
    [100, 16_000],
    [0, 16_000],
    [4096, 60],
  ])('its server, with a table of %i, reads our blocks in fragments of %i', async (tableSize, fragment) => {
    useBackend(backend)
    const encoder = new Encoder()
    encoder.setPeerMaxTableSize(tableSize)
    const lists = Array.from({ length: 20 }, (_, i) => request(i))
    const seen = await readByNode(
      lists.map((list) => encoder.encode(list)),
      tableSize,
      fragment,
    )
    expect(seen.goaway).toBeUndefined()
    expect(seen.lists.map(({ fields }) => fields)).toEqual(lists.map((list) => list.map(pairOf)))
    for (const { sensitive } of seen.lists)
      expect(sensitive).toEqual(expect.arrayContaining(['authorization', 'x-secret']))
  })

  it('its server refuses what we refuse', async () => {
    const { goaway } = await readByNode([Buffer.from('82868441019080', 'hex')], 4096, 16_000)
    expect(goaway).toBe(9)
    expect(() => new Decoder().decode(Buffer.from('82868441019080', 'hex'))).toThrow(
      expect.objectContaining({ status: 9 }),
    )
  })

  it.each([4096, 100, 0])('we read what its client writes with a table of %i', async (tableSize) => {
    useBackend(backend)
    const requests = Array.from({ length: 12 }, (_, i) => ({
      ':path': `/item/${i % 3}`,
      authorization: 'Basic x',
      cookie: 'a=1',
      'x-number': String(i % 4),
      'x-long': 'y'.repeat(i * 20),
      [sensitiveHeaders]: ['x-number'],
    }))
    const decoder = new Decoder()
    decoder.setMaxTableSize(tableSize)
    const blocks = await writtenByNode(requests, tableSize)
    expect(blocks.length).toBe(12)
    blocks.forEach((block, i) => {
      const fields = decoder.decode(block)
      const sensitive = fields.flatMap((field) => (field.sensitive ? [field.name] : []))
      expect(sensitive).toEqual(expect.arrayContaining(['authorization', 'cookie', 'x-number']))
      const got = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
      for (const [name, value] of Object.entries(requests[i]!)) expect(got[name], name).toBe(value)
    })
    expect(decoder.tableSize).toBeLessThanOrEqual(tableSize)
  })
})
