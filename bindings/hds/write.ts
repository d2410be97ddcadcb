import { H_INPUT, HF_UNSIGNED } from '../../assembly/abi/hds'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import type { WireError } from '../core/error'
import { latin1Text } from '../core/text'
import { THRESHOLDS } from '../engine/thresholds'
import { PayloadBuffer } from './buffer'
import { hdsError } from './errors'
import { selectCore } from './kernels'
import type { Dialect } from './settings'
import { date, Float32, Float64, Int, Numbers, Pairs, Timestamp, Uuid } from './wrappers'

/** Longer strings are left to TextEncoder. */
const LOOP_CHARACTERS = 64
/** Integers that the kernel packs at once. */
const BATCH = 0x4000
/** Fewer integers in a row are written one by one. */
const LEAST_BATCH = 16
/** Most properties that are looked up one by one. */
const MANY_KEYS = 64
const LONE_SURROGATE = /\p{Surrogate}/u
const INT64_LEAST = -(1n << 63n)
const INT64_MOST = (1n << 63n) - 1n

const utf8 = new TextEncoder()
const tagOf = Object.prototype.toString
const OBJECT = Object.prototype

/** Writes values. Throws WT_HDS_VALUE, WT_HDS_RANGE or WT_HDS_DEPTH with the path of what cannot be written. */
export class ValueWriter {
  readonly buffer = new PayloadBuffer()
  dialect!: Dialect
  #root = ''
  /** Where the value being written is: an index or key for each level. */
  readonly #path: unknown[] = []
  #depth = 0
  /** Indexes of the values written so far, by their bytes. */
  #known: Map<string, number> | undefined

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
    this.#path.length = 0
  }

  value(value: unknown, root: string): void {
    this.#root = root
    this.#depth = 0
    this.#write(value)
  }

  #error(name: 'value' | 'range' | 'depth', detail: string): WireError {
    let path = this.#root
    for (let i = 0; i < this.#depth; i++) {
      const step = this.#path[i]
      if (typeof step === 'number') path += `[${step}]`
      else if (typeof step === 'string' && /^[A-Za-z_]\w{0,99}$/.test(step)) path += path ? `.${step}` : step
      else path += `[${typeof step === 'string' ? JSON.stringify(step.slice(0, 100)) : 'key'}]`
    }
    if (name !== 'depth') return hdsError(name, { path, detail })
    const max = this.dialect.maxDepth
    return hdsError(name, { path, limit: { name: 'maxDepth', max, actual: max + 1 } })
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
        this.#number(value)
        return
      case 'boolean':
        buffer.byte(value ? 1 : 2)
        return
      case 'bigint':
        this.#bigint(value)
        return
      case 'object':
        if (value === null) buffer.byte(4)
        else this.#object(value)
        return
      default:
        throw this.#error('value', `${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`} has no form`)
    }
  }

  #object(value: object): void {
    const prototype = Object.getPrototypeOf(value) as object | null
    if (prototype === OBJECT || prototype === null) this.#properties(value as Readonly<Record<string, unknown>>)
    else if (value instanceof Uint8Array) this.#data(value)
    else if (Array.isArray(value)) {
      if (value instanceof Pairs) this.#pairs(value, value.length)
      else this.#array(value)
    } else this.#special(value)
  }

  #special(value: object): void {
    if (ArrayBuffer.isView(value)) this.#data(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    else if (value instanceof Map) this.#pairs(value, value.size)
    else if (value instanceof Int) this.#sized(value)
    else if (value instanceof Float64) this.#float64(value.value)
    else if (value instanceof Float32) this.#float32(value.value)
    else if (value instanceof Uuid) this.#uuid(value)
    else if (value instanceof Timestamp) this.#date(value)
    else if (value instanceof Numbers) this.#numbers(value)
    else {
      const name = tagOf.call(value)
      if (name === '[object ArrayBuffer]' || name === '[object SharedArrayBuffer]') {
        this.#data(new Uint8Array(value as ArrayBuffer))
      } else if (name === '[object Date]') this.#date(date(value as Date))
      else if (name === '[object Map]')
        this.#pairs(value as ReadonlyMap<unknown, unknown>, (value as Map<unknown, unknown>).size)
      else if (name === '[object Object]') this.#properties(value as Readonly<Record<string, unknown>>)
      else throw this.#error('value', `${name.slice(8, -1)} has no form`)
    }
  }

  #number(value: number): void {
    const { buffer } = this
    if ((value | 0) === value && (value !== 0 || Object.is(value, 0))) {
      const { u8, at } = buffer
      const dialect = this.dialect
      if (value >= -1 && value <= dialect.inlineMost) {
        u8[at] = value + 8
        buffer.at = at + 1
      } else if (dialect.unsigned) this.#unsigned(value)
      else if (value >= -128 && value <= 127) {
        u8[at] = 0x30
        u8[at + 1] = value
        buffer.at = at + 2
      } else if (value >= -32768 && value <= 32767) {
        u8[at] = 0x31
        u8[at + 1] = value
        u8[at + 2] = value >> 8
        buffer.at = at + 3
      } else {
        u8[at] = 0x32
        buffer.view.setInt32(at + 1, value, true)
        buffer.at = at + 5
      }
    } else if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      if (this.dialect.unsigned) this.#unsigned(value)
      else this.#int64(value)
    } else this.#float64(value)
  }

  /** OPACK: an integer that does not fit one byte. */
  #unsigned(value: number): void {
    const { buffer } = this
    const { u8, view, at } = buffer
    if (value < 0 || value > 0xffffffff) this.#int64(value)
    else if (value <= 0xff) {
      u8[at] = 0x30
      u8[at + 1] = value
      buffer.at = at + 2
    } else if (value <= 0xffff) {
      u8[at] = 0x31
      view.setUint16(at + 1, value, true)
      buffer.at = at + 3
    } else {
      u8[at] = 0x32
      view.setUint32(at + 1, value, true)
      buffer.at = at + 5
    }
  }

  #int64(value: number): void {
    const { buffer } = this
    const { view, at } = buffer
    buffer.u8[at] = 0x33
    view.setInt32(at + 1, (value % 4294967296) | 0, true)
    view.setInt32(at + 5, Math.floor(value / 4294967296), true)
    buffer.at = at + 9
  }

  #bigint(value: bigint): void {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) this.#number(Number(value))
    else this.int64(value)
  }

  /** The 64 bits of an integer of a message's header, whose tag is written. */
  wide(value: unknown, root: string): void {
    this.#root = root
    this.#depth = 0
    this.buffer.at--
    if (typeof value === 'bigint') this.int64(value)
    else if (typeof value === 'number' && Number.isSafeInteger(value)) this.#int64(value)
    else throw this.#error('value', 'a bigint or a safe integer expected')
  }

  /** The key of a message's header. */
  name(text: string): void {
    this.text(text)
  }

  /** An integer of 64 bits. */
  int64(value: bigint): void {
    if (value < INT64_LEAST || value > INT64_MOST) {
      throw this.#error('range', `${String(value).slice(0, 40)} does not fit 64 bits`)
    }
    const { buffer } = this
    buffer.room(9)
    buffer.u8[buffer.at] = 0x33
    buffer.view.setBigInt64(buffer.at + 1, value, true)
    buffer.at += 9
  }

  #float64(value: number): void {
    const { buffer } = this
    buffer.u8[buffer.at] = 0x36
    buffer.view.setFloat64(buffer.at + 1, value, true)
    buffer.at += 9
  }

  #float32(value: number): void {
    const { buffer } = this
    buffer.u8[buffer.at] = 0x35
    buffer.view.setFloat32(buffer.at + 1, value, true)
    buffer.at += 5
  }

  #date({ seconds }: Timestamp): void {
    if (Number.isNaN(seconds)) throw this.#error('value', 'an invalid Date has no form')
    const { buffer } = this
    buffer.u8[buffer.at] = 6
    buffer.view.setFloat64(buffer.at + 1, seconds, true)
    buffer.at += 9
  }

  #uuid({ text }: Uuid): void {
    const { buffer } = this
    buffer.byte(5)
    for (let i = 0; i < 36; i += 2) {
      if (text.charCodeAt(i) === 0x2d) i++
      buffer.byte(Number.parseInt(text.substring(i, i + 2), 16))
    }
  }

  #sized({ width, value }: Int): void {
    const { buffer } = this
    const { view, at } = buffer
    if (width === 64) {
      this.int64(BigInt(value))
      return
    }
    const number = Number(value)
    const { unsigned } = this.dialect
    const least = unsigned ? 0 : -(2 ** (width - 1))
    const most = unsigned ? 2 ** width - 1 : 2 ** (width - 1) - 1
    if (!(number >= least && number <= most)) throw this.#error('range', `${value} does not fit ${width} bits`)
    if (width === 8) {
      buffer.u8[at] = 0x30
      buffer.u8[at + 1] = number
      buffer.at = at + 2
    } else if (width === 16) {
      buffer.u8[at] = 0x31
      view.setInt16(at + 1, number, true)
      buffer.at = at + 3
    } else {
      buffer.u8[at] = 0x32
      view.setInt32(at + 1, number, true)
      buffer.at = at + 5
    }
  }

  /** A string: its characters one by one where they are few and ASCII. */
  text(text: string): void {
    const { buffer } = this
    const { length } = text
    if (length <= LOOP_CHARACTERS) {
      buffer.room(length + 2)
      const { u8, at } = buffer
      let to = at + (length <= 32 ? 1 : 2)
      let i = 0
      for (; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 0x80) break
        u8[to++] = code
      }
      if (i === length) {
        if (length <= 32) u8[at] = 0x40 + length
        else {
          u8[at] = 0x61
          u8[at + 1] = length
        }
        buffer.at = to
        return
      }
    }
    this.#longText(text)
  }

  #longText(text: string): void {
    const { buffer } = this
    const { length } = text
    buffer.room(length * 3 + 9)
    const { at } = buffer
    // Where the characters stand if they are ASCII; else they are moved.
    this.#head(0x40, length, 32)
    const guess = buffer.at
    const { written } = utf8.encodeInto(text, buffer.u8.subarray(guess))
    if (written !== length) {
      if (!this.dialect.loose && LONE_SURROGATE.test(text)) {
        throw this.#error('value', 'a string with half a surrogate pair has no UTF-8')
      }
      buffer.at = at
      // The head is at most as long as the 9 bytes there is room for; the characters first, so that it does not overwrite them.
      const size = headSize(written, 32, this.dialect.unsigned)
      buffer.u8.copyWithin(at + size, guess, guess + written)
      this.#head(0x40, written, 32)
    }
    buffer.at += written
  }

  /** The tag and length of a string (base 40) or data (base 70). */
  #head(base: number, length: number, inlineMost: number): void {
    const { buffer } = this
    const { u8, view, at } = buffer
    if (length <= inlineMost) {
      u8[at] = base + length
      buffer.at = at + 1
    } else if (length <= 0xff) {
      u8[at] = base + 0x21
      u8[at + 1] = length
      buffer.at = at + 2
    } else if (length <= 0xffff) {
      u8[at] = base + 0x22
      view.setUint16(at + 1, length, true)
      buffer.at = at + 3
    } else {
      // OPACK: strings of up to 24 bits of length have three bytes of it, which may stand before the characters already.
      const size = headSize(length, inlineMost, base === 0x40 && this.dialect.unsigned)
      u8[at] = base + (size === 5 && base === 0x40 && this.dialect.unsigned ? 0x24 : 0x23)
      for (let i = 1, rest = length; i < size; i++, rest >>>= 8) u8[at + i] = rest
      buffer.at = at + size
    }
  }

  #data(bytes: Uint8Array): void {
    this.#head(0x70, bytes.length, this.dialect.inlineData)
    this.buffer.data(bytes)
  }

  #enter(): number {
    if (this.#depth >= this.dialect.maxDepth) throw this.#error('depth', '')
    return this.#depth++
  }

  #array(values: readonly unknown[]): void {
    const { buffer } = this
    const { length } = values
    const level = this.#enter()
    const terminated = length > this.dialect.counted
    buffer.byte(terminated ? 0xdf : 0xd0 + length)
    let i = 0
    if (length >= LEAST_BATCH && this.#known === undefined) i = this.#integers(values, length)
    for (; i < length; i++) {
      this.#path[level] = i
      this.#write(values[i])
    }
    if (terminated) {
      buffer.room(1)
      buffer.byte(3)
    }
    this.#depth = level
  }

  /** The integers of 32 bits that an array begins with, packed by the kernel; returns how many. */
  #integers(values: readonly unknown[], length: number): number {
    let done = 0
    while (done < length) {
      const most = Math.min(BATCH, length - done)
      const core = selectCore(most << 2, THRESHOLDS.hdsPackInts)
      const out = H_INPUT + (most << 2)
      core.memory.reserve(out + most * 9 - L_ARENA + L_SLACK)
      const { u32 } = core.memory
      const start = H_INPUT >>> 2
      let count = 0
      while (count < most) {
        const value = values[done + count]
        if (typeof value !== 'number' || (value | 0) !== value || (value === 0 && Object.is(value, -0))) break
        u32[start + count] = value
        count++
      }
      if (count > 0) this.#packed(count, out, core)
      done += count
      if (count < most) break
    }
    return done
  }

  /** Packs integers that stand in the memory of a backend. */
  #packed(count: number, out: number, { kernels, memory }: ReturnType<typeof selectCore>): void {
    const { buffer } = this
    const flags = this.dialect.unsigned ? HF_UNSIGNED : 0
    const end = kernels.hdsPackInts(H_INPUT, count, out, flags) >>> 0
    buffer.room(end - out)
    buffer.u8.set(memory.u8.subarray(out, end), buffer.at)
    buffer.at += end - out
  }

  #numbers({ array }: Numbers): void {
    const { buffer } = this
    const { length } = array
    const level = this.#enter()
    const terminated = length > this.dialect.counted
    buffer.byte(terminated ? 0xdf : 0xd0 + length)
    if (this.#known === undefined && isNarrow(array)) {
      for (let done = 0; done < length; ) {
        const count = Math.min(BATCH, length - done)
        const core = selectCore(count << 2, THRESHOLDS.hdsPackInts)
        const out = H_INPUT + (count << 2)
        core.memory.reserve(out + count * 9 - L_ARENA + L_SLACK)
        const { u32 } = core.memory
        const words = new Int32Array(u32.buffer, H_INPUT, count)
        words.set(array.subarray(done, done + count))
        this.#packed(count, out, core)
        done += count
      }
    } else if (this.#known === undefined && (array instanceof Float32Array || array instanceof Float64Array)) {
      buffer.room(length * 9)
      for (let i = 0; i < length; i++) this.#float64(array[i]!)
    } else {
      const floats = array instanceof Float32Array || array instanceof Float64Array
      for (let i = 0; i < length; i++) {
        this.#path[level] = i
        this.#write(floats ? new Float64(array[i]!) : array[i])
      }
    }
    if (terminated) {
      buffer.room(1)
      buffer.byte(3)
    }
    this.#depth = level
  }

  #properties(object: Readonly<Record<string, unknown>>): void {
    const { buffer } = this
    const level = this.#enter()
    // How many properties there are shows at their end.
    const { at } = buffer
    buffer.byte(0xef)
    let count = 0
    const keys = Object.keys(object)
    const { length } = keys
    // V8 keeps many properties in a table: there one list of all values costs less than to look each of them up.
    const values = length > MANY_KEYS ? Object.values(object) : undefined
    const plain = this.#known === undefined
    for (let i = 0; i < length; i++) {
      const key = keys[i]!
      const value = values === undefined ? object[key] : values[i]
      if (value === undefined) continue
      this.#path[level] = key
      if (plain) {
        this.text(key)
        if (typeof value === 'string') this.text(value)
        else this.#write(value)
      } else {
        this.#write(key)
        this.#write(value)
      }
      count++
    }
    this.#close(at, count)
    this.#depth = level
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
      if (!Array.isArray(pair) || pair.length !== 2) throw this.#error('value', 'pairs of key and value expected')
      const [key, value] = pair as [unknown, unknown]
      this.#path[level] = key
      if (typeof key === 'string') this.#key(key)
      else if (!this.dialect.unsigned) throw this.#error('value', 'the key of a dictionary must be a string')
      else if (isContainer(key)) throw this.#error('value', 'a container cannot be a key')
      else this.#write(key)
      this.#write(value)
      count++
    }
    if (count !== size) throw this.#error('value', 'pairs that change while they are written')
    this.#close(at, count)
    this.#depth = level
  }

  #key(key: string): void {
    if (this.#known === undefined) this.text(key)
    else this.#write(key)
  }
}

const isContainer = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Int || value instanceof Float32 || value instanceof Float64) &&
  !(value instanceof Uuid || value instanceof Timestamp || value instanceof Date || value instanceof ArrayBuffer)

/** Arrays whose numbers are all integers of 32 bits. */
const isNarrow = (array: object): array is Int32Array =>
  array instanceof Int32Array ||
  array instanceof Int16Array ||
  array instanceof Uint16Array ||
  array instanceof Int8Array ||
  array instanceof Uint8Array ||
  array instanceof Uint8ClampedArray

/** Bytes of the tag and length of a string. */
function headSize(length: number, inlineMost: number, short: boolean): number {
  if (length <= inlineMost) return 1
  if (length <= 0xff) return 2
  if (length <= 0xffff) return 3
  return short && length <= 0xffffff ? 4 : 5
}
