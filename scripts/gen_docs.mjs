// Pages, and parts of pages, that follow from the sources and from what was measured; gen.mjs writes them.
import { existsSync, readFileSync } from 'node:fs'
import { isOurs } from '../bench/registry.mjs'
import { bestPeer, duration, ratio } from '../bench/report.mjs'
import { readResults } from '../bench/results.mjs'

const cell = (text) => String(text ?? '').replaceAll('|', '\\|')
const row = (cells) => `| ${cells.map(cell).join(' | ')} |`
const table = (header, lines) => [row(header), row(header.map(() => '---')), ...lines.map(row)]

const CLOSE_CODES = { 1002: 'protocol error', 1007: 'invalid data', 1008: 'policy', 1009: 'too big' }
const HTTP2_CODES = { 1: 'PROTOCOL_ERROR', 9: 'COMPRESSION_ERROR', 11: 'ENHANCE_YOUR_CALM' }
const HDS_STATUSES = { 3: 'headerError', 4: 'payloadError', 5: 'missingProtocol' }

/** A fault that only a call of the program itself can have. */
const isOwn = ({ kind }) => kind === 'usage' || kind === 'value'
const OWN = 'the peer has done nothing wrong: mend the call or the value'
const UNSAFE = 'read with another `int64`'

/** For each room of errors: how it is called, what stands before its table, and what is usually done about a row of it. */
const ROOMS = {
  core: {
    title: 'Common to all formats',
    intro: [
      'A format may add a status: more than `maxBufferedBytes` is 1008 in WebSocket, and in HPACK a block that is cut off is 9.',
    ],
    usual(row) {
      if (isOwn(row)) return row.code === 'WT_JSON' ? 'refuse the text' : OWN
      if (row.kind === 'truncated') return 'the peer is gone: release the connection'
      return row.kind === 'limit' ? 'close the connection' : 'as for any malformed unit of the format'
    },
  },
  websocket: {
    title: 'WebSocket',
    intro: [
      'The status is the close code to answer with (RFC 6455, section 7.4.1), or the HTTP status where the handshake is wrong. Nothing',
      'that follows the fault is read.',
    ],
    usual(row) {
      if (row.status >= 1000) return `send a close frame with ${row.status} (${CLOSE_CODES[row.status]}), then close`
      if (row.status) return `a server answers with HTTP status ${row.status}; a client closes`
      if (row.code === 'WT_WEBSOCKET_CLOSED') return 'close: the peer had said goodbye'
      return row.code === 'WT_WEBSOCKET_INTERLEAVED' ? 'read with a Decoder' : OWN
    },
  },
  dbus: {
    title: 'D-Bus',
    intro: [
      "D-Bus has no word for a fault: a bus closes the connection. With `errors: 'report'` a message whose length is good costs only",
      'itself. The same codes come, with `path` and without offset, where a message to be written breaks the rule.',
    ],
    usual(row) {
      const lengths = /_(BODY_LENGTH|FIELDS_LENGTH|MESSAGE_LENGTH|BYTE_ORDER|VERSION)$/
      if (row.code.includes('_AUTH')) return 'close the connection, or try another mechanism'
      if (row.code === 'WT_DBUS_CAPTURE') return 'refuse the file'
      if (row.code === 'WT_DBUS_MISSING_UNIX_FDS') return 'close the connection'
      if (row.code === 'WT_DBUS_UNKNOWN_TYPE') return 'skip the message, as a Decoder does'
      if (row.code === 'WT_DBUS_SIGNATURE') return 'answer a call with org.freedesktop.DBus.Error.InvalidArgs'
      if (row.code === 'WT_DBUS_UNSAFE_INTEGER') return UNSAFE
      if (isOwn(row)) return OWN
      return lengths.test(row.code) ? 'close the connection' : 'drop the message, or close the connection'
    },
  },
  hds: {
    title: 'HomeKit Data Stream and OPACK',
    intro: [
      'The status is that of the response that a bad request is owed (`Status`). A Decoder of a session is over after any of them.',
    ],
    usual(row) {
      if (row.status) return `answer a request with status ${row.status} (${HDS_STATUSES[row.status]})`
      if (row.code === 'WT_HDS_UNSAFE_INTEGER') return UNSAFE
      return isOwn(row) ? OWN : 'close the connection, without an answer'
    },
  },
  hpack: {
    title: 'HPACK',
    intro: [
      'The status is an error code of HTTP/2 (RFC 9113, section 7). The table is out of step after any of them, so the connection ends;',
      "`onTooLarge: 'skip'` is the exception for lists that are too large.",
    ],
    usual(row) {
      if (row.status) return `GOAWAY with ${row.status} (${HTTP2_CODES[row.status]}), then close`
      return isOwn(row) ? OWN : 'refuse the file'
    },
  },
  katcp: {
    title: 'KATCP',
    intro: [
      'A device answers a line that it cannot read with `#log error`, a client stays silent (guidelines, section 2). With',
      "`errors: 'report'` the next line is read as if nothing had been.",
    ],
    usual(row) {
      if (row.code.endsWith('_EMPTY_LINE')) return 'nothing: a Decoder passes over blank lines'
      if (['ARGUMENT_COUNT', 'UTF8', 'VALUE'].some((word) => row.code === `WT_KATCP_${word}`)) {
        return 'a device answers a request with `!name invalid` and the text of the error'
      }
      if (row.code === 'WT_KATCP_READINGS') return 'drop the inform'
      if (row.code === 'WT_KATCP_VERSION_FLAG') return 'take the device for one without that flag'
      return 'a device sends `#log error`; a client drops the line'
    },
  },
}

export function errorPage(tables, note) {
  const page = ['# Error codes', '', `<!-- ${note} -->`, '']
  page.push(
    'Every fault is a `WireError`; [errors](guides/errors.md) tells how to work with one. `code` is stable; the text may change. What',
    '`kind` means:',
    '',
    '- `malformed`: the bytes break the format; `offset` is the first byte that shows it.',
    '- `truncated`: the bytes end inside a unit.',
    '- `limit`: a limit of the options is exceeded; `limit` says which, its maximum and what came.',
    '- `value`: a value cannot be written, or read as the type asked for.',
    '- `usage`: the call itself is wrong, whatever the bytes.',
    '',
    '"Usually" is what a receiver does about it where it has no better idea. `-` in the column status: the peer is owed no number.',
    '',
  )
  for (const { room, rows } of tables) {
    const { title, intro, usual } = ROOMS[room]
    page.push(`## ${title}`, '', ...intro, '')
    const lines = [...rows]
      .sort((a, b) => (a.code < b.code ? -1 : 1))
      .map((one) => [`\`${one.code}\``, one.kind, one.status ?? '-', one.text, usual(one)])
    page.push(...table(['code', 'kind', 'status', 'meaning', 'usually'], lines), '')
  }
  return page.join('\n')
}

/** What is thrown where a limit is exceeded, by its name; a list where there are several. */
const EXCEEDED = {
  dbus: {
    maxMessageBytes: ['MESSAGE_LENGTH', 'BODY_LENGTH', 'FIELDS_LENGTH'],
    maxValues: ['VALUES'],
    maxDepth: ['DEPTH'],
  },
  hds: {
    maxPayloadBytes: ['PAYLOAD_TOO_LARGE'],
    maxDepth: ['DEPTH'],
    maxItems: ['ITEMS'],
    maxExpandedBytes: ['EXPANDED'],
    maxUnauthenticatedBytes: ['UNAUTHENTICATED'],
  },
  hpack: {
    maxTableSize: ['UPDATE_TOO_LARGE'],
    maxListSize: ['LIST_TOO_LARGE'],
    maxFields: ['TOO_MANY_FIELDS'],
    maxStringBytes: ['STRING_TOO_LONG'],
  },
  katcp: { maxLineBytes: ['LINE_TOO_LONG'], maxArguments: ['TOO_MANY_ARGUMENTS'] },
  websocket: {
    maxMessageBytes: ['MESSAGE_TOO_BIG'],
    maxFrameBytes: ['FRAME_TOO_BIG'],
    maxFragments: ['TOO_MANY_FRAGMENTS'],
    maxInflateRatio: ['INFLATE_RATIO'],
  },
}

function unitOf(limit) {
  if (/Bytes$/.test(limit)) return 'bytes'
  if (/Size$/.test(limit)) return 'octets'
  return (
    { maxDepth: 'containers', maxValues: 'values', maxItems: 'values', maxInflateRatio: 'times' }[limit] ?? 'number'
  )
}

export async function limitsPage(subpaths, load, tables, note) {
  const codes = new Set(tables.flatMap(({ rows }) => rows.map(({ code }) => code)))
  const page = ['# Limits', '', `<!-- ${note} -->`, '']
  page.push(
    'Every limit is finite unless you say otherwise, inclusive, and checked before anything is allocated for what exceeds it. All of',
    'them are set by one option, `limits: { name: value }`, of `decode`, `decodeAt`, `decodeAll`, `Decoder` and the streams; those not',
    'named keep their default, `DEFAULT_LIMITS`. A name that there is not, or a value that is no whole number of at least 0, throws',
    'WT_USAGE. [How to choose them](guides/limits.md).',
    '',
  )
  for (const name of subpaths) {
    const file = `bindings/${name}/limits.ts`
    if (!existsSync(file)) continue
    const { DEFAULT_LIMITS } = await load(file)
    const text = readFileSync(file, 'utf8')
    const lines = Object.entries(DEFAULT_LIMITS).map(([limit, value]) => {
      const doc = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*(?:readonly\\s+)?${limit}\\b`).exec(text)?.[1]
      if (!doc) throw new Error(`${file}: ${limit} has no doc comment`)
      const thrown =
        limit === 'maxBufferedBytes'
          ? ['WT_TOO_MUCH_BUFFERED']
          : (EXCEEDED[name]?.[limit] ?? []).map((code) => `WT_${name.toUpperCase()}_${code}`)
      if (thrown.length === 0 || thrown.some((code) => !codes.has(code))) {
        throw new Error(`scripts/gen_docs.mjs: which code is thrown where ${limit} of ${name} is exceeded?`)
      }
      return [
        `\`${limit}\``,
        value.toLocaleString('en'),
        unitOf(limit),
        doc.replace(/\s*\*?\s+/g, ' ').trim(),
        thrown.map((code) => `\`${code}\``).join(', '),
      ]
    })
    page.push(
      `## wiretape/${name}`,
      '',
      ...table(['limit', 'default', 'unit', 'what it bounds', 'exceeded'], lines),
      '',
    )
  }
  return page.join('\n')
}

/** The row of each format that is nearest to daily work, and how the README names it. */
const TYPICAL = {
  websocket: ['WebSocket', 'chunk-text-125'],
  dbus: ['D-Bus', 'decode-properties-changed'],
  hpack: ['HPACK', 'decode-requests'],
  katcp: ['KATCP', 'stream-transcript'],
  hds: ['HDS', 'decode-open'],
}
/** A contender that does the same work in another format. */
const OTHER_FORMAT = ['cbor-x']

/** The row where wiretape is least ahead of the best there is, native programs included. */
function leastAhead({ rows, workloads }) {
  const found = workloads.flatMap(({ id, about }) => {
    const ours = rows.find(({ workload, contender }) => workload === id && contender === 'wiretape')
    const others = rows.filter(({ workload, contender }) => workload === id && !isOurs(contender))
    if (!ours || others.length === 0) return []
    const best = others.reduce((a, b) => (b.ns < a.ns ? b : a))
    return [{ about, best, times: best.ns / ours.ns }]
  })
  return found.reduce((a, b) => (b.times < a.times ? b : a))
}

/** The table of figures of the README, from bench/results alone. */
export function figures(reports = readResults()) {
  const lines = Object.entries(TYPICAL).map(([format, [title, id]]) => {
    const report = reports.find((one) => one.format === format)
    const { about } = report.workloads.find((workload) => workload.id === id)
    const peer = bestPeer(report.rows, id, [...report.natives, ...OTHER_FORMAT])
    const ours = (backend) => {
      const { ns } = report.rows.find(
        ({ workload, contender }) => workload === id && contender === `wiretape-${backend}`,
      )
      return `${duration(ns)}, ${ratio(peer.ns / ns)}`
    }
    const least = leastAhead(report)
    return [
      `${title}: ${about}`,
      `${peer.contender} ${duration(peer.ns)}`,
      ours('wasm'),
      ours('js'),
      `${ratio(least.times)} ${least.best.contender}: ${least.about}`,
    ]
  })
  const [{ cpu, cores, node }] = reports
  return [
    ...table(['work', 'best peer', 'WebAssembly', 'JavaScript', 'where it is least ahead'], lines),
    '',
    `Medians on ${cpu}, ${cores} cores, Node ${node}. 2× is twice as fast, 0.5× half as fast. simple-js is what one writes by hand; the`,
    'last column counts programs in C too (names ending in -c) and, for HDS, cbor-x, which writes another format.',
  ].join('\n')
}

/** `text` with `content` between the two comments of that name. */
export function between(text, name, content) {
  const [begin, end] = [`<!-- begin ${name}: written by npm run gen -->`, `<!-- end ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`README.md has no place for ${name}`)
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`
}
