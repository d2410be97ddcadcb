import { H_INPUT, HF_UNSIGNED } from '../../assembly/abi/hds'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import { arrayLength, bufferBytes, bytesOf, dateTime, isBytes, mapSize, viewName } from '../core/brands'
import { latin1Text } from '../core/text'
import { THRESHOLDS } from '../engine/thresholds'
import { selectCore } from './kernels'
import type { Dialect } from './settings'
import { date, Float32, Float64, Int, Numbers, Pairs, sinceEpoch, Timestamp, Uuid } from './wrappers'
import { ScalarWriter } from './write_scalars'

/** Integers that the kernel packs at once. */
const BATCH = 0x4000
/** Fewer integers in a row are written one by one. */
const LEAST_BATCH = 16
/** Most properties that are looked up one by one. */
const MANY_KEYS = 64

const NO_INTEGERS = new Int32Array(0)

const isOwn = Object.prototype.hasOwnProperty
const tagOf = Object.prototype.toString
const OBJECT = Object.prototype

/** Writes values. Throws WT_HDS_VALUE, WT_HDS_RANGE or WT_HDS_DEPTH with the path of what cannot be written. */
export class ValueWriter extends ScalarWriter {
  /** Indexes of the values written so far, by their bytes. */
  #known: Map<string, number> | undefined
  /** Integers before they are packed: to read one may run code of the caller, which may use the memory of the kernels. */
  #scratch = NO_INTEGERS

  /** What is said about where a fault is. */
  start(dialect: Dialect, cutBytes: number): void {
    this.buffer.start(cutBytes)
    this.dialect = dialect
    this.#known = dialect.references ? new Map() : undefined
  }

  /** Keeps nothing of the caller's. */
  end(): void {
    this.buffer.end()
    this.#known = undefined
    this.path.length = 0
  }

  value(value: unknown, root: string): void {
    this.root = root
    this.depth = 0
    this.#write(value)
  }

  /** A value that is in one piece, in OPACK perhaps as a reference to one like it. */
  #write(value: unknown): void {
    this.buffer.room(32)
    if (this.#known === undefined) this.#literal(value)
    else this.#referring(value, this.#known)
  }

  #referring(value: unknown, known: Map<string, number>): void {
    const { buffer } = this
    const start = buffer.at
    const length = buffer.length
    this.#literal(value)
    const { u8, at } = buffer
    const tag = u8[start]!
    // Containers have no index, nor what takes a single byte. What is cut out is too large to be repeated.
    if (at - start < 2 || tag >= 0xa0 || buffer.length - length !== at - start) return
    const bytes = latin1Text(u8, start, at)
    const index = known.get(bytes)
    if (index === undefined) {
      known.set(bytes, known.size)
      return
    }
    buffer.at = start
    if (index <= 0x20) buffer.byte(0xa0 + index)
    else {
      const size = index <= 0xff ? 1 : index <= 0xffff ? 2 : index <= 0xffffff ? 3 : 4
      buffer.byte(0xc0 + size)
      buffer.view.setUint32(buffer.at, index, true)
      buffer.at += size
    }
  }

  #literal(value: unknown): void {
    const { buffer } = this
    switch (typeof value) {
      case 'string':
        this.text(value)
        return
      case 'number':
        this.number(value)
        return
      case 'boolean':
        buffer.byte(value ? 1 : 2)
        return
      case 'bigint':
        this.bigint(value)
        return
      case 'object':
        if (value === null) buffer.byte(4)
        else this.#object(value)
        return
      default:
        throw this.error('value', `${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`} has no form`)
    }
  }

  #object(value: object): void {
    const prototype = Object.getPrototypeOf(value) as object | null
    if (prototype === OBJECT || prototype === null) this.#properties(value as Readonly<Record<string, unknown>>)
    else if (isBytes(value)) this.data(value)
    else if (Array.isArray(value)) {
      if (value instanceof Pairs) this.#pairs(value, value.length)
      else this.#array(value)
    } else this.#special(value)
  }

  #special(value: object): void {
    if (ArrayBuffer.isView(value)) this.data(bytesOf(value))
    else if (value instanceof Map) this.#map(value)
    else if (value instanceof Int) this.sized(value)
    else if (value instanceof Float64) this.float64(this.#float(value))
    else if (value instanceof Float32) this.float32(this.#float(value))
    else if (value instanceof Uuid) this.uuid(value)
    else if (value instanceof Timestamp) this.date(value)
    else if (value instanceof Numbers) this.#numbers(value)
    else {
      const name = tagOf.call(value)
      const bytes = bufferBytes(value)
      const time = dateTime(value)
      if (bytes !== undefined) this.data(bytes)
      else if (Number.isNaN(time)) throw this.error('value', 'an invalid Date has no form')
      else if (time !== undefined) this.date(date(sinceEpoch(time)))
      else if (name === '[object Map]') this.#map(value as Map<unknown, unknown>)
      else if (name === '[object Object]') this.#properties(value as Readonly<Record<string, unknown>>)
      else throw this.error('value', `${name.slice(8, -1)} has no form`)
    }
  }

  #map(map: ReadonlyMap<unknown, unknown>): void {
    const size = mapSize(map)
    if (size === undefined || typeof map[Symbol.iterator] !== 'function') {
      throw this.error('value', 'what is no Map but says so has no form')
    }
    this.#pairs(map, size)
  }

  /** The number of a wrapper, which may not have been made by its constructor. */
  #float({ value }: Float32 | Float64): number {
    if (typeof value !== 'number') throw this.error('value', 'a float without a number has no form')
    return value
  }

  #enter(): number {
    if (this.depth >= this.dialect.maxDepth) throw this.error('depth', '')
    return this.depth++
  }

  #array(values: readonly unknown[]): void {
    const { buffer } = this
    const length = arrayLength(values)
    if (length === undefined) throw this.error('value', 'an array without a length has no form')
    const level = this.#enter()
    const terminated = length > this.dialect.counted
    buffer.byte(terminated ? 0xdf : 0xd0 + length)
    let i = 0
    if (length >= LEAST_BATCH && this.#known === undefined) i = this.#integers(values, length)
    for (; i < length; i++) {
      this.path[level] = i
      this.#write(values[i])
    }
    if (terminated) {
      buffer.room(1)
      buffer.byte(3)
    }
    this.depth = level
  }

  /** The integers of 32 bits that an array begins with, packed by the kernel; returns how many. */
  #integers(values: readonly unknown[], length: number): number {
    let done = 0
    while (done < length) {
      const most = Math.min(BATCH, length - done)
      if (this.#scratch.length < most) this.#scratch = new Int32Array(most)
      const scratch = this.#scratch
      let count = 0
      while (count < most) {
        const value = values[done + count]
        if (typeof value !== 'number' || (value | 0) !== value || (value === 0 && Object.is(value, -0))) break
        scratch[count++] = value
      }
      if (count > 0) this.#pack(scratch, 0, count)
      done += count
      if (count < most) break
    }
    return done
  }

  /** Packs integers of 32 bits and less. */
  #pack(integers: Int32Array, from: number, count: number): void {
    const { buffer } = this
    const { kernels, memory } = selectCore(count << 2, THRESHOLDS.hdsPackInts)
    const out = H_INPUT + (count << 2)
    memory.reserve(out + count * 9 - L_ARENA + L_SLACK)
    if (integers === this.#scratch) {
      // Views would be garbage of each payload.
      const { u32 } = memory
      const scratch = this.#scratch
      for (let i = 0; i < count; i++) u32[(H_INPUT >>> 2) + i] = scratch[i]!
    } else new Int32Array(memory.u32.buffer, H_INPUT, count).set(integers.subarray(from, from + count))
    const flags = this.dialect.unsigned ? HF_UNSIGNED : 0
    const end = kernels.hdsPackInts(H_INPUT, count, out, flags) >>> 0
    buffer.room(end - out)
    buffer.u8.set(memory.u8.subarray(out, end), buffer.at)
    buffer.at += end - out
  }

  #numbers({ array }: Numbers): void {
    const name = viewName(array)
    if (name === undefined) throw this.error('value', 'numbers without an array have no form')
    const floats = name === 'Float32Array' || name === 'Float64Array'
    const { buffer } = this
    const { length } = array
    const level = this.#enter()
    const terminated = length > this.dialect.counted
    buffer.byte(terminated ? 0xdf : 0xd0 + length)
    if (this.#known === undefined && NARROW.includes(name)) {
      for (let done = 0; done < length; ) {
        const count = Math.min(BATCH, length - done)
        this.#pack(array as Int32Array, done, count)
        done += count
      }
    } else if (this.#known === undefined && floats) {
      buffer.room(length * 9)
      for (let i = 0; i < length; i++) this.float64(array[i] as number)
    } else {
      for (let i = 0; i < length; i++) {
        this.path[level] = i
        this.#write(floats ? new Float64(array[i] as number) : array[i])
      }
    }
    if (terminated) {
      buffer.room(1)
      buffer.byte(3)
    }
    this.depth = level
  }

  #properties(object: Readonly<Record<string, unknown>>): void {
    const { buffer } = this
    const level = this.#enter()
    // How many properties there are shows at their end.
    const { at } = buffer
    buffer.byte(0xef)
    let count = 0
    let seen = 0
    // A loop over names allocates nothing.
    for (const key in object) {
      if (!isOwn.call(object, key)) continue
      if (seen === MANY_KEYS) {
        // V8 keeps many properties in a table: there one list of all values costs less than to look each of them up.
        count += this.#rest(Object.keys(object), Object.values(object), key, level)
        break
      }
      seen++
      count += this.#property(key, object[key], level)
    }
    this.#close(at, count)
    this.depth = level
  }

  /** The properties from the first that was not written on; returns how many. */
  #rest(keys: readonly string[], values: readonly unknown[], first: string, level: number): number {
    // A getter may have removed others: a value would go to another key.
    if (keys.length !== values.length || keys[MANY_KEYS] !== first) {
      throw this.error('value', 'properties that change while they are written')
    }
    let count = 0
    for (let i = MANY_KEYS; i < keys.length; i++) count += this.#property(keys[i]!, values[i], level)
    return count
  }

  /** A property: 1, or 0 where it is undefined and left out. */
  #property(key: string, value: unknown, level: number): number {
    if (value === undefined) return 0
    this.path[level] = key
    if (this.#known === undefined) this.text(key)
    else this.#write(key)
    if (typeof value === 'string' && this.#known === undefined) this.text(value)
    else this.#write(value)
    return 1
  }

  #close(at: number, count: number): void {
    const { buffer } = this
    if (count <= this.dialect.counted) buffer.u8[at] = 0xe0 + count
    else {
      buffer.room(1)
      buffer.byte(3)
    }
  }

  #pairs(pairs: Iterable<readonly [unknown, unknown]>, size: number): void {
    const { buffer } = this
    const level = this.#enter()
    const { at } = buffer
    buffer.byte(0xef)
    let count = 0
    for (const pair of pairs) {
      if (!Array.isArray(pair) || pair.length !== 2) throw this.error('value', 'pairs of key and value expected')
      const [key, value] = pair as [unknown, unknown]
      this.path[level] = key
      if (typeof key === 'string') this.#key(key)
      else if (!this.dialect.unsigned) throw this.error('value', 'the key of a dictionary must be a string')
      else this.#scalarKey(key)
      this.#write(value)
      count++
    }
    if (count !== size) throw this.error('value', 'pairs that change while they are written')
    this.#close(at, count)
    this.depth = level
  }

  #scalarKey(key: unknown): void {
    const { at } = this.buffer
    this.#write(key)
    // What a container is shows in what was written, whatever class it has.
    if (this.buffer.u8[at]! >= FIRST_CONTAINER) throw this.error('value', 'a container cannot be a key')
  }

  #key(key: string): void {
    if (this.#known === undefined) this.text(key)
    else this.#write(key)
  }
}

/** The tags of arrays and dictionaries are from this one on. */
const FIRST_CONTAINER = 0xd0

/** Arrays whose numbers are all integers of 32 bits. */
const NARROW: readonly string[] = [
  'Int32Array',
  'Int16Array',
  'Uint16Array',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
]
