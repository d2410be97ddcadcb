import * as abi from '../../../assembly/abi/hpack'
import { decodeBy, encodeBy, huffmanBy, unfinishedBy } from '../../hpack/kernels'
import type { Vector } from '../../hpack/words'
import { fromHex, vectorJson } from '../../vectors'
import { Input, inputOf } from '../input'
import { demand, type KernelTarget } from './target'

const FILES = [
  'rfc7541-examples',
  'decode-valid',
  'captured',
  'decode-malformed',
  'huffman-valid',
  'huffman-malformed',
  'table-size',
]
const INDEXES = [0, 1, 14, 15, 16, 30, 31, 32, 62, 63, 64, 126, 127, 128, 300, 70000, 0xffffffff]

export const target: KernelTarget = {
  exported: ['hpackDecode', 'hpackUnfinished', 'hpackEncode', 'hpackHuffmanEncode', 'hpackHuffmanDecode'],
  tokens: ['00', '3fe11f', '20', '40', '7f', 'ff80808080', '82', '84ffffffff', '85fffffffc7f', '8a', '0f00'].map(
    fromHex,
  ),
  seeds: () =>
    FILES.flatMap((name) => vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors)
      .flatMap(({ steps }) => steps.flatMap(({ hex }) => (hex && hex.length < 3000 ? [fromHex(hex)] : [])))
      .flatMap((block) => [inputOf([0, 0, 0, 0, 0, 0], block), inputOf([3], block)]),
  run: (side, bytes) => {
    const input = new Input(bytes)
    switch (input.below(4)) {
      case 0: {
        const state = {
          maxString: input.pick([65536, 65536, 5, 40]),
          tableLimit: input.pick([4096, 0, 100, 0xffffffff]),
          phase: input.pick([0, 1, 2, abi.PP_FIELDS]),
          lowWater: input.pick([abi.PS_NO_UPDATE, 50]),
          records: input.pick([500, 500, 1, 3]),
        }
        const block = input.rest()
        const told = decodeBy(side, block, state)
        demand(told.read >= 0 && told.read <= block.length, 'hpackDecode read beyond its input')
        demand(told.status !== 2 || told.tape.length > 0, 'hpackDecode makes no progress')
        return { ...told, text: Buffer.from(told.text).toString('hex') }
      }
      case 1: {
        const field = input.rest()
        // It is asked of octets that hpackDecode has left over: at least one.
        return field.length === 0 ? undefined : unfinishedBy(side, field)
      }
      case 2: {
        const mode = input.below(3)
        const records: number[] = []
        const text: number[] = []
        for (let n = input.below(8); n > 0; n--) {
          const kind = input.below(5)
          const index = input.pick(INDEXES)
          if (kind === abi.PK_INDEXED || kind === abi.PK_UPDATE) {
            records.push(kind, index, 0, 0)
            continue
          }
          if (index === 0) text.push(...input.take(input.byte()))
          const name = text.length
          text.push(...input.take(input.byte()))
          records.push(kind, index, name, text.length)
        }
        return Buffer.from(encodeBy(side, records, Uint8Array.from(text), mode)).toString('hex')
      }
      default: {
        const told = huffmanBy(side, input.rest())
        return JSON.stringify(told)
      }
    }
  },
}
