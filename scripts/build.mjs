// assembly → build/core.wasm → bindings/engine/wasm_bytes.ts → dist (ES modules, CommonJS, declarations, the .wasm itself).
// `--kernels` stops after the embedded module, which is all that the tests of the sources need.
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { filesBelow } from './folders.mjs'

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * tsup splits CommonJS with a transform that takes `this.#name = value` for an assignment to an export of that name. So the
 * CommonJS files are made from the ES modules instead, each from its own, by esbuild; the declarations stay tsup's.
 */
async function commonJs() {
  const { transform } = await import('esbuild')
  for (const made of filesBelow('dist', '.cjs')) {
    rmSync(made)
    rmSync(`${made}.map`, { force: true })
  }
  for (const file of filesBelow('dist', '.js')) {
    if (/core-workerd|cli|standalone/.test(file)) continue
    const source = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
    const { code } = await transform(source, { format: 'cjs', target: 'es2022' })
    writeFileSync(file.replace(/\.js$/, '.cjs'), code.replace(/(require\("\.{1,2}\/[^"]+)\.js"\)/g, '$1.cjs")'))
  }
}

run('node_modules/assemblyscript/bin/asc.js', '--target', 'release')
const wasm = readFileSync('build/core.wasm')
writeFileSync(
  'bindings/engine/wasm_bytes.ts',
  `// Written by scripts/build.mjs from build/core.wasm.\nexport const wasmHex =\n  '${wasm.toString('hex')}'\n`,
)
if (!process.argv.includes('--kernels')) {
  rmSync('dist', { recursive: true, force: true })
  run('node_modules/tsup/dist/cli-default.js')
  await commonJs()
  copyFileSync('build/core.wasm', 'dist/core.wasm')
  writeFileSync('dist/core.wasm.d.ts', 'declare const module: WebAssembly.Module\nexport default module\n')
  writeFileSync('dist/.built', '')
}
