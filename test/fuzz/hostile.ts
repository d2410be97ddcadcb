import { types } from 'node:util'
import { detach } from '../lib/detach'
import type { Random } from '../random'

/** What hostile code throws: it may come out of an encoder, since it is the caller's own. */
export class Mine extends Error {}

const TYPED = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const

const TEXTS = [
  '',
  'a',
  'name',
  '\0',
  'a\0b',
  'é',
  '\u{1f600}',
  '\ud800',
  '\udc00x',
  'a b',
  '\n?halt',
  '\r\n',
  '__proto__',
  'constructor',
  '/',
  '/a/b',
  'org.example.A',
  ':1.5',
  'a{sv}',
  'ii',
  'v',
  '0',
  '-1',
  '1e3',
  'x'.repeat(300),
]
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  127,
  128,
  255,
  256,
  32768,
  65536,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 64,
  -(2 ** 31),
  -(2 ** 63),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  5e-324,
  1.7976931348623157e308,
]
const BIGINTS = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, -(2n ** 63n), 2n ** 64n, 2n ** 70n]

/** Values that nobody would give on purpose. */
export class Hostile {
  readonly #random: Random
  /** Calls the codec from inside of a value. */
  readonly #reenter: () => void
  /** Prototypes of classes that the encoder takes, to be forged. */
  readonly #classes: readonly object[]
  /** Whether some value is not the same at each look. */
  unstable = false

  constructor(random: Random, reenter: () => void, classes: readonly object[]) {
    this.#random = random
    this.#reenter = reenter
    this.#classes = classes
  }

  text(): string {
    return this.#random.pick(TEXTS)
  }

  number(): number {
    const random = this.#random
    return random.below(3) ? random.pick(NUMBERS) : random.below(200_000) - 100_000
  }

  /** A view of any kind: ordinary, of a part, detached, growing, shared, or one that says it is another. */
  view(): ArrayBufferView {
    const random = this.#random
    const Class = random.pick([...TYPED, DataView, Uint8Array, Uint8Array])
    const length = random.pick([0, 1, 2, 7, 30, 300, 9000, 20_000]) & (random.below(4) ? -8 : -1)
    const bytes = length - (length % 8)
    const kind = random.below(6)
    let buffer: ArrayBufferLike = new ArrayBuffer(bytes)
    if (kind === 0) buffer = new SharedArrayBuffer(bytes)
    if (kind === 1) {
      buffer = new (ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer)(bytes, {
        maxByteLength: bytes + 64,
      })
    }
    const view = new (Class as Uint8ArrayConstructor)(buffer as ArrayBuffer) as ArrayBufferView
    if (kind !== 0) new Uint8Array(buffer).fill(random.pick([0, 1, 0x61, 0xff]))
    if (kind === 2) detach(buffer as ArrayBuffer)
    if (kind === 3) Object.defineProperty(view, Symbol.toStringTag, { value: random.pick(TYPED).name })
    if (kind === 4 && Class !== DataView) Object.setPrototypeOf(view, random.pick(TYPED).prototype)
    return view
  }

  /** A property whose reading runs code. */
  trap(target: object, key: PropertyKey, value: unknown): void {
    const random = this.#random
    const others = [this.value(0), this.value(0)]
    const how = random.below(5)
    this.unstable = true
    let reads = 0
    const get = () => {
      reads++
      if (how === 0) throw new Mine('getter')
      if (how === 1) this.#reenter()
      if (how === 2) return reads === 1 ? value : others[reads & 1]
      if (how === 3) for (const each of detachable.splice(0)) shrink(each)
      return value
    }
    Object.defineProperty(target, key, { get, enumerable: true, configurable: true })
  }

  value(depth = 2): unknown {
    const random = this.#random
    switch (random.below(depth > 0 ? 22 : 12)) {
      case 0:
        return random.pick([null, undefined, true, false])
      case 1:
        return this.number()
      case 2:
        return random.pick(BIGINTS)
      case 3:
      case 4:
        return this.text()
      case 5:
        return random.pick<unknown>([
          Symbol('s'),
          () => 1,
          class {},
          /x/,
          new Date(Number.NaN),
          new Date(0),
          new Error('e'),
          new WeakMap(),
          Promise.resolve(),
        ])
      case 6:
      case 7: {
        const view = this.view()
        if (random.below(3) === 0) detachable.push(view)
        return view
      }
      case 8: {
        const bytes = new ArrayBuffer(random.pick([0, 8, 9000]))
        if (random.below(3) === 0) detach(bytes)
        return bytes
      }
      case 9:
        return random.pick<unknown>([
          new Number(5),
          new String('x'),
          new Boolean(false),
          Object(1n),
          Object(Symbol('o')),
        ])
      case 10: {
        // An object of a class that never ran its constructor.
        const forged = Object.create(
          random.pick([
            ...this.#classes,
            Map.prototype,
            Date.prototype,
            Uint8Array.prototype,
            Set.prototype,
            Array.prototype,
          ]),
        ) as object
        for (const key of ['value', 'width', 'signature', 'text', 'seconds', 'array', 'length', 'args']) {
          if (random.below(2))
            Object.defineProperty(forged, key, {
              value: this.value(0),
              enumerable: true,
              configurable: true,
              writable: true,
            })
        }
        return forged
      }
      case 11:
        return {
          [Symbol.toStringTag]: random.pick([
            'Uint8Array',
            'Map',
            'Date',
            'ArrayBuffer',
            'Object',
            'DataView',
            'Float64Array',
          ]),
          length: 3,
        }
      case 12:
      case 13:
      case 14: {
        const list = Array.from({ length: random.below(5) }, () => this.value(depth - 1))
        if (list.length > 0 && random.below(4) === 0) this.trap(list, random.below(list.length), list[0])
        if (random.below(12) === 0) list.length = random.pick([1000, 100_000])
        return list
      }
      case 15:
      case 16: {
        const map = new Map<unknown, unknown>()
        for (let n = random.below(4); n > 0; n--)
          map.set(random.below(3) ? this.text() : this.value(0), this.value(depth - 1))
        return map
      }
      case 17: {
        const target = random.pick<object>([[1, 2], { a: 1 }, new Uint8Array(5), new Map([['a', 1]]), () => 1])
        return new Proxy(target, random.below(2) ? {} : this.handler())
      }
      case 18: {
        const pairs = Array.from({ length: random.below(3) }, () => [this.text(), this.value(depth - 1)])
        return random.below(2)
          ? pairs
          : {
              *[Symbol.iterator]() {
                yield* pairs
              },
            }
      }
      case 19: {
        let deep: unknown = this.value(0)
        const levels = random.pick([3, 40, 70, 600])
        const kind = random.below(3)
        for (let i = 0; i < levels; i++) deep = kind === 0 ? [deep] : kind === 1 ? { a: deep } : new Map([['a', deep]])
        return deep
      }
      default: {
        const object = (random.below(3) === 0 ? Object.create(null) : {}) as Record<string, unknown>
        for (let n = random.below(4); n > 0; n--) {
          const key = random.pick([
            'a',
            'type',
            'name',
            'value',
            'signature',
            'data',
            '__proto__',
            'length',
            '7',
            'toString',
            'toJSON',
          ])
          const value = this.value(depth - 1)
          if (random.below(6) === 0) this.trap(object, key, value)
          else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
        }
        return object
      }
    }
  }

  handler(): ProxyHandler<object> {
    const random = this.#random
    this.unstable = true
    const how = random.below(4)
    return {
      get: (target, key, receiver) => {
        if (how === 0) throw new Mine('proxy')
        if (how === 1) this.#reenter()
        if (how === 2 && random.below(3) === 0) return this.value(0)
        return Reflect.get(target, key, receiver) as unknown
      },
      ownKeys: (target) =>
        how === 3
          ? [...Reflect.ownKeys(target), ...(Array.isArray(target) || !Object.isExtensible(target) ? [] : ['zz'])]
          : Reflect.ownKeys(target),
    }
  }

  /** What may stand for a list. What throws by itself when it is iterated is the caller's own, so none of these does. */
  list(): unknown {
    const values = Array.from({ length: this.#random.below(4) }, () => this.value())
    return this.#random.pick<unknown>([
      values,
      new Set(values),
      new Map([[1, values]]),
      values.values(),
      'text',
      5,
      null,
      undefined,
      {},
      () => values,
    ])
  }

  /** A value without code of its own, but perhaps of a wrong type. */
  plain(): unknown {
    const random = this.#random
    return random.pick<unknown>([
      null,
      5,
      this.text(),
      [this.text(), this.number()],
      {},
      Symbol('s'),
      [[]],
      [undefined, 'x'],
    ])
  }

  /** The same object with one property, at whatever level, made hostile; or all of it behind a proxy. */
  spoil<T extends object>(given: T): T {
    const random = this.#random
    if (random.below(8) === 0) return new Proxy(given, this.handler()) as T
    let target: object = given
    for (let level = random.below(4); level > 0; level--) {
      const inner = Object.values(propertiesOf(target)).filter(isPlain)
      if (inner.length === 0) break
      target = random.pick(inner)
    }
    const properties = propertiesOf(target)
    const keys = Object.keys(properties)
    const key = keys.length > 0 && random.below(6) ? random.pick(keys) : this.text()
    const { configurable = true } = Object.getOwnPropertyDescriptor(target, key) ?? {}
    if (!configurable || !Reflect.isExtensible(target) || key === 'length') return given
    if (random.below(3) === 0) this.trap(target, key, random.below(2) ? properties[key] : this.value())
    else define(target, key, this.value())
    return given
  }
}

/** Properties that can be looked at without running code. */
function propertiesOf(target: object): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if (types.isProxy(target)) return values
  for (const [key, { value, enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (enumerable) values[key] = value
  }
  return values
}

/** What callers make themselves: what is inside of the library's own objects is not theirs to change. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !types.isProxy(value) &&
  [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value) as object | null)

const define = (target: object, key: PropertyKey, value: unknown): unknown =>
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })

/** Views that a getter takes the memory from, while they wait to be written. */
const detachable: ArrayBufferView[] = []

/** Begins with none. */
export const forget = (): void => {
  detachable.length = 0
}

function shrink({ buffer }: ArrayBufferView): void {
  if (buffer instanceof SharedArrayBuffer) return
  const { resizable, resize } = buffer as unknown as { resizable?: boolean; resize?: (length: number) => void }
  if (resizable && resize) resize.call(buffer, 0)
  else if (buffer.byteLength > 0) detach(buffer as ArrayBuffer)
}

/**
 * What says that it can be iterated and cannot: its own iterator threw, or what that asked for a length. And memory that was taken
 * away: optimised code of some engines goes on to see its old length, until it is copied from.
 */
const isOwn = (error: unknown): boolean =>
  error instanceof TypeError &&
  (/values|entries|not a typed array|not iterable|%ArrayIterator|detached ArrayBuffer|Symbol\.iterator|Iterator result/.test(
    error.message,
  ) ||
    /^[^\n]*\n(?: +at [^\n]*\(<anonymous>\)\n)*? +at (?:Array|Function\.from|Array\.from|new Array)\b/.test(
      error.stack ?? '',
    ))

/** What a call with hostile values gave: a result, or an error that may come out. Any other error is a finding. */
export function survive<T>(run: () => T, is: (error: unknown) => boolean): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof Mine || is(error) || isOwn(error)) return undefined
    throw error
  }
}
