import { describe, expect, it } from 'vitest'
import { WireError } from '../../bindings/index'
import { formats } from '../../scripts/folders.mjs'

type Module = Readonly<Record<string, unknown>>
type Push = { push(chunk: unknown): unknown; reset(): void; readAll(): unknown[]; end(): unknown }

const HDS_KEY = new Uint8Array(32)
/** What a Decoder must be told; every other option has a default. */
const REQUIRED: Readonly<Record<string, object>> = {
  hds: { role: 'accessory', keys: { accessoryToController: HDS_KEY, controllerToAccessory: HDS_KEY } },
  websocket: { role: 'client' },
}

/** Words that mean the same wherever they stand; a format exports those that it has a use for. */
const VERBS = ['decode', 'decodeAt', 'decodeAll', 'encode', 'encodeAll', 'encodedLength', 'encodeInto', 'encodeChunks']

describe.each(formats)('wiretape/%s keeps the contract of all formats', (format) => {
  const load = () => import(`../../bindings/${format}/index.ts`) as Promise<Module>

  it('has functions by the common words', async () => {
    const module = await load()
    for (const verb of VERBS) if (verb in module) expect(module[verb], verb).toBeTypeOf('function')
    expect(module['decode']).toBeTypeOf('function')
    expect(module['encode']).toBeTypeOf('function')
    expect(module['WireError']).toBe(WireError)
  })

  it('has frozen, finite limits whose names say max', async () => {
    const limits = (await load())['DEFAULT_LIMITS'] as Readonly<Record<string, number>>
    expect(Object.isFrozen(limits)).toBe(true)
    expect(Object.keys(limits).length).toBeGreaterThan(0)
    for (const [name, value] of Object.entries(limits)) {
      expect(name).toMatch(/^max[A-Z]/)
      expect(Number.isSafeInteger(value) && value >= 0, name).toBe(true)
    }
  })

  it('has errors of its own, with codes that name it', async () => {
    const { ERRORS } = (await import(`../../bindings/${format}/errors.ts`)) as {
      ERRORS: Record<string, { code: string; kind: string; text: string; number?: number }>
    }
    const numbers = Object.values(ERRORS).flatMap(({ number }) => (number === undefined ? [] : [number]))
    expect(new Set(numbers).size).toBe(numbers.length)
    for (const { code, kind, text } of Object.values(ERRORS)) {
      expect(code).toMatch(new RegExp(`^WT_${format.toUpperCase()}_[A-Z0-9_]+$`))
      expect(['malformed', 'truncated', 'limit', 'value', 'usage']).toContain(kind)
      expect(text).not.toMatch(/[.\n]$/)
    }
  })

  it('refuses wrong calls as usage, and unknown limits by name', async () => {
    const module = await load()
    const Decoder = module['Decoder'] as new (options?: object) => Push
    const usage = (run: () => unknown) => {
      try {
        run()
      } catch (error) {
        if (WireError.is(error)) return error
        throw error
      }
      return undefined
    }
    const required = REQUIRED[format] ?? {}
    const decoder = new Decoder(required)
    for (const chunk of ['text', undefined, [1, 2], new ArrayBuffer(3)]) {
      expect(usage(() => decoder.push(chunk))?.kind).toBe('usage')
    }
    const wrong = usage(() => new Decoder({ ...required, limits: { maxNonsense: 1 } }))
    expect([wrong?.kind, wrong?.protocol]).toEqual(['usage', format])
    expect(wrong?.message).toContain('maxNonsense')
    for (const value of [-1, 1.5, Number.NaN, '5', Number.POSITIVE_INFINITY]) {
      const name = Object.keys(module['DEFAULT_LIMITS'] as object)[0]!
      expect(usage(() => new Decoder({ ...required, limits: { [name]: value } }))?.kind).toBe('usage')
    }
  })

  it('refuses options that are no object, and no list of messages', async () => {
    const module = await load()
    const Decoder = module['Decoder'] as new (options: unknown) => Push
    for (const options of [null, 5, 'x']) {
      expect(() => new Decoder(options)).toThrow(expect.objectContaining({ name: 'WireError', kind: 'usage' }))
    }
    const encodeAll = module['encodeAll'] as ((messages: unknown, options?: object) => unknown) | undefined
    if (encodeAll) {
      const misuse = () => encodeAll(null, { role: 'client' })
      expect(misuse).toThrow(expect.objectContaining({ name: 'WireError', kind: 'usage' }))
    }
  })

  it('is usable after a reset', async () => {
    const Decoder = (await load())['Decoder'] as new (options?: object) => Push
    const decoder = new Decoder(REQUIRED[format] ?? {})
    const garbage = Uint8Array.from({ length: 500 }, (_, i) => (i * 37) & 255)
    try {
      decoder.push(garbage)
      decoder.readAll()
      decoder.end()
      decoder.readAll()
    } catch (error) {
      expect(WireError.is(error)).toBe(true)
    }
    decoder.reset()
    decoder.push(new Uint8Array(0))
    expect(decoder.readAll()).toEqual([])
  })
})
