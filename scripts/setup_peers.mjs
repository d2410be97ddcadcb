// Installs the programs that the tests of test/interop talk to: each format's setup.mjs there knows its own.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))
for (const format of readdirSync('test/interop').sort()) {
  const script = join('test/interop', format, 'setup.mjs')
  if (!existsSync(script)) continue
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
