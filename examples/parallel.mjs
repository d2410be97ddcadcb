// Decodes many captures at once, on all cores: each thread has a memory of its own, and takes the next capture when it is done with one.
//
//   node examples/parallel.mjs examples                          every capture of a folder
//   node examples/parallel.mjs a.katcp b.pcap --out decoded      the units of each as a file of JSON lines in that folder
//   node examples/parallel.mjs --format websocket --set role=server one.bin two.bin
//
// The format is known by the ending of a name where --format does not say it. A bad capture is reported, with the units before its
// fault counted, and ends nothing but itself. The units come from a thread as JSON lines whose memory is handed over, not copied.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { FORMATS, openCapture, unitLine, WireError } from 'wiretape/capture'
import { nodeCipher, nodeDeflate } from 'wiretape/node'
import { isMain } from './connection.mjs'

/** @typedef {import('wiretape/capture').CaptureFormatName} CaptureFormatName */
/** @typedef {{ path: string, format: CaptureFormatName, options?: Record<string, string | boolean> }} Job */
/**
 * What became of a capture: `lines` are the JSON lines of its units, whole lines in each piece.
 * @typedef {{ path: string, units: number, bytes: number, lines: Uint8Array[], error?: { code?: string, offset?: number, message: string } }} Outcome
 */

const THREAD = 'decode captures'
const PIECE_BYTES = 1 << 20

/** JSON lines, gathered in pieces that can be handed over. */
class Lines {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  pieces = []
  count = 0
  #text = ''

  add(/** @type {string} */ line) {
    this.count++
    this.#text += `${line}\n`
    if (this.#text.length >= PIECE_BYTES) this.flush()
  }

  flush() {
    if (this.#text !== '') this.pieces.push(new TextEncoder().encode(this.#text))
    this.#text = ''
  }
}

/**
 * Decodes one capture, in the thread that asks for it.
 * @param {Job} job
 * @returns {Promise<Outcome>}
 */
export async function decodeCapture({ path, format, options = {} }) {
  const lines = new Lines()
  let bytes = 0
  /** @type {Outcome['error']} */
  let error
  try {
    const reader = openCapture(format, { options, deflate: nodeDeflate, cipher: nodeCipher })
    const take = () => {
      for (let units = reader.readAll(); units.length > 0; units = reader.readAll()) {
        for (const unit of units) {
          const line = unitLine(unit)
          if (WireError.is(line)) throw line
          lines.add(line)
        }
      }
    }
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
      bytes += chunk.length
      reader.push(chunk)
      take()
    }
    reader.end()
    take()
  } catch (thrown) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (thrown)
    error = WireError.is(thrown) ? { code: thrown.code, offset: thrown.offset, message } : { code, message }
  }
  lines.flush()
  return { path, units: lines.count, bytes, lines: lines.pieces, ...(error && { error }) }
}

if (workerData === THREAD) {
  parentPort?.on('message', async (/** @type {Job} */ job) => {
    const outcome = await decodeCapture(job)
    parentPort?.postMessage(
      outcome,
      outcome.lines.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)),
    )
  })
}

/**
 * The outcome of a job in that thread; `alive` is false where the thread is of no more use.
 * @returns {Promise<{ outcome: Outcome, alive: boolean }>}
 */
async function ask(/** @type {Worker} */ thread, /** @type {Job} */ job) {
  const over = new AbortController()
  try {
    thread.postMessage(job)
    const answer = once(thread, 'message', { signal: over.signal })
    const exit = once(thread, 'exit', { signal: over.signal }).then(([code]) => {
      throw new Error(`the thread ended with ${code}`)
    })
    const [outcome] = await Promise.race([answer, exit])
    return { outcome, alive: true }
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    return { outcome: { path: job.path, units: 0, bytes: 0, lines: [], error: { message } }, alive: false }
  } finally {
    over.abort()
  }
}

/**
 * Decodes captures in parallel. `each` is given the outcomes as they come, and may return a promise: its thread waits for that.
 * @param {readonly Job[]} jobs
 * @param {(outcome: Outcome) => unknown} each
 * @param {{ threads?: number }} [options] default: as many threads as there are cores for this process
 */
export async function decodeCaptures(jobs, each, { threads = availableParallelism() } = {}) {
  let next = 0
  const run = async () => {
    /** @type {Worker | undefined} */
    let thread
    try {
      while (next < jobs.length) {
        const job = /** @type {Job} */ (jobs[next++])
        thread ??= new Worker(new URL(import.meta.url), { workerData: THREAD })
        const { outcome, alive } = await ask(thread, job)
        if (!alive) {
          await thread.terminate()
          thread = undefined
        }
        await each(outcome)
      }
    } catch (error) {
      // The other threads finish what they have begun.
      next = jobs.length
      throw error
    } finally {
      await thread?.terminate()
    }
  }
  const runs = await Promise.allSettled(Array.from({ length: Math.min(threads, jobs.length) }, run))
  for (const result of runs) if (result.status === 'rejected') throw result.reason
}

/** Endings of names, and the formats of such files. @type {Readonly<Record<string, CaptureFormatName>>} */
const ENDINGS = { '.katcp': 'katcp', '.pcap': 'dbus', '.pcapng': 'dbus', '.http2': 'hpack', '.hpack': 'hpack' }

const formatOf = (/** @type {string} */ path) => ENDINGS[extname(path).toLowerCase()]

/** The files of that path that can be captures: of a folder, those whose ending says so, unless all are. */
async function filesOf(/** @type {string} */ path, /** @type {boolean} */ all) {
  // What is not there is reported with its turn.
  if (!(await stat(path).catch(() => undefined))?.isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return files.filter((file) => (all || formatOf(file) !== undefined) && !/[\\/]node_modules[\\/]/.test(file)).sort()
}

if (isMain(import.meta.url) && workerData !== THREAD) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      threads: { type: 'string', default: String(availableParallelism()) },
      out: { type: 'string' },
    },
  })
  const options = Object.fromEntries(
    values.set.map((text) => {
      const [name = '', value] = text.split(/=(.*)/s)
      return [name, value ?? true]
    }),
  )
  const usage = (/** @type {string} */ text) => {
    console.error(text)
    process.exit(2)
  }
  const { format, out } = values
  const threads = Number(values.threads)
  if (!Number.isInteger(threads) || threads < 1) usage('--threads: a number of at least 1')
  if (format !== undefined && !Object.hasOwn(FORMATS, format)) usage(`--format: ${Object.keys(FORMATS).join(', ')}`)
  /** @type {Job[]} */
  const jobs = []
  for (const path of positionals) {
    for (const file of await filesOf(path, format !== undefined)) {
      const known = /** @type {CaptureFormatName | undefined} */ (format) ?? formatOf(file)
      if (known) jobs.push({ path: file, format: known, options })
      else usage(`${file}: its ending names no format, --format does`)
    }
  }
  if (jobs.length === 0)
    usage('node examples/parallel.mjs [--format name] [--set option=value] [--out folder] captures')
  if (out !== undefined) await mkdir(out, { recursive: true })

  const began = performance.now()
  const total = { units: 0, bytes: 0, failed: 0 }
  await decodeCaptures(
    jobs,
    async ({ path, units, bytes, lines, error }) => {
      total.units += units
      total.bytes += bytes
      if (error) total.failed++
      console.log(`${path}: ${units} units of ${bytes} bytes${error ? `, then ${error.message}` : ''}`)
      if (out !== undefined) await writeFile(join(out, `${path.replace(/[\\/:]+/g, '_')}.ndjson`), lines)
    },
    { threads },
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(2)
  console.log(
    `${jobs.length} captures, ${total.failed} bad, ${total.units} units of ${total.bytes} bytes in ${seconds} s`,
  )
  process.exitCode = total.failed > 0 ? 1 : 0
}
