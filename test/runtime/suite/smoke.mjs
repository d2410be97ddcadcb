import { CALLS, fromHex } from './calls.mjs'

/*
 * The smoke suite. `library` is { core, websocket, dbus, hpack, katcp, hds, opack, nobleCipher }, however the runtime got it; without `core`
 * it is the build that has no choice of backend. `cases` come from test/vectors (cases.ts), each with the outcome that it must have.
 */

const JS_ONLY = { backend: () => 'js', backendReason: () => undefined, useBackend: () => 'js' }

/** Leaves out what is undefined, as JSON does. */
const plain = (value) => JSON.stringify(value)

async function outcomeOf(library, json, { format, call, ...rest }) {
  const input = call === 'session' ? { ...rest, cipher: library.nobleCipher } : rest
  return CALLS[call](library[format], json, input)
}

/** Every group of cases of every format on one backend: `{ format, backend, name, ok, error, count }`. */
async function formatsOn(backend, library, json, cases) {
  const rows = new Map()
  for (const { name, want, ...input } of cases) {
    const key = `${input.format} ${name}`
    const row = rows.get(key) ?? { format: input.format, backend, name, ok: true, count: 0 }
    rows.set(key, row)
    row.count++
    if (!row.ok) continue
    try {
      const seen = plain(await outcomeOf(library, json, input))
      if (seen !== plain(want)) throw new Error(`${plain(input).slice(0, 300)}: ${seen} instead of ${plain(want)}`)
    } catch (error) {
      row.ok = false
      row.error = String(error?.stack ?? error)
    }
  }
  return [...rows.values()]
}

/** What is true of `wiretape` itself: the choice of backend, the reason, and initCore with all that it takes. */
async function coreRows(library, wasm, sample) {
  const { core } = library
  const rows = []
  const test = async (name, run) => {
    try {
      await run()
      rows.push({ format: 'core', backend: core.backend(), name, ok: true, count: 1 })
    } catch (error) {
      rows.push({
        format: 'core',
        backend: core.backend(),
        name,
        ok: false,
        count: 1,
        error: String(error?.stack ?? error),
      })
    }
  }
  const equal = (seen, wanted) => {
    if (seen !== wanted) throw new Error(`${seen} instead of ${wanted}`)
  }
  const works = async () => {
    for (const { want, name: _, ...input } of sample) equal(plain(await outcomeOf(library, core, input)), plain(want))
  }
  core.useBackend('auto')
  const first = core.backend()
  await test('useBackend', async () => {
    equal(core.useBackend('js'), 'js')
    await works()
    if (first === 'wasm') {
      equal(core.backendReason(), undefined)
      equal(core.useBackend('wasm'), 'wasm')
    } else {
      let thrown
      try {
        core.useBackend('wasm')
      } catch (error) {
        thrown = error
      }
      if (thrown === undefined) throw new Error('wasm was refused without being thrown')
      equal(thrown, core.backendReason())
    }
    equal(core.useBackend('auto'), first)
    await works()
  })
  const sources = {
    bytes: () => wasm.bytes,
    'an ArrayBuffer': () => wasm.bytes.slice().buffer,
  }
  // Node's own Response needs WebAssembly: where that is not to be had, touching it ends the process.
  if (first === 'wasm' || globalThis.process === undefined) {
    sources.Response = () => new Response(wasm.bytes, { headers: { 'content-type': 'application/wasm' } })
    sources['a promise of a Response'] = async () => new Response(wasm.bytes)
  }
  if (first === 'wasm') sources.Module = () => wasm.module ?? new WebAssembly.Module(wasm.bytes)
  for (const [kind, source] of Object.entries(sources)) {
    await test(`initCore of ${kind}`, async () => {
      equal(await core.initCore(source()), first)
      core.useBackend(first)
      await works()
      core.useBackend('auto')
    })
  }
  await test('initCore of what is no module', async () => {
    equal(await core.initCore(new Uint8Array(3)), first)
    await works()
  })
  if (wasm.module && first === 'js') {
    await test('initCore of a Module that the runtime has compiled, after all', async () => {
      equal(await core.initCore(wasm.module), 'wasm')
      equal(core.backendReason(), undefined)
      equal(core.useBackend('wasm'), 'wasm')
      await works()
    })
  }
  return rows
}

/**
 * Runs everything. `backends` names those to demand; one that cannot be had is a failed row. Returns what a runner turns into tests.
 *
 * @returns {Promise<{ backend: string, reason: string | undefined, rows: object[] }>}
 */
export async function smoke(library, { cases, wasm }, { backends = ['wasm', 'js'], module } = {}) {
  const core = library.core ?? JS_ONLY
  const json = library.core ?? library.json
  const backend = core.backend()
  const reason = core.backendReason()
  const rows = []
  for (const wanted of backends) {
    try {
      core.useBackend(wanted)
      rows.push(...(await formatsOn(wanted, library, json, cases)))
    } catch (error) {
      rows.push({ format: 'core', backend: wanted, name: 'can be chosen', ok: false, count: 1, error: String(error) })
    }
  }
  if (library.core) {
    const sample = cases.filter(({ call }) => call === 'decode').filter((_, i) => i % 10 === 0)
    rows.push(...(await coreRows(library, { bytes: fromHex(wasm), module }, sample)))
  }
  return { backend, reason: reason === undefined ? undefined : String(reason), rows }
}
