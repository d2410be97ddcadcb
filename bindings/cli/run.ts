import type { Writable } from 'node:stream'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../../package.json'
import { WireError } from '../core/error'
import { type BackendChoice, useBackend } from '../engine/load'
import { nodeCipher, nodeDeflate } from '../node'
import { decodeInput } from './decode'
import { encodeInput } from './encode'
import { BAD_INPUT, errorLine, OK, OutputClosed, USAGE, UsageError } from './exit'
import type { CaptureOption, Format } from './format'
import { openInput } from './input'
import { Output } from './output'
import { Report } from './report'

/** The streams of a process. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** What commander hands to the action: the options of all levels. */
interface Options {
  readonly backend: BackendChoice
  readonly stats?: true
  readonly limit?: Readonly<Record<string, number>>
  readonly keepGoing?: true
  readonly [ofFormat: string]: unknown
}

const ADAPTERS = { deflate: nodeDeflate, cipher: nodeCipher }

const EXIT_CODES = '\nExit code: 0 done, 1 bad input, 2 wrong use.'

/** Runs the command with the arguments after its name and returns its exit code. Throws nothing. */
export async function run(argv: readonly string[], io: Io, formats: Readonly<Record<string, Format>>): Promise<number> {
  const output = new Output(io.stdout)
  // Who closes standard error misses what stands there; that must not end the work.
  io.stderr.on('error', () => {})
  let code = OK
  const program = programOf(io, formats, async (direction, format, path, options) => {
    code = await work(direction, format, path, options, io, output)
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    await output.flush()
    return code
  } catch (error) {
    if (error instanceof OutputClosed) return OK
    if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE
    io.stderr.write(`wiretape: ${errorLine(error)}\n`)
    return error instanceof UsageError ? USAGE : BAD_INPUT
  }
}

type Direction = 'decode' | 'encode' | 'dump'
type Action = (direction: Direction, format: Format, path: string, options: Options) => Promise<void>

function programOf(io: Io, formats: Readonly<Record<string, Format>>, action: Action): Command {
  const program = new Command('wiretape')
    .description('Decodes wire formats to JSON, one object a line, and encodes them back.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES)
  const decode = program.command('decode').description('print the units of the input as JSON, one a line')
  const encode = program
    .command('encode')
    .description('write the bytes of units that stand in the input as JSON, one a line')
  const dump = program.command('dump').description('print the bytes of the input and what they mean, for people')
  const commands = { decode, encode, dump }
  for (const command of [decode, encode, dump]) {
    command.usage('<format> [file|-] [options]')
    command.addOption(new Option('--backend <name>', 'kernels to use').choices(['auto', 'wasm', 'js']).default('auto'))
    if (command !== dump) command.option('--stats', 'units, bytes and speed on standard error')
  }
  decode.option('--limit <name=value>', 'change a limit; may be given again', limit)

  for (const [name, format] of Object.entries(formats)) {
    for (const direction of ['decode', 'encode', 'dump'] as const) {
      if (direction === 'dump' && !format.dump) continue
      const command = commands[direction].command(name)
      command.description(format.about).argument('[file]', 'what to read; - is standard input', '-')
      for (const option of format.options ?? []) command.addOption(formatOption(option))
      if (direction === 'decode') {
        if (format.keepsGoing) command.option('--keep-going', 'report bad units on standard error and go on')
        command.addHelpText('after', limitsText(format))
      }
      command.addHelpText('after', EXIT_CODES)
      command.action((path: string) => action(direction, format, path, command.optsWithGlobals<Options>()))
    }
  }
  return program
}

function formatOption({ name, value, optional, about, choices, default: usual, required }: CaptureOption): Option {
  const argument = value === undefined ? '' : optional ? ` [${value}]` : ` <${value}>`
  const option = new Option(`--${name}${argument}`, about)
  if (choices) option.choices(choices)
  if (usual !== undefined) option.default(usual)
  return required ? option.makeOptionMandatory() : option
}

function limitsText({ limits }: Format): string {
  const width = Math.max(...Object.keys(limits).map((name) => name.length))
  const lines = Object.entries(limits).map(([name, value]) => `\n  ${name.padEnd(width)}  ${value}`)
  return lines.length > 0 ? `\nLimits and their defaults:${lines.join('')}` : ''
}

function limit(text: string, previous: Readonly<Record<string, number>> | undefined): Record<string, number> {
  const [, name, digits] = /^(\w+)=([0-9]+)$/.exec(text) ?? []
  if (name === undefined || !Number.isSafeInteger(Number(digits))) {
    throw new InvalidArgumentError('A name and a whole number are expected, maxLineBytes=1000.')
  }
  return { ...previous, [name]: Number(digits) }
}

async function work(
  direction: Direction,
  format: Format,
  path: string,
  options: Options,
  io: Io,
  output: Output,
): Promise<number> {
  const keepGoing = options.keepGoing === true
  const limits = options.limit ?? {}
  chooseBackend(options.backend)
  if (direction === 'dump') return dumpInput(format, path, options, io, output)
  // Made before the input is opened: wrong options are the first thing to be said.
  const decoder =
    direction === 'decode' ? usable(() => format.decoder({ ...ADAPTERS, options, limits, keepGoing })) : undefined
  const encoder = decoder ? undefined : usable(() => format.encoder({ ...ADAPTERS, options }))
  const input = await openInput(path, io.stdin)
  const report = new Report(io.stderr, input, io.stderr.isTTY === true && io.stdout.isTTY !== true)
  try {
    if (decoder) await decodeInput(decoder, input, output, report, keepGoing)
    else if (encoder) await encodeInput(encoder, format.revive, input, output, report)
    await output.flush()
    if (options.stats) report.stats()
  } finally {
    report.close()
  }
  return report.faults > 0 ? BAD_INPUT : OK
}

/** All of the input as text. */
async function dumpInput(format: Format, path: string, options: Options, io: Io, output: Output): Promise<number> {
  const pieces: Uint8Array[] = []
  for await (const chunk of (await openInput(path, io.stdin)).chunks) pieces.push(chunk)
  const bytes = new Uint8Array(Buffer.concat(pieces))
  for (const text of usable(() => format.dump?.(bytes, { ...ADAPTERS, options }) ?? [])) await output.write(text)
  await output.flush()
  return OK
}

function chooseBackend(choice: BackendChoice): void {
  try {
    useBackend(choice)
  } catch (error) {
    throw new UsageError(`the backend ${choice} cannot be had here: ${errorLine(error)}`)
  }
}

/** A fault of kind 'usage' before any input is read is one of the arguments. */
function usable<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (WireError.is(error) && error.kind === 'usage') throw new UsageError(errorLine(error))
    throw error
  }
}
