// What is measured for KATCP. See ../registry.mjs for the shape of a workload.
import {
  allEscaped,
  decimals,
  eqSensor,
  gain60k,
  lineOf,
  message,
  oneArgument,
  pieces,
  transcript,
} from '../payloads/katcp.mjs'

const SOCKET_CHUNK = 65_536
const TCP_SEGMENT = 1_460
const NEW_ID = 99

/** One message a variant; `input` makes what the contender is given from the message and its line. */
const lines = (make, count, input, expected) => () =>
  Array.from({ length: count }, (_, index) => {
    const given = make(1 + index)
    const bytes = lineOf(given)
    return { input: input(bytes, given), bytes: bytes.length, expected: expected(given, bytes) }
  })
const line = (bytes) => bytes
const same = (given) => given
const parsed = (make, count = 8) => lines(make, count, line, same)

function transcripts() {
  return [1, 2, 3].map((seed) => {
    const { messages, bytes } = transcript(seed * 100)
    return { input: pieces(bytes, SOCKET_CHUNK), bytes: bytes.length, expected: messages }
  })
}

function heads() {
  const head = ({ type, name, id }) => ({ type, name, id })
  return transcripts().map((variant) => ({ ...variant, expected: variant.expected.map(head) }))
}

const relayed = (given) => lineOf(message(given.type, given.name, NEW_ID, given.args)).toString('latin1')
const relayInput = (bytes) => ({ bytes, id: NEW_ID })
const numbers = ({ args }) => args.slice(2).map(Number)

export const workloads = [
  {
    id: 'parse-gain60k',
    about: 'a ?gain line of 61,463 bytes, all 4,098 arguments as strings',
    operation: 'parse',
    variants: parsed(gain60k),
  },
  {
    id: 'parse-gain60k-lazy',
    about: 'the same line, number of arguments and one of them read',
    operation: 'parseLazily',
    variants: lines(gain60k, 8, line, ({ args }) => ({ length: args.length, argument: args[2048] })),
  },
  {
    id: 'parse-all-escaped',
    about: '4,096 arguments with two escapes each, all as strings',
    operation: 'parse',
    variants: parsed(allEscaped),
  },
  {
    id: 'parse-eq-sensor',
    about: 'an inform with one argument of 64 KiB that holds 4,095 escapes',
    operation: 'parse',
    variants: parsed(eqSensor),
  },
  {
    id: 'stream-transcript',
    about: '10,000 mixed lines in chunks of 64 KiB, every argument of every message as a string',
    operation: 'stream',
    variants: transcripts,
  },
  {
    id: 'stream-transcript-head',
    about: 'the same stream, only type, name and id of every message read',
    operation: 'streamHeads',
    variants: heads,
  },
  {
    id: 'parse-one-arg',
    about: 'replies such as `!watchdog[7] ok`, the argument read',
    operation: 'parse',
    variants: parsed(oneArgument, 64),
  },
  {
    id: 'drip-gain60k',
    about: 'the ?gain line through a Decoder in pieces of 1,460 bytes, all arguments as strings',
    operation: 'drip',
    variants: lines(gain60k, 8, (bytes) => pieces(bytes, TCP_SEGMENT), same),
  },
  {
    id: 'drip-gain60k-whole',
    about: 'the ?gain line through the same Decoder in one piece',
    operation: 'drip',
    measuredWith: 'drip-gain60k',
    variants: lines(gain60k, 8, (bytes) => [bytes], same),
  },
  {
    id: 'relay-gain60k',
    about: 'the ?gain line in, the same message with another id out',
    operation: 'relay',
    variants: lines(gain60k, 8, relayInput, relayed),
  },
  {
    id: 'numbers-4096',
    about: 'a ?gain line with 4,096 decimals to a Float64Array',
    operation: 'numbers',
    variants: lines(decimals, 8, line, numbers),
  },
  {
    id: 'encode-gain60k',
    about: 'the ?gain line from its 4,098 strings',
    operation: 'encode',
    variants: lines(
      gain60k,
      8,
      (_, given) => given,
      (_, bytes) => bytes.toString('latin1'),
    ),
  },
]
