// Everything that can be said about the sources without running them. Prints what is wrong, and exits 1 if anything is.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { checkChangelog } from './check_changelog.mjs'
import { checkOrder } from './check_order.mjs'
import { checkPortable } from './check_portable.mjs'
import { checkGenerated } from './gen.mjs'

let failed = false
function report(title, found) {
  if (found.length) failed = true
  console.log(`${found.length ? '✗' : '✓'} ${title}`)
  for (const line of found) console.log(`  ${line}`)
}
function tool(title, script, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  report(title, status === 0 ? [] : `${stdout}${stderr}`.trim().split('\n'))
}

// The embedded module is made, not committed, and the types need it.
if (!existsSync('bindings/engine/wasm_bytes.ts')) tool('kernels compile', 'scripts/build.mjs', '--kernels')
report('kernels keep to the portable subset', checkPortable())
report('imports follow the dependency order', checkOrder())
report('the changelog is in order', checkChangelog())
report('generated files are up to date', await checkGenerated())
tool('types of the bindings, tests and the kernels as TypeScript', 'node_modules/typescript/bin/tsc', '-p', '.')
tool('types of the kernels as AssemblyScript', 'node_modules/typescript/bin/tsc', '-p', 'assembly')
tool('format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.')
process.exit(failed ? 1 : 0)
