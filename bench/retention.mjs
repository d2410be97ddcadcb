// What a kept result keeps alive: bytes for each, on the JavaScript heap and in ArrayBuffers together, when all else of what came with
// it is dropped. The table of docs/guides/memory.md is from here.
//
//   node --expose-gc bench/retention.mjs
import * as dbus from 'wiretape/dbus'
import * as hds from 'wiretape/hds'
import * as hpack from 'wiretape/hpack'
import * as katcp from 'wiretape/katcp'
import * as websocket from 'wiretape/websocket'

const KEPT = 300
const utf8 = new TextEncoder()
const text = (i, length) => String(i).padStart(length, 'x')
const many = (count, make) => Array.from({ length: count }, (_, k) => make(k))

const line = (i, length) => utf8.encode(`?gain m000v ${many(3000, (k) => text(i * 7 + k, length)).join(' ')}\n`)
const lines = (i) => utf8.encode(many(1000, (k) => `?gain m000v 1 2 ${i + k}\n`).join(''))
const texts = (i, count) =>
  websocket.encodeAll(
    many(count, (k) => ({ type: 'text', data: text(i * 13 + k, 20) })),
    { role: 'client' },
  )
const readTexts = (bytes) => new websocket.Decoder({ role: 'server' }).push(bytes).readAll()
const signals = (i) =>
  dbus.encodeAll(
    many(200, (k) =>
      dbus.signal({ serial: k + 1, path: '/a', interface: 'a.b', member: 'c' }, 'as', [
        [text(i + k, 20), text(i * k, 30)],
      ]),
    ),
  )

const rows = {
  'KATCP: a string of 10 characters, of a line of 33 KB': (i) => katcp.decode(line(i, 10)).args.at(1500),
  'KATCP: a string of 20 characters, of a line of 63 KB': (i) => katcp.decode(line(i, 20)).args.at(1500),
  'KATCP: args, of a line of 63 KB': (i) => katcp.decode(line(i, 20)).args,
  'KATCP: args, of one of 1,000 lines in a chunk': (i) => new katcp.Decoder().push(lines(i)).readAll()[500].args,
  'KATCP: args.detach(), of one of 1,000 lines': (i) => new katcp.Decoder().push(lines(i)).readAll()[500].args.detach(),
  'WebSocket: a text of 20 characters, of 500 in a chunk': (i) => readTexts(texts(i, 500))[250].data,
  'WebSocket: the same, through JSON': (i) => JSON.parse(JSON.stringify(readTexts(texts(i, 500))[250].data)),
  'WebSocket: a text of 20 characters, in a chunk of its own': (i) => readTexts(texts(i, 1))[0].data,
  'D-Bus: a message, of 200 in a chunk': (i) => new dbus.Decoder().push(signals(i)).readAll()[100],
  'D-Bus: a string of a body, of 200 messages': (i) => new dbus.Decoder().push(signals(i)).readAll()[100].body[0][0],
  'HDS: a string of 20 characters, of an array of 2,000': (i) =>
    hds.decode(hds.encode(many(2000, (k) => text(i * 3 + k, 20))))[1000],
  'HPACK: a value of 20 characters, behind a cookie of 4,000': (i) =>
    hpack.decode(
      hpack.encode([
        ['cookie', text(i, 4000)],
        ['x-a', text(i, 20)],
      ]),
    )[1].value,
}

const used = () => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

for (const [name, make] of Object.entries(rows)) {
  for (let i = 0; i < 10; i++) make(i)
  const kept = []
  const before = used()
  for (let i = 0; i < KEPT; i++) kept.push(make(i + 10))
  console.log(
    `${name.padEnd(60)}${Math.round((used() - before) / kept.length)
      .toLocaleString('en')
      .padStart(8)}`,
  )
}
