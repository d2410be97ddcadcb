import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Writes sw.js: src/offline.js with the names of all that was built, and a version that changes with any of it. */
const offline: Plugin = {
  name: 'offline',
  generateBundle(_, bundle) {
    const files = Object.keys(bundle).sort()
    const hash = createHash('sha256')
    for (const name of files) {
      const output = bundle[name]!
      hash.update(name).update(output.type === 'chunk' ? output.code : output.source)
    }
    const list = JSON.stringify(['./', ...files.filter((name) => name !== 'index.html')])
    const source = readFileSync(at('./src/offline.js'), 'utf8')
      .replace('const FILES = []', `const FILES = ${list}`)
      .replace("const VERSION = ''", `const VERSION = '${hash.digest('hex').slice(0, 16)}'`)
    this.emitFile({ type: 'asset', fileName: 'sw.js', source })
  },
}

export default defineConfig({
  root: at('./'),
  // Relative, so that it can be served from any folder.
  base: './',
  plugins: [offline],
  worker: { format: 'es' },
  build: {
    outDir: at('../../build/playground'),
    emptyOutDir: true,
    target: 'es2022',
    // Samples are fetched, which `connect-src` does not allow of data.
    assetsInlineLimit: 0,
  },
})
