import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { resolveLimits } from '../../bindings/core/limits'
import { bytesArgument, choice } from '../../bindings/core/options'
import { thrownBy } from './lines'

const DEFAULTS = Object.freeze({ maxItems: 10, maxBytes: 100 })
type Given = Parameters<typeof resolveLimits<typeof DEFAULTS>>[2]
const USAGE = { code: 'WT_USAGE', kind: 'usage', protocol: 'dbus' }

describe('limits', () => {
  it('are the defaults where none is given', () => {
    expect(resolveLimits('dbus', DEFAULTS, undefined)).toBe(DEFAULTS)
    expect(resolveLimits('dbus', DEFAULTS, {})).toEqual(DEFAULTS)
    expect(resolveLimits('dbus', DEFAULTS, { maxItems: undefined })).toEqual(DEFAULTS)
  })

  it('take what is given, also 0, and are frozen', () => {
    const given = { maxItems: 0 }
    const limits = resolveLimits('dbus', DEFAULTS, given)
    expect(limits).toEqual({ maxItems: 0, maxBytes: 100 })
    expect(Object.isFrozen(limits)).toBe(true)
    given.maxItems = 5
    expect(limits.maxItems).toBe(0)
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '10', null, 10n])('refuse %s', (value) => {
    const error = thrownBy(() => resolveLimits('dbus', DEFAULTS, { maxItems: value } as Given))
    expect(error).toMatchObject(USAGE)
    expect((error as Error).message).toContain('limits.maxItems')
  })

  it('refuse a name that does not exist, and what is no object', () => {
    for (const given of [{ maxitems: 1 }, { toString: 1 }, JSON.parse('{"__proto__":1}'), null, 10]) {
      expect(thrownBy(() => resolveLimits('dbus', DEFAULTS, given as Given))).toMatchObject(USAGE)
    }
  })
})

describe('a choice', () => {
  it('is one of the words, or the default', () => {
    expect(choice('dbus', 'bytes', undefined, ['copy', 'view'], 'copy')).toBe('copy')
    expect(choice('dbus', 'bytes', 'view', ['copy', 'view'], 'copy')).toBe('view')
    const error = thrownBy(() => choice<'copy' | 'view'>('dbus', 'bytes', 'views' as 'view', ['copy', 'view'], 'copy'))
    expect(error).toMatchObject({ ...USAGE, message: 'wrong use: bytes must be copy or view' })
  })
})

describe('bytes', () => {
  it('are a Uint8Array of any realm', () => {
    for (const bytes of [new Uint8Array(1), Buffer.from('a'), runInNewContext('new Uint8Array(1)')]) {
      expect(thrownBy(() => bytesArgument('dbus', 'chunk', bytes))).toBe(undefined)
    }
    for (const other of ['a', new ArrayBuffer(1), new Uint16Array(1), [1], null, undefined]) {
      expect(thrownBy(() => bytesArgument('dbus', 'chunk', other))).toMatchObject(USAGE)
    }
  })
})
