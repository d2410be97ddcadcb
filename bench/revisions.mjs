// A revision of the repository, built beside this one. See compare.mjs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

function run(command, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error || status !== 0)
    throw new Error(error?.message ?? `${command} ${args.join(' ')}: ${stderr || stdout}`.trim())
  return stdout.trim()
}

/** The folder of a built revision and its commit; it stays for the next comparison. Throws where there is no such revision. */
export function builtRevision(revision) {
  const commit = run('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
  const folder = join(root, 'build', 'revisions', commit)
  if (existsSync(join(folder, '.ready'))) return { folder, commit }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archive = join(folder, 'sources.tar')
  run('git', ['archive', '--output', archive, commit])
  run('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
  const lock = (place) => readFileSync(join(place, 'package-lock.json'), 'utf8')
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else run('npm', ['ci', '--no-audit', '--no-fund'], folder)
  run(process.execPath, ['scripts/build.mjs'], folder)
  writeFileSync(join(folder, '.ready'), '')
  return { folder, commit }
}
