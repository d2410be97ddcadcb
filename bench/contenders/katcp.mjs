// What a JavaScript program does without a library, written in two ways, and wiretape on each backend.
import { useBackend } from 'wiretape'
import { Decoder, decode, encode } from 'wiretape/katcp'

const TYPES = { '?': 'request', '!': 'reply', '#': 'inform' }
const SIGILS = { request: '?', reply: '!', inform: '#' }
const UNESCAPES = { '\\': '\\', _: ' ', 0: '\0', n: '\n', r: '\r', e: '\x1b', t: '\t', '@': '' }
const ESCAPES = { '\\': '\\\\', ' ': '\\_', '\0': '\\0', '\n': '\\n', '\r': '\\r', '\x1b': '\\e', '\t': '\\t' }
const HEAD = /^([a-zA-Z][a-zA-Z0-9-]*)(?:\[([1-9][0-9]{0,9})\])?$/

function unescapeMatch(_, char) {
  const value = UNESCAPES[char]
  if (value === undefined) throw new SyntaxError(char === '' ? 'trailing escape' : 'bad escape')
  return value
}
const escapeMatch = (char) => ESCAPES[char]

function messageOf(first, args) {
  const type = TYPES[first[0]]
  if (type === undefined) throw new SyntaxError('bad type')
  const head = HEAD.exec(first.slice(1))
  if (head === null) throw new SyntaxError('bad name')
  return { type, name: head[1], id: head[2] === undefined ? undefined : Number(head[2]), args }
}

function words(line) {
  const parts = line.split(/[ \t]+/)
  if (parts[parts.length - 1] === '') parts.pop()
  return parts
}

/** What one writes first: split on white space, check and unescape every argument with a regular expression. */
function parseIdiomatic(line) {
  const parts = words(line)
  const args = new Array(parts.length - 1)
  for (let i = 1; i < parts.length; i++) {
    if (/[\0\n\r\x1b\t ]/.test(parts[i])) throw new SyntaxError('unescaped special byte')
    args[i - 1] = parts[i].replace(/\\(.?)/gs, unescapeMatch)
  }
  return messageOf(parts[0], args)
}

/** split(' ') on a plain string is V8's fast path; the line is looked at as a whole before anything is replaced in it. */
function parseSimple(line) {
  const special = /[\t\0\n\r\x1b]| {2}/.test(line)
  if (special && /[\0\n\r\x1b]/.test(line)) throw new SyntaxError('unescaped special byte')
  const args = special ? words(line) : line.split(' ')
  if (args[args.length - 1] === '') args.pop()
  const first = args.shift()
  if (line.indexOf('\\') >= 0) {
    for (let i = 0; i < args.length; i++) {
      if (args[i].indexOf('\\') >= 0) args[i] = args[i].replace(/\\(.?)/gs, unescapeMatch)
    }
  }
  return messageOf(first, args)
}

function bytesOf({ type, name, id }, text) {
  return Buffer.from(`${SIGILS[type]}${name}${id === undefined ? '' : `[${id}]`}${text}\n`, 'latin1')
}

function encodeIdiomatic(message) {
  const args = message.args.map((text) => text.replace(/[\\ \0\n\r\x1b\t]/g, escapeMatch) || '\\@')
  return bytesOf(message, args.length ? ` ${args.join(' ')}` : '')
}

/** Looks before it replaces. */
function encodeSimple(message) {
  const { args } = message
  let text = ''
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (arg === '') text += ' \\@'
    else text += /[\\ \0\n\r\x1b\t]/.test(arg) ? ` ${arg.replace(/[\\ \0\n\r\x1b\t]/g, escapeMatch)}` : ` ${arg}`
  }
  return bytesOf(message, text)
}

// How a result is consumed and compared, the same for all.
const textLength = (args) => {
  let length = 0
  for (let i = 0; i < args.length; i++) length += args[i].length
  return length
}
const touchMessage = (name, id, args) => name.length + (id ?? 0) + args.length + args[args.length - 1].length
const touchBytes = (bytes) => bytes.length + bytes[bytes.length >> 1]
const touchNumbers = (values) => values.length + values[values.length >> 1]
const plainMessage = ({ type, name, id, args }) => ({ type, name, id, args })
const plainBytes = (bytes) => Buffer.from(bytes).toString('latin1')

/** The operations of a program that works on strings. */
function textOperations(parse, print) {
  const read = (bytes) => parse(bytes.toString('latin1', 0, bytes.length - 1))
  const relay = ({ bytes, id }) => print({ ...read(bytes), id })

  const numbers = (bytes) => {
    const { args } = read(bytes)
    const values = new Float64Array(args.length - 2)
    for (let i = 2; i < args.length; i++) values[i - 2] = Number(args[i])
    return values
  }
  function stream(chunks, take) {
    let tail = ''
    for (const chunk of chunks) {
      const lines = (tail + chunk.toString('latin1')).split(/\r\n|\n|\r/)
      tail = lines.pop()
      for (const line of lines) if (line !== '' && line.trim() !== '') take(parse(line))
    }
  }
  const all = (chunks, shape) => {
    const messages = []
    stream(chunks, (message) => messages.push(shape(message)))
    return messages
  }
  return {
    parse: () => ({
      run: (bytes) => {
        const { name, id, args } = read(bytes)
        return touchMessage(name, id, args)
      },
      neutral: (bytes) => plainMessage(read(bytes)),
    }),
    parseLazily: () => ({
      run: (bytes) => {
        const { args } = read(bytes)
        return args.length + args[2048].length
      },
      neutral: (bytes) => {
        const { args } = read(bytes)
        return { length: args.length, argument: args[2048] }
      },
    }),
    stream: () => ({
      run: (chunks) => {
        let sum = 0
        stream(chunks, ({ name, args }) => {
          sum += name.length + textLength(args)
        })
        return sum
      },
      neutral: (chunks) => all(chunks, plainMessage),
    }),
    streamHeads: () => ({
      run: (chunks) => {
        let sum = 0
        stream(chunks, ({ type, name, id }) => {
          sum += type.length + name.length + (id ?? 0)
        })
        return sum
      },
      neutral: (chunks) => all(chunks, ({ type, name, id }) => ({ type, name, id })),
    }),
    relay: () => ({
      run: (input) => touchBytes(relay(input)),
      neutral: (input) => plainBytes(relay(input)),
    }),
    numbers: () => ({
      run: (bytes) => touchNumbers(numbers(bytes)),
      neutral: (bytes) => Array.from(numbers(bytes)),
    }),
    encode: () => ({
      run: (message) => touchBytes(print(message)),
      neutral: (message) => plainBytes(print(message)),
    }),
  }
}

const detached = ({ type, name, id, args }) => ({ type, name, id, args: args.toArray() })
const relay = ({ bytes, id }) => encode({ ...decode(bytes), id })

/** A stream of 'throw' units holds messages alone, as the other contenders' does. */
function messagesOf(chunks, shape) {
  const decoder = new Decoder({ errors: 'throw' })
  const messages = []
  for (const chunk of chunks) for (const message of decoder.push(chunk)) messages.push(shape(message))
  return messages
}

/** One connection's Decoder, given the pieces of one message after the other. */
function drip() {
  const decoder = new Decoder({ errors: 'throw' })
  const feed = (chunks) => {
    let message
    for (const chunk of chunks) message = decoder.push(chunk).read()
    return message
  }
  return {
    run: (chunks) => {
      const { name, id, args } = feed(chunks)
      return touchMessage(name, id, args.toArray())
    },
    neutral: (chunks) => detached(feed(chunks)),
  }
}

const operations = {
  parse: () => ({
    run: (bytes) => {
      const { name, id, args } = decode(bytes)
      return touchMessage(name, id, args.toArray())
    },
    neutral: (bytes) => detached(decode(bytes)),
  }),
  parseLazily: () => ({
    run: (bytes) => {
      const { args } = decode(bytes)
      return args.length + args.at(2048).length
    },
    neutral: (bytes) => {
      const { args } = decode(bytes)
      return { length: args.length, argument: args.at(2048) }
    },
  }),
  stream: () => ({
    run: (chunks) => {
      const decoder = new Decoder({ errors: 'throw' })
      let sum = 0
      for (const chunk of chunks) {
        for (const { name, args } of decoder.push(chunk)) sum += name.length + textLength(args.toArray())
      }
      return sum
    },
    neutral: (chunks) => messagesOf(chunks, detached),
  }),
  streamHeads: () => ({
    run: (chunks) => {
      const decoder = new Decoder({ errors: 'throw' })
      let sum = 0
      for (const chunk of chunks) {
        for (const { type, name, id } of decoder.push(chunk)) sum += type.length + name.length + (id ?? 0)
      }
      return sum
    },
    neutral: (chunks) => messagesOf(chunks, ({ type, name, id }) => ({ type, name, id })),
  }),
  drip,
  relay: () => ({
    run: (input) => touchBytes(relay(input)),
    neutral: (input) => plainBytes(relay(input)),
  }),
  numbers: () => ({
    run: (bytes) => touchNumbers(decode(bytes).args.toFloat64Array(2)),
    neutral: (bytes) => Array.from(decode(bytes).args.toFloat64Array(2)),
  }),
  encode: () => ({
    run: (message) => touchBytes(encode(message)),
    neutral: (message) => plainBytes(encode(message)),
  }),
}

const wiretape = (name, choice) => ({ name, before: () => useBackend(choice), operations })

export const contenders = [
  { name: 'idiomatic-js', operations: textOperations(parseIdiomatic, encodeIdiomatic) },
  { name: 'simple-js', operations: textOperations(parseSimple, encodeSimple) },
  wiretape('wiretape-wasm', 'wasm'),
  wiretape('wiretape-js', 'js'),
  wiretape('wiretape', 'auto'),
]
