import { join } from 'node:path'
import { peerFile, program } from './peers'
import { inPlace } from './place'
import { outcomeOf } from './process'

/*
 * Places where WebAssembly is forbidden or has no room, or where the language itself is nailed down. Those of the browsers and of workerd
 * stand beside the others of theirs.
 */

const VERSIONS = [20, 22, 24, 26].map((version) => [version, peerFile(`node${version}/bin/node`)] as const)
const KINDS = ['mjs', 'cjs'] as const

for (const [version, node] of VERSIONS) {
  const needs = [[`Node ${version}`, node]] as const
  for (const kind of KINDS) {
    const run = (flag: string) => (project: string, options: object) =>
      outcomeOf(node!, [flag, join(project, `suite/print.${kind}`), JSON.stringify(options)], project)

    inPlace({
      name: `hostile: Node ${version} --jitless, .${kind}`,
      needs,
      answers: 'js',
      reason: /^ReferenceError: WebAssembly is not defined/,
      run: run('--jitless'),
    })

    inPlace({ name: `hostile: Node ${version} --frozen-intrinsics, .${kind}`, needs, run: run('--frozen-intrinsics') })
  }

  // V8 reserves some 10 GB of addresses for each memory, and since Node 24 does with less where there is less.
  inPlace({
    name: `hostile: Node ${version} in 8 GB of addresses`,
    needs: [...needs, ['bash', program('bash')]],
    ...(version < 24 ? { answers: 'js', reason: /^RangeError: .*Out of memory/ } : {}),
    run: (project, options) =>
      outcomeOf(
        program('bash')!,
        ['-c', 'ulimit -v 8000000 && exec "$@"', '-', node!, 'suite/print.mjs', JSON.stringify(options)],
        project,
      ),
  })
}
