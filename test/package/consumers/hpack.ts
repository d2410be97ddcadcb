// A program of someone who uses the package: compiled as an ES module and as CommonJS, then run.
import { backend, toJson, WireError } from 'wiretape'
import {
  type Bytes,
  Decoder,
  type DecoderStatistics,
  decode,
  Encoder,
  encode,
  type HeaderField,
  type HeaderInput,
  huffmanDecode,
  huffmanEncode,
  octets,
  validateField,
} from 'wiretape/hpack'
import * as script from 'wiretape/js/hpack'

const list: HeaderInput[] = [[':method', 'GET'], { name: 'x-key', value: 'caf\u00e9', sensitive: true }]
const block: Bytes = encode(list)
const fields: HeaderField[] = decode(block)
const encoder = new Encoder({ huffman: 'never', noIndex: ['x-key'] })
const frame = new Uint8Array(9 + encoder.encodedLengthBound(list))
const end: number = encoder.encodeInto(list, frame, 9)
const decoder = new Decoder({ onTooLarge: 'skip', limits: { maxFields: 1 } })
for (const field of decoder.push(frame.subarray(9, end)).end()) fields.push(field)
const statistics: DecoderStatistics = decoder.statistics

let status: number | undefined
try {
  decode(Uint8Array.of(0x80))
} catch (error) {
  if (error instanceof WireError) status = error.status
}

console.log(
  toJson({
    backend: backend(),
    block: [...block],
    fields,
    statistics,
    skipped: decoder.skipped,
    status,
    text: huffmanDecode(huffmanEncode('www.example.com')),
    octets: [...octets(fields[1]!.value)],
    valid: fields.map(validateField),
    script: script.decode(block).length,
  }),
)
