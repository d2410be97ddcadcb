import { PK_INDEXED, PK_UPDATE, PR_BYTES } from '../../assembly/abi/hpack'
import { L_ARENA, L_SLACK } from '../../assembly/abi/layout'
import type { Bytes } from '../core/options'
import { THRESHOLDS } from '../engine/thresholds'
import { hpackError } from './errors'
import { behind, copyIn, coreWith, IN, MAX_RECORDS, TAPE } from './kernels'
import { characterDetail, writeOctets } from './text'

const TAPE_WORDS = TAPE >>> 2
const RECORD_WORDS = PR_BYTES >>> 2

/** Octets of a coded string while it is tried: 30 bits a character, plus integers. */
const CODED = 4
const RECORD_OUTPUT = 20

/** Longer text is written in several calls, so that the memory does not grow. */
const TEXT_WINDOW = 0x8000

const KIND = 7
const NO_OCTET = /[^\0-\xff]/

/** So many strings are kept in place for the next block, of so many characters in all; what is unusual is given back. */
const KEPT_STRINGS = 64
const KEPT_CHARACTERS = 4096

const NO_RECORDS = new Int32Array(0)
/** One writer works at a time, unless a caller's code encodes between two fields: they hand the array on. */
let spareRecords: Int32Array<ArrayBuffer> | undefined

/**
 * The records of one block in the making, and their strings; then the block. All literals of a block are written by one call,
 * unless they are very many. Nothing is in the memory of the kernels before that call: a caller's code may run between fields.
 */
export class Writer {
  #mode = 0
  /** The records as they go onto the tape. */
  #records = NO_RECORDS
  /** End of the records, in words. */
  #end = 0
  /** Strings of the literals, one after the other: the name where it has no index, then the value. */
  #strings: string[] = []
  #stringCount = 0
  #characters = 0
  /** The field at hand: its place in the list. */
  position = 0
  /** What earlier calls have made. */
  #pieces: Bytes[] = []
  #piecesLength = 0
  /** What the last call has made, in the memory of the kernels. */
  #bytes = new Uint8Array(0)
  #start = 0
  #stop = 0

  begin(mode: number): void {
    this.#mode = mode
    this.#records = spareRecords ?? new Int32Array(MAX_RECORDS * RECORD_WORDS)
    spareRecords = undefined
  }

  /** Octets of the block. */
  get length(): number {
    return this.#piecesLength + this.#stop - this.#start
  }

  /** An indexed field or a size update. */
  add(kind: number, index: number): void {
    const records = this.#records
    const at = this.#end
    records[at] = kind | (this.position << 3)
    records[at + 1] = index
    this.#end = at + RECORD_WORDS
    if (this.#end === records.length) this.#flush()
  }

  /** A literal; `nameIndex` 0: with its name. */
  literal(kind: number, nameIndex: number, name: string, value: string): void {
    if (this.#characters > 0 && this.#characters + name.length + value.length > TEXT_WINDOW) this.#flush()
    const records = this.#records
    const at = this.#end
    let characters = this.#characters
    if (nameIndex === 0) {
      this.#strings[this.#stringCount++] = name
      characters += name.length
      records[at + 2] = characters
    }
    this.#strings[this.#stringCount++] = value
    characters += value.length
    records[at + 3] = characters
    this.#characters = characters
    this.add(kind, nameIndex)
  }

  /** Makes the block; it is there until another kernel is called. */
  finish(): void {
    this.#write()
  }

  /** The block in memory of its own. */
  take(): Bytes {
    if (this.#pieces.length === 0) return this.#bytes.slice(this.#start, this.#stop)
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
    copyIn(target, at, this.#bytes, this.#start, this.#stop - this.#start)
    return at + this.#stop - this.#start
  }

  /** Forgets the block. */
  end(): void {
    this.#clear()
    spareRecords = this.#records
    this.#records = NO_RECORDS
    if (this.#pieces.length > 0) this.#pieces = []
    this.#piecesLength = 0
    this.#start = 0
    this.#stop = 0
  }

  #clear(): void {
    this.#end = 0
    if (this.#strings.length > KEPT_STRINGS || this.#characters > KEPT_CHARACTERS) this.#strings = []
    this.#characters = 0
    this.#stringCount = 0
  }

  #flush(): void {
    this.#write()
    const piece = this.#bytes.slice(this.#start, this.#stop)
    this.#pieces.push(piece)
    this.#piecesLength += piece.length
    this.#start = 0
    this.#stop = 0
    this.#clear()
  }

  #write(): void {
    const records = this.#records
    const strings = this.#strings
    const words = this.#end
    const count = this.#stringCount
    const characters = this.#characters
    const out = behind(characters)
    const arena = out + characters * CODED + (words / RECORD_WORDS) * RECORD_OUTPUT + L_SLACK - L_ARENA
    const { kernels, memory } = coreWith(arena, characters, THRESHOLDS.hpackEncode)
    const { u8, u32 } = memory
    for (let i = 0; i < words; i++) u32[TAPE_WORDS + i] = records[i]!
    let at = IN
    for (let i = 0; i < count; i++) {
      const text = strings[i]!
      if (!writeOctets(u8, at, text)) throw this.#textError(i)
      at += text.length
    }
    this.#bytes = u8
    this.#start = out
    this.#stop = kernels.hpackEncode(TAPE, TAPE + (words << 2), IN, out, this.#mode)
  }

  /** The fault of a string: which field of the list, which part of it, which character. */
  #textError(string: number): Error {
    const records = this.#records
    let next = 0
    let path = ''
    for (let at = 0; at < this.#end && next <= string; at += RECORD_WORDS) {
      const kind = records[at]! & KIND
      if (kind === PK_INDEXED || kind === PK_UPDATE) continue
      const named = records[at + 1] === 0
      path = `[${records[at]! >>> 3}].${named && next === string ? 'name' : 'value'}`
      next += named ? 2 : 1
    }
    const text = this.#strings[string]!
    const at = text.search(NO_OCTET)
    return hpackError('text', { path, detail: characterDetail(text, at) })
  }
}
