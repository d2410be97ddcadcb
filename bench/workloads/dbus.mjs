// What is measured for D-Bus. See ../registry.mjs for the shape of a workload.
import { plainBody, recording } from '../payloads/dbus.mjs'

const head = ({ serial, fields }) => ({ serial, path: fields.path, interface: fields.interface, member: fields.member })
const read = ({ message }) => ({ serial: message.serial, body: plainBody(message) })

/** One message a variant. */
const one =
  (name, count, expected, pick = () => true) =>
  () =>
    recording(name)
      .filter(({ message }) => pick(message))
      .slice(0, count)
      .map((recorded) => ({
        input: recorded,
        bytes: recorded.bytes.length,
        expected: expected(recorded),
      }))
const decoded = (name, count = 1, pick) => one(name, count, read, pick)
const encoded = (name, count = 1) => one(name, count, ({ message }) => plainBody(message))

/** 1,000 signals as they come out of one read after another that was late. */
function stream(expected) {
  const recorded = recording('properties-changed-stream')
  const list = Array.from({ length: 1000 }, (_, i) => recorded[i % recorded.length])
  const bytes = Buffer.concat(list.map((item) => item.bytes))
  const input = { bytes, messages: list.map(({ message }) => message) }
  return [{ input, bytes: bytes.length, expected: expected(list) }]
}

const isHelloReply = ({ type, fields }) =>
  type === 2 && fields.sender === 'org.freedesktop.DBus' && fields.signature === 's'

export const workloads = [
  {
    id: 'decode-properties-changed',
    about: 'a PropertiesChanged signal of about 1,080 bytes, body read',
    operation: 'read',
    variants: decoded('properties-changed-stream', 64),
  },
  {
    id: 'header-properties-changed',
    about: 'the same signals, header read alone',
    operation: 'readHeader',
    variants: one('properties-changed-stream', 64, ({ message }) => head(message)),
  },
  {
    id: 'decode-hello',
    about: 'the reply to Hello, 91 bytes',
    operation: 'read',
    variants: decoded('session-a', 1, isHelloReply),
  },
  {
    id: 'decode-managed-100k',
    about: 'a GetManagedObjects reply of 100 kB, everything read',
    operation: 'read',
    variants: decoded('managed-100k'),
  },
  {
    id: 'decode-managed-1m',
    about: 'a GetManagedObjects reply of 1 MB, everything read',
    operation: 'read',
    variants: decoded('managed-1m'),
  },
  {
    id: 'stream-1000',
    about: '1,000 signals in one chunk, every body read',
    operation: 'stream',
    variants: () => stream((list) => list.map(read)),
  },
  {
    id: 'stream-1000-filter',
    about: 'the same chunk, every message dropped by its header',
    operation: 'filter',
    variants: () => stream((list) => list.map(({ message }) => head(message))),
  },
  {
    id: 'decode-ad-10k',
    about: '10,000 doubles',
    operation: 'read',
    variants: decoded('doubles-10k'),
  },
  {
    id: 'decode-ints-2000',
    about: '2,000 each of `t`, `x`, `q` and `n`, and of `b`',
    operation: 'readExact',
    variants: decoded('ints-2000'),
  },
  {
    id: 'decode-as-4096',
    about: '4,096 strings',
    operation: 'read',
    variants: decoded('strings-4096'),
  },
  {
    id: 'encode-properties-changed',
    about: 'the PropertiesChanged signals from their values',
    operation: 'write',
    variants: encoded('properties-changed-stream', 64),
  },
  {
    id: 'encode-managed-100k',
    about: 'the GetManagedObjects reply of 100 kB, which has `a{qv}`',
    operation: 'writeKeys',
    variants: encoded('managed-100k'),
  },
  {
    id: 'encode-as-4096',
    about: '4,096 strings',
    operation: 'write',
    variants: encoded('strings-4096'),
  },
  {
    id: 'encode-ad-10k',
    about: '10,000 doubles, from a typed array where the library takes one',
    operation: 'write',
    variants: encoded('doubles-10k'),
  },
  {
    id: 'encode-ay-1m',
    about: '1 MiB of bytes, copied into one message',
    operation: 'writeBytes',
    variants: encoded('bytes-1m'),
  },
  {
    id: 'encode-ay-1m-chunks',
    about: 'the same message in pieces, the bytes not copied',
    operation: 'writeChunks',
    measuredWith: 'encode-ay-1m',
    variants: encoded('bytes-1m'),
  },
]
