import { PK_UPDATE, PR_BYTES } from '../../assembly/abi/hpack'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import type { Bytes } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import { hpackError } from './errors'
import { behind, copyIn, coreWith, IN, MAX_RECORDS, TAPE } from './kernels'
import { writeOctets } from './text'

const TAPE_WORDS = TAPE >>> 2
const RECORD_WORDS = PR_BYTES >>> 2

/** Octets of a coded string while it is tried: 30 bits a character, plus integers. */
const CODED = 4
const RECORD_OUTPUT = 20

/** Longer text is written in several calls, so that the memory does not grow. */
const TEXT_WINDOW = 0x8000

/**
 * The records of one block in the making, and their strings; then the block. All literals of a block are written by one call,
 * unless they are very many.
 */
export class Writer {
  #mode = 0
  #kinds: number[] = []
  #indexes: number[] = []
  /** Strings of the literals: the name where it has no index, then the value. */
  #strings: string[] = []
  #positions: number[] = []
  #characters = 0
  /** What earlier calls have made. */
  #pieces: Bytes[] = []
  #piecesLength = 0
  /** What the last one has made, in the memory of the kernels. */
  #bytes = new Uint8Array(0)
  #start = 0
  #end = 0

  begin(mode: number): void {
    this.#mode = mode
  }

  /** Octets of the block. */
  get length(): number {
    return this.#piecesLength + this.#end - this.#start
  }

  /** An indexed field or a size update. */
  add(kind: number, index: number): void {
    this.#kinds.push(kind)
    this.#indexes.push(index)
    if (this.#kinds.length === MAX_RECORDS) this.#flush()
  }

  /** A literal; `nameIndex` 0: with its name. `position` is the field's place in the list. */
  literal(kind: number, nameIndex: number, name: string, value: string, position: number): void {
    if (this.#characters > 0 && this.#characters + name.length + value.length > TEXT_WINDOW) this.#flush()
    if (nameIndex === 0) {
      this.#strings.push(name)
      this.#positions.push(position)
      this.#characters += name.length
    }
    this.#strings.push(value)
    this.#positions.push(position)
    this.#characters += value.length
    this.add(kind, nameIndex)
  }

  /** Makes the block; it is there until another kernel is called. */
  finish(): void {
    this.#write()
  }

  /** The block in memory of its own. */
  take(): Bytes {
    if (this.#pieces.length === 0) return this.#bytes.slice(this.#start, this.#end)
    const block = new Uint8Array(this.length)
    this.copyTo(block, 0)
    return block
  }

  copyTo(target: Uint8Array, offset: number): number {
    let at = offset
    for (const piece of this.#pieces) {
      target.set(piece, at)
      at += piece.length
    }
    copyIn(target, at, this.#bytes, this.#start, this.#end - this.#start)
    return at + this.#end - this.#start
  }

  /** Forgets the block and its strings. */
  end(): void {
    this.#forget()
    if (this.#pieces.length > 0) this.#pieces = []
    this.#piecesLength = 0
    this.#start = 0
    this.#end = 0
  }

  #forget(): void {
    this.#kinds.length = 0
    this.#indexes.length = 0
    this.#strings.length = 0
    this.#positions.length = 0
    this.#characters = 0
  }

  #flush(): void {
    this.#write()
    const piece = this.#bytes.slice(this.#start, this.#end)
    this.#pieces.push(piece)
    this.#piecesLength += piece.length
    this.#start = 0
    this.#end = 0
    this.#forget()
  }

  #write(): void {
    const kinds = this.#kinds
    const indexes = this.#indexes
    const strings = this.#strings
    const count = kinds.length
    const characters = this.#characters
    const out = behind(characters)
    const arena = out + characters * CODED + count * RECORD_OUTPUT + L_SLACK - L_ARENA
    const { kernels, memory } = coreWith(arena, characters, THRESHOLDS.hpackEncode)
    const { u8, u32 } = memory
    let text = IN
    let string = 0
    for (let i = 0, at = TAPE_WORDS; i < count; i++, at += RECORD_WORDS) {
      const kind = kinds[i]!
      const index = indexes[i]!
      u32[at] = kind
      u32[at + 1] = index
      if (kind === 0 || kind === PK_UPDATE) continue
      if (index === 0) {
        const name = strings[string++]!
        if (!writeOctets(u8, text, name)) throw this.#textError(string - 1, 'name')
        text += name.length
        u32[at + 2] = text - IN
      }
      const value = strings[string++]!
      if (!writeOctets(u8, text, value)) throw this.#textError(string - 1, 'value')
      text += value.length
      u32[at + 3] = text - IN
    }
    this.#bytes = u8
    this.#start = out
    this.#end = kernels.hpackEncode(TAPE, TAPE + count * PR_BYTES, IN, out, this.#mode)
  }

  #textError(string: number, part: string): Error {
    const text = this.#strings[string]!
    const at = Array.from({ length: text.length }).findIndex((_, i) => text.charCodeAt(i) > 0xff)
    const detail = `U+${text.codePointAt(at)!.toString(16).toUpperCase().padStart(4, '0')}`
    return hpackError('text', { path: `[${this.#positions[string]}].${part}`, detail })
  }
}
