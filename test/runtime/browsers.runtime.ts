import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BROWSERS, openPage } from './browser'
import { bundle } from './bundle'
import { inPlace } from './place'

const page = (title: string, module: string, imports?: object) => `<!doctype html>
<title>${title}</title>
<script src="/suite/errors.js"></script>
${imports ? `<script type="importmap">${JSON.stringify({ imports })}</script>\n` : ''}<script type="module" src="${module}"></script>
`

/** The package as it is: each subpath by the file that package.json names for it, and `#core` like a name too. */
const IMPORTS = {
  '#core': '/node_modules/wiretape/dist/core-inline.js',
  wiretape: '/node_modules/wiretape/dist/index.js',
  ...Object.fromEntries(
    ['dbus', 'hds', 'hpack', 'katcp', 'noble', 'opack', 'standalone', 'websocket'].map((name) => [
      `wiretape/${name}`,
      `/node_modules/wiretape/dist/${name}.js`,
    ]),
  ),
  '@noble/ciphers/': '/node_modules/@noble/ciphers/',
}

const bundled = async (project: string, name: string) => {
  const folder = await bundle(project, name, 'page.mjs', {})
  writeFileSync(join(folder, 'page.html'), page('bundled', 'page.mjs'))
  return `out/${name}/page.html`
}

for (const [i, browser] of BROWSERS.entries()) {
  const { name, needs } = browser
  inPlace({
    name: `${name}, esbuild bundle`,
    needs,
    run: async (project, options) => openPage(browser, project, await bundled(project, `page-${i}`), options),
  })

  inPlace({
    name: `${name}, import map`,
    needs,
    run: (project, options) => {
      writeFileSync(join(project, `map-${i}.html`), page('import map', '/suite/page.mjs', IMPORTS))
      return openPage(browser, project, `map-${i}.html`, options)
    },
  })

  inPlace({
    name: `${name}, wiretape/standalone`,
    needs,
    run: (project, options) => {
      writeFileSync(join(project, `standalone-${i}.html`), page('standalone', '/suite/page_standalone.mjs', IMPORTS))
      return openPage(browser, project, `standalone-${i}.html`, options)
    },
  })

  inPlace({
    name: `hostile: ${name}, CSP without 'wasm-unsafe-eval'`,
    needs,
    answers: 'js',
    reason: /Error/,
    run: async (project, options) =>
      openPage(browser, project, await bundled(project, `csp-${i}`), options, {
        'content-security-policy': "default-src 'self'; script-src 'self'",
      }),
  })

  inPlace({
    name: `${name}, CSP with 'wasm-unsafe-eval'`,
    needs,
    run: async (project, options) =>
      openPage(browser, project, await bundled(project, `csp-wasm-${i}`), options, {
        'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      }),
  })
}
