import { describe, expect, it } from 'vitest'
import { type ErrorEntry, kernelErrors, WireError } from '../../bindings/core/error'
import { commonError, ERRORS, usageError } from '../../bindings/core/errors'

const ENTRY: ErrorEntry = { code: 'WT_JSON', kind: 'value', text: 'not good', status: 1007, number: 3 }

describe('WireError', () => {
  it('carries the row of its table and its place', () => {
    const limit = { name: 'maxItems', max: 2, actual: 3 }
    const cause = new RangeError('inner')
    const error = new WireError('hds', ENTRY, { offset: 4, path: 'body[1]', limit, detail: 'a tag', cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'WireError', code: 'WT_JSON', kind: 'value', protocol: 'hds' })
    expect(error).toMatchObject({ offset: 4, path: 'body[1]', status: 1007, limit, cause })
    expect(error.message).toBe('not good: a tag (maxItems is 2, got 3) at offset 4')
  })

  it('has an offset of -1 and no other property where the place is unknown', () => {
    const { status, ...entry } = ENTRY
    const error = new WireError('dbus', entry)
    expect(error.offset).toBe(-1)
    expect(error.message).toBe('not good')
    for (const name of ['path', 'limit', 'status', 'cause']) expect(name in error).toBe(false)
    expect(status).toBe(1007)
  })

  it('says the path where there is no offset', () => {
    expect(new WireError('dbus', ENTRY, { path: 'body[2].name' }).message).toBe('not good at body[2].name')
  })

  it('is known across copies of the package, and nothing else is taken for one', () => {
    const foreign = Object.defineProperty(new Error('x'), Symbol.for('wiretape.WireError'), { value: true })
    expect(WireError.is(new WireError('dbus', ENTRY))).toBe(true)
    expect(WireError.is(foreign)).toBe(true)
    for (const other of [new Error('x'), { code: 'WT_JSON' }, null, undefined, 'WT_JSON']) {
      expect(WireError.is(other)).toBe(false)
    }
  })
})

describe('tables', () => {
  it('find the row of a number of a kernel', () => {
    const error = kernelErrors('hds', { a: ENTRY, b: { code: 'WT_USAGE', kind: 'usage', text: 'without number' } })
    expect(error(3, { offset: 9 })).toMatchObject({ code: 'WT_JSON', protocol: 'hds', offset: 9, status: 1007 })
    expect(() => error(4, {})).toThrow('lacks the number 4')
  })

  it('hold the faults that all formats share', () => {
    for (const [name, row] of Object.entries(ERRORS)) {
      expect(commonError('hpack', name as keyof typeof ERRORS)).toMatchObject({ code: row.code, kind: row.kind })
    }
    expect(usageError('katcp', 'no such option')).toMatchObject({ kind: 'usage', message: 'wrong use: no such option' })
  })
})
