import { Command, InvalidArgumentError } from 'commander'
import { fromHex } from '../vectors'
import { readCorpus, writeCorpus } from './corpus'
import { fuzzBindings, fuzzKernels, type Outcome } from './loop'
import { commitNow, record } from './record'
import { FORMATS, MODES, type Mode } from './registry'

const whole = (text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('a whole number, please')
  return value
}

interface Options {
  time: number
  seed: number
  kernels?: boolean
  bindings?: boolean
  values?: boolean
  keep?: boolean
  record?: boolean
  trace?: boolean
}

const names = Object.keys(FORMATS)

const program = new Command('npm run fuzz --')
  .description('Feeds made-up bytes and values to the codecs until a promise breaks.')
  .argument('[format...]', `of ${names.join(', ')}; default all`)
  .option('--time <seconds>', 'in all for each format, shared by its modes', whole, 60)
  .option('--seed <n>', 'the same inputs as with the same seed before, as far as the time reaches', whole, 1)
  .option('--kernels', 'the kernels alone, guided by coverage')
  .option('--bindings', 'the decoders alone')
  .option('--values', 'the encoders alone')
  .option('--keep', 'put inputs that reach most of the code into the corpus')
  .option('--trace', 'name each input before it is tried: the last one named is what hangs')
  .option('--record', 'write the figures into docs/fuzzing.md')
  .parse()

const options = program.opts<Options>()
const chosen = MODES.filter((mode) => options[mode])
const modes: readonly Mode[] = chosen.length > 0 ? chosen : MODES
const formats = program.args.length > 0 ? program.args : names
for (const name of formats) {
  if (!names.includes(name)) program.error(`there is no format ${name}; there are: ${names.join(', ')}`)
}

const commit = options.record ? commitNow() : ''

Error.stackTraceLimit = 6

for (const name of formats) {
  const format = FORMATS[name]!
  const corpus = readCorpus(name)
  const seconds = options.time / modes.length
  const outcomes: Outcome[] = []
  for (const mode of modes) {
    const inputs = corpus.filter((each) => each.mode === mode && each.hex !== '').map(({ hex }) => fromHex(hex))
    const outcome =
      mode === 'kernels'
        ? fuzzKernels(format, inputs, options.seed, seconds)
        : fuzzBindings(format, mode, inputs, options.seed, seconds, options.trace === true)
    outcomes.push(outcome)
    const { executions, findings, blocks } = outcome
    const reached = blocks ? `, ${blocks.reached} of ${blocks.all} blocks` : ''
    console.log(
      `${name} ${mode}: ${executions} executions in ${outcome.seconds.toFixed(0)} s${reached}, ${findings.length} findings`,
    )
    for (const finding of findings) console.log(`  seed ${options.seed}: ${JSON.stringify(finding)}`)
  }
  const found = outcomes.flatMap(({ findings }) => findings)
  if (found.length > 0) process.exitCode = 1
  const distilled = options.keep ? outcomes.flatMap((outcome) => outcome.distilled) : []
  if (found.length > 0 || distilled.length > 0) {
    const kept = corpus.filter((each) => !(options.keep && each.mode === 'kernels' && each.found === undefined))
    writeCorpus(name, [...kept, ...found, ...distilled])
  }
  if (options.record) record(name, options.seed, commit, outcomes)
}
