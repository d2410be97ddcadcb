// What is measured for HPACK. See ../registry.mjs for the shape of a workload. An operation on a connection is all of its blocks,
// with a fresh table; the public corpus takes part where it lies beside the repository.
import {
  blocksOf,
  cookie4k,
  cookies,
  grpc,
  h2load,
  hasCorpus,
  huffman,
  requests,
  responses,
  story,
} from '../payloads/hpack.mjs'
import { random } from '../random.mjs'

/** Peers that give an object keep the order of fields of one name alone: fields are compared sorted by name. */
export const sorted = (list) => list.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

const total = (blocks) => blocks.reduce((sum, { length }) => sum + length, 0)
const decoding = (connections) => () =>
  connections().map(({ lists, blocks }) => ({ input: blocks, bytes: total(blocks), expected: lists.map(sorted) }))
const encoding = (connections) => () =>
  connections().map(({ lists, blocks }) => ({ input: lists, bytes: total(blocks), expected: lists.map(sorted) }))
const seeds = [1, 2, 3, 4]
const connection = (make, unindexed) => () =>
  seeds.map((seed) => {
    const lists = make(seed)
    return { lists, blocks: blocksOf(lists, unindexed) }
  })
const stories = (number, encoder) => () => [story(number, encoder)]
const strings = (input, expected) => () => {
  const next = random(5)
  return Array.from({ length: 16 }, () => {
    const text = cookie4k(next)
    const coded = huffman(text)
    return { input: input(text, coded), bytes: coded.length, expected: expected(text, coded) }
  })
}

const corpus = [
  {
    id: 'decode-req-story20',
    about: 'corpus: 164 browser requests, written by nghttp2',
    operation: 'decode',
    variants: decoding(stories('20', 'nghttp2')),
  },
  {
    id: 'decode-resp-story30',
    about: 'corpus: 646 responses, written by nghttp2',
    operation: 'decode',
    variants: decoding(stories('30', 'nghttp2')),
  },
  {
    id: 'decode-literals-story30',
    about: 'corpus: the same responses, all of them literals in Huffman code',
    operation: 'decode',
    variants: decoding(stories('30', 'haskell-http2-static-huffman')),
  },
  {
    id: 'encode-req-story20',
    about: 'corpus: the 164 requests',
    operation: 'encode',
    variants: encoding(stories('20', 'nghttp2')),
  },
  {
    id: 'encode-resp-story30',
    about: 'corpus: the 646 responses',
    operation: 'encode',
    variants: encoding(stories('30', 'nghttp2')),
  },
]

export const workloads = [
  {
    id: 'decode-requests',
    about: '100 browser requests on one connection',
    operation: 'decode',
    variants: decoding(connection(requests)),
  },
  {
    id: 'decode-responses',
    about: '100 responses on one connection',
    operation: 'decode',
    variants: decoding(connection(responses)),
  },
  {
    id: 'decode-h2load-get',
    about: '200 equal GETs on one connection: after the first, indexes alone',
    operation: 'decode',
    variants: decoding(connection(() => h2load())),
  },
  {
    id: 'decode-grpc',
    about: 'responses and trailers of 200 gRPC calls on one connection',
    operation: 'decode',
    variants: decoding(connection(grpc, new Set(['grpc-message']))),
  },
  {
    id: 'decode-cookie-4k',
    about: '20 requests with a cookie of 4 KiB in Huffman code, not indexed',
    operation: 'decode',
    variants: decoding(connection(cookies, new Set(['cookie']))),
  },
  {
    id: 'encode-requests',
    about: 'the 100 requests',
    operation: 'encode',
    variants: encoding(connection(requests)),
  },
  {
    id: 'encode-responses',
    about: 'the 100 responses',
    operation: 'encode',
    variants: encoding(connection(responses)),
  },
  ...(hasCorpus ? corpus : []),
  {
    id: 'huffman-decode-4k',
    about: 'a string of 4,096 octets from its Huffman code',
    operation: 'huffmanDecode',
    variants: strings(
      (_, coded) => coded,
      (text) => text,
    ),
  },
  {
    id: 'huffman-encode-4k',
    about: 'the Huffman code of a string of 4,096 octets',
    operation: 'huffmanEncode',
    variants: strings(
      (text) => text,
      (_, coded) => coded.toString('hex'),
    ),
  },
]
