// What is measured for HomeKit Data Stream. See ../registry.mjs for the shape of a workload.
import { PAYLOADS, pattern, payloadOf, plain, sealFrame } from '../payloads/hds.mjs'

const TCP_SEGMENT = 1_460
const KEY = pattern(42, 32)
/** The most that a frame holds. */
const MOST = 0xfffff

const ABOUT = {
  hello: 'the response to hello',
  open: 'the response to dataSend/open',
  'data-4k': 'a data event with a packet of 4 KiB',
  'data-256k': 'a data event with a packet of 256 KiB',
  'data-20x1500': 'a data event with 20 packets of 1,500 bytes',
  'dict-200': 'a dictionary of 200 strings',
  'ints-10k': 'an array of 10,000 integers of 32 bits',
}

/** Few variants of large payloads: more would be read from memory, not from the cache. */
const COUNT = { 'data-256k': 2, 'ints-10k': 1, 'dict-200': 4 }

function payloads(name, input) {
  return () =>
    Array.from({ length: COUNT[name] ?? 8 }, (_, i) => {
      const payload = PAYLOADS[name](1 + i)
      const bytes = payloadOf(payload)
      const expected = 'value' in payload ? plain(payload.value) : plain([payload.header, payload.message])
      return { input: input(payload, bytes), bytes: bytes.length, expected }
    })
}

const rows = Object.entries(ABOUT).flatMap(([name, about]) => {
  const bare = name === 'dict-200' || name === 'ints-10k'
  const what = bare ? 'Value' : 'Message'
  return [
    {
      id: `encode-${name}`,
      about: `${about}, into a reused buffer`,
      operation: `encode${what}`,
      variants: payloads(name, (payload) => payload),
      // HAP-NodeJS compares every value with all before it: a second or two for 10,000 of them.
      ...(name === 'ints-10k' ? { samples: 3 } : {}),
    },
    {
      id: `decode-${name}`,
      about: `${about}, bytes as views`,
      operation: `decode${what}`,
      variants: payloads(name, (payload, bytes) => ({ payload, bytes })),
    },
  ]
})

/** The data event whose payload is the largest, in a frame that comes in segments. */
function segments() {
  const overhead = payloadOf(sized(MOST - 400)).length - (MOST - 400)
  const payload = sized(MOST - overhead)
  const frame = sealFrame(KEY, 0, payloadOf(payload))
  const chunks = []
  for (let at = 0; at < frame.length; at += TCP_SEGMENT) chunks.push(frame.subarray(at, at + TCP_SEGMENT))
  return [{ input: { chunks, key: KEY }, bytes: frame.length, expected: [plain([payload.header, payload.message])] }]
}
const sized = (size) => ({
  header: { protocol: 'dataSend', event: 'data' },
  message: { streamId: 1, packets: [{ data: pattern(1, size), metadata: { dataTotalSize: size } }] },
})

export const workloads = [
  ...rows,
  {
    id: 'encode-data-256k-chunks',
    about: `${ABOUT['data-256k']}, in pieces: the packet is not copied`,
    operation: 'encodeChunks',
    variants: payloads('data-256k', (payload) => payload),
  },
  {
    id: 'encode-data-256k-fresh',
    about: `${ABOUT['data-256k']}, in memory of its own`,
    operation: 'encodeFresh',
    variants: payloads('data-256k', (payload) => payload),
  },
  {
    id: 'encode-ints-10k-typed',
    about: `${ABOUT['ints-10k']}, from a typed array where the library takes one`,
    operation: 'encodeTyped',
    variants: payloads('ints-10k', (payload) => payload),
    samples: 3,
    measuredWith: 'encode-ints-10k',
  },
  {
    id: 'decode-ints-10k-typed',
    about: `${ABOUT['ints-10k']}, as a typed array where the library gives one`,
    operation: 'decodeTyped',
    measuredWith: 'decode-ints-10k',
    variants: payloads('ints-10k', (payload, bytes) => ({ payload, bytes })),
  },
  {
    id: 'reassemble-1m',
    about: 'a frame of 1 MiB in segments of 1,460 bytes, opened and read where the library can be asked to',
    operation: 'reassemble',
    variants: segments,
  },
]
