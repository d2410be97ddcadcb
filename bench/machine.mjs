// What a figure is worth nothing without: where and of what it was measured.
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, totalmem } from 'node:os'

function commit() {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : 'unknown'
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
