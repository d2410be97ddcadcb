// The HPACK codecs of npm, nghttp2 in C, and wiretape on each backend.
import { createRequire } from 'node:module'
import { useBackend } from 'wiretape'
import { Decoder, Encoder, huffmanDecode, huffmanEncode } from 'wiretape/hpack'
import { nghttp2 } from '../native/nghttp2.mjs'
import { sorted } from '../workloads/hpack.mjs'

const require = createRequire(import.meta.url)
const hpackJs = require('hpack.js')
const HpackJsDecoder = require('hpack.js/lib/hpack/decoder.js')
const HpackJsEncoder = require('hpack.js/lib/hpack/encoder.js')
const Hpack = require('hpack')
const hpackHuffman = require('hpack/lib/huffman_codec.js')
const { Compressor, Decompressor, HuffmanTable } = require('http2/lib/protocol/compressor.js')

/** What a field's user looks at. The same number from pairs, objects and objects of lists. */
const touch = (name, value) => name.length + value.length

/** All lists of a connection by a strict peer. Crumbs of a cookie become one again. */
function readBack(blocks) {
  const { decodeBlock } = hpackJsConnection()
  return blocks.map((block) => {
    const list = decodeBlock(Buffer.from(block)).map(({ name, value }) => [name, value])
    const crumbs = list.filter(([name]) => name === 'cookie').map(([, value]) => value)
    const others = list.filter(([name]) => name !== 'cookie')
    return sorted(crumbs.length ? [...others, ['cookie', crumbs.join('; ')]] : others)
  })
}

/** The bytes of a whole connection are gathered here, as in a socket's buffer, with room for the frame headers. */
const wire = Buffer.alloc(1 << 20)
const FRAME_HEADER = 9

/** Peers hand out memory of their own, which has to be copied. */
const copying = (encode) => (list, at) => {
  const block = encode(list)
  wire.set(block, at)
  return at + block.length
}

/**
 * An encode operation. `makeConnection` gives what writes a list to `wire` from a place on and returns its end. The number is
 * that of the blocks, the same for all.
 */
const encoding = (prepare, makeConnection) => () => {
  const prepared = new Map()
  const of = (lists) => {
    if (!prepared.has(lists)) prepared.set(lists, lists.map(prepare))
    return prepared.get(lists)
  }
  return {
    run: (lists) => {
      const encode = makeConnection()
      let at = 0
      for (const list of of(lists)) at = encode(list, at + FRAME_HEADER)
      return at > 0 ? lists.length : 0
    },
    neutral: (lists) => {
      const encode = makeConnection()
      return readBack(of(lists).map((list) => Buffer.from(wire.subarray(0, encode(list, 0)))))
    },
  }
}

function hpackJsConnection() {
  const decoder = hpackJs.decompressor.create({ table: { maxSize: 4096 } })
  return {
    decodeBlock(block) {
      decoder.write(block)
      decoder.execute()
      const list = []
      for (let field = decoder.read(); field !== null; field = decoder.read()) list.push(field)
      return list
    },
  }
}

const hpackJsOperations = {
  decode: () => ({
    run: (blocks) => {
      const { decodeBlock } = hpackJsConnection()
      let sum = 0
      for (const block of blocks) for (const { name, value } of decodeBlock(block)) sum += touch(name, value)
      return sum
    },
    neutral: (blocks) => {
      const { decodeBlock } = hpackJsConnection()
      return blocks.map((block) => sorted(decodeBlock(block).map(({ name, value }) => [name, value])))
    },
  }),
  encode: encoding(
    (list) => list.map(([name, value]) => ({ name, value })),
    () => {
      const encoder = hpackJs.compressor.create({ table: { maxSize: 4096 } })
      return copying((list) => {
        encoder.write(list)
        return encoder.read()
      })
    },
  ),
  huffmanDecode: () => {
    const framed = new Map()
    const decode = (coded) => {
      if (!framed.has(coded)) framed.set(coded, Buffer.concat([lengthOf(coded.length), coded]))
      const decoder = HpackJsDecoder.create()
      decoder.push(framed.get(coded))
      return hpackJs.utils.stringify(decoder.decodeStr())
    }
    return { run: (coded) => decode(coded).length, neutral: decode }
  },
  huffmanEncode: () => {
    const encode = (text) => {
      const encoder = HpackJsEncoder.create()
      encoder.encodeStr(hpackJs.utils.toArray(text), true)
      return Buffer.concat(encoder.render())
    }
    return {
      run: (text) => encode(text).length - lengthOf(3000).length,
      neutral: (text) => encode(text).subarray(lengthOf(3000).length).toString('hex'),
    }
  },
}

/** A string's length as it stands before its code; all here have three octets. */
const lengthOf = (length) => Buffer.from([0xff, ((length - 127) & 127) | 128, (length - 127) >>> 7])

const hpackOperations = {
  decode: () => ({
    run: (blocks) => {
      const decoder = new Hpack()
      let sum = 0
      for (const block of blocks) for (const [name, value] of decoder.decode(block)) sum += touch(name, value)
      return sum
    },
    neutral: (blocks) => {
      const decoder = new Hpack()
      return blocks.map((block) => sorted(decoder.decode(block)))
    },
  }),
  encode: encoding(
    (list) => list,
    () => {
      const encoder = new Hpack()
      return copying((list) => encoder.encode(list))
    },
  ),
  huffmanDecode: () => {
    const decode = (coded) => hpackHuffman.decode(coded, 0, coded.length)
    return { run: (coded) => decode(coded).length, neutral: decode }
  },
  huffmanEncode: () => {
    const encode = (text) => Buffer.from(hpackHuffman.encode(text))
    return { run: (text) => hpackHuffman.encode(text).length, neutral: (text) => encode(text).toString('hex') }
  },
}

const silent = { child: () => silent, trace() {}, debug() {}, info() {}, warn() {}, error() {} }
const http2Decoder = () => {
  const decoder = new Decompressor(silent, 'REQUEST')
  decoder.on('error', (error) => {
    throw error
  })
  return decoder
}
const valuesOf = (values) => (Array.isArray(values) ? values : [values])

const http2Operations = {
  decode: () => ({
    run: (blocks) => {
      const decoder = http2Decoder()
      let sum = 0
      for (const block of blocks) {
        const fields = decoder.decompress(block)
        for (const name in fields) {
          const values = fields[name]
          if (typeof values === 'string') sum += touch(name, values)
          else for (const value of values) sum += touch(name, value)
        }
      }
      return sum
    },
    neutral: (blocks) => {
      const decoder = http2Decoder()
      return blocks.map((block) =>
        sorted(
          Object.entries(decoder.decompress(block)).flatMap(([name, values]) =>
            valuesOf(values).map((value) => [name, value]),
          ),
        ),
      )
    },
  }),
  encode: encoding(
    (list) => {
      const fields = {}
      for (const [name, value] of list) fields[name] = name in fields ? [...valuesOf(fields[name]), value] : value
      return fields
    },
    () => {
      const encoder = new Compressor(silent, 'REQUEST')
      return copying((fields) => encoder.compress(fields))
    },
  ),
  huffmanDecode: () => {
    const decode = (coded) => HuffmanTable.huffmanTable.decode(coded).toString('latin1')
    return { run: (coded) => decode(coded).length, neutral: decode }
  },
  huffmanEncode: () => {
    const encode = (text) => HuffmanTable.huffmanTable.encode(Buffer.from(text, 'latin1'))
    return { run: (text) => encode(text).length, neutral: (text) => Buffer.from(encode(text)).toString('hex') }
  },
}

const operations = {
  decode: () => ({
    run: (blocks) => {
      const decoder = new Decoder()
      let sum = 0
      for (const block of blocks) {
        const list = decoder.decode(block)
        for (let i = 0; i < list.length; i++) sum += touch(list[i].name, list[i].value)
      }
      return sum
    },
    neutral: (blocks) => {
      const decoder = new Decoder()
      return blocks.map((block) => sorted(decoder.decode(block).map(({ name, value }) => [name, value])))
    },
  }),
  encode: encoding(
    (list) => list,
    () => {
      const encoder = new Encoder()
      return (list, at) => encoder.encodeInto(list, wire, at)
    },
  ),
  huffmanDecode: () => ({ run: (coded) => huffmanDecode(coded).length, neutral: huffmanDecode }),
  huffmanEncode: () => ({
    run: (text) => huffmanEncode(text).length,
    neutral: (text) => Buffer.from(huffmanEncode(text)).toString('hex'),
  }),
}

const wiretape = (name, choice) => ({ name, before: () => useBackend(choice), operations })

export const contenders = [
  { name: 'hpack.js', operations: hpackJsOperations },
  { name: 'hpack', operations: hpackOperations },
  { name: 'http2', operations: http2Operations },
  wiretape('wiretape-wasm', 'wasm'),
  wiretape('wiretape-js', 'js'),
  wiretape('wiretape', 'auto'),
]

export const natives = [nghttp2]
