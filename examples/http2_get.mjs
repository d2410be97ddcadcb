// Asks an HTTP/2 server (without TLS) for some paths and prints the header lists of its answers: as much of RFC 9113 as HPACK
// needs around it, and no more.
//
//   nghttpd --no-tls -d . 8080
//   node examples/http2_get.mjs --port 8080 /README.md /missing
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { Decoder, Encoder } from 'wiretape/hpack'
import { isMain } from './connection.mjs'

/** @typedef {import('wiretape/hpack').HeaderField} HeaderField */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const FRAME_HEADER = 9
const TYPE = { DATA: 0, HEADERS: 1, RST_STREAM: 3, SETTINGS: 4, PING: 6, GOAWAY: 7, CONTINUATION: 9 }
const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 }
const HEADER_TABLE_SIZE = 1

/**
 * @param {Uint8Array} frame its first 9 octets are written
 * @param {number} end
 * @param {number} type
 * @param {number} flags
 * @param {number} stream
 */
function frameHeader(frame, end, type, flags, stream) {
  const view = new DataView(frame.buffer, frame.byteOffset)
  view.setUint32(0, ((end - FRAME_HEADER) << 8) | type)
  view.setUint8(4, flags)
  view.setUint32(5, stream)
  return frame.subarray(0, end)
}

/**
 * @param {number} type
 * @param {number} flags
 * @param {number} stream
 * @param {Uint8Array} [payload]
 */
function frameOf(type, flags, stream, payload = new Uint8Array(0)) {
  const frame = new Uint8Array(FRAME_HEADER + payload.length)
  frame.set(payload, FRAME_HEADER)
  return frameHeader(frame, frame.length, type, flags, stream)
}

/**
 * The header lists of the answers, in the order of the paths.
 *
 * @param {{ port: number, host?: string, paths: readonly string[] }} options
 * @returns {Promise<HeaderField[][]>}
 */
export function get({ port, host = '127.0.0.1', paths }) {
  return new Promise((resolve, reject) => {
    const encoder = new Encoder()
    const decoder = new Decoder()
    /** @type {Map<number, HeaderField[]>} */
    const answers = new Map()
    const socket = connect(port, host)
    let waiting = Buffer.alloc(0)
    let open = paths.length

    /** @param {string} path */
    function request(path, stream = 0) {
      // The block is written behind the room for its frame header: nothing is copied.
      const list = [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':authority', `${host}:${port}`],
        [':path', path],
        ['user-agent', 'wiretape'],
      ]
      const fields = /** @type {[string, string][]} */ (list)
      const frame = new Uint8Array(FRAME_HEADER + encoder.encodedLengthBound(fields))
      const end = encoder.encodeInto(fields, frame, FRAME_HEADER)
      socket.write(frameHeader(frame, end, TYPE.HEADERS, FLAG.END_STREAM | FLAG.END_HEADERS, stream))
    }

    /** @param {number} stream */
    function finish(stream) {
      const fields = decoder.end().readAll()
      decoder.read()
      // An interim answer is followed by the final one, that by trailers perhaps.
      if (!fields[0]?.value.startsWith('1') && !answers.has(stream)) answers.set(stream, fields)
    }

    /** @param {Buffer} payload */
    function settings(payload) {
      for (let at = 0; at + 6 <= payload.length; at += 6) {
        if (payload.readUInt16BE(at) === HEADER_TABLE_SIZE) encoder.setPeerMaxTableSize(payload.readUInt32BE(at + 2))
      }
      socket.write(frameOf(TYPE.SETTINGS, FLAG.ACK, 0))
    }

    /**
     * @param {number} type
     * @param {number} flags
     * @param {number} stream
     * @param {Buffer} payload
     */
    function take(type, flags, stream, payload) {
      if (type === TYPE.SETTINGS && (flags & FLAG.ACK) === 0) settings(payload)
      else if (type === TYPE.PING && (flags & FLAG.ACK) === 0) socket.write(frameOf(TYPE.PING, FLAG.ACK, 0, payload))
      else if (type === TYPE.HEADERS || type === TYPE.CONTINUATION) {
        let from = 0
        let to = payload.length
        if (type === TYPE.HEADERS && flags & FLAG.PADDED) to -= payload.readUInt8(from++)
        if (type === TYPE.HEADERS && flags & FLAG.PRIORITY) from += 5
        decoder.push(payload.subarray(from, to))
        if (flags & FLAG.END_HEADERS) finish(stream)
      } else if (type === TYPE.GOAWAY || type === TYPE.RST_STREAM) {
        throw new Error(`the server has said no: ${payload.readUInt32BE(type === TYPE.GOAWAY ? 4 : 0)}`)
      }
      const ends = type === TYPE.HEADERS || type === TYPE.DATA ? (flags & FLAG.END_STREAM) !== 0 : false
      if (ends && --open === 0) {
        socket.end(frameOf(TYPE.GOAWAY, 0, 0, new Uint8Array(8)))
        resolve(paths.map((_, i) => answers.get(1 + 2 * i) ?? []))
      }
    }

    socket.on('connect', () => {
      socket.write(PREFACE)
      socket.write(frameOf(TYPE.SETTINGS, 0, 0))
      paths.forEach((path, i) => {
        request(path, 1 + 2 * i)
      })
    })
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk])
      try {
        while (waiting.length >= FRAME_HEADER) {
          const end = FRAME_HEADER + waiting.readUIntBE(0, 3)
          if (waiting.length < end) break
          const frame = waiting.subarray(0, end)
          waiting = waiting.subarray(end)
          take(frame.readUInt8(3), frame.readUInt8(4), frame.readUInt32BE(5) & 0x7fffffff, frame.subarray(FRAME_HEADER))
        }
      } catch (error) {
        reject(error)
        socket.destroy()
      }
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server has closed the connection')))
  })
}

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string', default: '8080' }, host: { type: 'string', default: '127.0.0.1' } },
  })
  const paths = positionals.length ? positionals : ['/']
  const answers = await get({ port: Number(values.port), host: values.host, paths })
  paths.forEach((path, i) => {
    console.log(path)
    for (const { name, value } of answers[i] ?? []) console.log(`  ${name}: ${value}`)
  })
}
