// KATCP messages as telescopes send them: { type, name, id?, args: string[] }, and their bytes.
import { below, pick, random } from '../random.mjs'

const SIGIL = { request: '?', reply: '!', inform: '#' }
const ESCAPES = { '\\': '\\\\', ' ': '\\_', '\0': '\\0', '\n': '\\n', '\r': '\\r', '\x1b': '\\e', '\t': '\\t' }
const escapeText = (text) => (text === '' ? '\\@' : text.replace(/[\\ \0\n\r\x1b\t]/g, (char) => ESCAPES[char]))

// Strings built with + are ropes and substrings point into their parent: both would slow an encoder down for no fault of its own.
const flat = (text) => Buffer.from(text, 'latin1').toString('latin1')

/** A message whose strings are flat, as a program that formats its values would hold it. */
export const message = (type, name, id, args) => ({ type, name: flat(name), id, args: args.map(flat) })

/** The canonical line, LF included. */
export function lineOf({ type, name, id, args }) {
  const head = `${SIGIL[type]}${name}${id === undefined ? '' : `[${id}]`}`
  return Buffer.from(`${[head, ...args.map(escapeText)].join(' ')}\n`, 'latin1')
}

const signed = (next, digits, scale) => ((next() * 2 - 1) * scale).toFixed(digits)

/** `1.2345+0.6789j`: always 14 characters, so that 4,096 of them with their spaces make 60 KiB. */
function complexGain(next) {
  const imaginary = signed(next, 4, 9)
  return `${(next() * 9).toFixed(4)}${imaginary[0] === '-' ? '' : '+'}${imaginary}j`
}
const many = (count, make) => Array.from({ length: count }, make)

/** `?gain` for 4,096 channels: 61,463 bytes, 4,098 arguments, nothing escaped. */
export function gain60k(seed) {
  const next = random(seed)
  return message('request', 'gain', 1234, ['wide', 'm000v', ...many(4096, () => complexGain(next))])
}

/** 4,096 arguments with two escaped spaces each. */
export function allEscaped(seed) {
  const next = random(seed)
  const digit = () => below(next, 9)
  return message(
    'request',
    'gain',
    9,
    many(4096, () => `[${digit()}, ${digit()}, ${digit()}]`),
  )
}

/** The gains of one input as a sensor reports them: one argument of 64 KiB with 4,095 escaped spaces. */
export function eqSensor(seed) {
  const next = random(seed)
  const gains = many(4096, () => complexGain(next)).join(', ')
  return message('inform', 'sensor-status', undefined, [
    '1427043968.954988',
    '1',
    'wide.input0.eq',
    'nominal',
    `[${gains}]`,
  ])
}

/** `?gain` with 4,096 real values of four decimal places. */
export function decimals(seed) {
  const next = random(seed)
  return message('request', 'gain', 77, ['wide', 'm000v', ...many(4096, () => signed(next, 4, 9))])
}

const SHORT_NAMES = ['watchdog', 'halt', 'restart', 'capture-start', 'capture-stop', 'gain', 'delays', 'log-level']

/** `!watchdog[7] ok` and its like. */
export function oneArgument(seed) {
  const next = random(seed)
  return message('reply', pick(next, SHORT_NAMES), 1 + below(next, 9999), [next() < 0.9 ? 'ok' : 'fail'])
}

const ANTENNAS = many(64, (_, index) => `m${String(index).padStart(3, '0')}`)
const SENSORS = [
  'rsc.rxl.startup-state',
  'rsc.rsc-he-compressor.pressure',
  'ap.actual-azim',
  'ap.actual-elev',
  'dig.l-band.adc.h-rms',
  'rx.l.lna-v-power',
  'fmeca.FD0012',
  'device-status',
  'vds.cooling-fan.speed',
  'ap.mode',
]
const STATUSES = ['warn', 'error', 'unknown', 'failure', 'unreachable', 'inactive']
const MODES = ['stop', 'track', 'slew', 'stow', 'shutdown']
const LOGGERS = ['katproxy.receptor', 'fgpu.engine', 'xbgpu.recv', 'root', 'sdp.ingest.main', 'aiokatcp.connection']
const LEVELS = ['info', 'info', 'info', 'warn', 'debug', 'error']
const TEXTS = [
  'Connection to 10.98.64.21:7148 established',
  'Received heap 4194304 with 12 missing packets',
  'Sync epoch is 1427043968.0, drift 1.2e-09 s/s',
  'No data for 5.0 s on interface enp193s0f0',
  'Gains updated for input wide/m012h\n(4096 channels)',
  'Path is C:\\logs\\karoo',
  'Request ?delays took 12.5 ms',
]
const DESCRIPTIONS = [
  'Azimuth position of the antenna',
  'Low noise amplifier voltage',
  'Overall health of the unit',
  'Mean power of the digitiser',
  'Compressor supply pressure',
  'Number of heaps dropped since start',
]
const REQUESTS = ['watchdog', 'sensor-sampling', 'sensor-value', 'capture-start', 'delays']
const TYPES = ['float', 'integer', 'boolean', 'string', 'timestamp', 'discrete']

const sensorName = (next) => `${pick(next, ANTENNAS)}.${pick(next, SENSORS)}`
const host = (next) => `10.98.64.${below(next, 255)}`

function sensorValue(next) {
  const kind = next()
  if (kind < 0.45) return signed(next, 6, 360)
  if (kind < 0.6) return String(below(next, 1e6))
  if (kind < 0.7) return next() < 0.5 ? '1' : '0'
  if (kind < 0.8) return pick(next, MODES)
  if (kind < 0.9) return pick(next, TEXTS)
  return kind < 0.95 ? '' : `${host(next)}:7148`
}

function reading(next, time, name, id) {
  const status = next() < 0.9 ? 'nominal' : pick(next, STATUSES)
  return message('inform', name, id, [time.toFixed(6), '1', sensorName(next), status, sensorValue(next)])
}

function sensorListing(next, id) {
  const type = pick(next, TYPES)
  const values = type === 'discrete' ? MODES.slice(0, 4) : []
  const unit = pick(next, ['', 'deg', 'V', 'dBFS', 'kPa'])
  return message('inform', 'sensor-list', id, [sensorName(next), pick(next, DESCRIPTIONS), unit, type, ...values])
}

function helpText(next, id) {
  const parameters = `\n\nParameters\n----------\ninput : str\n    ${pick(next, DESCRIPTIONS)}.\n\nReturns\n-------\n`
  return message('inform', 'help', id, [pick(next, SHORT_NAMES), `${pick(next, DESCRIPTIONS)}.${parameters}success\n`])
}

function requestArguments(next, name) {
  if (name === 'sensor-sampling') return [sensorName(next), 'event-rate', '0.25', '10']
  if (name !== 'delays') return []
  const models = ANTENNAS.map(() => `${signed(next, 6, 1)}e-09,${signed(next, 3, 1)}:${signed(next, 4, 1)},0.0`)
  return ['wide', '1427043999.0', ...models]
}

/** Messages of a control session in the proportions seen on a telescope, with three wide ones among 10,000. */
export function transcript(seed, total = 10_000) {
  const next = random(seed)
  const messages = []
  const lines = []
  const put = (added, end) => {
    messages.push(added)
    const line = lineOf(added)
    lines.push(end ? Buffer.concat([line.subarray(0, -1), Buffer.from(end)]) : line)
  }
  for (const args of [
    ['katcp-protocol', '5.1-IMB'],
    ['katcp-library', 'device-lib-1.0', 'device-lib-1.0.0'],
    ['katcp-device', 'receiver-api-1.0', 'receiver-1.0.0'],
  ]) {
    put(message('inform', 'version-connect', undefined, args))
  }
  let time = 1427043968.954988
  let id = 1
  const wide = new Map([
    [total >> 2, () => gain60k(seed + 1)],
    [total >> 1, () => eqSensor(seed + 2)],
    [(total >> 2) * 3, () => gain60k(seed + 3)],
  ])
  while (messages.length < total) {
    time += next() * 0.01
    const special = wide.get(messages.length)
    const kind = special ? 2 : next()
    if (special) put(special())
    else if (kind < 0.5) put(reading(next, time, 'sensor-status', undefined))
    else if (kind < 0.62) put(reading(next, time, 'sensor-value', id))
    else if (kind < 0.8) {
      const args = [pick(next, LEVELS), time.toFixed(3), pick(next, LOGGERS), pick(next, TEXTS)]
      put(message('inform', 'log', undefined, args))
    } else if (kind < 0.88) put(sensorListing(next, id))
    else if (kind < 0.91) put(helpText(next, id))
    else if (kind < 0.985) {
      id = (id % 0x7fffffff) + 1
      const name = pick(next, REQUESTS)
      put(message('request', name, id, requestArguments(next, name)))
      if (messages.length === total) break
      const args = next() < 0.95 ? (name === 'sensor-value' ? ['ok', '1'] : ['ok']) : ['fail', pick(next, TEXTS)]
      put(message('reply', name, id, args), next() < 0.02 ? '\r\n' : undefined)
    } else if (kind < 0.995) {
      const name = pick(next, ['client-connected', 'interface-changed'])
      put(message('inform', name, undefined, [`${host(next)}:${1024 + below(next, 60000)}`]))
    } else if (kind < 0.997) lines.push(Buffer.from(pick(next, ['\n', ' \t\n', '\r\n'])))
    else {
      const gains = many(256, () => complexGain(next))
      put(message('request', 'gain', ++id, ['wide', `${pick(next, ANTENNAS)}v`, ...gains]))
    }
  }
  return { messages, bytes: Buffer.concat(lines) }
}

/** Pieces as a socket hands them over. */
export function pieces(bytes, size) {
  return many(Math.ceil(bytes.length / size), (_, index) => bytes.subarray(index * size, (index + 1) * size))
}
