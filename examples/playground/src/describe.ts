import type { CaptureFormatName } from 'wiretape/capture'

/** Characters of a line that are looked at, and of a text that is shown. */
const MOST_READ = 1 << 14
const MOST_SHOWN = 240

type Json = Readonly<Record<string, unknown>>
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const plain = (value: unknown): string => {
  if (typeof value === 'string') return value
  const bytes = record(value)['$bytes']
  if (typeof bytes === 'string') {
    const count = Math.floor((bytes.replace(/=+$/, '').length * 3) / 4)
    return count === 1 ? '1 byte' : `${count} bytes`
  }
  return value === undefined ? '' : JSON.stringify(value)
}
const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('  ')
const capital = (text: string) => text.replace(/([A-Z])/g, ' $1').toLowerCase()

const MARKS: Readonly<Record<string, string>> = { request: '?', reply: '!', inform: '#' }

/** Those of interest, in the order of a request line. */
const PSEUDO = [':status', ':method', ':path', ':authority', ':protocol']

/** What a unit is, and what is worth knowing of it, in a line; by its JSON form. */
const OF: Readonly<Record<CaptureFormatName, (unit: Json, json: string) => { kind: string; text: string }>> = {
  katcp: ({ type, name, id, args }) => ({
    kind: String(type),
    text: joined(
      `${MARKS[String(type)] ?? ''}${name}${id === undefined ? '' : `[${id}]`}`,
      ...(args as unknown[]).map(plain),
    ),
  }),
  websocket: (unit) => {
    if (unit['opcode'] !== undefined) {
      const kind = ['continuation', 'text', 'binary'][Number(unit['opcode'])] ?? `opcode ${unit['opcode']}`
      return { kind, text: joined(unit['fin'] ? '' : 'not the last', plain(unit['payload'])) }
    }
    if (unit['type'] === 'close') return { kind: 'close', text: joined(String(unit['code']), plain(unit['reason'])) }
    const kind = unit['type'] === 'chunk' ? `part of ${unit['kind']}` : String(unit['type'])
    return { kind, text: plain(unit['data']) }
  },
  dbus: ({ type, path, interface: of, member, errorName, sender, signature, body }) => ({
    kind: capital(String(type)).replace('method ', ''),
    text: joined(
      plain(member ?? errorName),
      plain(path),
      plain(of),
      signature ? `${signature}` : '',
      Array.isArray(body) ? body.map(plain).join(', ') : '',
      member || errorName ? '' : `from ${plain(sender)}`,
    ),
  }),
  hpack: ({ stream, fields }) => {
    const list = fields as { name: string; value: string }[]
    const pseudo = PSEUDO.flatMap((name) => list.filter((field) => field.name === name).map(({ value }) => value))
    const others = list.filter(({ name }) => name[0] !== ':').map(({ name, value }) => `${name}: ${value}`)
    const text = joined(...pseudo, ...others)
    return { kind: stream === undefined ? `${list.length} fields` : `stream ${stream}`, text }
  },
  hds: (unit, json) => {
    if (typeof unit['topic'] !== 'string' || typeof unit['protocol'] !== 'string')
      return { kind: kindOf(json), text: json }
    const { type, protocol, topic, id, status, body } = unit
    const text = joined(
      `${protocol}/${topic}`,
      id === undefined ? '' : `id ${plain(id)}`,
      status ? `status ${status}` : '',
    )
    return { kind: String(type), text: joined(text, JSON.stringify(body)) }
  },
}

/** Of a value that stands alone. */
function kindOf(json: string): string {
  const start = /^\{"\$(\w+)"/.exec(json)?.[1]
  if (start) return start
  const kinds = { '{': 'object', '[': 'array', '"': 'string', t: 'boolean', f: 'boolean', n: 'null' } as const
  return kinds[json[0] as keyof typeof kinds] ?? 'number'
}

export function describe(format: CaptureFormatName, json: string): { kind: string; text: string } {
  const short = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)
  if (json.length > MOST_READ) {
    const type = /"type":"(\w+)"/.exec(json.slice(0, MOST_READ))?.[1]
    return { kind: type ?? kindOf(json), text: short(json) }
  }
  const { kind, text } = OF[format](record(JSON.parse(json)), json)
  return { kind, text: short(text) }
}
