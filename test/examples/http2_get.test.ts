import { once } from 'node:events'
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HeaderField } from '../../bindings/hpack/index'

// The examples are JavaScript that imports the built package.
const example: string = '../../examples/http2_get.mjs'
const { get } = (await import(example)) as {
  get(options: { port: number; paths: readonly string[] }): Promise<HeaderField[][]>
}

let server: Http2Server
beforeAll(async () => {
  // A small table: the example has to announce that it keeps to it.
  server = createServer({ settings: { headerTableSize: 128 } })
  server.on('stream', (stream, headers) => {
    const path = headers[':path'] ?? ''
    stream.respond({
      ':status': path === '/missing' ? 404 : 200,
      'x-path': path,
      'x-long': 'y'.repeat(20_000),
    })
    stream.end('body')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.close()
})

it('the HTTP/2 example exchanges header lists with a server', async () => {
  const { port } = server.address() as AddressInfo
  const paths = ['/a', '/b', '/missing', '/a']
  const answers = await get({ port, paths })
  const value = (list: (typeof answers)[number], name: string) => list.find((field) => field.name === name)?.value
  expect(answers.map((list) => value(list, 'x-path'))).toEqual(paths)
  expect(answers.map((list) => value(list, ':status'))).toEqual(['200', '200', '404', '200'])
  expect(answers.map((list) => value(list, 'x-long')?.length)).toEqual([20_000, 20_000, 20_000, 20_000])
  await expect(get({ port: 1, paths })).rejects.toThrow()
})
