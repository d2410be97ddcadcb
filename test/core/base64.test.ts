import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(Uint8Array, 'fromBase64')
  Reflect.deleteProperty(Uint8Array.prototype, 'toBase64')
  vi.resetModules()
})

const own = Uint8Array as { fromBase64?: unknown; prototype: { toBase64?: unknown } }
const natives = { from: own.fromBase64, to: own.prototype.toBase64 }

/** The module as a runtime sees it that has only the given one of the three ways. */
async function withOnly(way: 'Uint8Array' | 'Buffer' | 'atob') {
  const nodes = Buffer
  if (way === 'Uint8Array') {
    const from = (text: string) => new Uint8Array(nodes.from(text, 'base64'))
    const to = function (this: Uint8Array) {
      return nodes.from(this).toString('base64')
    }
    Object.assign(Uint8Array, { fromBase64: natives.from ?? from })
    Object.assign(Uint8Array.prototype, { toBase64: natives.to ?? to })
  } else Reflect.deleteProperty(Uint8Array, 'fromBase64')
  if (way !== 'Uint8Array') Reflect.deleteProperty(Uint8Array.prototype, 'toBase64')
  if (way !== 'Buffer') vi.stubGlobal('Buffer', undefined)
  vi.resetModules()
  return import('../../bindings/core/base64')
}

it.each(['Uint8Array', 'Buffer', 'atob'] as const)('writes and reads by way of %s', async (way) => {
  const { fromBase64, toBase64 } = await withOnly(way)
  expect(toBase64(Uint8Array.of(251, 255, 0, 1))).toBe('+/8AAQ==')
  for (const length of [0, 1, 2, 3, 20_001]) {
    const memory = Uint8Array.from({ length: length + 2 }, (_, i) => (i * 167) & 255)
    const bytes = memory.subarray(1, length + 1)
    const text = toBase64(bytes)
    expect(text).toMatch(/^[A-Za-z0-9+/]*={0,2}$/)
    const read = fromBase64(text)
    expect(read).toEqual(bytes)
    expect(read?.buffer.byteLength).toBe(length)
  }
  for (const text of ['A', 'AA', 'AAA', 'AA=A', '====', 'A===', 'AA==\n', 'AA-_', ' AA='])
    expect(fromBase64(text)).toBe(undefined)
})
