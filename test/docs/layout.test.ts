import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS as dbus } from '../../bindings/dbus/limits'
import { DEFAULT_LIMITS as hds } from '../../bindings/hds/limits'
import { DEFAULT_LIMITS as hpack } from '../../bindings/hpack/limits'
import { DEFAULT_LIMITS as katcp } from '../../bindings/katcp/limits'
import { DEFAULT_LIMITS as websocket } from '../../bindings/websocket/limits'

const folders = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
const missing = (names: readonly string[], text: string, shape: (name: string) => string): string[] =>
  names.filter((name) => !text.includes(shape(name)))

describe('what is there is told of', () => {
  const architecture = readFileSync('ARCHITECTURE.md', 'utf8')
  const contributing = readFileSync('CONTRIBUTING.md', 'utf8')
  const readme = readFileSync('README.md', 'utf8')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const formats = folders('assembly').filter((name) => !['abi', 'lib'].includes(name))

  it('folders of bindings and test, in ARCHITECTURE.md', () => {
    expect(missing([...folders('bindings'), ...folders('test')], architecture, (name) => name)).toEqual([])
    const own = folders('test').filter((name) => !folders('bindings').includes(name) && name !== 'lib')
    expect(missing(own, architecture, (name) => `${name}/`)).toEqual([])
  })

  it('npm scripts, in CONTRIBUTING.md or as a part of another', () => {
    const parts = Object.values(scripts).join(' ')
    const own = Object.keys(scripts).filter(
      (name) => !parts.includes(`scripts/${name}.mjs --quiet`) && name !== 'setup',
    )
    expect(missing(own, contributing, (name) => (name === 'test' ? '`npm test`' : `npm run ${name}`))).toEqual([])
  })

  it('formats, with a page and ten lines, in the README', () => {
    expect(missing(formats, readme, (name) => `](docs/${name}.md)`)).toEqual([])
    expect(missing(formats, readme, (name) => `from 'wiretape/${name}'`)).toEqual([])
  })

  it('limits, in the guide on how to choose them', () => {
    const guide = readFileSync('docs/guides/limits.md', 'utf8')
    const names = [dbus, hds, hpack, katcp, websocket].flatMap((limits) => Object.keys(limits))
    expect(missing([...new Set(names)], guide, (name) => `\`${name}\``)).toEqual([])
  })
})
