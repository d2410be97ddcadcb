import type { Message, WireErrorCode } from '../../bindings/dbus/index'
import { Variant } from '../../bindings/dbus/index'
import { toHex } from '../vectors'

/** The error words of the D-Bus vectors → our codes; see test/vectors/dbus/README.md. */
export const CODE_OF = {
  'bad-byte-order': 'WT_DBUS_BYTE_ORDER',
  'fields-array-too-long': 'WT_DBUS_FIELDS_LENGTH',
  'body-too-long': 'WT_DBUS_BODY_LENGTH',
  'message-too-long': 'WT_DBUS_MESSAGE_LENGTH',
  'bad-protocol-version': 'WT_DBUS_VERSION',
  'bad-message-type': 'WT_DBUS_TYPE',
  'bad-serial': 'WT_DBUS_SERIAL',
  'header-field-code-zero': 'WT_DBUS_FIELD_CODE',
  'header-field-wrong-type': 'WT_DBUS_FIELD_TYPE',
  'header-field-duplicate': 'WT_DBUS_FIELD_TWICE',
  'bad-interface': 'WT_DBUS_INTERFACE',
  'bad-member': 'WT_DBUS_MEMBER',
  'bad-error-name': 'WT_DBUS_ERROR_NAME',
  'bad-destination': 'WT_DBUS_DESTINATION',
  'bad-sender': 'WT_DBUS_SENDER',
  'missing-path': 'WT_DBUS_MISSING_PATH',
  'missing-interface': 'WT_DBUS_MISSING_INTERFACE',
  'missing-member': 'WT_DBUS_MISSING_MEMBER',
  'missing-error-name': 'WT_DBUS_MISSING_ERROR_NAME',
  'missing-reply-serial': 'WT_DBUS_MISSING_REPLY_SERIAL',
  'reserved-interface': 'WT_DBUS_RESERVED_INTERFACE',
  'reserved-path': 'WT_DBUS_RESERVED_PATH',
  'missing-unix-fds': 'WT_DBUS_MISSING_UNIX_FDS',
  'not-enough-data': 'WT_DBUS_NOT_ENOUGH_DATA',
  'too-much-data': 'WT_DBUS_TOO_MUCH_DATA',
  'length-out-of-bounds': 'WT_DBUS_LENGTH',
  'padding-not-zero': 'WT_DBUS_PADDING',
  'bad-utf8': 'WT_DBUS_UTF8',
  'string-missing-nul': 'WT_DBUS_STRING_NUL',
  'bad-object-path': 'WT_DBUS_PATH',
  'array-length-mismatch': 'WT_DBUS_ARRAY_END',
  'array-too-long': 'WT_DBUS_ARRAY_LENGTH',
  'boolean-not-0-or-1': 'WT_DBUS_BOOLEAN',
  'signature-length-out-of-bounds': 'WT_DBUS_SIGNATURE_LENGTH',
  'signature-missing-nul': 'WT_DBUS_SIGNATURE_NUL',
  'variant-signature-invalid': 'WT_DBUS_VARIANT_SIGNATURE',
  'variant-signature-empty': 'WT_DBUS_VARIANT_EMPTY',
  'variant-signature-multiple': 'WT_DBUS_VARIANT_MANY',
  'variant-signature-length-out-of-bounds': 'WT_DBUS_VARIANT_LENGTH',
  'variant-signature-missing-nul': 'WT_DBUS_VARIANT_NUL',
  'nested-too-deep': 'WT_DBUS_DEPTH',
  'sig-unknown-type': 'WT_DBUS_SIG_TYPE',
  'sig-array-without-element': 'WT_DBUS_SIG_ELEMENT',
  'sig-struct-not-open': 'WT_DBUS_SIG_STRUCT_NOT_OPEN',
  'sig-struct-not-closed': 'WT_DBUS_SIG_STRUCT_NOT_CLOSED',
  'sig-struct-empty': 'WT_DBUS_SIG_STRUCT_EMPTY',
  'sig-dict-outside-array': 'WT_DBUS_SIG_DICT_OUTSIDE_ARRAY',
  'sig-dict-not-open': 'WT_DBUS_SIG_DICT_NOT_OPEN',
  'sig-dict-not-closed': 'WT_DBUS_SIG_DICT_NOT_CLOSED',
  'sig-dict-one-field': 'WT_DBUS_SIG_DICT_ONE_FIELD',
  'sig-dict-too-many': 'WT_DBUS_SIG_DICT_TOO_MANY',
  'sig-dict-key-not-basic': 'WT_DBUS_SIG_DICT_KEY',
  'sig-array-depth': 'WT_DBUS_SIG_ARRAY_DEPTH',
  'sig-struct-depth': 'WT_DBUS_SIG_STRUCT_DEPTH',
} as const satisfies Record<string, WireErrorCode>

export type Word = keyof typeof CODE_OF
export const codeOf = (word: string): WireErrorCode => {
  const code = CODE_OF[word as Word]
  if (!code) throw new Error(`no code for ${word}`)
  return code
}

/** A message in the neutral form of the vectors. */
export interface NeutralMessage {
  readonly endian: 'l' | 'B'
  readonly type: number
  readonly flags: number
  readonly serial: number
  readonly fields: Readonly<Record<string, string | number>>
  readonly body: readonly unknown[]
  readonly unknownFields?: unknown
}

/** Complete types of a good signature. */
export function splitSignature(signature: string): string[] {
  const end = (i: number): number => {
    if (signature[i] === 'a') return end(i + 1)
    const close = signature[i] === '(' ? ')' : signature[i] === '{' ? '}' : undefined
    if (!close) return i + 1
    i++
    while (signature[i] !== close) i = end(i)
    return i + 1
  }
  const types: string[] = []
  for (let i = 0; i < signature.length; ) {
    const next = end(i)
    types.push(signature.slice(i, next))
    i = next
  }
  return types
}

function float(value: number): number | string {
  if (Object.is(value, -0)) return '-0'
  if (Number.isFinite(value)) return value
  if (!Number.isNaN(value)) return value > 0 ? 'Infinity' : '-Infinity'
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  return `nan:${bits.getBigUint64(0).toString(16).padStart(16, '0')}`
}

/** A value as decoded with `dict: 'pairs'`, in the neutral form of the vectors. */
export function neutralValue(type: string, value: unknown): unknown {
  const [letter] = type
  if (letter === 'v') {
    if (!(value instanceof Variant)) throw new Error('a variant must be a Variant')
    return { sig: value.signature, value: neutralValue(value.signature, value.value) }
  }
  if (letter === 'x' || letter === 't') return String(value)
  if (letter === 'd') return float(value as number)
  if (letter === 'h') return (value as number) | 0
  if (letter === '(') {
    return splitSignature(type.slice(1, -1)).map((inner, i) => neutralValue(inner, (value as unknown[])[i]))
  }
  if (letter !== 'a') return value
  const element = type.slice(1)
  if (element === 'y') return toHex(value as Uint8Array)
  if (element.startsWith('{')) {
    const [key, inner] = splitSignature(element.slice(1, -1)) as [string, string]
    return (value as [unknown, unknown][]).map(([k, v]) => [neutralValue(key, k), neutralValue(inner, v)])
  }
  return Array.from(value as Iterable<unknown>, (inner) => neutralValue(element, inner))
}

const TYPE_NUMBERS = { methodCall: 1, methodReturn: 2, error: 3, signal: 4 } as const
const FIELDS = ['path', 'interface', 'member', 'errorName', 'replySerial', 'destination', 'sender', 'unixFds'] as const

/** A decoded message in the neutral form. Fields that its type has no use for are not there. */
export function neutral(message: Message): NeutralMessage {
  const fields: Record<string, string | number> = {}
  const source = message as unknown as Readonly<Record<string, string | number | undefined>>
  for (const name of FIELDS) if (source[name] !== undefined) fields[name] = source[name]
  if (message.signature !== '') fields['signature'] = message.signature
  const body = message.bodyAs(message.signature, { dict: 'pairs', types: 'tagged', int64: 'bigint' })
  return {
    endian: message.byteOrder === 'big' ? 'B' : 'l',
    type: TYPE_NUMBERS[message.type],
    flags: message.flags,
    serial: message.serial,
    fields,
    body: splitSignature(message.signature).map((type, i) => neutralValue(type, body[i])),
  }
}

const USED: Readonly<Record<number, readonly string[]>> = {
  1: ['path', 'interface', 'member'],
  2: ['replySerial'],
  3: ['errorName', 'replySerial'],
  4: ['path', 'interface', 'member'],
}

/** What a vector says, without the fields that a message of its type has no use for and without an empty signature. */
export function expected({ endian, type, flags, serial, fields, body }: NeutralMessage): NeutralMessage {
  const kept = Object.entries(fields).filter(
    ([name, value]) => value !== '' && [...USED[type]!, 'destination', 'sender', 'unixFds', 'signature'].includes(name),
  )
  return { endian, type, flags, serial, fields: Object.fromEntries(kept), body }
}

const fromHexText = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function floatOf(value: number | string): number {
  if (typeof value === 'number') return value
  if (!value.startsWith('nan:')) return value === '-0' ? -0 : Number(value)
  const bits = new DataView(new ArrayBuffer(8))
  bits.setBigUint64(0, BigInt(`0x${value.slice(4)}`))
  return bits.getFloat64(0)
}

/** A value of the vectors as it is given to the encoder; `dict` in one of the three forms. */
export function inputValue(type: string, value: unknown, dict: 'map' | 'object' | 'pairs'): unknown {
  const [letter] = type
  if (letter === 'v') {
    const { sig, value: inner } = value as { sig: string; value: unknown }
    return new Variant<string>(sig, inputValue(sig, inner, dict))
  }
  if (letter === 'x' || letter === 't') return BigInt(value as string)
  if (letter === 'd') return floatOf(value as number)
  if (letter === 'h') return (value as number) >>> 0
  if (letter === '(') {
    return splitSignature(type.slice(1, -1)).map((inner, i) => inputValue(inner, (value as unknown[])[i], dict))
  }
  if (letter !== 'a') return value
  const element = type.slice(1)
  if (element === 'y') return fromHexText(value as string)
  if (!element.startsWith('{')) return (value as unknown[]).map((inner) => inputValue(element, inner, dict))
  const [key, inner] = splitSignature(element.slice(1, -1)) as [string, string]
  const pairs = (value as [unknown, unknown][]).map(
    ([k, v]) => [inputValue(key, k, dict), inputValue(inner, v, dict)] as const,
  )
  const unique = new Set(pairs.map(([k]) => String(k))).size === pairs.length
  if (dict === 'map' && unique) return new Map(pairs)
  // An object puts whole numbers first.
  if (dict === 'object' && unique && !pairs.some(([k]) => /^\d+$/.test(String(k)))) {
    const object = Object.create(null) as Record<string, unknown>
    for (const [k, v] of pairs) object[String(k)] = v
    return object
  }
  return pairs
}
