import { readFileSync } from 'node:fs'
import * as dbus from '../../bindings/dbus/index'
import * as hds from '../../bindings/hds/index'
import * as hpack from '../../bindings/hpack/index'
import * as core from '../../bindings/index'
import * as katcp from '../../bindings/katcp/index'
import { nobleCipher } from '../../bindings/noble/index'
import * as opack from '../../bindings/opack/index'
import * as websocket from '../../bindings/websocket/index'
import { codeOf as dbusCode, type NeutralMessage } from '../dbus/words'
import { type Case as HdsCase, bytesOf as hdsBytes, codeOf as hdsCode, optionsOf as hdsOptions } from '../hds/words'
import { type Vector as Connection, CODE_OF as HPACK_CODES, type Word as HpackWord, type Pair } from '../hpack/words'
import { type Expected, CODE_OF as KATCP_CODES } from '../katcp/words'
import { toHex, vectorJson } from '../vectors'
import { bytesOf, type DecodeCase, CODE_OF as WEBSOCKET_CODES } from '../websocket/words'

export const FORMATS = ['websocket', 'dbus', 'hds', 'opack', 'hpack', 'katcp'] as const
export type Format = (typeof FORMATS)[number]

/** One call of suite/calls.mjs. `code` is what the vector says: the code of the fault, or undefined for none. */
interface Input {
  readonly format: Format
  readonly name: string
  readonly call: string
  readonly code?: string | undefined
  readonly [argument: string]: unknown
}

interface Case extends Input {
  readonly want: unknown
}

const cases = <T>(path: string) => vectorJson<{ cases: T[] }>(path).cases
const vectors = <T>(path: string) => vectorJson<{ vectors: T[] }>(path).vectors
/** `count` of a list, spread evenly over it. */
const some = <T>(list: readonly T[], count: number): T[] =>
  list.length <= count
    ? [...list]
    : Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]!)

function katcpInputs(): Input[] {
  interface Line {
    readonly line: string
    readonly leftToRight?: Expected | 'ignored'
  }
  const format = 'katcp'
  const lines = ['messages', 'escapes'].flatMap((name) => cases<Line>(`katcp/${name}.json`))
  const good = lines.filter(({ leftToRight }) => leftToRight === undefined)
  const bad = cases<Line>('katcp/errors.json').flatMap(({ line, leftToRight }) =>
    typeof leftToRight === 'object' && 'error' in leftToRight ? [{ line, code: KATCP_CODES[leftToRight.error] }] : [],
  )
  const streams = cases<{ stream: string }>('katcp/streams.json').map(({ stream }) => stream)
  interface Limited {
    readonly limit: number
    readonly segments: readonly { hex: string; repeat: number }[]
  }
  const limited = cases<Limited>('katcp/limits.json').filter(({ limit }) => limit <= 1024)
  return [
    ...some(good, 40).map(({ line }) => ({ format, name: 'messages', call: 'decode', hex: `${line}0a` }) as const),
    ...some(bad, 40).map(
      ({ line, code }) => ({ format, name: 'faults', call: 'decode', hex: `${line}0a`, code }) as const,
    ),
    ...some(streams, 20).map((hex) => ({ format, name: 'chunks', call: 'units', hex }) as const),
    ...some(streams, 10).map(
      (hex) => ({ format, name: 'streams', call: 'stream', hex, options: { errors: 'throw' } }) as const,
    ),
    {
      format,
      name: 'streams',
      call: 'stream',
      hex: good
        .slice(0, 9)
        .map(({ line }) => `${line}0a`)
        .join(''),
      options: { errors: 'throw' },
      back: {},
    },
    ...some(limited, 12).map(({ limit, segments }) => {
      const hex = segments.map((segment) => segment.hex.repeat(segment.repeat)).join('')
      return { format, name: 'limits', call: 'units', hex, options: { limits: { maxLineBytes: limit } } } as const
    }),
    {
      format,
      name: 'faults',
      call: 'write',
      value: { type: 'request', name: '1', args: [] },
      code: 'WT_KATCP_BAD_NAME',
    },
  ]
}

function hpackInputs(): Input[] {
  const format = 'hpack'
  const connections = (file: string, name: string): Input[] =>
    vectors<Connection>(`hpack/${file}.json`).flatMap(({ steps, options }) => {
      // Settings change between blocks in some; those are the format's own tests' concern.
      if (steps.some(({ settings }) => settings !== undefined)) return []
      const error = steps.find((step) => step.error !== undefined)?.error
      const code = error === undefined ? undefined : HPACK_CODES[error as HpackWord]
      if (error !== undefined && !code) return []
      const { maxHeaderListSize, onTooLarge } = options ?? {}
      const blocks = steps.map(({ hex }) => hex!)
      return [
        {
          format,
          name,
          call: 'blocks',
          blocks,
          options: { limits: { maxListSize: maxHeaderListSize }, onTooLarge },
          code,
        },
      ]
    })
  const lists = vectors<{ steps: { headers?: Pair[]; settings?: number; sensitive?: unknown }[] }>(
    'hpack/encode.json',
  ).flatMap(({ steps }) =>
    steps.every(({ headers, settings, sensitive }) => headers && settings === undefined && !sensitive)
      ? [{ format, name: 'lists', call: 'lists', lists: steps.map(({ headers }) => headers) } as const]
      : [],
  )
  const single = vectors<Connection>('hpack/decode-valid.json').filter(({ steps }) => steps.length === 1)
  return [
    ...connections('rfc7541-examples', 'blocks'),
    ...some(connections('decode-valid', 'blocks'), 12),
    ...some(connections('huffman-valid', 'Huffman'), 12),
    ...some(connections('decode-malformed', 'faults'), 18),
    ...some(connections('huffman-malformed', 'faults'), 10),
    ...connections('limits', 'limits'),
    ...lists,
    ...some(single, 6).map(({ steps }) => ({ format, name: 'blocks', call: 'decode', hex: steps[0]!.hex }) as const),
    {
      format,
      name: 'faults',
      call: 'write',
      value: [
        ['a', 'b'],
        ['c', '\u0100'],
      ],
      code: 'WT_HPACK_TEXT',
    },
  ]
}

function websocketInputs(): Input[] {
  const format = 'websocket'
  const small = (file: string) =>
    cases<DecodeCase>(`websocket/${file}.json`)
      .filter((vector) => !vector.options?.permessageDeflate && bytesOf(vector).length <= 4096)
      .map((vector) => {
        const { maxPayload, maxFragments } = vector.options ?? {}
        const limits = { maxMessageBytes: maxPayload, maxFragments }
        const code = vector.error ? WEBSOCKET_CODES[vector.error.kind] : undefined
        return { hex: toHex(bytesOf(vector)), options: { role: vector.role, limits }, code }
      })
  const of = (file: string, name: string, count: number): Input[] =>
    some(small(file), count).map((input) => ({ format, name, call: 'units', ...input }))
  const whole = some(small('framing'), 30).filter(({ code }) => code === undefined)
  const server = small('fragmentation').filter(({ options, code }) => options.role === 'client' && code === undefined)
  interface Frame {
    readonly role: 'server' | 'client'
    readonly opcode: number
    readonly fin: boolean
    readonly rsv1: boolean
    readonly key?: string
    readonly payload: string
    readonly bytes?: string
  }
  const frames = cases<Frame>('websocket/encode.json').filter(
    ({ fin, rsv1, opcode, bytes, payload }) =>
      bytes && fin && !rsv1 && (opcode === 1 || opcode === 2) && !payload.includes('('),
  )
  return [
    ...whole.map(({ hex, options }) => {
      const role = options.role === 'client' ? 'server' : 'client'
      return { format, name: 'messages', call: 'decode', hex, options, back: { role, maskKey: 0x1020_3040 } } as const
    }),
    ...of('fragmentation', 'fragments', 25),
    ...of('control', 'control frames', 15),
    ...of('close', 'control frames', 15),
    ...of('reserved', 'faults', 15),
    ...of('utf8-messages', 'UTF-8', 25),
    ...of('limits', 'limits', 25),
    ...some(server, 6).map(
      ({ hex, options }) =>
        ({ format, name: 'streams', call: 'stream', hex, options, back: { role: 'server' } }) as const,
    ),
    ...some(small('reserved'), 6).map(
      ({ hex, options, code }) => ({ format, name: 'streams', call: 'stream', hex, options, code }) as const,
    ),
    ...some(frames, 20).map(({ role, opcode, key, payload }) => {
      const message = { type: opcode === 1 ? 'text' : 'binary', data: payload }
      const options = { role, maskKey: key === undefined ? undefined : Number.parseInt(key, 16) }
      return { format, name: 'frames', call: 'frame', message, options } as const
    }),
  ]
}

function dbusInputs(): Input[] {
  interface Vector {
    readonly hex: string
    readonly ok: unknown
    readonly error?: string
    readonly message?: NeutralMessage
  }
  interface Values {
    readonly sig: string
    readonly le: string
    readonly be: string
  }
  const format = 'dbus'
  const eager = { validate: 'eager', dict: 'pairs' }
  const good = vectors<Vector>('dbus/messages.json').filter(({ ok, message }) => ok === true && message!.type <= 4)
  const bad = ['header', 'body'].flatMap((part) =>
    some(
      vectors<Vector>(`dbus/malformed-${part}.json`).filter(({ ok }) => ok === false),
      40,
    ),
  )
  const streams = vectors<{ hex?: string }>('dbus/streams.json').flatMap(({ hex }) =>
    hex && hex.length < 4000 ? [hex] : [],
  )
  return [
    ...good.map(({ hex }) => ({ format, name: 'messages', call: 'decode', hex, options: eager }) as const),
    ...bad.map(
      ({ hex, error }) =>
        ({ format, name: 'faults', call: 'units', hex, options: eager, code: dbusCode(error!) }) as const,
    ),
    ...some(vectors<Values>('dbus/values.json'), 50).flatMap(({ sig, le, be }) =>
      (
        [
          ['little', le],
          ['big', be],
        ] as const
      ).map(([byteOrder, hex]) => ({ format, name: 'values', call: 'body', signature: sig, hex, byteOrder }) as const),
    ),
    ...streams.flatMap((hex) => [
      { format, name: 'chunks', call: 'units', hex, options: { errors: 'report' } } as const,
      { format, name: 'streams', call: 'stream', hex, options: { validate: 'eager' } } as const,
    ]),
    { format, name: 'streams', call: 'stream', hex: good.map(({ hex }) => hex).join(''), back: {} },
    ...good.slice(0, 3).flatMap(({ hex }) =>
      [-1, 0].map((more) => {
        const code = more < 0 ? 'WT_DBUS_MESSAGE_LENGTH' : undefined
        return {
          format,
          name: 'limits',
          call: 'units',
          hex,
          options: { limits: { maxMessageBytes: hex.length / 2 + more } },
          code,
        } as const
      }),
    ),
  ]
}

function hdsInputs(): Input[] {
  const format = 'hds'
  const tagged = (options: object) => ({ ...options, types: 'tagged', dict: 'pairs' })
  const small = (vector: HdsCase) =>
    vector.op !== 'encode' && !vector.options?.['utf8'] && !vector.options?.['keys'] && hdsBytes(vector).length <= 2048
  const values = ['scalars', 'strings', 'containers', 'data', 'floats-dates-uuids', 'random-values'].flatMap((file) =>
    some(
      cases<HdsCase>(`hds/${file}.json`).filter(
        (vector) => ['decode', 'roundtrip'].includes(vector.op) && small(vector),
      ),
      20,
    ),
  )
  const faults = cases<HdsCase>('hds/errors.json').filter(
    (vector) =>
      vector.op === 'decode' && small(vector) && vector.error !== undefined && vector.error !== 'bad-reference',
  )
  const messages = cases<HdsCase>('hds/messages.json').filter(({ op }) => op === 'message')
  const opacks = cases<HdsCase>('hds/opack.json').filter(
    (vector) => ['decode', 'roundtrip'].includes(vector.op) && small(vector),
  )
  const input = (vector: HdsCase) => ({
    hex: toHex(hdsBytes(vector)),
    options: tagged(hdsOptions(vector)),
    code: vector.error === undefined ? undefined : hdsCode(vector.error),
  })
  const secret = toHex(new Uint8Array(32).map((_, i) => i))
  return [
    ...values.map((vector) => ({ format, name: 'values', call: 'decode', ...input(vector) }) as const),
    ...some(faults, 40).map((vector) => ({ format, name: 'faults', call: 'decode', ...input(vector) }) as const),
    ...some(messages, 20).map(
      (vector) => ({ format, name: 'messages', call: 'payload', hex: toHex(hdsBytes(vector.payload!)) }) as const,
    ),
    { format, name: 'sessions', call: 'session', secret },
    { format, name: 'sessions', call: 'session', secret, changed: 10, code: 'WT_HDS_AUTHENTICATION' },
    ...[1, 2].map((maxDepth) => {
      const code = maxDepth < 2 ? 'WT_HDS_DEPTH' : undefined
      return { format, name: 'limits', call: 'decode', hex: 'd1d108', options: { limits: { maxDepth } }, code } as const
    }),
    ...opacks.map((vector) => ({ format: 'opack', name: 'values', call: 'decode', ...input(vector) }) as const),
    ...some(faults, 12).map(
      (vector) => ({ format: 'opack', name: 'faults', call: 'decode', ...input(vector) }) as const,
    ),
  ]
}

/** Faults anywhere in an outcome. */
const codesIn = (outcome: unknown): string[] =>
  [...JSON.stringify(outcome).matchAll(/"fault":\{"code":"(\w+)"/g)].map(([, code]) => code!)

type Call = (library: unknown, json: unknown, input: object) => unknown

/**
 * The cases with the outcomes that the sources give, checked for the code that the vector names: of what this returns every runtime has to
 * see every word. The module is given as hexadecimal digits, for initCore.
 */
export async function suiteData(wasm: string): Promise<{ cases: Case[]; wasm: string }> {
  const path = './suite/calls.mjs'
  const { CALLS } = (await import(path)) as { CALLS: Readonly<Record<string, Call>> }
  const library = { websocket, dbus, hds, opack, hpack, katcp }
  const inputs = [...websocketInputs(), ...dbusInputs(), ...hdsInputs(), ...hpackInputs(), ...katcpInputs()]
  const done: Case[] = []
  for (const input of inputs) {
    const { format, name, call, code, ...rest } = input
    const given = call === 'session' ? { ...rest, cipher: nobleCipher } : rest
    const want = await CALLS[call]!(library[format], core, given)
    const codes = codesIn(want)
    // A stream may have faults among its units; where the case names a code, or none with so many words, that is what must come.
    if ('code' in input && codes.at(-1) !== code) {
      throw new Error(`${format}: ${JSON.stringify(rest).slice(0, 300)} gives ${codes} instead of ${code}`)
    }
    done.push({ format, name, call, ...rest, want })
  }
  return { cases: done, wasm: readFileSync(wasm).toString('hex') }
}
