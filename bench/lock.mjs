// Two measurements at once would measure each other: every run holds an exclusive lock, where the system has `flock`.
import { spawn, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const HELD = 'WIRETAPE_BENCH_LOCKED'

/** Starts this program again under the lock and ends with its exit code; returns where the lock is held or cannot be had. */
export async function holdLock() {
  if (process.env[HELD] || spawnSync('flock', ['--version'], { stdio: 'ignore' }).status !== 0) return
  const file = join(tmpdir(), 'wiretape-bench.lock')
  if (spawnSync('flock', ['--nonblock', file, 'true']).status !== 0) {
    process.stderr.write('another benchmark is running; waiting for it to end\n')
  }
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const env = { ...process.env, [HELD]: '1' }
  const child = spawn('flock', ['--no-fork', file, ...again], { stdio: 'inherit', env })
  // The terminal sends SIGINT to the child as well: stay until that has ended.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (status, signal) => resolve(signal ? 1 : status))
  })
  process.exit(code)
}
