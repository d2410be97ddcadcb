import { FLAGS, pack, scan, TAPE_BYTES } from '../../hds/kernels'
import { bytesOf, type Case } from '../../hds/words'
import { fromHex, vectorJson } from '../../vectors'
import { Input, inputOf } from '../input'
import { demand, type KernelTarget } from './target'

const FILES = [
  'bugs',
  'containers',
  'data',
  'errors',
  'opack',
  'random-values',
  'references',
  'scalars',
  'strings',
  'tags',
]

const PACK = 7

export const target: KernelTarget = {
  exported: ['hdsScan', 'hdsPackInts'],
  tokens: [
    'd0',
    'df',
    'ef',
    'e0',
    '03',
    '9f',
    '6f',
    '7300',
    '7f',
    'a0',
    'c10001',
    '91ff',
    '41ff',
    '3200',
    '36',
    '05',
  ].map(fromHex),
  seeds: () =>
    FILES.flatMap((name) => vectorJson<{ cases: Case[] }>(`hds/${name}.json`).cases)
      .filter(({ hex, hexParts }) => hex !== undefined || hexParts !== undefined)
      .map((vector) => bytesOf(vector))
      .filter(({ length }) => length <= 1500)
      .flatMap((bytes) => FLAGS.map((_, flags) => inputOf([0, flags, 0, 0, 0], bytes))),
  run: (side, bytes) => {
    const input = new Input(bytes)
    if (input.below(8) === PACK) {
      const flags = input.below(2)
      const data = input.take(512)
      return pack(side, [...new Uint32Array(data.buffer, 0, data.length >>> 2)], flags)
    }
    const choice = input.byte()
    const flags = choice < FLAGS.length ? FLAGS[choice]! : (choice << 1) & 0x1ff
    const window = input.pick([0x10000, 0x10000, 16, 61, 24, 200])
    const tape = input.byte()
    const limits = input.byte()
    const payload = input.rest()
    const tapeBytes = tape < 200 ? TAPE_BYTES : (256 - tape) * 8
    const told = scan(side, payload, flags, window, tapeBytes, limits % 8 === 7 ? 2 : 32, limits >= 240 ? 9 : 10_000)
    demand(told.untouched, 'hdsScan wrote where it must not')
    demand(told.status !== 2 || tapeBytes < 8 * payload.length + 256, 'the longest tape is too short')
    demand(told.end <= payload.length, 'hdsScan went beyond its input')
    return told
  },
}
