import { D_MAX_ARRAY } from '../../assembly/abi/dbus'
import { arrayLength, bytesOf, mapSize, viewName } from '../core/brands'
import type { WireError } from '../core/error'
import { described } from '../core/options'
import type { MessageBuffer } from './buffer'
import { dbusError } from './errors'
import { isName } from './names'
import { checkedType, LETTERS, signatureFault, type Type } from './signature'

const MAX_DEPTH = 64

/** The arrays that can be copied as they are, by the code of the element type. */
const ARRAYS = {
  121: Uint8Array,
  110: Int16Array,
  113: Uint16Array,
  105: Int32Array,
  117: Uint32Array,
  104: Uint32Array,
  120: BigInt64Array,
  116: BigUint64Array,
  100: Float64Array,
} as const
const arrayOf = (code: number) => (ARRAYS as Readonly<Record<number, (typeof ARRAYS)[keyof typeof ARRAYS]>>)[code]

/** Least and most of the integer types, by code. */
const RANGES: Readonly<Record<number, readonly [number, number]>> = {
  121: [0, 0xff],
  110: [-0x8000, 0x7fff],
  113: [0, 0xffff],
  105: [-0x80000000, 0x7fffffff],
  117: [0, 0xffffffff],
  104: [0, 0xffffffff],
}

/** Writes values by their types. Throws WT_DBUS_VALUE with the path of what cannot be written. */
export class ValueWriter {
  readonly #buffer: MessageBuffer
  /** Where the value being written is: an index or key for each level. */
  readonly #path: (string | number)[] = []
  #level = 0
  #depth = 0
  #root = 'body'

  constructor(buffer: MessageBuffer) {
    this.#buffer = buffer
  }

  /** A value for each type. */
  writeAll(types: readonly Type[], values: readonly unknown[], root: string): void {
    this.#level = 0
    this.#depth = 0
    this.#root = root
    if (!Array.isArray(values)) throw this.#error(`${types.length} values in an array expected`)
    this.#fields(types, values)
  }

  #fields(types: readonly Type[], values: readonly unknown[]): void {
    const length = arrayLength(values)
    if (length !== types.length) throw this.#error(`${types.length} values expected, not ${described(length)}`)
    const level = this.#level++
    for (let i = 0; i < types.length; i++) {
      this.#path[level] = i
      this.#write(types[i]!, values[i])
    }
    this.#level = level
  }

  #error(detail: string): WireError {
    let path = this.#root
    for (let i = 0; i < this.#level; i++) {
      const step = this.#path[i]!
      if (typeof step === 'number') path += `[${step}]`
      else path += /^[A-Za-z_]\w{0,99}$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 100))}]`
    }
    return dbusError('value', { path, detail })
  }

  #wrong(type: Type, value: unknown, wanted: string): WireError {
    return this.#error(`'${type.signature}' needs ${wanted}, not ${described(value)}`)
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw dbusError('depth', { path: this.#root })
  }

  #write(type: Type, value: unknown): void {
    const buffer = this.#buffer
    buffer.room(16)
    switch (type.code) {
      case 0x73: // s
        this.#string(type, value)
        return
      case 0x6f: // o
        if (typeof value !== 'string' || !isName('path', value)) throw this.#wrong(type, value, 'an object path')
        this.#string(type, value)
        return
      case 0x67: // g
        if (typeof value !== 'string' || signatureFault(value)) throw this.#wrong(type, value, 'a signature')
        this.#signature(value)
        return
      case 0x76: // v
        this.#variant(type, value)
        return
      case 0x61: // a
        this.#array(type, value)
        return
      case 0x28: // (
        if (!Array.isArray(value)) throw this.#wrong(type, value, 'an array')
        buffer.align(8)
        this.#enter()
        this.#fields(type.fields, value)
        this.#depth--
        return
      case 0x62: // b
        if (typeof value !== 'boolean') throw this.#wrong(type, value, 'a boolean')
        buffer.align(4)
        buffer.uint32(value ? 1 : 0)
        return
      case 0x64: // d
        if (typeof value !== 'number') throw this.#wrong(type, value, 'a number')
        buffer.align(8)
        buffer.float64(value)
        return
      case 0x78: // x
      case 0x74: // t
        buffer.align(8)
        buffer.uint64(this.#wide(type, value))
        return
      default:
        this.#integer(type, value)
    }
  }

  #integer(type: Type, value: unknown): void {
    const [least, most] = RANGES[type.code]!
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      throw this.#wrong(type, value, `an integer from ${least} to ${most}`)
    }
    const buffer = this.#buffer
    if (type.size === 4) {
      buffer.align(4)
      buffer.uint32(value)
    } else if (type.size === 1) buffer.byte(value)
    else {
      buffer.align(2)
      buffer.uint16(value)
    }
  }

  #wide(type: Type, value: unknown): bigint {
    let wide: bigint
    if (typeof value === 'bigint') wide = value
    else if (typeof value === 'number' && Number.isSafeInteger(value)) wide = BigInt(value)
    else throw this.#wrong(type, value, 'a bigint or a safe integer')
    if ((type.code === 0x78 ? BigInt.asIntN(64, wide) : BigInt.asUintN(64, wide)) !== wide) {
      throw this.#error(`${String(wide).slice(0, 40)} is out of the range of '${type.signature}'`)
    }
    return wide
  }

  #string(type: Type, value: unknown): void {
    if (typeof value !== 'string') throw this.#wrong(type, value, 'a string')
    const buffer = this.#buffer
    buffer.align(4)
    const { at } = buffer
    buffer.at = at + 4
    const fault = buffer.text(value)
    if (fault !== undefined) throw this.#error(fault)
    buffer.setUint32(at, buffer.at - at - 4)
    buffer.byte(0)
  }

  #signature(signature: string): void {
    const buffer = this.#buffer
    buffer.room(signature.length + 2)
    buffer.byte(signature.length)
    buffer.ascii(signature)
    buffer.byte(0)
  }

  #variant(type: Type, value: unknown): void {
    const { signature, value: inner } = (typeof value === 'object' && value !== null ? value : {}) as {
      signature?: unknown
      value?: unknown
    }
    if (typeof signature !== 'string') throw this.#wrong(type, value, 'a Variant')
    let innerType = signature.length === 1 ? LETTERS[signature.charCodeAt(0)] : undefined
    try {
      innerType ??= checkedType(signature, 'signature')
    } catch {
      throw this.#error(`'${signature.slice(0, 40)}' is not one complete type`)
    }
    this.#signature(signature)
    this.#enter()
    this.#write(innerType, inner)
    this.#depth--
  }

  #array(type: Type, value: unknown): void {
    const element = type.element!
    const buffer = this.#buffer
    buffer.align(4)
    const lengthAt = buffer.at
    buffer.at += 4
    buffer.align(element.alignment)
    const start = buffer.length
    this.#enter()
    const level = this.#level++
    if (element.size !== 0 && ArrayBuffer.isView(value)) this.#view(type, element, value)
    else if (element.code === 0x7b) this.#entries(type, element, value)
    else {
      const length = Array.isArray(value) ? arrayLength(value) : undefined
      if (length === undefined) throw this.#wrong(type, value, 'an array')
      for (let i = 0; i < length; i++) {
        this.#path[level] = i
        this.#write(element, (value as readonly unknown[])[i])
      }
    }
    this.#level = level
    this.#depth--
    const length = buffer.length - start
    if (length > D_MAX_ARRAY) throw this.#error(`an array has at most ${D_MAX_ARRAY} bytes, not ${length}`)
    buffer.setUint32(lengthAt, length)
  }

  /** An array of numbers from a typed array: its bytes as they are, where its elements are of that very type. */
  #view(type: Type, element: Type, value: ArrayBufferView): void {
    const wanted = arrayOf(element.code)
    const name = viewName(value)
    if (name === undefined) throw this.#wrong(type, value, `a ${wanted?.name ?? 'boolean array'}`)
    if (name === wanted?.name) {
      this.#buffer.elements(value instanceof Uint8Array ? value : bytesOf(value), element.size)
      return
    }
    const numbers = value as unknown as readonly unknown[]
    const level = this.#level - 1
    for (let i = 0; i < numbers.length; i++) {
      this.#path[level] = i
      this.#write(element, numbers[i])
    }
  }

  #entries(type: Type, { fields }: Type, value: unknown): void {
    const [key, inner] = fields as [Type, Type]
    this.#enter()
    if (value instanceof Map) {
      if (mapSize(value) === undefined) throw this.#wrong(type, value, 'a Map, an object or pairs')
      value.forEach((item, name) => {
        this.#entry(key, inner, name, item)
      })
    } else if (Array.isArray(value)) {
      const length = arrayLength(value)
      if (length === undefined) throw this.#wrong(type, value, 'a Map, an object or pairs')
      for (let i = 0; i < length; i++) {
        const pair = value[i] as unknown
        this.#path[this.#level - 1] = i
        if (!Array.isArray(pair) || pair.length !== 2) throw this.#wrong(type, pair, 'pairs of key and value')
        this.#entry(key, inner, pair[0], pair[1])
      }
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      const convert = KEYS[key.code]
      for (const name of Object.keys(value)) {
        const item = (value as Readonly<Record<string, unknown>>)[name]
        this.#entry(key, inner, convert ? convert(name) : name, item)
      }
    } else throw this.#wrong(type, value, 'a Map, an object or pairs')
    this.#depth--
  }

  #entry(key: Type, value: Type, name: unknown, item: unknown): void {
    const buffer = this.#buffer
    this.#path[this.#level - 1] = typeof name === 'object' ? 'key' : typeof name === 'string' ? name : described(name)
    buffer.room(16)
    buffer.align(8)
    this.#write(key, name)
    this.#write(value, item)
  }
}

const toNumber = (name: string): unknown => (name.trim() === '' || Number.isNaN(Number(name)) ? name : Number(name))
const toBigint = (name: string): unknown => (/^-?\d{1,20}$/.test(name) ? BigInt(name) : name)
const toBoolean = (name: string): unknown => (name === 'true' ? true : name === 'false' ? false : name)

/** Keys of an object as keys of the wire, by code of their type. */
const KEYS: Readonly<Record<number, (name: string) => unknown>> = {
  98: toBoolean,
  121: toNumber,
  110: toNumber,
  113: toNumber,
  105: toNumber,
  117: toNumber,
  104: toNumber,
  100: toNumber,
  120: toBigint,
  116: toBigint,
}
