import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Worker } from './bundle'
import { peerFile, peerModule } from './peers'
import type { Outcome } from './place'

const COMPATIBILITY_DATE = '2026-01-01'

interface Miniflare {
  dispatchFetch(url: string, init: object): Promise<Response>
  dispose(): Promise<void>
}
interface MiniflareModule {
  readonly Miniflare: new (options: object) => Miniflare
}

async function ask(response: Response): Promise<Outcome> {
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text) as Outcome
}

/** Runs a Worker in Miniflare. */
export async function inMiniflare({ entry, script, modules }: Worker, options: object): Promise<Outcome> {
  const { Miniflare } = await peerModule<MiniflareModule>('miniflare')
  const worker = new Miniflare({
    modules: [
      { type: 'ESModule', path: entry, contents: script },
      ...modules.map(({ name, bytes }) => ({ type: 'CompiledWasm', path: name, contents: bytes })),
    ],
    compatibilityDate: COMPATIBILITY_DATE,
    // Otherwise it asks the network for what request.cf holds.
    cf: false,
  })
  try {
    return await ask(await worker.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(options) }))
  } finally {
    await worker.dispose()
  }
}

/** Runs a Worker in workerd itself, by a configuration of its own in `folder`. */
export async function inWorkerd(folder: string, { entry, script, modules }: Worker, options: object): Promise<Outcome> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, entry), script)
  for (const { name, bytes } of modules) writeFileSync(join(folder, name), bytes)
  const lines = [`(name = "${entry}", esModule = embed "${entry}")`]
  for (const { name } of modules) lines.push(`(name = "${name}", wasm = embed "${name}")`)
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (modules = [${lines.join(', ')}], compatibilityDate = "${COMPATIBILITY_DATE}");
`,
  )
  const child = spawn(peerFile('.bin/workerd')!, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  const closed = once(child, 'close')
  try {
    const port = await Promise.race([listening(child.stdio[3] as Readable), closed.then(() => undefined)])
    if (port === undefined) throw new Error('workerd has ended')
    return await ask(await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(options) }))
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}

/** The port that workerd says it listens on. */
async function listening(control: Readable): Promise<number> {
  let text = ''
  for await (const piece of control.setEncoding('utf8')) {
    text += piece
    const line = text.split('\n').find((line) => line.includes('"listen"'))
    if (line) return (JSON.parse(line) as { port: number }).port
  }
  throw new Error(`workerd does not listen: ${text}`)
}
