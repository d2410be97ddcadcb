import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const example = at('../../../examples/edge/')
const out = at('../../../build/edge/')

/** The part of Miniflare that is used. */
interface Miniflare {
  readonly ready: Promise<URL>
  dispose(): Promise<void>
}
interface Module {
  readonly type: 'ESModule' | 'CompiledWasm'
  readonly path: string
}
type Options = {
  readonly host: string
  readonly cf: false
  readonly compatibilityDate: string
  readonly modulesRoot: string
  readonly modules: readonly Module[]
}

/** Runs the tests where Miniflare is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withMiniflare(tests: () => void): void {
  if (existsSync(`${example}node_modules/miniflare`)) tests()
  else
    it('NOT RUN: Miniflare is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error('there is no Miniflare')
    })
}

/** The example as wrangler would upload it, into build/edge. */
export function buildWorker(): void {
  rmSync(out, { recursive: true, force: true })
  const wrangler = `${example}node_modules/wrangler/bin/wrangler.js`
  const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', out], {
    cwd: example,
    encoding: 'utf8',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: out },
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  copyFileSync(at('counting.mjs'), `${out}counting.js`)
}

/** Starts what was built; `entry` is the module that answers. */
export async function startWorker(entry: 'worker.js' | 'counting.js'): Promise<{ url: URL; stop(): Promise<void> }> {
  const { Miniflare } = createRequire(`${example}package.json`)('miniflare') as {
    Miniflare: new (options: Options) => Miniflare
  }
  const date = /"compatibility_date": "([\d-]+)"/.exec(readFileSync(`${example}wrangler.jsonc`, 'utf8'))![1]!
  const files = readdirSync(out).filter((name) => /\.(js|wasm)$/.test(name))
  const others = files.filter((name) => name !== entry)
  const worker = new Miniflare({
    host: '127.0.0.1',
    cf: false,
    compatibilityDate: date,
    modulesRoot: out,
    modules: [entry, ...others].map((name) => ({
      type: name.endsWith('.wasm') ? ('CompiledWasm' as const) : ('ESModule' as const),
      path: `${out}${name}`,
    })),
  })
  return { url: await worker.ready, stop: () => worker.dispose() }
}
