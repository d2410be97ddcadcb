import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { bundle, workerIn } from './bundle'
import { peerFile } from './peers'
import { inPlace } from './place'
import { print } from './process'
import { inMiniflare, inWorkerd } from './workerd'

const miniflare = [['Miniflare', peerFile('miniflare/package.json')]] as const
const workerd = [['workerd', peerFile('.bin/workerd')]] as const
const wrangler = [...miniflare, ['wrangler', peerFile('wrangler/package.json')]] as const

/** As Cloudflare's tools bundle: their conditions, and .wasm files beside the script. */
const CLOUDFLARE: BuildOptions = { conditions: ['workerd', 'worker', 'browser'], loader: { '.wasm': 'copy' } }

inPlace({
  name: 'workerd (Miniflare)',
  needs: miniflare,
  run: async (project, options) =>
    inMiniflare(workerIn(await bundle(project, 'miniflare', 'worker.mjs', CLOUDFLARE)), options),
})

inPlace({
  name: 'workerd (own configuration)',
  needs: workerd,
  run: async (project, options) =>
    inWorkerd(
      join(project, 'out/workerd'),
      workerIn(await bundle(project, 'workerd-bundle', 'worker.mjs', CLOUDFLARE)),
      options,
    ),
})

inPlace({
  name: 'wrangler deploy --dry-run',
  needs: wrangler,
  run: async (project, options) => {
    writeFileSync(
      join(project, 'wrangler.json'),
      JSON.stringify({
        name: 'worker',
        main: 'suite/worker.mjs',
        compatibility_date: '2026-01-01',
        send_metrics: false,
      }),
    )
    const args = [peerFile('wrangler/bin/wrangler.js')!, 'deploy', '--dry-run', '--outdir', 'out/wrangler']
    await print(process.execPath, args, project)
    return inMiniflare(workerIn(join(project, 'out/wrangler')), options)
  },
})

// A tool that does not know the condition `workerd` gives bytes, which workerd compiles for nobody.
inPlace({
  name: 'hostile: workerd with bytes',
  needs: miniflare,
  answers: 'js',
  reason: /CompileError/,
  run: async (project, options) =>
    inMiniflare(
      workerIn(await bundle(project, 'bytes', 'worker.mjs', { conditions: ['browser'], loader: { '.wasm': 'copy' } })),
      options,
    ),
})
