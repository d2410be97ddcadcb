// The peers: how each is asked, and with which inputs. A peer has
//   name, version    as in the report
//   inputs(count, seed)  what both sides are given
//   ours(input)      → verdict
//   open()           → { ask(inputs) → verdicts, close() }; throws where the peer cannot be had here
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { dbusMessages, hpackBlocks } from './generated.mjs'
import { hapNodeJsPeer } from './hap_nodejs.mjs'
import { inputsOf, seedsOf } from './inputs.mjs'
import * as ours from './ours.mjs'
import { Program } from './program.mjs'
import { wsPeer } from './ws.mjs'

const require = createRequire(import.meta.url)
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const hexOf = (bytes) => bytes.toString('hex')
const packageVersion = (name) => JSON.parse(readFileSync(at(`../../node_modules/${name}/package.json`), 'utf8')).version

/**
 * Vectors and what `generate` makes as they are, then mutated. Vectors that are legal come four times as often: what is mutated should be
 * worth reading.
 */
const mutations =
  (format, keys, read, generate = () => []) =>
  (count, seed) => {
    const seeds = seedsOf(format, keys)
    const legal = seeds.filter((bytes) => !read(bytes).includes('error'))
    return inputsOf([...seeds, ...legal, ...legal, ...legal, ...generate(Math.floor(count / 4), seed)], count, seed)
  }

function python(folder, script) {
  const interpreter = at(`../../.venv/${folder}/bin/python`)
  if (!existsSync(interpreter)) throw new Error('not installed: npm run setup:peers')
  const program = new Program(interpreter, ['-u', at(`programs/${script}`)])
  return { ask: (inputs) => program.ask(inputs.map(hexOf)), close: () => program.close() }
}

const pythonVersion = (folder, name) => {
  const [, version] = new RegExp(`^${name}==(\\S+)$`, 'm').exec(
    readFileSync(at(`../interop/${folder}/requirements.txt`), 'utf8'),
  )
  return version
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error || status !== 0) throw new Error(error?.message ?? stderr.trim().split('\n')[0])
  return stdout.trim()
}

/** A program in C, compiled. */
function compiled(name, source, library) {
  mkdirSync(at('../../build'), { recursive: true })
  const program = at(`../../build/${name}`)
  const flags = run('pkg-config', ['--cflags', '--libs', library]).split(/\s+/)
  run('cc', ['-O2', '-o', program, at(source), ...flags])
  return new Program(program)
}

/** Line ends would cut a line in two: how lines are found is not the question here. */
function* lines(count, seed) {
  for (const bytes of mutations('katcp', ['line', 'encoded', 'hex'], ours.katcp)(count, seed)) {
    yield bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
  }
}

/** Two blocks of one connection. */
function* connections(count, seed) {
  const blocks = [...mutations('hpack', ['hex'], (block) => ours.hpack([block]), hpackBlocks)(2 * count, seed)]
  for (let i = 0; i < count; i++) yield [blocks[2 * i], blocks[2 * i + 1]]
}

async function nghttp2() {
  const program = compiled('differential-nghttp2', '../interop/hpack/peer.c', 'libnghttp2')
  const answer = async (inputs) => {
    const asked = inputs.flatMap((blocks) => ['reset', ...blocks.map((block) => `decode ${hexOf(block)}`)])
    const answers = await program.ask(asked)
    let at = 0
    return inputs.map((blocks) => {
      const own = answers.slice(at + 1, at + 1 + blocks.length).map((line) => (line.endsWith('error') ? 'error' : line))
      at += 1 + blocks.length
      const bad = own.indexOf('error')
      return (bad < 0 ? own : own.slice(0, bad + 1)).join(' | ')
    })
  }
  return { ask: answer, close: () => program.close() }
}

export const peers = [
  {
    name: 'katcp-python',
    version: () => pythonVersion('katcp', 'katcp'),
    inputs: lines,
    ours: ours.katcp,
    open: async () => python('katcp', 'katcp_python.py'),
  },
  {
    name: 'aiokatcp',
    version: () => pythonVersion('katcp', 'aiokatcp'),
    inputs: lines,
    ours: ours.katcp,
    open: async () => python('katcp', 'aiokatcp.py'),
  },
  {
    name: 'nghttp2',
    version: () => run('pkg-config', ['--modversion', 'libnghttp2']),
    inputs: connections,
    ours: ours.hpack,
    open: nghttp2,
  },
  {
    name: 'libdbus',
    version: () => run('pkg-config', ['--modversion', 'dbus-1']),
    inputs: mutations('dbus', ['hex'], ours.dbus, dbusMessages),
    ours: ours.dbus,
    async open() {
      const program = compiled('differential-libdbus', 'programs/libdbus.c', 'dbus-1')
      return { ask: (inputs) => program.ask(inputs.map(hexOf)), close: () => program.close() }
    },
  },
  {
    name: 'ws',
    version: () => packageVersion('ws'),
    inputs: mutations('websocket', ['hex', 'frame', 'wire', 'bytes', 'input'], ours.websocket),
    ours: ours.websocket,
    open: async () => wsPeer(require),
  },
  {
    name: 'hap-nodejs',
    version: () => packageVersion('@homebridge/hap-nodejs'),
    inputs: mutations('hds', ['hex'], ours.hds),
    ours: ours.hapNodeJs,
    open: async () => hapNodeJsPeer(require),
  },
  {
    name: 'HAP-python',
    version: () => pythonVersion('hds', 'HAP-python'),
    inputs: mutations('hds', ['hex'], ours.hds),
    ours: ours.hds,
    open: async () => python('hds', 'hap_python.py'),
  },
]
