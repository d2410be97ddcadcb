// npm run fuzz: bundles test/fuzz, since Node reads no TypeScript, and runs it with the options given.
import { spawnSync } from 'node:child_process'
import { build } from 'esbuild'

const outfile = 'build/fuzz.mjs'
await build({
  entryPoints: ['test/fuzz/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Of the root for all files: in it, lib/* are the twins of bindings/portable.
  tsconfig: 'tsconfig.json',
  external: ['binaryen', 'commander', '@noble/ciphers', 'fflate'],
  logLevel: 'warning',
})
const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
