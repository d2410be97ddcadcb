import {
  type DecodeOptions,
  Decoder,
  decode,
  type EncodeOptions,
  Encoder,
  encode,
  type HeaderField,
  type HeaderInput,
  huffmanDecode,
  huffmanEncode,
  octets,
  validateField,
  WireError,
} from '../../../bindings/hpack/index'
import type { Vector } from '../../hpack/words'
import type { Random } from '../../random'
import { fromHex, toHex, vectorJson } from '../../vectors'
import { forget, Hostile, survive } from '../hostile'
import { target as kernels } from '../kernels/hpack'
import { cutsOf } from '../listen'
import { attempt, faultText, must, on, same } from '../oracle'
import { poison } from '../poison'
import { show } from '../show'
import type { BindingsTarget } from './target'

const FILES = [
  'rfc7541-examples',
  'decode-valid',
  'captured',
  'decode-malformed',
  'huffman-valid',
  'huffman-malformed',
  'table-size',
]

const optionsOf = (random: Random): DecodeOptions => ({
  charset: random.pick(['latin1', 'utf8']),
  onTooLarge: random.pick(['throw', 'skip']),
  limits: {
    maxTableSize: random.pick([4096, 4096, 0, 100]),
    maxListSize: random.pick([65_536, 65_536, 100]),
    maxFields: random.pick([1000, 1000, 2]),
    maxStringBytes: random.pick([65_536, 65_536, 10]),
  },
})

/** Blocks one after the other, each in fragments: what the decoder says of them, and its table. */
function listen(decoder: Decoder, blocks: readonly Uint8Array[], cuts: readonly number[][] | undefined): string {
  let said = ''
  for (const [i, block] of blocks.entries()) {
    poison()
    const { value, error } = attempt(() => {
      if (!cuts) return decoder.decode(block.slice())
      const fields: HeaderField[] = []
      let from = 0
      for (const to of cuts[i]!) {
        poison()
        decoder.push(block.slice(from, to))
        from = to
        poison()
        fields.push(...decoder.readAll())
      }
      decoder.end()
      fields.push(...decoder.readAll())
      return fields
    })
    if (error) return `${said}! ${faultText(error)}`
    said += `${show(value)} ${decoder.tableSize} ${decoder.skipped} ${show(decoder.entries())}\n`
  }
  return said
}

function splitBlocks(input: Uint8Array, random: Random): Uint8Array[] {
  const cuts = [...Array.from({ length: random.below(3) }, () => random.below(input.length + 1)), input.length].sort(
    (a, b) => a - b,
  )
  return cuts.map((to, i) => input.subarray(i === 0 ? 0 : cuts[i - 1], to))
}

/** Which fields are secrets the encoder knows as well: it may say so of more of them, never of fewer. */
const plain = (list: readonly HeaderField[], secret?: readonly HeaderField[]): string =>
  show(list.map(({ name, value, sensitive }, i) => [name, value, sensitive || secret?.[i]?.sensitive === true]))

export const target: BindingsTarget = {
  tokens: kernels.tokens,
  seeds: () =>
    FILES.flatMap((name) => vectorJson<{ vectors: Vector[] }>(`hpack/${name}.json`).vectors).flatMap(({ steps }) =>
      steps.flatMap(({ hex }) => (hex && hex.length < 3000 ? [fromHex(hex)] : [])),
    ),
  decode: (input, random) => {
    const options = optionsOf(random)
    const blocks = splitBlocks(input, random)
    const make = () => new Decoder(options)
    const wanted = on('wasm', () => listen(make(), blocks, undefined))
    same(
      on('js', () => listen(make(), blocks, undefined)),
      wanted,
      'js and wasm differ',
    )
    // Units before a fault come out of a push; `decode` gives none of them. So pieces are compared where there is no fault.
    const cuts = blocks.map((block) => cutsOf(block.length, random))
    const pieces = on(random.pick(['wasm', 'js']), () => listen(make(), blocks, cuts))
    same(pieces, wanted, 'in pieces')
    const used = make()
    attempt(() => listen(used, blocks, cuts))
    used.reset()
    same(plain(used.decode(fromHex('8286'))), plain(decode(fromHex('8286'))), 'after a reset')

    const free = attempt(() => decode(input, options))
    if (free.value) {
      const charset = options.charset
      const encoder = new Encoder({ charset, huffman: random.pick(['shorter', 'always', 'never']) })
      const decoder = new Decoder({ charset })
      for (let turn = 0; turn < 2; turn++) {
        const again = decoder.decode(encoder.encode(free.value))
        same(plain(again), plain(free.value, again), 'encoded again')
      }
      const again = decode(encode(free.value, { charset }), { charset })
      same(plain(again), plain(free.value, again), 'encoded alone')
      for (const field of free.value) attempt(() => validateField(field))
    }
    const huffman = () => {
      poison()
      const { value, error } = attempt(() => huffmanDecode(input))
      if (value !== undefined) same(toHex(huffmanEncode(value)), toHex(input), 'the code is not the only one')
      return value ?? faultText(error!)
    }
    same(on('js', huffman), on('wasm', huffman), 'Huffman')
    const text = Buffer.from(input).toString('latin1')
    same(huffmanDecode(huffmanEncode(text)), text, 'Huffman there and back')
  },
  encode: (random) => {
    forget()
    const hostile = new Hostile(random, () => encode([['a', 'b']]), [])
    const options = {
      charset: random.pick(['latin1', 'utf8']),
      huffman: random.pick(['shorter', 'always', 'never']),
      splitCookies: random.below(2) === 1,
      neverIndex: random.below(4) ? undefined : (hostile.plain() as never),
      noIndex: random.below(4) ? undefined : random.pick<unknown>([hostile.plain(), () => hostile.value(), ['x']]),
    } as EncodeOptions
    const wanted = survive(() => new Encoder(options), WireError.is)
    const encoder = wanted ?? new Encoder()
    const charset = wanted ? options.charset : undefined
    const decoder = new Decoder({ charset })
    const bytes = (text: string) => Uint8Array.from(Buffer.from(text, charset ?? 'latin1'))
    for (let turn = 0; turn < 3; turn++) {
      const list: unknown[] = [
        [':method', 'GET'],
        { name: 'x-a', value: hostile.text().replace(/[^\x00-\xff]/g, '?') },
        ['cookie', 'a=1; b=2'],
        { name: 'authorization', value: 's', sensitive: random.pick<unknown>([true, hostile.value()]) },
      ].slice(0, random.below(5))
      const given = list.map((field) => (random.below(3) ? field : hostile.spoil(field as object))) as HeaderInput[]
      const before = show(encoder.entries())
      const block = survive(() => encoder.encode(given), WireError.is)
      if (block) {
        const { error } = attempt(() => decoder.decode(block))
        if (error) must(false, `wrote what cannot be read: ${faultText(error)}`)
        same(
          show(decoder.entries().map(({ name, value }) => [bytes(name), bytes(value)])),
          show(encoder.entries().map(({ name, value }) => [octets(name), octets(value)])),
          'the tables differ',
        )
      } else same(show(encoder.entries()), before, 'a list that failed has changed the table')
      survive(() => encoder.encodedLengthBound(given), WireError.is)
    }
    const target = new Uint8Array(50).fill(0x55)
    const kept = target.slice()
    if (
      survive(() => encoder.encodeInto(hostile.list() as HeaderInput[], target, random.below(60)), WireError.is) ===
      undefined
    ) {
      same(toHex(target), toHex(kept), 'encodeInto is not atomic')
    }
    survive(() => encode(hostile.list() as HeaderInput[], hostile.value() as EncodeOptions), WireError.is)
    survive(() => decode(hostile.value() as Uint8Array, hostile.value() as DecodeOptions), WireError.is)
    survive(() => huffmanEncode(hostile.value() as string), WireError.is)
    survive(() => huffmanDecode(hostile.value() as Uint8Array), WireError.is)
    survive(() => octets(hostile.value() as string), WireError.is)
    survive(() => validateField(hostile.value() as HeaderField), WireError.is)
    survive(() => encoder.setPeerMaxTableSize(hostile.value() as number), WireError.is)
  },
}
