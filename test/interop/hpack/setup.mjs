// Installs nghttp2 and compiles the program that drives its HPACK coder: `npm run setup:peers`. Does nothing where both are there.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { debian, quietly } from '../../../scripts/peers.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const compile = (stdio) =>
  spawnSync('cc', ['-O1', '-o', at('../../../build/hpack-peer'), at('peer.c'), '-lnghttp2'], { stdio }).status === 0
const there = (stdio) => compile(stdio) && quietly('nghttpd', '--version')

mkdirSync(at('../../../build'), { recursive: true })
if (there('ignore')) console.log('nghttp2 is installed')
else {
  debian('gcc', 'libc6-dev', 'libnghttp2-dev', 'nghttp2-server', 'pkg-config')
  if (!there('inherit')) process.exit(1)
}
