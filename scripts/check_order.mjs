// The dependency order of ARCHITECTURE.md, read from the imports: a line in the wrong room is refused.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { filesBelow, formats, subpaths } from './folders.mjs'

const imports = (text) => [...text.matchAll(/(?:from|import)\s+'([^']+)'/g)].map((match) => match[1])

/** Room of a file: `assembly/abi`, `bindings/core`, `bindings/katcp` … */
const room = (path) => path.split(/[\\/]/).slice(0, 2).join('/')

const helpers = subpaths.filter((name) => !formats.includes(name))
const allowed = {
  'assembly/abi': ['assembly/abi'],
  'assembly/lib': ['assembly/lib', 'assembly/abi'],
  'bindings/portable': ['bindings/portable', 'assembly/abi'],
  'bindings/engine': ['bindings/engine', 'bindings/portable', 'assembly/abi'],
  'bindings/core': ['bindings/core', 'bindings/engine', 'assembly/abi'],
  'bindings/index.ts': ['bindings/core', 'bindings/engine'],
}
for (const name of formats) {
  allowed[`assembly/${name}`] = [`assembly/${name}`, 'assembly/abi', 'lib']
  allowed[`bindings/${name}`] = [
    `bindings/${name}`,
    `assembly/${name}`,
    'bindings/core',
    'bindings/engine',
    'assembly/abi',
  ]
}
// On top of the formats, since a capture may be of any of them.
allowed['bindings/capture'] = [...formats.map((name) => `bindings/${name}`), 'bindings/core', 'bindings/engine']
const mayName = {
  node: ['bindings/node', 'bindings/cli'],
  packages: {
    '@assemblyscript/loader': ['bindings/engine'],
    commander: ['bindings/cli'],
    'cli-progress': ['bindings/cli'],
  },
}

export function checkOrder() {
  const found = []
  for (const file of [...filesBelow('assembly'), ...filesBelow('bindings')]) {
    const from = room(file)
    for (const name of imports(readFileSync(file, 'utf8'))) {
      const say = (reason) => found.push(`${file}: imports '${name}': ${reason}`)
      if (name.startsWith('node:')) {
        if (!mayName.node.includes(from)) say('only bindings/node and bindings/cli may name Node')
      } else if (name.startsWith('lib/')) {
        if (!from.startsWith('assembly/') && from !== 'bindings/engine' && from !== 'bindings/portable') {
          say('primitives are for kernels and the engine')
        }
      } else if (name.startsWith('.')) {
        const target = room(normalize(join(dirname(file), name)))
        const rule = allowed[from]
        if (rule && target !== from && !rule.includes(target)) say(`${from} may use ${rule.join(', ')}`)
      } else if (!name.startsWith('#')) {
        const rooms = mayName.packages[name]
        if (rooms ? !rooms.includes(from) : !helpers.includes(from.slice('bindings/'.length))) {
          say('the codecs depend on no package')
        }
      }
    }
  }
  return found
}
