// A Worker that decodes captures: POST one, and its units come back as JSON, one a line, while it is still being sent. See README.md.
import { FORMATS, openCapture, unitLine, WireError } from 'wiretape/capture'
import { fflateDeflate } from 'wiretape/fflate'
import { nobleCipher } from 'wiretape/noble'

/** @typedef {import('wiretape/capture').UnitReader} UnitReader */

const ADAPTERS = { deflate: fflateDeflate, cipher: nobleCipher }

/** A Worker has 128 MB: no message of a format may take more than a part of them. Limits are the host's to set, not a client's. */
const MOST_BYTES = 8 << 20

/** What is decoded at once, whatever the size of the chunks that come. */
const PIECE = 1 << 14

/** Characters of a chunk of the answer. */
const BATCH = 1 << 14

/** The limits of a format that allow more than may be held, lowered. */
const limitsOf = (/** @type {Readonly<Record<string, number>>} */ limits) =>
  Object.fromEntries(
    Object.entries(limits)
      .filter(([name, value]) => name.endsWith('Bytes') && value > MOST_BYTES)
      .map(([name]) => [name, MOST_BYTES]),
  )

/** `?role=server&deflate`: an option without a value is a switch. */
const optionsOf = (/** @type {URLSearchParams} */ parameters) =>
  Object.fromEntries([...parameters].map(([name, value]) => [name, value === '' ? true : value]))

/** One line for a fault, the last of an answer. */
const faultLine = (/** @type {WireError} */ { code, offset, kind, message }) =>
  `${JSON.stringify({ error: { code, offset, kind, message } })}\n`

/**
 * The lines of what can be read now.
 * @param {UnitReader} reader
 */
function* linesOf(reader) {
  let text = ''
  for (let units = reader.readAll(); units.length > 0; units = reader.readAll()) {
    for (const unit of units) {
      const line = unitLine(unit)
      if (WireError.is(line)) {
        yield text
        throw line
      }
      text += `${line}\n`
      if (text.length < BATCH) continue
      yield text
      text = ''
    }
    // What follows may be a fault, which must not take the units before it along.
    yield text
    text = ''
  }
}

/**
 * The answer, as text. Whoever does not read it keeps it from going on, and with it the body from being read.
 * @param {ReadableStream<Uint8Array>} body
 * @param {UnitReader} reader
 */
async function* answer(body, reader) {
  try {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length; at += PIECE) {
        reader.push(chunk.subarray(at, at + PIECE))
        yield* linesOf(reader)
      }
    }
    reader.end()
    yield* linesOf(reader)
  } catch (error) {
    if (!WireError.is(error)) throw error
    yield faultLine(error)
  }
}

/** A generator of text as a stream of bytes that runs it only when it is read. */
function streamOf(/** @type {AsyncGenerator<string>} */ texts) {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(control) {
        for (;;) {
          const { done, value } = await texts.next()
          if (done) return control.close()
          if (value === '') continue
          return control.enqueue(encoder.encode(value))
        }
      },
      async cancel() {
        await texts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** How to use it, for people. */
function help(/** @type {string} */ origin) {
  const formats = Object.entries(FORMATS).map(([name, { about, options = [] }]) => {
    const lines = options.map(({ name, about, choices, required }) => {
      const values = choices ? ` (${choices.join(', ')}${required ? '; needed' : ''})` : ''
      return `    ${name}: ${about}${values}\n`
    })
    return `\n  ${name}: ${about}\n${lines.join('')}`
  })
  return `Decodes captures: POST one to /decode/<format>, and its units come back as JSON, one a line.
A fault is the last line, {"error":{"code":…,"offset":…}}.

  curl --data-binary @session.katcp -H content-type: ${origin}/decode/katcp
  curl -T session.bin -X POST '${origin}/decode/websocket?role=server&deflate'

Formats and their options:
${formats.join('')}`
}

const text = (/** @type {number} */ status, /** @type {string} */ body, headers = {}) =>
  new Response(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })

export default {
  /** @param {Request} request */
  async fetch(request) {
    const { pathname, searchParams, origin } = new URL(request.url)
    if (pathname === '/') {
      if (request.method !== 'GET') return text(405, 'GET / says how to use it\n', { allow: 'GET' })
      return text(200, help(origin))
    }
    const format = /^\/decode\/([^/]+)$/.exec(pathname)?.[1]
    if (format === undefined || !Object.hasOwn(FORMATS, format)) {
      return text(404, `There are /decode/${Object.keys(FORMATS).join(', /decode/')}\n`)
    }
    if (request.method !== 'POST') return text(405, 'POST a capture\n', { allow: 'POST' })
    const name = /** @type {import('wiretape/capture').CaptureFormatName} */ (format)
    try {
      const options = optionsOf(searchParams)
      const reader = openCapture(name, { ...ADAPTERS, options, limits: limitsOf(FORMATS[name].limits) })
      const headers = { 'content-type': 'application/x-ndjson' }
      if (!request.body) return new Response('', { headers })
      return new Response(streamOf(answer(request.body, reader)), { headers })
    } catch (error) {
      if (WireError.is(error)) return text(400, `${error.message}\n`)
      throw error
    }
  },
}
