// nghttp2 in C as a contender: its program is compiled where a compiler and the library are there (Debian: libnghttp2-dev), and
// timed on the same connections between the others' rounds and their memory.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('./hpack.c', import.meta.url))
const folder = fileURLToPath(new URL('../../build/', import.meta.url))
const program = join(folder, 'hpack-native')

function number(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const counted = (bytes) => [number(bytes.length), Buffer.from(bytes)]
const text = (string) => counted(Buffer.from(string, 'latin1'))

const encodings = {
  decode: (blocks) => [number(blocks.length), ...blocks.flatMap(counted)],
  encode: (lists) => [
    number(lists.length),
    ...lists.flatMap((list) => [
      number(list.length),
      ...list.flatMap(([name, value]) => [...text(name), ...text(value)]),
    ]),
  ],
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error || status !== 0) throw new Error(error?.message ?? stderr.trim().split('\n')[0])
  return stdout
}

export const nghttp2 = {
  name: 'nghttp2-c',
  operations: Object.keys(encodings),
  /** Nanoseconds of one connection, the median; throws where the program cannot be made or run. */
  time(operation, inputs) {
    mkdirSync(folder, { recursive: true })
    run('cc', ['-O2', '-o', program, source, '-lnghttp2'])
    const own = mkdtempSync(join(tmpdir(), 'hpack-'))
    try {
      const file = join(own, 'connections')
      const kind = operation === 'decode' ? 0 : 1
      writeFileSync(file, Buffer.concat([number(kind), number(inputs.length), ...inputs.flatMap(encodings[operation])]))
      return Number(run(program, [file]))
    } finally {
      rmSync(own, { recursive: true })
    }
  },
}
