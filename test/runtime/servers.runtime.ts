import { join } from 'node:path'
import { peerFile } from './peers'
import { inPlace } from './place'
import { outcomeOf } from './process'

for (const version of [20, 22, 24, 26]) {
  const node = peerFile(`node${version}/bin/node`)
  const needs = [[`Node ${version}`, node]] as const
  for (const [kind, file] of [
    ['ESM', 'suite/print.mjs'],
    ['CommonJS', 'suite/print.cjs'],
  ] as const) {
    inPlace({
      name: `Node ${version} ${kind}`,
      needs,
      run: (project, options) => outcomeOf(node!, [join(project, file), JSON.stringify(options)], project),
    })
  }
}

const deno = peerFile('.bin/deno')
for (const [kind, file] of [
  ['ESM', 'suite/print.mjs'],
  ['CommonJS', 'suite/print.cjs'],
] as const) {
  inPlace({
    name: `Deno ${kind}`,
    needs: [['Deno', deno]],
    run: (project, options) =>
      outcomeOf(deno!, ['run', '--no-remote', '--allow-read', '--allow-env', file, JSON.stringify(options)], project),
  })
}

const bun = peerFile('.bin/bun')
for (const [kind, file] of [
  ['ESM', 'suite/print.mjs'],
  ['CommonJS', 'suite/print.cjs'],
] as const) {
  inPlace({
    name: `Bun ${kind}`,
    needs: [['Bun', bun]],
    run: (project, options) => outcomeOf(bun!, ['--no-install', file, JSON.stringify(options)], project),
  })
}
