import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WireError } from '../../bindings/core/error'
import { commonError } from '../../bindings/core/errors'
import { fromJson, type JsonForm, jsonForm, toJson } from '../../bindings/core/json'

/** An object as fromJson makes it. */
const bare = (properties: object): object => Object.assign(Object.create(null), properties)

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (WireError.is(error)) return error.code
    throw error
  }
  return 'nothing thrown'
}

const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing thrown'
}

class Variant {
  readonly signature: string
  readonly value: unknown
  constructor(signature: string, value: unknown) {
    this.signature = signature
    this.value = value
  }
  [jsonForm](): JsonForm {
    return { tag: 'variant', value: [this.signature, this.value] }
  }
}

class Lazy {
  *[Symbol.iterator](): Generator<string> {
    yield 'never asked'
  }
  [jsonForm](): JsonForm {
    return { value: ['set', Uint8Array.of(0xff)] }
  }
}

const revive = { variant: (value: unknown) => new Variant(...(value as [string, unknown])) }

describe('the form of each value', () => {
  const forms: [string, unknown, string][] = [
    ['null', null, 'null'],
    ['a boolean', true, 'true'],
    ['a number', 1.5e300, '1.5e+300'],
    ['negative zero', -0, '-0.0'],
    ['NaN', Number.NaN, '{"$number":"NaN"}'],
    ['Infinity', Number.POSITIVE_INFINITY, '{"$number":"Infinity"}'],
    ['-Infinity', Number.NEGATIVE_INFINITY, '{"$number":"-Infinity"}'],
    ['a bigint', -(2n ** 64n), '{"$bigint":"-18446744073709551616"}'],
    ['undefined', undefined, '{"$undefined":true}'],
    ['bytes', Uint8Array.of(1, 2, 3, 255), '{"$bytes":"AQID/w=="}'],
    ['no bytes', new Uint8Array(0), '{"$bytes":""}'],
    ['a date', new Date(Date.UTC(2025, 0, 31, 12)), '{"$date":"2025-01-31T12:00:00.000Z"}'],
    ['an invalid date', new Date(Number.NaN), '{"$date":null}'],
    ['a Map', new Map<unknown, unknown>([[1n, bare({ a: 1 })]]), '{"$map":[[{"$bigint":"1"},{"a":1}]]}'],
    ['an empty Map', new Map(), '{"$map":[]}'],
    ['doubles', Float64Array.of(1.5, -0, Number.NaN), '{"$float64Array":[1.5,-0.0,"NaN"]}'],
    ['16-bit integers', Uint16Array.of(0, 65535), '{"$uint16Array":[0,65535]}'],
    ['64-bit integers', BigInt64Array.of(-1n, 2n ** 62n), '{"$bigInt64Array":["-1","4611686018427387904"]}'],
    ['keys with a dollar', bare({ $map: 1, $$: 2, a$: 3 }), '{"$$map":1,"$$$":2,"a$":3}'],
    ['an array of plain values', ['a', 1, null, false], '["a",1,null,false]'],
    ['an array with others', ['a', -0, undefined, [1n]], '["a",-0.0,{"$undefined":true},[{"$bigint":"1"}]]'],
    ['an empty object', bare({}), '{}'],
    [
      'a key __proto__',
      Object.defineProperty(bare({}), '__proto__', { value: 1, enumerable: true }),
      '{"__proto__":1}',
    ],
    ['a tagged class', new Variant('ay', Uint8Array.of(0)), '{"$variant":["ay",{"$bytes":"AA=="}]}'],
  ]
  it.each(forms)('%s', (_, value, text) => {
    expect(toJson(value)).toBe(text)
    expect(fromJson(text, { revive })).toStrictEqual(value)
  })

  it('leaves out properties that are undefined, and only those', () => {
    expect(toJson({ a: undefined, b: null, c: undefined, d: 0 })).toBe('{"b":null,"d":0}')
  })

  it('writes a hole as undefined', () => {
    const holed = ['a', 'b', 'c']
    delete holed[1]
    expect(toJson(holed)).toBe('["a",{"$undefined":true},"c"]')
  })

  it('writes every kind of bytes as bytes', () => {
    const { buffer } = Uint8Array.of(9, 1, 2, 9)
    const part = new Uint8Array(buffer, 1, 2)
    const shared = new SharedArrayBuffer(2)
    new Uint8Array(shared).set(part)
    const kinds = [part, Buffer.from(part), new Uint8ClampedArray(buffer, 1, 2), new DataView(buffer, 1, 2), shared]
    for (const bytes of [...kinds, part.slice().buffer]) expect(toJson(bytes)).toBe('{"$bytes":"AQI="}')
  })

  it('reads bytes into memory of their own', () => {
    const bytes = fromJson('{"$bytes":"AQI="}') as Uint8Array
    expect(bytes.constructor).toBe(Uint8Array)
    expect(bytes.buffer.byteLength).toBe(2)
  })

  it('lets a class decide, iterable or not, and reads an untagged form as what it is', () => {
    const text = toJson({ args: new Lazy() })
    expect(text).toBe('{"args":["set",{"$bytes":"/w=="}]}')
    expect(fromJson(text)).toEqual({ args: ['set', Uint8Array.of(0xff)] })
  })

  it('writes objects of other classes by their own properties', () => {
    class Point {
      readonly x = 1
      get hidden(): number {
        return 2
      }
    }
    expect(toJson(new Point())).toBe('{"x":1}')
  })

  it('writes a WireError with its message', () => {
    const error = commonError('katcp', 'truncated', { offset: 7 })
    expect(fromJson(toJson(error))).toEqual({
      code: 'WT_TRUNCATED',
      kind: 'truncated',
      protocol: 'katcp',
      offset: 7,
      message: error.message,
    })
  })

  it('is one line and free of control characters', () => {
    const everything = Array.from({ length: 0x3000 }, (_, unit) => String.fromCharCode(unit)).join('')
    const text = toJson({ [everything]: everything, other: [everything] })
    expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/)
    expect(fromJson(text)).toEqual({ [everything]: everything, other: [everything] })
  })
})

describe('what has no form', () => {
  const cyclic: unknown[] = []
  cyclic.push([cyclic])
  const wide: Record<string, unknown> = {}
  for (const name of 'abcdefgh') wide[name] = wide
  const cyclicMap = new Map<string, unknown>()
  cyclicMap.set('self', { cyclicMap })
  class Self {
    [jsonForm](): JsonForm {
      return { value: [this] }
    }
  }
  it.each<[string, unknown]>([
    ['a function', () => 0],
    ['a symbol', Symbol('s')],
    ['a Set', new Set([1])],
    ['an array that contains itself', cyclic],
    ['an object that contains itself many times', wide],
    ['a Map that contains itself', cyclicMap],
    ['a form that contains its object', new Self()],
  ])('%s', (_, value) => {
    expect(codeOf(() => toJson(value))).toBe('WT_JSON')
  })

  it('is named by its path', () => {
    const value = { body: [{ 'odd name': [0, new Map([['k', Symbol('s')]])] }] }
    expect(messageOf(() => toJson(value))).toMatch(/ at body\[0\]\["odd name"\]\[1\]\[0\]\[1\]$/)
  })

  it('refuses a tag that is built in or no name', () => {
    for (const tag of ['map', 'float64Array', '', '$x', 'a b', '1']) {
      const value = { [jsonForm]: () => ({ tag, value: 1 }) }
      expect(codeOf(() => toJson(value))).toBe('WT_USAGE')
    }
  })

  it('does not take a value that occurs twice for one that contains itself', () => {
    let value: unknown = ['leaf', -0]
    for (let depth = 0; depth < 12; depth++) value = [value, value, -0]
    const text = toJson(value)
    expect(text.split('leaf').length - 1).toBe(2 ** 12)
  })
})

describe('texts that are not a form', () => {
  it.each([
    '',
    '{',
    '[1,]',
    "{'a':1}",
    '{"$bytes":"AQ="}',
    '{"$bytes":"A Q="}',
    '{"$bytes":"AQ_-"}',
    '{"$bytes":[1]}',
    '{"$bigint":"1.5"}',
    '{"$bigint":1}',
    '{"$bigint":""}',
    '{"$number":"1"}',
    '{"$number":"toString"}',
    '{"$undefined":false}',
    '{"$date":"yesterday"}',
    '{"$date":"2025-13-01T00:00:00Z"}',
    '{"$map":{}}',
    '{"$map":[["k"]]}',
    '{"$map":["kv"]}',
    '{"$float64Array":"1"}',
    '{"$float64Array":[null]}',
    '{"$uint16Array":[65536]}',
    '{"$uint16Array":["NaN"]}',
    '{"$int8Array":[0.5]}',
    '{"$bigInt64Array":["9223372036854775808"]}',
    '{"$bigUint64Array":["-1"]}',
    '{"$bigInt64Array":[1]}',
    '{"$unknown":1}',
    '{"$constructor":1}',
    '{"$":1}',
    '{"a":1,"$bytes":""}',
    '{"$map":[],"$bytes":""}',
  ])('%s', (text) => {
    expect(codeOf(() => fromJson(text))).toBe('WT_JSON')
  })

  it('names the place', () => {
    expect(messageOf(() => fromJson('{"args":["a",{"$bytes":1}]}'))).toMatch(/base64 at args\[1\]$/)
    expect(messageOf(() => fromJson('{"$variant":["s",{"a b":{"$no":1}}]}', { revive }))).toMatch(/ at \[1\]\["a b"\]$/)
  })

  it('passes on what a function of revive throws', () => {
    const refuse = () => {
      throw new RangeError('not today')
    }
    expect(() => fromJson('{"$x":1}', { revive: { x: refuse } })).toThrow(RangeError)
  })
})

describe('hostile texts', () => {
  it('never reaches a prototype', () => {
    const read = fromJson('{"__proto__":{"polluted":true},"constructor":1,"a":{"__proto__":null}}') as object
    expect(Object.getPrototypeOf(read)).toBe(null)
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'a'])
    expect('polluted' in {}).toBe(false)
    expect('polluted' in read).toBe(false)
  })

  it('nests as deep as memory allows, both ways', () => {
    const depth = 200_000
    const text = `${'[{"a":'.repeat(depth)}-0.0${'}]'.repeat(depth)}`
    expect(toJson(fromJson(text))).toBe(text)
    const maps = `${'{"$map":[[1,'.repeat(depth)}2${']]}'.repeat(depth)}`
    expect(toJson(fromJson(maps))).toBe(maps)
    const tags = `${'{"$variant":["v",'.repeat(depth)}0${']}'.repeat(depth)}`
    expect(toJson(fromJson(tags, { revive }))).toBe(tags)
  })
})

const bytes = fc.uint8Array({ maxLength: 12 })
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.bigInt(),
      fc.boolean(),
      fc.constantFrom(null, undefined, -0, '$', '__proto__'),
      bytes,
      fc.float64Array({ maxLength: 5 }),
      fc.float32Array({ maxLength: 5 }),
      fc.int8Array({ maxLength: 5 }),
      fc.int16Array({ maxLength: 5 }),
      fc.uint16Array({ maxLength: 5 }),
      fc.int32Array({ maxLength: 5 }),
      fc.uint32Array({ maxLength: 5 }),
      fc.bigInt64Array({ maxLength: 5 }),
      fc.bigUint64Array({ maxLength: 5 }),
      fc.date({ noInvalidDate: false }),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 })
      .map((entries) => new Map(entries.map(([key, value]) => [typeof key === 'object' ? value : key, value]))),
    fc
      .dictionary(
        fc.oneof(
          fc.string(),
          fc.string().map((name) => `$${name}`),
          fc.constant('__proto__'),
        ),
        tie('value').filter((value) => value !== undefined),
        { maxKeys: 5, noNullPrototype: false },
      )
      .map((object) => Object.setPrototypeOf(object, null)),
    tie('value').map((value) => new Variant('v', value)),
  ),
}))

it('reads back what it writes', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const text = toJson(value)
      expect(text).not.toContain('\n')
      JSON.parse(text)
      expect(fromJson(text, { revive })).toStrictEqual(value)
    }),
    { numRuns: 500 },
  )
})
