// Programs in C as contenders: compiled where a compiler and the library are there, and run on a file of inputs.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../build/', import.meta.url))

export function number(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
export const counted = (bytes) => [number(bytes.length), Buffer.from(bytes)]

export function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error || status !== 0) throw new Error(error?.message ?? stderr.trim().split('\n')[0])
  return stdout
}

/** What `<name>.c` beside this file prints for a file of these bytes: a number; throws where it cannot be made or run. */
export function measured(name, flags, bytes) {
  mkdirSync(folder, { recursive: true })
  const program = join(folder, `${name}-native`)
  run('cc', ['-O2', '-o', program, fileURLToPath(new URL(`${name}.c`, import.meta.url)), ...flags])
  const own = mkdtempSync(join(tmpdir(), `${name}-`))
  try {
    const file = join(own, 'inputs')
    writeFileSync(file, bytes)
    return Number(run(program, [file]))
  } finally {
    rmSync(own, { recursive: true })
  }
}
