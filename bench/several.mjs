// Several builds of wiretape in one process: a contender that is imported as `contenders/x.mjs?build=<label>` gets the build that
// WIRETAPE_BUILDS, an object of folders by label, names so, in module instances of its own.
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

const builds = JSON.parse(process.env.WIRETAPE_BUILDS ?? '{}')

/** From now on, imports follow `?build=`. */
export function loadSeveralBuilds() {
  register(import.meta.url, import.meta.url)
}

/** A hook of Node's module loader: https://nodejs.org/docs/latest-v20.x/api/module.html#resolvespecifier-context-nextresolve */
export async function resolve(specifier, context, nextResolve) {
  const { parentURL } = context
  const label = parentURL && new URL(parentURL).searchParams.get('build')
  if (!label) return nextResolve(specifier, context)
  const home = pathToFileURL(`${builds[label]}/`).href
  const own = /^wiretape(\/|$)/.test(specifier)
  // A package may refer to itself by name; that finds the build's own `exports`.
  const from = own ? new URL('package.json', home).href : parentURL.replace(/\?.*$/, '')
  const found = await nextResolve(specifier, { ...context, parentURL: from })
  return found.url.startsWith(`${home}dist/`) ? { ...found, url: `${found.url}?build=${label}` } : found
}
