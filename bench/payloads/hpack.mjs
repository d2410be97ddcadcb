// Header lists as browsers, servers and gRPC send them, and their blocks, written by a plain encoder of this file's own.
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { below, pick, random } from '../random.mjs'

const spec = JSON.parse(readFileSync(new URL('../../test/vectors/hpack/spec-tables.json', import.meta.url)))
const codes = spec.huffman.map(([length, hex]) => Number.parseInt(hex, 16).toString(2).padStart(length, '0'))
const statics = new Map()
spec.staticTable.forEach(([name, value], i) => {
  if (!statics.has(name)) statics.set(name, { index: i + 1, values: new Map() })
  statics.get(name).values.set(value, i + 1)
})

// Strings made with + are ropes: they would slow an encoder down for no fault of its own.
const flat = (text) => Buffer.from(text, 'latin1').toString('latin1')
const flatList = (list) => list.map(([name, value]) => [flat(name), flat(value)])

/** Huffman code, bit by bit. */
export function huffman(text) {
  let bits = ''
  for (const octet of Buffer.from(text, 'latin1')) bits += codes[octet]
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Buffer.from(bits.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? [])
}

function integer(value, first, max) {
  if (value < max) return [first | value]
  const octets = [first | max]
  let rest = value - max
  for (; rest >= 128; rest >>>= 7) octets.push((rest & 127) | 128)
  octets.push(rest)
  return octets
}

function string(text) {
  const coded = huffman(text)
  if (coded.length < text.length) return [...integer(coded.length, 128, 127), ...coded]
  return [...integer(text.length, 0, 127), ...Buffer.from(text, 'latin1')]
}

const UNINDEXED = new Set([
  ':path',
  'content-length',
  'etag',
  'if-modified-since',
  'if-none-match',
  'location',
  'set-cookie',
])

/** The blocks of a connection: a table of 4,096 octets, fields of `unindexed` names stay out of it. */
export function blocksOf(lists, unindexed = UNINDEXED) {
  const table = []
  let size = 0
  const field = ([name, value]) => {
    const known = statics.get(name)
    const exact = table.findIndex((entry) => entry[0] === name && entry[1] === value)
    if (exact >= 0) return integer(62 + exact, 128, 127)
    if (known?.values.has(value)) return integer(known.values.get(value), 128, 127)
    const dynamic = table.findIndex((entry) => entry[0] === name)
    const index = known?.index ?? (dynamic < 0 ? 0 : 62 + dynamic)
    const plain = unindexed.has(name)
    const octets = plain ? integer(index, 0, 15) : integer(index, 64, 63)
    if (index === 0) octets.push(...string(name))
    octets.push(...string(value))
    if (!plain) {
      table.unshift([name, value])
      size += name.length + value.length + 32
      while (size > 4096) {
        const [oldName, oldValue] = table.pop()
        size -= oldName.length + oldValue.length + 32
      }
    }
    return octets
  }
  return lists.map((list) => Buffer.from(list.flatMap(field)))
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const mixed = `${letters}ABCDEFGHIJKLMNOPQRSTUVWXYZ-_`
const word = (next, length, alphabet = letters) => Array.from({ length }, () => pick(next, alphabet)).join('')
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number) => String(number).padStart(2, '0')
const date = (next) =>
  `${pick(next, DAYS)}, ${two(1 + below(next, 28))} ${pick(next, MONTHS)} 2025 ${two(below(next, 24))}:${two(below(next, 60))}:${two(below(next, 60))} GMT`

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const ACCEPTS = ['text/css,*/*;q=0.1', '*/*', 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5']
const KINDS = ['css', 'js', 'png', 'webp', 'json']

/** What a browser asks of a few hosts behind one connection: most fields stay, path and sometimes referer change. */
export function requests(seed, count = 100) {
  const next = random(seed)
  const hosts = ['www.example.org', 'static.example.org', 'img.example.org']
  const cookie = `session=${word(next, 32, mixed)}; theme=dark; _id=${word(next, 18)}`
  const page = () => `https://${hosts[0]}/${word(next, 4 + below(next, 8))}/`
  let referer = page()
  return Array.from({ length: count }, (_, i) => {
    if (i === 0 || next() < 0.1) referer = page()
    const host = pick(next, hosts)
    const list = [
      [':method', next() < 0.95 ? 'GET' : 'POST'],
      [':scheme', 'https'],
      [':authority', host],
      [':path', `/${word(next, 3 + below(next, 6))}/${word(next, 4 + below(next, 14))}.${pick(next, KINDS)}`],
      ['user-agent', BROWSER],
      ['accept', pick(next, ACCEPTS)],
      ['accept-language', 'en-US,en;q=0.5'],
      ['accept-encoding', 'gzip, deflate, br'],
      ['referer', referer],
      ['sec-fetch-site', host === hosts[0] ? 'same-origin' : 'same-site'],
    ]
    if (host === hosts[0]) list.push(['cookie', cookie])
    if (next() < 0.15) list.push(['if-none-match', `"${word(next, 16)}"`])
    if (next() < 0.1) list.push(['if-modified-since', date(next)])
    return flatList(list)
  })
}

const SERVERS = ['nginx', 'Apache', 'cloudfront', 'gws']
const TYPES = [
  'text/html; charset=utf-8',
  'application/javascript',
  'text/css',
  'image/png',
  'image/jpeg',
  'application/json',
]

/** What servers answer behind a proxy: about a third of the fields are new. */
export function responses(seed, count = 100) {
  const next = random(seed)
  return Array.from({ length: count }, () => {
    const list = [
      [':status', next() < 0.9 ? '200' : pick(next, ['304', '404', '302', '206'])],
      ['date', `Mon, 03 Nov 2025 13:${two(below(next, 2) + 39)}:${two(below(next, 20))} GMT`],
      ['server', pick(next, SERVERS)],
      ['content-type', pick(next, TYPES)],
      ['content-length', String(below(next, 90000))],
      ['cache-control', next() < 0.5 ? 'private' : `public, max-age=${below(next, 600000)}`],
    ]
    if (next() < 0.7) list.push(['last-modified', date(next)])
    if (next() < 0.6) list.push(['etag', `"${word(next, 10 + below(next, 12))}"`])
    if (next() < 0.5) list.push(['expires', date(next)])
    if (next() < 0.5) list.push(['accept-ranges', 'bytes'])
    if (next() < 0.4) list.push(['vary', 'Accept-Encoding'])
    if (next() < 0.3) list.push(['x-cache', pick(next, ['HIT', 'MISS', `HIT from ${word(next, 8)}`])])
    if (next() < 0.3) list.push(['x-request-id', word(next, 24)])
    if (next() < 0.15) list.push(['set-cookie', `id=${word(next, 24, mixed)}; path=/; HttpOnly; expires=${date(next)}`])
    list.push(['connection-id', `edge-${below(next, 4)}`])
    return flatList(list)
  })
}

/** h2load sending the same GET again and again: after the first, every field is one index. */
export const h2load = (count = 200) =>
  Array.from({ length: count }, () =>
    flatList([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':authority', '127.0.0.1:8080'],
      [':path', '/'],
      ['user-agent', 'h2load nghttp2/1.52.0'],
    ]),
  )

/** Responses and trailers of gRPC calls. */
export function grpc(seed, calls = 200) {
  const next = random(seed)
  return Array.from({ length: calls }, (_, i) => [
    flatList([
      [':status', '200'],
      ['content-type', 'application/grpc'],
      ['grpc-encoding', 'identity'],
      ['grpc-accept-encoding', 'gzip, deflate'],
      ['date', `Mon, 03 Nov 2025 10:${two(10 + Math.floor(i / 60))}:${two(i % 60)} GMT`],
    ]),
    next() < 0.9
      ? flatList([
          ['grpc-status', '0'],
          ['grpc-message', ''],
        ])
      : flatList([
          ['grpc-status', '5'],
          ['grpc-message', `not found: item ${below(next, 100000)}`],
        ]),
  ]).flat()
}

/** A text of 4,096 characters as a cookie has them. */
export function cookie4k(next) {
  let text = ''
  while (text.length < 4096) text += `k${below(next, 100)}=${word(next, 20 + below(next, 60), `${mixed}=`)}; `
  return flat(text.slice(0, 4096))
}

/** Requests with a cookie of 4 KiB that is not put into the table. */
export function cookies(seed, count = 20) {
  const next = random(seed)
  return Array.from({ length: count }, () => [
    ...flatList([
      [':method', 'GET'],
      [':path', '/'],
      [':scheme', 'https'],
    ]),
    ['cookie', cookie4k(next)],
  ])
}

const corpus = new URL('../../../shared/vectors/hpack/hpack-test-case/', import.meta.url)
export const hasCorpus = existsSync(corpus)

/** A story of the public corpus: its lists, and the blocks of one of its encoders. */
export function story(number, encoder) {
  const { headers, wires } = JSON.parse(gunzipSync(readFileSync(new URL(`story_${number}.json.gz`, corpus))))
  return { lists: headers.map(flatList), blocks: wires[encoder].blocks.map((hex) => Buffer.from(hex, 'hex')) }
}
