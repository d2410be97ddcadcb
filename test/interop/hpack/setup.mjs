// Installs nghttp2 and compiles the program that drives its HPACK coder: `npm run setup:peers`. Does nothing where both are there.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const compile = (stdio) =>
  spawnSync('cc', ['-O1', '-o', at('../../../build/hpack-peer'), at('peer.c'), '-lnghttp2'], { stdio }).status === 0
const server = () => spawnSync('nghttpd', ['--version'], { stdio: 'ignore' }).status === 0

mkdirSync(at('../../../build'), { recursive: true })
if (compile('ignore') && server()) console.log('nghttp2 is installed')
else {
  const packages = ['gcc', 'libc6-dev', 'libnghttp2-dev', 'nghttp2-server', 'pkg-config']
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status } = spawnSync('apt-get', args, { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
  if (!compile('inherit') || !server()) process.exit(1)
}
