// assembly → build/core.wasm → bindings/engine/wasm_bytes.ts → dist (ES modules, CommonJS, declarations, the .wasm itself).
// `--kernels` stops after the embedded module, which is all that the tests of the sources need.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

run('node_modules/assemblyscript/bin/asc.js', '--target', 'release')
const wasm = readFileSync('build/core.wasm')
writeFileSync(
  'bindings/engine/wasm_bytes.ts',
  `// Written by scripts/build.mjs from build/core.wasm.\nexport const wasmBase64 =\n  '${wasm.toString('base64')}'\n`,
)
if (!process.argv.includes('--kernels')) {
  rmSync('dist', { recursive: true, force: true })
  run('node_modules/tsup/dist/cli-default.js')
  mkdirSync('dist', { recursive: true })
  copyFileSync('build/core.wasm', 'dist/core.wasm')
  writeFileSync('dist/core.wasm.d.ts', 'declare const module: WebAssembly.Module\nexport default module\n')
  writeFileSync('dist/.built', '')
}
