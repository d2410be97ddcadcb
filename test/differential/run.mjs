// npm run differential -- [peer…] [--count n] [--seed n] [--write]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { explanations } from './explanations.mjs'
import { lastCode } from './ours.mjs'
import { peers } from './peers.mjs'

const BATCH = 2000
const SHOWN = 10

const whole = (text) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is needed')
  return value
}
const names = peers.map(({ name }) => name)
const program = new Command('npm run differential --')
  .description(
    `Gives the same bytes to wiretape and to its peers (${names.join(', ')}) and compares what they make of them.`,
  )
  .argument('[peer...]', 'the peers to ask; all by default')
  .option('--count <n>', 'inputs for each peer', whole, 100_000)
  .option('--seed <n>', 'of the mutations', whole, 1)
  .option('--write', 'keep the figures for docs/disagreements.md')
  .parse()
const { count, seed, write } = program.opts()
const asked = program.args.length > 0 ? program.args : names
const unknown = asked.find((name) => !names.includes(name))
if (unknown !== undefined) program.error(`no peer ${unknown}; there are: ${names.join(', ')}`)

const shownInput = (input) => (Array.isArray(input) ? input : [input]).map((bytes) => bytes.toString('hex')).join(',')

/** { inputs, accepted, refused, explained: { [id]: count }, unexplained: […] } */
async function compare({ name, version, inputs, ours, open }) {
  const peer = await open()
  const own = explanations.filter((explanation) => explanation.peers.includes(name))
  const result = {
    peer: name,
    version: version(),
    seed,
    inputs: 0,
    accepted: 0,
    refused: 0,
    explained: {},
    unexplained: [],
  }
  const take = async (batch) => {
    const theirs = await peer.ask(batch)
    for (const [i, input] of batch.entries()) {
      const mine = ours(input)
      result.inputs++
      if (mine.includes('error')) result.refused++
      else result.accepted++
      if (mine === theirs[i]) continue
      const why = own.find(({ holds }) => holds({ input, ours: mine, theirs: theirs[i], code: lastCode }))
      if (why) result.explained[why.id] = (result.explained[why.id] ?? 0) + 1
      else
        result.unexplained.push({
          input: shownInput(input),
          ours: `${mine} ${lastCode ?? ''}`.trim(),
          theirs: theirs[i],
        })
    }
  }
  try {
    let batch = []
    for (const input of inputs(count, seed)) {
      batch.push(input)
      if (batch.length < BATCH) continue
      await take(batch)
      batch = []
    }
    await take(batch)
  } finally {
    peer.close()
  }
  return result
}

/** One line for each peer. */
function keep(result) {
  const file = new URL('results.json', import.meta.url)
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  const all = names.flatMap((name) => [result, ...kept].find(({ peer }) => peer === name) ?? [])
  writeFileSync(file, `[\n${all.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`)
}

let failed = 0
let passed = 0
for (const peer of peers.filter(({ name }) => asked.includes(name))) {
  let result
  try {
    result = await compare(peer)
  } catch (error) {
    const missing = `${peer.name}: not run: ${error.message}`
    process.stderr.write(`${missing}\n`)
    if (process.env.REQUIRE_PEERS === '1') failed++
    continue
  }
  const { version, inputs, accepted, refused, explained, unexplained } = result
  process.stdout.write(`${peer.name} ${version}: ${inputs} inputs, ${accepted} accepted, ${refused} refused\n`)
  for (const [id, times] of Object.entries(explained)) process.stdout.write(`  ${times} × ${id}\n`)
  for (const { input, ours, theirs } of unexplained.slice(0, SHOWN)) {
    process.stderr.write(`  UNEXPLAINED ${input}\n    wiretape: ${ours}\n    ${peer.name}: ${theirs}\n`)
  }
  if (unexplained.length > 0) {
    process.stderr.write(`  ${unexplained.length} are unexplained\n`)
    failed++
  } else passed++
  if (write && unexplained.length === 0) keep({ peer: peer.name, version, seed, inputs, accepted, refused, explained })
}
process.stdout.write(`${passed} peers agree or are explained, ${failed} not\n`)
process.exitCode = failed > 0 ? 1 : 0
