// What a figure is worth nothing without: where and of what it was measured.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'

const root = new URL('..', import.meta.url)
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

function commit() {
  const revision = git('rev-parse', '--short=12', 'HEAD')
  if (revision === undefined) return 'unknown'
  // What a run writes itself changes nothing that is measured.
  const changed = git(
    'status',
    '--porcelain',
    '--',
    '.',
    ':!bench/results',
    ':!bench/charts',
    ':!bench/*.md',
    ':!README.md',
  )
  return changed ? `${revision}-dirty` : revision
}

export const machine = () => ({
  node: process.version,
  v8: process.versions.v8,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform} ${process.arch}`,
  commit: commit(),
  date: new Date().toISOString(),
})

function packageVersion(name) {
  try {
    return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
  } catch {
    return undefined
  }
}

function libraryVersion(library) {
  const { status, stdout } = spawnSync('pkg-config', ['--modversion', library], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Versions by name: of the packages that contenders are named after, 'a+b' after two, and of the libraries of the native ones. */
export function versionsOf(peers, natives) {
  const packages = new Set(peers.flatMap((name) => name.split('+')))
  const found = [
    ...[...packages].map((name) => [name, packageVersion(name)]),
    ...natives.map(({ name, library }) => [name, libraryVersion(library)]),
  ]
  return Object.fromEntries(found.filter(([, version]) => version !== undefined))
}
