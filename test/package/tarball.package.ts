import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const here = fileURLToPath(new URL('./', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

interface Branch {
  readonly types: string
  readonly default: string
}
interface Manifest {
  readonly name: string
  readonly bin: Readonly<Record<string, string>>
  readonly imports: { readonly '#core': Readonly<Record<string, string>> }
  readonly exports: Readonly<Record<string, string | Branch | { readonly import: Branch; readonly require: Branch }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
/** Subpaths with code for both module kinds; formats to come are covered by standing in package.json. */
const modules = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'object' && 'import' in target ? [{ path, target, name: specifier(path) }] : [],
)
const formats = modules.filter(({ path }) => path.startsWith('./js/')).map(({ path }) => basename(path))
const consumers = readdirSync(join(here, 'consumers')).filter((file) => file.endsWith('.ts'))

function specifier(path: string): string {
  return manifest.name + path.slice(1)
}

let work: string
/** A project in a folder of its own that has installed the tarball and nothing else. */
let project: string
let packed: string[]
/** What the project has in node_modules by installing the tarball. */
let installedAlone: string[]

function run(
  command: string,
  args: readonly string[],
  input = '',
): { stdout: string; stderr: string; status: number | null } {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout, stderr, status, error } = spawnSync(command, args, { cwd: project, env, input, encoding: 'utf8' })
  if (error) throw error
  return { stdout, stderr, status }
}

/** Runs a program text in the project and returns what it prints as JSON. */
function program(kind: 'mjs' | 'cjs', text: string): unknown {
  const file = join(project, `program.${kind}`)
  writeFileSync(file, text)
  const { stdout, stderr, status } = run(process.execPath, [file])
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

/** The program that gets module `name` into `it`, by the words of its module kind. */
const loading = (kind: 'mjs' | 'cjs', name: string) =>
  kind === 'mjs' ? `const it = await import('${name}')` : `const it = require('${name}')`

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'wiretape-package-'))
  project = join(work, 'project')
  mkdirSync(project)
  const pack = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], {
    cwd: root,
    encoding: 'utf8',
  })
  if (pack.status !== 0) throw new Error(pack.stderr)
  const [{ filename, files }] = JSON.parse(pack.stdout) as [{ filename: string; files: { path: string }[] }]
  packed = files.map(({ path }) => path)
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true }\n')
  // Offline: a package without dependencies needs nothing but itself.
  const { status, stderr } = run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(work, filename)])
  if (status !== 0) throw new Error(stderr)
  installedAlone = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))
  // Optional peers are the user's to install; these are the ones that the project is tested with.
  for (const name of Object.keys(manifest.peerDependencies ?? {})) {
    const peer = join(project, 'node_modules', name)
    mkdirSync(dirname(peer), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), peer)
  }
})

afterAll(() => rmSync(work, { recursive: true, force: true }))

describe('the tarball', () => {
  it('has no dependencies', () => {
    const installed = JSON.parse(readFileSync(join(project, 'node_modules/wiretape/package.json'), 'utf8')) as Manifest
    expect(installed.dependencies ?? {}).toEqual({})
    expect(installedAlone).toEqual(['wiretape'])
    const optional = Object.keys(installed.peerDependenciesMeta ?? {})
    expect(optional).toEqual(Object.keys(installed.peerDependencies ?? {}))
  })

  it('holds what is built, what one must read, and nothing else', () => {
    const texts = packed.filter((path) => !path.startsWith('dist/'))
    expect(texts.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])

    const named = modules.flatMap(({ target }) => [target.import, target.require].flatMap((b) => [b.types, b.default]))
    named.push(...Object.values(manifest.bin), ...Object.values(manifest.imports['#core']))
    named.push('./dist/core.wasm', './dist/core.wasm.d.ts', './dist/standalone.js', './dist/standalone.d.ts')
    const expected = new Set(named.map((path) => path.slice(2)))
    for (const path of expected) expect(packed, 'named in package.json').toContain(path)
    // What these share, split off by the bundler under a name of its choice; and their source maps.
    const shared = /^dist\/(js\/)?[\w-]+-[\w-]{8}\.(c?js|d\.c?ts)$/
    const others = packed.filter(
      (path) =>
        path.startsWith('dist/') &&
        !expected.has(path.replace(/\.map$/, '')) &&
        !shared.test(path.replace(/\.map$/, '')),
    )
    expect(others).toEqual([])
  })

  it('refers to no file that is not in it', () => {
    const dist = join(project, 'node_modules/wiretape')
    for (const path of packed.filter((path) => /\.(c?js|d\.c?ts)$/.test(path) && path !== 'dist/cli.js')) {
      const text = readFileSync(join(dist, path), 'utf8')
      for (const [, target] of text.matchAll(/(?:from|import|require\()\s*\(?['"](\.{1,2}\/[^'"]+)['"]/g)) {
        const file = join(dist, dirname(path), target!)
        expect(existsSync(file) || existsSync(file.replace(/\.(c?)js$/, '.d.$1ts')), `${path} imports ${target}`).toBe(
          true,
        )
      }
    }
  })
})

describe.each(modules)('$name', ({ name }) => {
  const names = (kind: 'mjs' | 'cjs') =>
    program(
      kind,
      `${loading(kind, name)}\nconsole.log(JSON.stringify(Object.keys(it).filter((key) => key !== 'default' && key !== '__esModule').sort()))`,
    )

  it('keeps its CommonJS exports while it works', () => {
    const code = `
      const katcp = require('wiretape/katcp')
      const before = { ...katcp }
      for (const text of ['?a b\\\\_c 1\\n', '?' + 'a '.repeat(1000) + '\\n']) {
        const { args } = katcp.decode(new TextEncoder().encode(text))
        args.toArray()
        args.bytes(0)
      }
      console.log(JSON.stringify(Object.keys(before).filter((name) => before[name] !== katcp[name])))`
    expect(program('cjs', code)).toEqual([])
  })

  it('is the same for import and require', () => {
    const imported = names('mjs')
    expect(imported).not.toEqual([])
    expect(names('cjs')).toEqual(imported)
  })
})

describe.each(['mjs', 'cjs'] as const)('as .%s', (kind) => {
  it('is answered by WebAssembly', () => {
    expect(
      program(
        kind,
        `${loading(kind, 'wiretape')}\nconsole.log(JSON.stringify([it.backend(), String(it.backendReason())]))`,
      ),
    ).toEqual(['wasm', 'undefined'])
  })

  it.each(formats)('%s instantiates one module at first use, wiretape included', (format) => {
    const text = `
      const { Instance } = WebAssembly
      let count = 0
      WebAssembly.Instance = class extends Instance { constructor(...args) { super(...args); count++ } }
      ${loading(kind, `wiretape/${format}`)}
      const atLoad = count
      const core = ${kind === 'mjs' ? "await import('wiretape')" : "require('wiretape')"}
      const backend = core.backend()
      console.log(JSON.stringify({ atLoad, backend, count, exports: Object.keys(it).length > 0 }))`
    expect(program(kind, text)).toEqual({ atLoad: 0, backend: 'wasm', count: 1, exports: true })
  })

  it('answers in JavaScript where WebAssembly may not be compiled, and says why', () => {
    const text = `
      WebAssembly.Module = class { constructor() { throw new Error('not allowed here') } }
      ${loading(kind, 'wiretape')}
      console.log(JSON.stringify([it.backendReason().message, it.backend()]))`
    expect(program(kind, text)).toEqual(['not allowed here', 'js'])
  })

  it.each(formats)('js/%s has no WebAssembly in it and asks for none', (format) => {
    const { target } = modules.find(({ path }) => path === `./js/${format}`)!
    const seen = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, 'utf8')
      // A module starts with NUL and "asm".
      expect(text).not.toContain('0061736d')
      expect(text).not.toContain('#core')
      for (const [, next] of text.matchAll(/(?:from|import|require\()\s*\(?['"](\.{1,2}\/[^'"]+)['"]/g)) {
        visit(join(dirname(file), next!))
      }
    }
    visit(join(project, 'node_modules/wiretape', (kind === 'mjs' ? target.import : target.require).default))
    expect(seen.size).toBeGreaterThan(0)

    const load = loading(kind, `wiretape/js/${format}`)
    expect(program(kind, `delete globalThis.WebAssembly\n${load}\nconsole.log(Object.keys(it).length > 0)`)).toBe(true)
  })

  it('js/katcp decodes and encodes without WebAssembly', () => {
    const text = `
      delete globalThis.WebAssembly
      ${loading(kind, 'wiretape/js/katcp')}
      const line = new TextEncoder().encode('?x[3] a\\\\_b ' + '1.5 '.repeat(5000) + '\\n')
      const message = it.decode(line)
      console.log(JSON.stringify([message.args.at(0), message.args.toFloat64Array(1, 5001).length, it.encode(message).length]))`
    expect(program(kind, text)).toEqual(['a b', 5000, 20_011])
  })
})

it('makes no code out of strings', () => {
  const dist = join(project, 'node_modules/wiretape/dist')
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => /\.c?js$/.test(file))
  for (const file of scripts) expect(readFileSync(join(dist, file), 'utf8')).not.toMatch(/\beval\s*\(|\bFunction\s*\(/)
  writeFileSync(
    join(project, 'strict.mjs'),
    `let allowed = true
    try { new Function('') } catch { allowed = false }
    ${formats.map((name) => `import * as ${name} from 'wiretape/${name}'`).join('\n')}
    const message = katcp.decode(katcp.encode({ type: 'inform', name: 'x', args: ['a b'] }))
    const list = new hpack.Decoder().decode(new hpack.Encoder().encode([['a', 'b']]))
    const value = hds.decode(hds.encode({ a: [1, 'b'] }))
    const same = opack.decode(opack.encode({ a: [1, 'b'] }))
    const text = websocket.decode(websocket.encode({ type: 'text', data: 'a' }, { role: 'client' }), { role: 'server' })
    const header = { serial: 1, path: '/a', interface: 'a.b', member: 'c' }
    const { body } = dbus.decode(dbus.encode(dbus.signal(header, 'sas', ['a', ['b']])))
    console.log(JSON.stringify([allowed, message.args.toArray(), list[0].value, value, same, text.data, body]))`,
  )
  const { stdout, stderr } = run(process.execPath, ['--disallow-code-generation-from-strings', 'strict.mjs'])
  expect(stderr).toBe('')
  const expected = [false, ['a b'], 'b', { a: [1, 'b'] }, { a: [1, 'b'] }, 'a', ['a', ['b']]]
  expect(JSON.parse(stdout)).toEqual(expected)
})

it('gives the compiled module to those who load it themselves', () => {
  const text = `
    import { createRequire } from 'node:module'
    import { readFileSync } from 'node:fs'
    import { initCore } from 'wiretape'
    const bytes = readFileSync(createRequire(import.meta.url).resolve('wiretape/core.wasm'))
    console.log(JSON.stringify(await initCore(new WebAssembly.Module(bytes))))`
  expect(program('mjs', text)).toBe('wasm')
  expect(program('cjs', `console.log(JSON.stringify(require('wiretape/package.json').name))`)).toBe('wiretape')
})

describe('the command', () => {
  const command = () => join(project, 'node_modules/.bin/wiretape')

  it('decodes a file and standard input', () => {
    const session = join(root, 'examples/session.katcp')
    const fromFile = run(command(), ['decode', 'katcp', session])
    expect(fromFile.stderr).toBe('')
    expect(fromFile.status).toBe(0)
    const units = fromFile.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string })
    expect(units).toHaveLength(278)
    expect(units[0]!.name).toBe('version-connect')
    const fromInput = run(command(), ['decode', 'katcp', '-'], readFileSync(session, 'latin1'))
    expect(fromInput.status).toBe(0)
    expect(fromInput.stdout.split('\n')).toHaveLength(279)
  })

  it('helps', () => {
    const { stdout, status } = run(command(), ['--help'])
    expect(status).toBe(0)
    expect(stdout).toContain('decode')
  })
})

describe('TypeScript', () => {
  const dom = ['dom', 'dom.iterable', 'dom.asynciterable']
  const kinds = [
    { module: 'node16', moduleResolution: 'node16', extension: 'mts', lib: dom, types: [] },
    { module: 'node16', moduleResolution: 'node16', extension: 'cts', lib: dom, types: [] },
    { module: 'nodenext', moduleResolution: 'nodenext', extension: 'mts', lib: [], types: ['node'] },
    { module: 'nodenext', moduleResolution: 'nodenext', extension: 'cts', lib: [], types: ['node'] },
    { module: 'esnext', moduleResolution: 'bundler', extension: 'ts', lib: dom, types: [] },
  ]

  it.each(kinds)(
    'compiles with moduleResolution $moduleResolution as .$extension',
    ({ module, moduleResolution, extension, lib, types }) => {
      const folder = mkdtempSync(join(project, 'types-'))
      for (const file of consumers) {
        copyFileSync(join(here, 'consumers', file), join(folder, `${basename(file, '.ts')}.${extension}`))
      }
      // Only one subpath speaks of Node, and needs its types.
      const known = modules.filter(({ path }) => types.length > 0 || path !== './node')
      const all = known.map(({ name }, i) => `export * as module${i} from '${name}'\n`).join('')
      // There is no require of a WebAssembly module, and without the DOM's types no name for it.
      const wasm =
        extension === 'cts' || lib.length === 0
          ? ''
          : "import core from 'wiretape/core.wasm'\nexport const compiled: WebAssembly.Module = core\n"
      writeFileSync(join(folder, `every.${extension}`), all + wasm)
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', ...lib],
        strict: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        esModuleInterop: true,
        types,
        typeRoots: [join(root, 'node_modules/@types')],
        outDir: 'out',
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }))
      const { stdout, status } = run(process.execPath, [tsc, '-p', folder])
      expect(stdout).toBe('')
      expect(status).toBe(0)

      // What a bundler resolves, Node runs only if told that it is a module.
      if (extension === 'ts') writeFileSync(join(folder, 'out', 'package.json'), '{ "type": "module" }')
      expect(consumers.length).toBeGreaterThan(0)
      for (const file of consumers) {
        const name = basename(file, '.ts')
        const { stdout, stderr } = run(process.execPath, [
          join(folder, 'out', `${name}.${extension.replace('ts', 'js')}`),
        ])
        expect(stderr).toBe('')
        expect(JSON.parse(stdout)).toEqual(
          JSON.parse(readFileSync(join(here, 'consumers', `${name}.expected.json`), 'utf8')),
        )
      }
    },
  )

  it('finds no fault in the examples, which are JavaScript with types in comments', () => {
    const folder = mkdtempSync(join(project, 'examples-'))
    for (const file of readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'))) {
      copyFileSync(join(root, 'examples', file), join(folder, file))
    }
    const compilerOptions = {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      target: 'es2022',
      strict: true,
      noUncheckedIndexedAccess: true,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }))
    const { stdout, status } = run(process.execPath, [tsc, '-p', folder])
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
