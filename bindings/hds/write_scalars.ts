import type { WireError } from '../core/error'
import { PayloadBuffer } from './buffer'
import { hdsError } from './errors'
import type { Dialect } from './settings'
import { type Int, type Timestamp, UUID, type Uuid } from './wrappers'

/** Longer strings are left to TextEncoder. */
const LOOP_CHARACTERS = 64
const LONE_SURROGATE = /\p{Surrogate}/u
const INT64_LEAST = -(1n << 63n)
const INT64_MOST = (1n << 63n) - 1n

const utf8 = new TextEncoder()

/** Writes values that are no containers, each with its tag. */
export class ScalarWriter {
  readonly buffer = new PayloadBuffer()
  dialect!: Dialect
  /** What the place of a fault begins with. */
  protected root = ''
  /** Where the value being written is: an index or key for each level. */
  protected readonly path: unknown[] = []
  protected depth = 0

  protected error(name: 'value' | 'range' | 'depth', detail: string): WireError {
    let path = this.root
    for (let i = 0; i < this.depth; i++) {
      const step = this.path[i]
      if (typeof step === 'number') path += `[${step}]`
      else if (typeof step === 'string' && /^[A-Za-z_]\w{0,99}$/.test(step)) path += path ? `.${step}` : step
      else path += `[${typeof step === 'string' ? JSON.stringify(step.slice(0, 100)) : 'key'}]`
    }
    if (name !== 'depth') return hdsError(name, { path, detail })
    const max = this.dialect.maxDepth
    return hdsError(name, { path, limit: { name: 'maxDepth', max, actual: max + 1 } })
  }

  protected number(value: number): void {
    const { buffer } = this
    if ((value | 0) === value && (value !== 0 || Object.is(value, 0))) {
      const { u8, at } = buffer
      const dialect = this.dialect
      if (value >= -1 && value <= dialect.inlineMost) {
        u8[at] = value + 8
        buffer.at = at + 1
      } else if (dialect.unsigned) this.unsigned(value)
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
      if (this.dialect.unsigned) this.unsigned(value)
      else this.safeInteger(value)
    } else this.float64(value)
  }

  /** OPACK: an integer that does not fit one byte. */
  protected unsigned(value: number): void {
    const { buffer } = this
    const { u8, view, at } = buffer
    if (value < 0 || value > 0xffffffff) this.safeInteger(value)
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

  protected safeInteger(value: number): void {
    const { buffer } = this
    const { view, at } = buffer
    buffer.u8[at] = 0x33
    view.setInt32(at + 1, (value % 4294967296) | 0, true)
    view.setInt32(at + 5, Math.floor(value / 4294967296), true)
    buffer.at = at + 9
  }

  protected bigint(value: bigint): void {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) this.number(Number(value))
    else this.int64(value)
  }

  /** The 64 bits of an integer of a message's header, whose tag is written. */
  wide(value: unknown, root: string): void {
    this.root = root
    this.depth = 0
    this.buffer.at--
    if (typeof value === 'bigint') this.int64(value)
    else if (typeof value === 'number' && Number.isSafeInteger(value)) this.safeInteger(value)
    else throw this.error('value', 'a bigint or a safe integer expected')
  }

  /** The key of a message's header. */
  name(text: string): void {
    this.text(text)
  }

  /** An integer of 64 bits. */
  int64(value: bigint): void {
    if (value < INT64_LEAST || value > INT64_MOST) {
      throw this.error('range', `${String(value).slice(0, 40)} does not fit 64 bits`)
    }
    const { buffer } = this
    buffer.room(9)
    buffer.u8[buffer.at] = 0x33
    buffer.view.setBigInt64(buffer.at + 1, value, true)
    buffer.at += 9
  }

  protected float64(value: number): void {
    const { buffer } = this
    buffer.u8[buffer.at] = 0x36
    buffer.view.setFloat64(buffer.at + 1, value, true)
    buffer.at += 9
  }

  protected float32(value: number): void {
    const { buffer } = this
    buffer.u8[buffer.at] = 0x35
    buffer.view.setFloat32(buffer.at + 1, value, true)
    buffer.at += 5
  }

  protected date({ seconds }: Timestamp): void {
    if (typeof seconds !== 'number') throw this.error('value', 'a date without seconds has no form')
    const { buffer } = this
    buffer.u8[buffer.at] = 6
    buffer.view.setFloat64(buffer.at + 1, seconds, true)
    buffer.at += 9
  }

  protected uuid({ text }: Uuid): void {
    if (typeof text !== 'string' || !UUID.test(text)) throw this.error('value', 'a UUID of another text has no form')
    const { buffer } = this
    buffer.byte(5)
    for (let i = 0; i < 36; i += 2) {
      if (text.charCodeAt(i) === 0x2d) i++
      buffer.byte(Number.parseInt(text.substring(i, i + 2), 16))
    }
  }

  protected sized({ width, value }: Int): void {
    const { buffer } = this
    const { view, at } = buffer
    if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isSafeInteger(value))) {
      throw this.error('value', 'a sized integer of another value has no form')
    }
    if (width === 64) {
      this.int64(BigInt(value))
      return
    }
    if (width !== 8 && width !== 16 && width !== 32) throw this.error('value', 'a sized integer has 8 to 64 bits')
    const number = Number(value)
    const { unsigned } = this.dialect
    const least = unsigned ? 0 : -(2 ** (width - 1))
    const most = unsigned ? 2 ** width - 1 : 2 ** (width - 1) - 1
    if (!(number >= least && number <= most)) throw this.error('range', `${value} does not fit ${width} bits`)
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
    this.longText(text)
  }

  protected longText(text: string): void {
    const { buffer } = this
    const { length } = text
    buffer.room(length * 3 + 9)
    const { at } = buffer
    // Where the characters stand if they are ASCII; else they are moved.
    this.head(0x40, length, 32)
    const guess = buffer.at
    const { written } = utf8.encodeInto(text, buffer.u8.subarray(guess))
    if (written !== length) {
      if (!this.dialect.loose && LONE_SURROGATE.test(text)) {
        throw this.error('value', 'a string with half a surrogate pair has no UTF-8')
      }
      buffer.at = at
      // The head is at most as long as the 9 bytes there is room for; the characters first, so that it does not overwrite them.
      const size = headSize(written, 32, this.dialect.unsigned)
      buffer.u8.copyWithin(at + size, guess, guess + written)
      this.head(0x40, written, 32)
    }
    buffer.at += written
  }

  /** The tag and length of a string (base 40) or data (base 70). */
  protected head(base: number, length: number, inlineMost: number): void {
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

  protected data(bytes: Uint8Array): void {
    this.head(0x70, bytes.length, this.dialect.inlineData)
    this.buffer.data(bytes)
  }
}

/** Bytes of the tag and length of a string. */
function headSize(length: number, inlineMost: number, short: boolean): number {
  if (length <= inlineMost) return 1
  if (length <= 0xff) return 2
  if (length <= 0xffff) return 3
  return short && length <= 0xffffff ? 4 : 5
}
