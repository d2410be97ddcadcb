// What wiretape makes of an input, as the text that the programs answer with.
import { decodeAt } from 'wiretape/dbus'
import { decodeAt as decodeValueAt, Float32, Float64, Int, Pairs, Timestamp, Uuid } from 'wiretape/hds'
import { Decoder as BlockDecoder } from 'wiretape/hpack'
import { Decoder as LineDecoder } from 'wiretape/katcp'
import { Decoder as FrameDecoder } from 'wiretape/websocket'
import { dbusBody } from './dbus_body.mjs'
import { hdsValue, quoted } from './shown.mjs'

const LF = Buffer.from('\n')
const SIGILS = { request: '?', reply: '!', inform: '#' }
const hex = (bytes) => Buffer.from(bytes).toString('hex')

/** The code of the WireError that the last verdict was, for the explanations; undefined where it was none. */
export let lastCode

/** Where reading throws, `refused` makes the verdict. Anything but a WireError is a fault of ours, whatever a peer says. */
function verdict(read, refused = () => 'error') {
  lastCode = undefined
  try {
    return read()
  } catch (error) {
    if (error?.name !== 'WireError' || error.kind === 'usage') throw error
    lastCode = error.code
    return refused(error)
  }
}

export function katcp(line) {
  return verdict(() => {
    const message = new LineDecoder({ errors: 'throw' }).push(Buffer.concat([line, LF])).read()
    if (message === undefined) return 'blank'
    const { type, name, id, args } = message
    const shown = Array.from({ length: args.length }, (_, i) => hex(args.bytes(i)))
    return `ok ${SIGILS[type]}${name} ${id ?? '-'} ${shown.join(' ')}`.trimEnd()
  })
}

const LARGE = { maxListSize: 1 << 24, maxFields: 1 << 20 }

/** Blocks of one connection, up to the first that is refused. */
export function hpack(blocks) {
  const decoder = new BlockDecoder({ limits: LARGE })
  const answers = []
  for (const block of blocks) {
    const answer = verdict(() => {
      const fields = decoder.decode(block)
      const octets = (text) => Buffer.from(text, 'latin1').toString('hex')
      return [
        'ok',
        ...fields.map(({ name, value, sensitive }) => `${octets(name)}:${octets(value)}:${+sensitive}`),
      ].join(' ')
    })
    answers.push(answer)
    if (answer === 'error') break
  }
  return answers.join(' | ')
}

const TYPES = { methodCall: 1, methodReturn: 2, error: 3, signal: 4 }
const field = (text) => (text === undefined ? '-' : quoted(text))

export function dbus(bytes) {
  return verdict(() => {
    const found = decodeAt(bytes, 0, { validate: 'eager', dict: 'pairs' })
    if (!found) return 'error'
    const {
      type,
      flags,
      serial,
      path,
      interface: iface,
      member,
      errorName,
      replySerial,
      destination,
      sender,
      signature,
      body,
    } = found.value
    const names = [path, iface, member, errorName].map(field).join(' ')
    const head = `ok ${TYPES[type]} ${flags & 7} ${serial} ${names} ${replySerial ?? 0} ${field(destination)} ${field(sender)}`
    return `${head} ${signature}:${signature ? ` ${dbusBody(signature, body)}` : ''}`
  })
}

/** Frames of one direction: a client's where the first is masked. */
export const fromClient = (bytes) => bytes.length > 1 && (bytes[1] & 0x80) !== 0

export function websocket(bytes) {
  const decoder = new FrameDecoder({ role: fromClient(bytes) ? 'server' : 'client' })
  const units = []
  const end = verdict(
    () => {
      for (const { type, data, code, reason } of decoder.push(bytes)) {
        if (type === 'close') units.push(`close:${code}:${hex(reason)}`)
        else units.push(`${type}:${hex(data)}`)
      }
      return ''
    },
    ({ status }) => `error ${status}`,
  )
  return [...units, end].join(' ').trim()
}

function hdsSpecial(item) {
  if (item instanceof Int) return String(item.value)
  if (item instanceof Float32 || item instanceof Float64) return hdsValue(item.value)
  // Peers that know them have strings and numbers.
  if (item instanceof Uuid) return quoted(item.text)
  if (item instanceof Timestamp) return hdsValue(item.seconds)
  if (item instanceof Pairs) return undefined
  throw new Error(`what is ${item}?`)
}

/** One value at the beginning of the bytes. */
const hdsOf = (profile) => (bytes) =>
  verdict(() => {
    const found = decodeValueAt(bytes, 0, { profile, dict: 'pairs', types: 'tagged' })
    return found ? `ok ${hdsPairs(found.value)}` : 'error'
  })

/** Pairs are a kind of array: told apart before arrays are shown. */
function hdsPairs(value) {
  const plain = (item) => {
    if (item instanceof Pairs) return new Map(item.map(([key, inner]) => [plain(key), plain(inner)]))
    return Array.isArray(item) ? item.map(plain) : item
  }
  return hdsValue(plain(value), (item) => (item instanceof Map ? undefined : hdsSpecial(item)))
}

export const hds = hdsOf('hds')
export const hapNodeJs = hdsOf('hap-nodejs')
