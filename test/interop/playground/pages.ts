import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const folder = at('build/playground')

/** As `npm run playground` does: not in this process, which vitest has told to be one of tests. */
export function buildPlayground(): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [at('node_modules/vite/bin/vite.js'), 'build', at('examples/playground')],
    { encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (status !== 0) throw new Error(stderr)
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Serves what was built, as any server of files would, with these headers besides. */
export async function servePlayground(headers: Readonly<Record<string, string>> = {}) {
  const server = createServer(({ url }, response) => {
    const path = new URL(url ?? '/', 'http://x').pathname
    try {
      const file = readFileSync(join(folder, path === '/' ? 'index.html' : path))
      const type = TYPES[extname(path === '/' ? '.html' : path)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': path === '/' ? TYPES['.html'] : type, ...headers }).end(file)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
